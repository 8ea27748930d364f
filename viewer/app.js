// The state of the page and what can be done with it. The panel and the controls call this; nothing
// here listens to events.
import {byId, count, decimals, download, percent, plural, say} from './dom.js';
import {NONE, REVIEWED, coordinate, rowOf} from './data.js';
import {Camera} from './camera.js';
import {CLASS_PALETTES, SCALES} from './palettes.js';
import {Renderer} from './renderer.js';
import {Edits} from './edits.js';
import {fillPolygon, isVisible, makeFilter, pick, pointsInMask} from './pick.js';
import {GROWTH_MAX, Grid, component, growByColour, growByNormal} from './spatial.js';

// A name as a shell takes it: as it is, or in quotes.
const shellWord = name => /^[\w.][\w.+@-]*$/.test(name) ? name : `'${name.replaceAll("'", "'\\''")}'`;

// Some points of a cloud in local coordinates, enough to see where it ends.
function outline({n, pos, step, offset}) {
    const every = Math.ceil(n / 2000) || 1;
    return Array.from({length: Math.ceil(n / every)}, (_, i) => [0, 1, 2].map(a => offset[a] + pos[4 * every * i + a] * step[a]));
}

export class App {
    constructor(page, clouds) {
        this.page = page;
        this.clouds = clouds;
        this.renderer = new Renderer(byId('canvas'));
        this.renderer.restored = () => this.colour();
        this.settings = {pointSize: 1, shading: 0.8, palette: 'file', scale: 'viridis', cut: 1,
            box: {low: [0, 0, 0], high: [1, 1, 1]}, background: [1, 1, 1], highlight: [1, 0.45, 0],
            front: true, brush: 0.015, linkDistance: 3, growBy: clouds.some(c => c.hasRgb) ? 'colour' : 'normal', tolerance: 0.12};
        if (clouds.some(c => !c.tile && c.classes.some(k => k.name === 'ceiling' && k.count))) this.settings.cut = 0.87;
        this.tool = 'orbit';
        this.linked = true;
        this.sameMode = true;
        this.activeClass = 0;
        this.measured = [];
        this.listeners = [];
        this.place();
        for (const [i, cloud] of clouds.entries()) {
            this.renderer.add(cloud);
            cloud.shownClasses = new Uint8Array(256).fill(1);
            const same = clouds.slice(0, i).filter(c => c.digest === cloud.digest && c.maximum === cloud.maximum);
            cloud.edits = new Edits(cloud, () => this.marksChanged(cloud), same.length);
        }
        const shown = page.next ? [clouds[page.next[0].cloud]] : clouds.filter(c => !c.tile || c === clouds.find(k => k.tile));
        this.views = shown.map(cloud => this.makeView(cloud, shown.length));
        this.active = 0;
        this.frameTile();
        this.colour();
    }

    // Local coordinates have their origin in the middle of the first cloud.
    place() {
        const first = this.clouds[0];
        this.origin = first.low.map((v, i) => v + first.step[i] * 65535 / 2);
        for (const cloud of this.clouds) cloud.offset = cloud.low.map((v, i) => v - this.origin[i]);
        const all = this.clouds.flatMap(c => [c.offset, c.offset.map((v, i) => v + c.step[i] * 65535)]);
        this.box = {low: [0, 1, 2].map(i => Math.min(...all.map(v => v[i]))), high: [0, 1, 2].map(i => Math.max(...all.map(v => v[i])))};
    }

    makeView(cloud, views = this.clouds.length) {
        const camera = this.linked && this.views ? this.views[0].camera : this.sharedCamera ??= new Camera(this.box, this.clouds.flatMap(outline), this.aspect(views));
        return {cloud, camera, mode: this.modesOf(cloud).find(m => !this.page.next || m.kind === 'label')};
    }

