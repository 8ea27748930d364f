// The attention explorer: pick a point of a pass and see what every level, block and head attends
// to; or watch the pass as a film, which can be stopped and turned at any time.
import {byId, clamp, count, make, refill} from './dom.js';
import {LARGE, NORMAL, SMALL} from './data.js';
import {BLOCKS, HEADS, KINDS, LEVELS} from './trace.js';

const RED = [214, 39, 40], GREEN = [20, 150, 60], YELLOW = [255, 196, 0], BLUE = [31, 111, 235];
const mix = (a, b, t) => a.map((v, i) => Math.round(v + (b[i] - v) * t));

export class Explorer {
    // clouds: those of the page that are passes; one of them is shown
    constructor(app, clouds) {
        this.app = app;
        this.clouds = clouds;
        this.state = {level: 1, block: 1, head: 'both', kind: 'mean', centre: 0};
        for (const cloud of clouds) cloud.ownColours = cloud.rgba.slice();
        this.cloud = clouds[0];
        this.controls();
        this.show(clouds[0]);
        this.app.on(what => { if (what === 'classes') this.update(); });
    }

    show(cloud) {
        const view = this.app.views.find(v => v.cloud === this.cloud);
        if (view) this.app.showCloud(cloud, view);
        this.cloud = cloud;
        this.trace = cloud.trace;
        this.colours = cloud.ownColours;
        this.picked = Math.max(0, cloud.attributes.find(a => a.name === 'file_row').values.indexOf(this.trace.row));
        this.stages = this.makeStages();
        this.stage = this.stages.findIndex(s => s.level === this.state.level && s.block === this.state.block && s.show === 'attend');
        byId('film').max = this.stages.length - 1;
        byId('att-point').max = cloud.n - 1;
        this.update();
        this.app.changed('views');
    }

    // The film: down level by level, then up again.
    makeStages() {
        const stages = [{name: 'input', show: 'input'}];
        for (const level of LEVELS) {
            stages.push({name: `level ${level}: sample`, show: 'sample', level});
            for (const block of BLOCKS) {
                stages.push({name: `level ${level}, block ${block}: group`, show: 'group', level, block});
                stages.push({name: `level ${level}, block ${block}: attend`, show: 'attend', level, block});
            }
        }
        for (const level of [...LEVELS].reverse()) {
            if (this.trace.outputs[`aux${level}`]) stages.push({name: `auxiliary output of level ${level}`, show: 'output', output: `aux${level}`});
            if (this.trace.up[level]) stages.push({name: level > 1 ? `up to level ${level - 1}` : 'up to all points', show: 'up', level});
        }
        if (this.trace.outputs.main) stages.push({name: 'output', show: 'output', output: 'main'});
        return stages;
    }

    controls() {
        const fill = (id, values) => byId(id).replaceChildren(...values.map(v => make('option', {value: v}, String(v))));
        fill('att-level', LEVELS);
        fill('att-block', BLOCKS);
        fill('att-head', ['both', ...HEADS.filter(h => this.cloud.trace.blocks['11'].heads[`${h} mean`])]);
        byId('att-pass').replaceChildren(...this.clouds.map((c, i) => make('option', {value: i}, c.name)));
        byId('att-pass').addEventListener('change', () => {
            this.show(this.clouds[+byId('att-pass').value]);
            this.app.frameTile(this.cloud);
            this.app.changed('views');
        });
        fill('att-kind', KINDS);
        for (const key of ['level', 'block', 'head', 'kind'])
            byId(`att-${key}`).addEventListener('change', () => this.choose(key, byId(`att-${key}`).value));
        byId('att-point').addEventListener('change', () => this.pick(clamp(Math.round(+byId('att-point').value), 0, this.cloud.n - 1)));
        byId('film').addEventListener('input', () => this.goTo(+byId('film').value));
        byId('film-play').addEventListener('click', () => this.play(!this.playing));
        byId('attention').hidden = false;
        byId('panel').prepend(byId('attention'));
    }

    choose(key, value) {
        const {state} = this;
        state[key] = key === 'level' || key === 'block' ? +value : value;
        if (key === 'level' || key === 'block')
            this.stage = this.stages.findIndex(s => s.show === 'attend' && s.level === state.level && s.block === state.block);
        this.update();
    }

    goTo(stage) {
        this.stage = stage;
        const {level, block} = this.stages[stage];
        if (level) this.state.level = level;
        if (block) this.state.block = block;
        this.update();
    }

    play(on) {
        this.playing = on;
        clearInterval(this.timer);
        byId('film-play').textContent = on ? 'Stop' : 'Play';
        if (on) this.timer = setInterval(() => this.goTo((this.stage + 1) % this.stages.length), 1100);
    }

