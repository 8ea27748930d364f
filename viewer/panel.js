// The controls around the canvas. Every control calls the app; every change of the app comes back
// through update().
import {byId, clamp, count, decimals, make, percent, plural, refill} from './dom.js';
import {NONE} from './data.js';
import {CLASS_PALETTES, SCALES, css, scaleColour} from './palettes.js';
import {progress} from './edits.js';
import {ARROWS, KEYS} from './controls.js';

const TOOLS = [
    ['orbit', 'Orbit (O)', 'M12 3v18M3 12h18M12 3l-3 3m3-3l3 3M12 21l-3-3m3 3l3-3M3 12l3-3m-3 3l3 3M21 12l-3-3m3 3l-3 3'],
    ['measure', 'Measure (M)', 'M3 16L16 3l5 5L8 21zM7 12l2 2M10 9l3 3M13 6l2 2'],
    ['lasso', 'Lasso (L)', 'M12 4c5 0 9 2.5 9 6s-4 6-9 6-9-2.5-9-6 4-6 9-6zM7 15c-1 2 1 3 0 5'],
    ['brush', 'Brush (B)', 'M20 4L10 14M10 14c-3-1-5 1-5 4 0 1-1 2-2 2 3 1 8 0 8-4 0-1 0-1.500-1-2z'],
    ['box', 'Box (X)', 'M4 4h16v16H4zM4 9v-5h5M20 15v5h-5'],
    ['component', 'Connected component (C)', 'M6 6m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M18 8m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M10 18m-3 0a3 3 0 1 0 6 0a3 3 0 1 0-6 0M9 7l6 1M7 9l2 6M16 10l-4 6'],
    ['grow', 'Grow by colour or normal (G)', 'M12 12m-2 0a2 2 0 1 0 4 0a2 2 0 1 0-4 0M12 7V2m0 20v-5M7 12H2m20 0h-5M10 4l2-2 2 2M10 20l2 2 2-2M4 10l-2 2 2 2M20 10l2 2-2 2'],
];

function icon(path) {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg'), line = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    line.setAttribute('d', path);
    svg.append(line);
    return svg;
}

// A length with a round number of units, so that at most `max` of them fit.
function roundLength(extent, max) {
    const least = extent / max || 1, power = 10 ** Math.floor(Math.log10(least));
    return [1, 2, 5, 10].map(v => v * power).find(v => v >= least);
}

export class Panel {
    constructor(app) {
        this.app = app;
        this.tools();
        this.header();
        this.colours();
        this.sliders();
        this.clipBox();
        this.corrections();
        for (const [key, text] of KEYS) byId('keys').append(make('dt', {}, key), make('dd', {}, text));
        app.on(what => this.update(what));
        this.update('views');
    }

    click(id, act) { byId(id).addEventListener('click', act); }

    tools() {
        for (const [name, title, path] of TOOLS)
            byId('tools').append(make('button', {id: `tool-${name}`, title, 'aria-label': title, 'aria-pressed': 'false',
                onclick: () => { this.app.tool = name; this.app.changed('tool'); }}, icon(path)));
    }