    // A pass is a small part of its cloud: the camera starts there.
    frameTile(tile = this.clouds.find(c => c.tile)) {
        if (!tile) return;
        const from = this.cloud;
        this.active = this.views.findIndex(v => v.cloud === tile);
        this.followClass(from);
        this.view.camera.frame(outline(tile));
        this.sameMode = false;
    }

    aspect(views) {
        const {clientWidth, clientHeight} = this.renderer.canvas;
        return clientWidth / views / Math.max(1, clientHeight);
    }

    // Says what changed: 'view', 'marks', 'classes', 'views', 'tool', 'history'.
    on(listener) { this.listeners.push(listener); }
    changed(what) {
        for (const listener of this.listeners) listener(what);
        this.redraw();
    }

    get view() { return this.views[this.active]; }
    get cloud() { return this.view.cloud; }
    get edits() { return this.cloud.edits; }

    // --- drawing ---

    redraw(moving = false) {
        this.moving = moving;
        if (this.pending) return;
        this.pending = requestAnimationFrame(() => {
            this.pending = 0;
            const begin = performance.now();
            const every = this.renderer.draw(this.views, this.drawSettings(), this.moving);
            this.drawn?.();
            if (!this.moving) return;
            this.renderer.finish();
            this.renderer.adapt(performance.now() - begin);
            clearTimeout(this.settle);
            if (every > 1) this.settle = setTimeout(() => this.redraw(), 180);
        });
    }

    drawSettings() {
        return {...this.settings, clip: this.clip()};
    }

    // The clip box and the ceiling cut together, in parts of the cloud's box.
    clip() {
        const {box, cut} = this.settings;
        return {low: box.low, high: [box.high[0], box.high[1], Math.min(box.high[2], cut)]};
    }

    colour() {
        const palette = CLASS_PALETTES[this.settings.palette];
        for (const cloud of this.clouds) {
            cloud.classes.forEach((c, i) => { c.shade = palette.colour(c, i); });
            this.renderer.updateTable(cloud, cloud.classes.map(c => c.shade), cloud.shownClasses, SCALES[this.settings.scale]);
        }
        this.changed('classes');
    }

    modesOf(cloud) {
        const modes = [];
        if (cloud.trace) modes.push({kind: 'rgb', name: 'Attention'}); // which paints the colours
        else if (cloud.hasRgb) modes.push({kind: 'rgb', name: 'Colour'});
        modes.push({kind: 'label', name: 'Label'});
        if (cloud.hasTruth) modes.push({kind: 'truth', name: 'Ground truth'}, {kind: 'error', name: 'Error'});
        if (cloud.hasConfidence) modes.push({kind: 'confidence', name: 'Confidence', range: [0, 1]});
        modes.push({kind: 'height', name: 'Height', range: [cloud.low[2], cloud.low[2] + 65535 * cloud.step[2]]});
        for (const attribute of cloud.attributes)
            modes.push({kind: 'attribute', name: attribute.name, attribute, range: [attribute.low, attribute.high]});
        modes.push({kind: 'reviewed', name: 'Reviewed'});
        return modes;
    }

    setMode(name) {
        for (const view of this.views) {
            if (view !== this.view && !this.sameMode) continue;
            view.mode = this.modesOf(view.cloud).find(m => m.name === name) ?? view.mode;
        }
        this.changed('view');
    }

    set(key, value) {
        this.settings[key] = value;
        if (key === 'palette' || key === 'scale') this.colour();
        this.changed('view');
    }

    // --- views ---

    activate(i) {
        if (i === this.active) return;
        const from = this.cloud;
        this.active = i;
        this.followClass(from);
        this.changed('views');
    }

    // Shows another cloud in a view.
    showCloud(cloud, view = this.view) {
        if (view.cloud === cloud) return;
        const from = this.cloud;
        view.cloud = cloud;
        view.mode = this.modesOf(cloud).find(m => m.name === view.mode.name) ?? this.modesOf(cloud)[0];
        this.followClass(from);
    }