    // The picked point, or the nearest one that reaches the level.
    pick(point) {
        if (point < 0) return;
        this.picked = point;
        this.update();
    }

    centre() {
        const n = this.trace.levels[this.state.level], point = this.picked, {pos, step} = this.cloud;
        if (point < n) return point;
        let best = 0, least = Infinity;
        for (let i = 0; i < n; i++) {
            const d = [0, 1, 2].reduce((sum, a) => sum + ((pos[4 * i + a] - pos[4 * point + a]) * step[a]) ** 2, 0);
            if (d < least) {
                least = d;
                best = i;
            }
        }
        return best;
    }

    update() {
        const {state} = this, stage = this.stages[this.stage];
        state.centre = this.centre();
        byId('att-point').value = this.picked;
        for (const key of ['level', 'block', 'head', 'kind']) byId(`att-${key}`).value = state[key];
        byId('film').value = this.stage;
        byId('film-name').textContent = stage.name;
        this.lines = [];
        this.paint(stage);
        this.describe(stage);
        this.app.renderer.updateColours(this.cloud);
        this.app.renderer.updateMarks(this.cloud);
        this.app.changed('view');
    }

    // --- colours of the points ---

    // The points of a stage are large and all others small, so that they do not hide it.
    paint(stage) {
        const {rgba, marks, n} = this.cloud, {levels} = this.trace;
        const set = (i, colour, size = LARGE) => {
            for (let k = 0; k < 3; k++) rgba[4 * i + k] = colour[k];
            marks[4 * i + 3] = size;
        };
        const level = stage.show === 'group' || stage.show === 'attend' ? stage.level - (stage.block === 1 ? 1 : 0) : stage.level ?? 0;
        for (let i = 0; i < n; i++) {
            const own = [0, 1, 2].map(k => this.colours[4 * i + k]);
            if (stage.show === 'input') set(i, own, NORMAL);
            else set(i, mix(own, [150, 150, 150], i < levels[level] ? 0.4 : 0.9), SMALL);
        }
        if (stage.show === 'sample') for (let i = 0; i < levels[stage.level]; i++) set(i, BLUE, this.sizeOf(levels[stage.level]));
        if (stage.show === 'output') this.paintOutput(stage.output, set);
        if (stage.show === 'up') this.paintUp(stage.level, set);
        if (stage.show === 'group' || stage.show === 'attend') this.paintAttention(stage, set);
    }

    // Few points are large; many would cover each other.
    sizeOf(points) { return points > this.cloud.n / 8 ? NORMAL : LARGE; }

    paintOutput(name, set) {
        const labels = this.trace.outputs[name];
        const colours = new Map(this.cloud.classes.map(c => [c.number, c.shade]));
        for (let i = 0; i < labels.length; i++) set(i, colours.get(labels[i]) ?? [140, 140, 140], this.sizeOf(labels.length));
    }

    // The heads of the current block around the centre: the geometric one red, the latent one green.
    heads() {
        const {level, block, head, kind, centre} = this.state;
        return HEADS.map(name => head === 'both' || head === name ? this.trace.attention(level, block, name, kind, centre) : null);
    }

    paintAttention(stage, set) {
        const {centre} = this.state, [geometric, latent] = this.heads(), any = geometric ?? latent;
        if (!any) return;
        const strength = (h, k) => h ? h.weights[k] / Math.max(...h.weights, 1e-9) : 0;
        any.index.forEach((i, k) => {
            const g = strength(geometric, k), l = strength(latent, k);
            const hue = g + l > 0 ? mix(GREEN, RED, g / (g + l)) : RED;
            set(i, stage.show === 'group' ? BLUE : mix([225, 225, 225], hue, Math.max(g, l)));
            this.lines.push({from: centre, to: i, width: stage.show === 'group' ? 1 : 0.4 + 3 * Math.max(g, l), colour: stage.show === 'group' ? BLUE : hue});
        });
        set(centre, YELLOW);
    }

    // The point that a level takes features for, and where it takes them from: [point, weight].
    sources(level) {
        const {index, weight} = this.trace.up[level], to = this.picked < this.trace.levels[level - 1] ? this.picked : this.state.centre;
        return {to, from: [0, 1, 2].map(k => [index[3 * to + k], weight[3 * to + k]]).filter(([, w]) => w > 0)};
    }

    paintUp(level, set) {
        const {to, from} = this.sources(level);
        for (const [i, w] of from) {
            set(i, mix([225, 225, 225], GREEN, w));
            this.lines.push({from: i, to, width: 0.5 + 3 * w, colour: GREEN});
        }
        set(to, YELLOW);
    }

    // --- text of the panel ---