    header() {
        const {app} = this, camera = act => () => { act(app.view.camera); byId('hover').hidden = true; app.changed('camera'); };
        byId('title').textContent = byId('title').title = app.page.title;
        this.click('view-reset', camera(c => { c.aspect = app.aspect(app.views.length); c.reset(); }));
        for (const name of ['top', 'front', 'side']) this.click(`view-${name}`, camera(c => c.look(name)));
        this.click('view-flat', camera(c => { c.orthographic = !c.orthographic; }));
        this.click('split', () => app.split(app.views.length === 1));
        this.click('screenshot', () => app.screenshot());
        this.click('theme', () => this.theme(document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark'));
        this.click('help-open', () => byId('help').showModal());
        byId('split').hidden = app.clouds.length > 1;
        this.theme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    }

    theme(name) {
        document.documentElement.dataset.theme = name;
        const {settings} = this.app;
        settings.background = name === 'dark' ? [0.063, 0.075, 0.09] : [1, 1, 1];
        settings.highlight = name === 'dark' ? [1, 0.62, 0.1] : [1, 0.42, 0];
        this.app.changed('view');
    }

    colours() {
        const {app} = this;
        const fill = (id, entries, act) => {
            byId(id).replaceChildren(...entries.map(([value, text]) => make('option', {value}, text)));
            byId(id).addEventListener('change', () => act(byId(id).value));
        };
        byId('mode').addEventListener('change', () => app.setMode(byId('mode').value));
        fill('palette', Object.entries(CLASS_PALETTES).map(([key, p]) => [key, p.name]), v => app.set('palette', v));
        const safe = [...byId('palette').options].filter(o => CLASS_PALETTES[o.value].safe);
        byId('palette').append(make('optgroup', {label: 'for colour-blind readers'}, ...safe));
        fill('scale', Object.keys(SCALES).map(key => [key, key]), v => app.set('scale', v));
        byId('mode-all').addEventListener('change', () => { app.sameMode = byId('mode-all').checked; if (app.sameMode) app.setMode(app.view.mode.name); });
        byId('link').addEventListener('change', () => app.link(byId('link').checked));
        this.click('classes-all', () => app.showAll(true));
        this.click('classes-none', () => app.showAll(false));
        byId('add-class').addEventListener('submit', e => { e.preventDefault(); app.addClass(byId('add-name').value.trim()); byId('add-name').value = ''; });
    }

    sliders() {
        const {app} = this, slider = (id, key, text) => {
            const show = () => { byId(id).value = app.settings[key]; byId(`${id}-out`).textContent = text(app.settings[key]); };
            byId(id).addEventListener('input', () => { app.set(key, +byId(id).value); show(); });
            return show;
        };
        this.showSliders = [
            slider('size', 'pointSize', v => `${v.toFixed(1)}x`), slider('shading', 'shading', v => v ? v.toFixed(1) : 'off'),
            slider('cut', 'cut', v => (app.cloud.low[2] + v * 65535 * app.cloud.step[2]).toFixed(2)),
            slider('brush', 'brush', () => app.brushRadius().toFixed(2)), slider('link-distance', 'linkDistance', v => (v * app.cloud.spacing).toFixed(3)),
            slider('tolerance', 'tolerance', v => app.settings.growBy === 'colour' ? percent(v) : `${(v * 180 / Math.PI).toFixed(0)}°`)];
        byId('front').addEventListener('change', () => app.set('front', byId('front').checked));
        byId('grow-by').value = app.settings.growBy;
        byId('grow-by').querySelector('[value=colour]').disabled = !app.clouds.some(c => c.hasRgb);
        byId('grow-by').addEventListener('change', () => app.set('growBy', byId('grow-by').value));
    }

    clipBox() {
        const {app} = this, axes = ['x', 'y', 'z'];
        this.clipInputs = axes.map((name, axis) => ['low', 'high'].map(end => make('input', {type: 'range', min: 0, max: 1, step: 0.002,
            'aria-label': `${end === 'low' ? 'Lowest' : 'Highest'} ${name}`, oninput: event => {
                const box = {low: [...app.settings.box.low], high: [...app.settings.box.high]};
                box[end][axis] = +event.target.value;
                app.set('box', box);
            }})));
        axes.forEach((name, axis) => byId('clip').append(make('div', {className: 'axis'}, make('span', {}, name), ...this.clipInputs[axis])));
        this.click('clip-reset', () => app.set('box', {low: [0, 0, 0], high: [1, 1, 1]}));
        this.click('clip-select', () => app.selectBox());
    }

    corrections() {
        const {app} = this;
        this.click('assign', () => app.assign(app.activeClass));
        this.click('ignore', () => app.assign(NONE));
        this.click('confirm', () => app.assign(null));
        this.click('undo', () => app.undo());
        this.click('redo', () => app.redo());
        this.click('export', () => app.exportPatch());
        this.click('discard', () => { if (confirm('Discard all corrections of this cloud?')) { app.edits.discard(); app.changed('history'); } });
        byId('tiles').addEventListener('click', event => this.clickTile(event));
        byId('tiles').addEventListener('keydown', event => this.stepTile(event));
        for (const cloud of app.clouds) cloud.edits.saved = () => this.savedChanged();
        addEventListener('beforeunload', event => { if (app.clouds.some(c => c.edits.unsaved)) event.preventDefault(); });
    }

    savedChanged() {
        const {reviewed, lost, unsaved} = this.app.edits;
        byId('saved').textContent = lost ? 'The browser cannot keep the corrections: export the patch before you close the page.'
            : !reviewed ? '' : unsaved ? 'Saving ...' : 'Saved in this browser.';
    }

    // --- what changed ---

    update(what) {
        if (what === 'camera') return this.camera();
        if (what === 'views') this.viewsChanged();
        if (what !== 'marks') this.settingsChanged();
        if (what !== 'view') this.legendSoon();
        if (what !== 'view') this.marksChanged();
        this.camera();
    }

    camera() {
        const {app} = this;
        byId('view-flat').setAttribute('aria-pressed', app.view.camera.orthographic);
        clearTimeout(this.hashTimer);
        this.hashTimer = setTimeout(() => history.replaceState(null, '', '#' + app.toHash()), 150);
    }

    viewsChanged() {
        const {app} = this, several = app.views.length > 1;
        byId('mode-all-row').hidden = !several;
        byId('mode-all').checked = app.sameMode;
        byId('link-row').hidden = app.clouds.length < 2;
        byId('link').checked = app.linked;
        this.tile = null;
        byId('split').setAttribute('aria-pressed', several);
        byId('mode').replaceChildren(...app.modesOf(app.cloud).map(m => make('option', {value: m.name}, m.name)));
        byId('summary').textContent = app.clouds.map(c => c.n === c.points ? plural(c.points, 'point') : `${count(c.n)} of ${plural(c.points, 'point')}`).join(', ');
    }

    settingsChanged() {
        const {app} = this, {mode} = app.view, {settings} = app;
        byId('mode').value = mode.name;
        byId('palette').value = settings.palette;
        byId('scale').value = settings.scale;
        byId('ramp').hidden = !mode.range;
        if (mode.range) this.ramp(mode);
        for (const show of this.showSliders) show();
        this.clipInputs.forEach((pair, axis) => { pair[0].value = settings.box.low[axis]; pair[1].value = settings.box.high[axis]; });
        for (const [name] of TOOLS) byId(`tool-${name}`).setAttribute('aria-pressed', app.tool === name);
        byId('canvas').style.cursor = {orbit: 'grab', brush: 'none'}[app.tool] ?? 'crosshair';
        byId('measure-out').textContent = app.measurement();
        byId('names').replaceChildren(...(app.views.length > 1 ? app.views : []).map((v, i) =>
            make('span', {className: i === app.active ? 'active' : ''}, make('b', {}, `${v.cloud.name} - ${v.mode.name}`))));
    }

    ramp({range}) {
        const pen = byId('ramp-bar').getContext('2d'), stops = SCALES[this.app.settings.scale], d = decimals((range[1] - range[0]) / 100);
        for (let x = 0; x < 256; x++) {
            pen.fillStyle = css(scaleColour(stops, x / 255));
            pen.fillRect(x, 0, 1, 1);
        }
        byId('ramp-low').textContent = range[0].toFixed(d);
        byId('ramp-high').textContent = range[1].toFixed(d);
    }

    // Counting takes a pass over the points: once after many changes.
    legendSoon() {
        clearTimeout(this.legendTimer);
        this.legendTimer = setTimeout(() => this.legend(), 30);
    }

    tileGrid() {
        const {step} = this.app.cloud, extent = [step[0] * 65535, step[1] * 65535], edge = roundLength(Math.max(...extent), 12);
        return {across: Math.max(1, Math.ceil(extent[0] / edge)), down: Math.max(1, Math.ceil(extent[1] / edge)), edge};
    }

    legend() {
        const {app} = this, {cloud} = app, tiles = this.tileGrid(), {perClass, perTile} = progress(cloud, tiles);
        const rows = cloud.classes.map((c, i) => this.legendRow(c, i, perClass[i]));
        if (perClass[NONE][0]) rows.push(this.legendRow({name: 'no class', shade: [140, 140, 140]}, NONE, perClass[NONE]));
        refill(byId('legend'), ...rows);
        byId('reviewed-total').textContent = `${count(cloud.edits.reviewed)} of ${count(cloud.n)} (${percent(cloud.n ? cloud.edits.reviewed / cloud.n : 0)})`;
        this.perTile = perTile;
        this.drawTiles();
    }

    legendRow(c, i, [total, seen]) {
        const {app} = this, on = app.cloud.shownClasses[i];
        const chip = make('span', {className: 'chip'});
        chip.style.background = css(c.shade);
        const about = `${c.name}: ${plural(total, 'point')} shown, ${count(seen)} reviewed` + (c.count ? `, ${count(c.count)} in the file` : '');
        const toggle = make('button', {title: on ? 'Hide' : 'Show', 'aria-label': `${on ? 'Hide' : 'Show'} ${c.name}`,
            onclick: e => { e.stopPropagation(); app.showClass(i, !on); }}, on ? 'hide' : 'show');
        const bar = make('span', {className: 'bar'});
        bar.style.width = total ? `${100 * seen / total}%` : 0;
        const solo = make('button', {title: 'Show only this class', 'aria-label': `Only ${c.name}`, onclick: e => { e.stopPropagation(); app.soloClass(i); }}, 'solo');
        return make('div', {className: `class${on ? '' : ' off'}${i === app.activeClass ? ' active' : ''}`, role: 'listitem', title: about,
            onclick: () => { if (i !== NONE) { app.activeClass = i; app.changed('classes'); } }},
        chip, make('span', {className: 'key'}, i < 10 ? String((i + 1) % 10) : ''),
        make('button', {className: 'name', 'aria-label': about, 'aria-current': String(i === app.activeClass)}, c.name),
        make('span', {className: 'count'}, count(total)), toggle, solo, bar);
    }

    marksChanged() {
        const {app} = this, {edits, cloud, activeClass} = app, any = edits.selected > 0, box = byId('selection');
        byId('assign').disabled = !cloud.classes.length;
        byId('assign').textContent = cloud.classes[activeClass] ? `Assign ${cloud.classes[activeClass].name.slice(0, 14)}` : 'Assign';
        byId('undo').disabled = !edits.done.length;
        byId('redo').disabled = !edits.undone.length;
        byId('export').disabled = byId('discard').disabled = !edits.reviewed;
        box.hidden = !any;
        this.savedChanged();
        byId('actions').hidden = Boolean(cloud.fixed);
        byId('selected').textContent = `${plural(edits.selected, 'point')} selected`;
    }

    // --- tiles ---

    drawTiles() {
        const {perTile, tile} = this, {across, down} = this.tileGrid(), canvas = byId('tiles'), size = Math.min(268 / across, 132 / down), pen = canvas.getContext('2d');
        canvas.width = Math.round(across * size * 2);
        canvas.height = Math.round(down * size * 2);
        canvas.style.maxWidth = `${across * size}px`;
        const style = getComputedStyle(document.documentElement), full = Math.max(...perTile.map(t => t[0]), 1);
        perTile.forEach(([total, seen], i) => {
            const x = i % across * size * 2, y = (down - 1 - Math.floor(i / across)) * size * 2;
            pen.fillStyle = style.getPropertyValue('--line');
            pen.globalAlpha = 0.25 + 0.75 * Math.sqrt(total / full);
            if (total) pen.fillRect(x, y, size * 2 - 2, size * 2 - 2);
            pen.globalAlpha = 1;
            pen.fillStyle = 'rgb(0 158 115)';
            if (seen) pen.fillRect(x, y + (1 - seen / total) * (size * 2 - 2), size * 2 - 2, seen / total * (size * 2 - 2));
        });
        byId('tile-about').textContent = tile ? this.describeTile() : '';
        if (!tile) return;
        pen.strokeStyle = '#ff7300';
        pen.lineWidth = 3;
        pen.strokeRect(tile[0] * size * 2 + 0.5, (down - 1 - tile[1]) * size * 2 + 0.5, size * 2 - 3, size * 2 - 3);
    }

    describeTile() {
        const {across, down} = this.tileGrid(), {low, step} = this.app.cloud, [x, y] = this.tile, [total, seen] = this.perTile[y * across + x];
        const range = (axis, i, n) => [i, i + 1].map(k => (low[axis] + k / n * 65535 * step[axis]).toFixed(decimals(65535 * step[axis] / n / 10))).join(' to ');
        return `x ${range(0, x, across)}, y ${range(1, y, down)}: ${plural(total, 'point')}, ${total ? Math.round(100 * seen / total) : 0} % reviewed`;
    }

    clickTile(event) {
        const {across, down} = this.tileGrid(), {left, top, width, height} = byId('tiles').getBoundingClientRect();
        this.goToTile(Math.floor((event.clientX - left) / width * across), down - 1 - Math.floor((event.clientY - top) / height * down));
    }

    stepTile(event) {
        const step = ARROWS[event.key], [x, y] = this.tile ?? [-1, -1];
        if (!step) return;
        event.preventDefault();
        this.goToTile(x + step[0], y - step[1]);
    }

    goToTile(wantedX, wantedY) {
        const {app} = this, {across, down, edge} = this.tileGrid(), x = clamp(wantedX, 0, across - 1), y = clamp(wantedY, 0, down - 1);
        const {cloud, camera} = app.view, extent = cloud.step.map(v => v * 65535);
        camera.target = [cloud.offset[0] + (x + 0.5) / across * extent[0], cloud.offset[1] + (y + 0.5) / down * extent[1], cloud.offset[2] + 0.4 * extent[2]];
        camera.distance = 2.5 * edge;
        this.tile = [x, y];
        byId('hover').hidden = true;
        this.drawTiles();
        app.changed('camera');
    }
}