    // The active class keeps its number and name when another cloud becomes active.
    followClass(from) {
        const wanted = from.classes[this.activeClass];
        this.activeClass = Math.max(0, this.cloud.classes.findIndex(c => c.number === wanted?.number && c.name === wanted.name));
    }

    link(on) {
        this.linked = on;
        const shared = this.view.camera;
        for (const view of this.views) {
            view.camera = on || view === this.view ? shared : Object.assign(new Camera(this.box, shared.places, shared.aspect), shared, {target: [...shared.target]});
        }
        this.changed('views');
    }

    split(on) {
        this.views = on ? [this.views[0], {...this.makeView(this.clouds[0]), mode: this.views[0].mode}] : [this.views[0]];
        this.active = 0;
        const {camera} = this.views[0], before = camera.fit();
        camera.aspect = this.aspect(this.views.length);
        camera.distance *= camera.fit() / before;
        if (on) {
            this.sameMode = false;
            const modes = this.modesOf(this.clouds[0]);
            this.views[1].mode = modes.find(m => m.kind !== this.views[0].mode.kind) ?? modes[0];
        }
        this.changed('views');
    }

    // Rectangles of the views in CSS pixels of the canvas.
    rectangle(i) {
        const {width, height} = this.renderer.canvas.getBoundingClientRect();
        return {x: i * width / this.views.length, y: 0, width: width / this.views.length, height};
    }

    viewAt(x) {
        return Math.min(this.views.length - 1, Math.max(0, Math.floor(x / this.rectangle(0).width)));
    }

    // --- classes ---

    // Class i of the active cloud, in every cloud that has a class of its number and name.
    showClass(i, on) {
        const wanted = this.cloud.classes[i];
        for (const {classes, shownClasses} of this.clouds) {
            const place = i === NONE ? NONE : classes.findIndex(c => c.number === wanted.number && c.name === wanted.name);
            if (place >= 0) shownClasses[place] = on ? 1 : 0;
        }
        this.colour();
    }

    soloClass(i) {
        const alone = this.cloud.shownClasses.every((v, k) => k === i ? v : !v);
        this.showAll(alone);
        this.showClass(i, true);
    }

    showAll(on) {
        for (const cloud of this.clouds) cloud.shownClasses.fill(on ? 1 : 0);
        this.colour();
    }

    addClass(name) {
        const {classes} = this.cloud;
        if (!name || classes.length >= NONE || classes.some(c => c.name === name)) return;
        const number = Math.max(this.cloud.first, 1 + Math.max(-1, ...classes.map(c => c.number)));
        const hue = number * 0.618 % 1 * 6, x = k => Math.round(255 * (0.35 + 0.6 * Math.min(1, Math.max(0, Math.abs((hue + k) % 6 - 3) - 1))));
        classes.push({number, name, named: true, added: true, count: 0, colour: [x(0), x(4), x(2)]});
        this.activeClass = classes.length - 1;
        this.edits.save();
        this.colour();
    }

    // --- looking at points ---

    filter(view = this.view) { return makeFilter(view, this.clip()); }

    pickAt(x, y, reach) {
        const i = this.viewAt(x), rectangle = this.rectangle(i);
        const point = pick(this.views[i], rectangle, this.filter(this.views[i]), x - rectangle.x, y, reach);
        return {view: i, point};
    }

    // Lines about a point: class, confidence, coordinates in the file's own system.
    describe(cloud, i) {
        const label = cloud.marks[4 * i], truth = cloud.marks[4 * i + 1];
        const name = k => k === NONE ? 'no class' : cloud.classes[k].name;
        const place = [0, 1, 2].map(axis => coordinate(cloud, i, axis).toFixed(decimals(cloud.step[axis]))).join('  ');
        const lines = [name(label)];
        if (cloud.hasConfidence) lines[0] += `   ${percent(cloud.rgba[4 * i + 3] / 255)}`;
        if (cloud.hasTruth) lines.push(`ground truth: ${name(truth)}`);
        if (cloud.marks[4 * i + 2] & REVIEWED) lines.push('reviewed');
        for (const {name: what, values} of cloud.attributes)
            lines.push(`${what}: ${Number.isInteger(values[i]) ? values[i] : +values[i].toPrecision(9)}`);
        lines.push(place, cloud.tile ? `point ${count(i)} of the pass` : `row ${count(rowOf(cloud, i))}`);
        return {label, lines};
    }