    distance(a, b) {
        const {pos, step} = this.cloud;
        return Math.hypot(...[0, 1, 2].map(k => (pos[4 * a + k] - pos[4 * b + k]) * step[k]));
    }

    // Of the ball of the current block, 0 where neighbours are the nearest points of any distance.
    radius() {
        const {level, block} = this.state;
        return this.trace.radius[2 * level + block - 3];
    }

    describe(stage) {
        const {levels} = this.trace, {n} = this.cloud, say = (text, ...rows) => {
            byId('att-about').textContent = text;
            refill(byId('att-table'), ...rows);
        };
        byId('att-key').hidden = !['group', 'attend'].includes(stage.show);
        if (stage.show === 'input') say(`The ${count(n)} points that the model receives.`);
        else if (stage.show === 'sample') say(`${count(levels[stage.level])} of ${count(levels[stage.level - 1])} points stay.`);
        else if (stage.show === 'output') say(`The labels of this output, for ${count(this.trace.outputs[stage.output].length)} points.`);
        else if (stage.show === 'up') this.describeUp(stage.level, say);
        else this.describeAttention(say);
    }

    // A row of the table: a point, how far it is, and numbers.
    row(from, i, ...values) {
        return make('tr', {}, make('td', {}, make('button', {className: 'point', title: 'Go to this point', onclick: () => this.pick(i)}, String(i))),
            ...[this.distance(from, i).toFixed(3), ...values].map(text => make('td', {}, text)));
    }

    describeUp(level, say) {
        const {to, from} = this.sources(level);
        say(`Point ${to} takes features from ${from.length} ${from.length === 1 ? 'point' : 'points'} of level ${level}.`,
            make('tr', {}, ...['point', 'distance', 'weight'].map(t => make('th', {}, t))), ...from.map(([i, w]) => this.row(to, i, w.toFixed(3))));
    }

    describeAttention(say) {
        const {level, block, centre, kind} = this.state, [geometric, latent] = this.heads(), any = geometric ?? latent;
        if (!any) return say('This model has no attention here.');
        const radius = Math.max(...any.index.map(i => this.distance(centre, i)));
        const channel = kind === 'strongest' ? `, channel ${[geometric, latent].filter(Boolean).map(h => h.channel).join(' and ')}` : '';
        const ball = this.radius(), within = ball ? `in its ball of radius ${ball.toFixed(3)}, the farthest at` : 'nearest to it, the farthest at';
        const order = any.index.map((_, k) => k).sort((a, b) => any.rank[a] - any.rank[b]).slice(0, 6), shown = h => k => h ? h.weights[k].toFixed(3) : '-';
        say(`Point ${centre} has ${any.index.length} of up to ${this.trace.k[2 * level + block - 3]} neighbours ${within} ${radius.toFixed(3)}${channel}.`,
            make('tr', {}, ...['neighbour', 'distance', 'geometric', 'latent'].map(t => make('th', {}, t))),
            ...order.map(k => this.row(centre, any.index[k], shown(geometric)(k), shown(latent)(k))));
    }

    // The outline of the ball, as a circle that faces the camera.
    drawBall(pen, view, v) {
        const {cloud} = this, radius = this.radius(), {right, up} = view.camera.basis(), {centre} = this.state;
        if (!radius) return;
        const middle = [0, 1, 2].map(a => cloud.offset[a] + cloud.pos[4 * centre + a] * cloud.step[a]);
        pen.beginPath();
        for (let k = 0; k <= 48; k++) {
            const c = radius * Math.cos(k * Math.PI / 24), s = radius * Math.sin(k * Math.PI / 24);
            const p = this.app.controls.projectPlace(v, middle.map((m, a) => m + c * right[a] + s * up[a]));
            if (p) pen.lineTo(...p);
        }
        pen.strokeStyle = `rgb(${BLUE.join(' ')})`;
        pen.lineWidth = 1.5;
        pen.stroke();
    }

    // Lines from the centre to its neighbours, in every view of the pass.
    drawOverlay(pen) {
        const {app, cloud} = this;
        app.views.forEach((view, v) => {
            if (view.cloud !== cloud) return;
            if (['group', 'attend'].includes(this.stages[this.stage].show)) this.drawBall(pen, view, v);
            for (const {from, to, width, colour} of this.lines) {
                const a = app.controls.project(v, cloud, from), b = app.controls.project(v, cloud, to);
                if (!a || !b) continue;
                pen.beginPath();
                pen.moveTo(...a);
                pen.lineTo(...b);
                pen.strokeStyle = `rgb(${colour.join(' ')} / 55%)`;
                pen.lineWidth = width;
                pen.stroke();
            }
        });
    }
}