    // --- selecting ---

    marksChanged(cloud) {
        this.renderer.updateMarks(cloud);
        this.changed('marks');
    }

    selectPolygon(polygon, viewIndex, how) {
        const view = this.views[viewIndex], rectangle = this.rectangle(viewIndex);
        const mask = fillPolygon(polygon.map(([x, y]) => [x - rectangle.x, y]), Math.round(rectangle.width), Math.round(rectangle.height));
        const begin = performance.now();
        const points = pointsInMask(view, rectangle, this.filter(view), mask, this.settings.front);
        this.lassoTime = performance.now() - begin;
        view.cloud.edits.select(points, how);
    }

    selectBox() {
        const {cloud} = this, filter = this.filter(), found = [];
        for (let i = 0; i < cloud.n; i++) if (isVisible(cloud, filter, i)) found.push(i);
        this.edits.select(found, 'new');
    }

    grid(cloud) {
        return cloud.grid ??= new Grid(cloud, 3 * cloud.spacing);
    }

    brushAt(x, y, how) {
        const {view, point} = this.pickAt(x, y, 12), {cloud} = this.views[view];
        if (point < 0) return;
        const grid = this.grid(cloud), filter = this.filter(this.views[view]), found = [];
        grid.around(...grid.place(point), this.brushRadius(), i => { if (isVisible(cloud, filter, i)) found.push(i); });
        cloud.edits.select(found, how);
    }

    brushRadius() {
        return this.settings.brush * 2 * this.views[0].camera.radius;
    }

    // A connected component of one class, or a region that grows by colour or normal.
    selectAround(x, y, how) {
        const {view, point} = this.pickAt(x, y), {cloud} = this.views[view];
        if (point < 0) return;
        const grid = this.grid(cloud), filter = this.filter(this.views[view]), visible = i => isVisible(cloud, filter, i);
        const reach = this.settings.linkDistance * cloud.spacing, {tolerance, growBy} = this.settings;
        const points = this.tool === 'component' ? component(grid, point, reach, visible)
            : growBy === 'colour' && cloud.hasRgb ? growByColour(grid, point, reach, tolerance, visible)
                : growByNormal(grid, point, reach, tolerance, visible);
        if (points.length >= GROWTH_MAX) say(`growing ended at ${count(GROWTH_MAX)} points`);
        cloud.edits.select(points, how);
    }

    assign(label) {
        if (this.cloud.fixed) return say(this.cloud.fixed);
        const n = this.edits.assign(label);
        if (n) say(label === null ? `${plural(n, 'point')} confirmed` : label === NONE ? `${plural(n, 'point')} ignored`
            : `${plural(n, 'point')} ${n === 1 ? 'is' : 'are'} ${this.cloud.classes[label].name}`);
        this.changed('history');
    }

    undo() { if (this.edits.undo()) this.changed('history'); }
    redo() { if (this.edits.redo()) this.changed('history'); }

    exportPatch() {
        const name = this.cloud.name.replace(/\.[^.]*$/, '') + '.patch.json';
        download(name, new Blob([this.edits.patch()], {type: 'application/json'}));
        this.edits.unsaved = false;
        say(`gelatto patch ${[this.cloud.name, name].map(shellWord).join(' ')} -o ${shellWord(this.cloud.corrected)}`);
    }

    // The points and what is drawn over them: lines of attention, measurements, tiles.
    image() {
        const {canvas} = this.renderer, image = document.createElement('canvas'), pen = image.getContext('2d');
        this.renderer.draw(this.views, this.drawSettings(), false);
        this.drawn?.();
        Object.assign(image, {width: canvas.width, height: canvas.height});
        for (const layer of [canvas, byId('overlay')]) pen.drawImage(layer, 0, 0, canvas.width, canvas.height);
        return image;
    }

    screenshot() {
        this.image().toBlob(blob => download(this.cloud.name.replace(/\.[^.]*$/, '') + '.png', blob));
    }

    // --- measuring ---

    measure(x, y) {
        const {view, point} = this.pickAt(x, y);
        if (point < 0) return;
        this.measured.push({cloud: this.views[view].cloud, view, point});
        this.changed('view');
    }

    measurement() {
        const place = p => [0, 1, 2].map(axis => coordinate(p.cloud, p.point, axis));
        let total = 0;
        for (let i = 1; i < this.measured.length; i++) {
            const a = place(this.measured[i - 1]), b = place(this.measured[i]);
            total += Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
        }
        if (this.measured.length < 2) return '';
        const a = place(this.measured[0]), b = place(this.measured.at(-1)), d = decimals(Math.max(...this.cloud.step));
        return `length ${total.toFixed(d)}   dx ${(b[0] - a[0]).toFixed(d)}   dy ${(b[1] - a[1]).toFixed(d)}   dz ${(b[2] - a[2]).toFixed(d)}`;
    }

    // --- the view in the URL ---

    toHash() {
        const s = this.settings, {views} = this, {classes, shownClasses} = this.clouds[0];
        const out = new URLSearchParams({size: s.pointSize, shading: s.shading, cut: s.cut,
            box: [...s.box.low, ...s.box.high].map(v => +v.toFixed(4)).join(','), palette: s.palette, scale: s.scale});
        for (const {camera} of this.linked ? views.slice(0, 1) : views) out.append('camera', camera.toText());
        for (const {mode} of views) out.append('colour', mode.name);
        classes.forEach((c, i) => { if (!shownClasses[i]) out.append('hide', c.number); });
        if (this.next) out.set('tile', this.next.at);
        return out.toString();
    }

    fromHash(text) {
        const given = new URLSearchParams(text), s = this.settings, number = (key, low, high) => {
            const v = parseFloat(given.get(key));
            return v >= low && v <= high ? v : null;
        };
        const cameras = given.getAll('camera'), colours = given.getAll('colour'), hidden = given.getAll('hide').map(Number);
        if (this.clouds.length === 1 && colours.length === 2) this.split(true);
        if (cameras.length > 1 && cameras.length === this.views.length) this.link(false);
        cameras.slice(0, this.views.length).forEach((text, i) => this.views[i].camera.fromText(text));
        for (const cloud of this.clouds) cloud.classes.forEach((c, i) => { cloud.shownClasses[i] = hidden.includes(c.number) ? 0 : 1; });
        s.pointSize = number('size', 0.3, 5) ?? s.pointSize;
        s.shading = number('shading', 0, 2) ?? s.shading;
        s.cut = number('cut', 0.02, 1) ?? s.cut;
        const box = (given.get('box') ?? '').split(',').map(Number);
        if (box.length === 6 && box.every(v => v >= 0 && v <= 1)) s.box = {low: box.slice(0, 3), high: box.slice(3)};
        if (Object.hasOwn(CLASS_PALETTES, given.get('palette') ?? '')) s.palette = given.get('palette');
        if (Object.hasOwn(SCALES, given.get('scale') ?? '')) s.scale = given.get('scale');
        this.colour();
        colours.slice(0, this.views.length).forEach((name, i) => { this.views[i].mode = this.modesOf(this.views[i].cloud).find(m => m.name === name) ?? this.views[i].mode; });
        this.sameMode &&= new Set(this.views.map(v => v.mode.name)).size === 1;
    }
}
