// Mouse, touch and keys on the canvas, and what is drawn over it: lasso, box, brush, measurement.
import {byId} from './dom.js';
import {NONE} from './data.js';
import {screenMatrix} from './renderer.js';

const SELECTING = ['lasso', 'box', 'brush', 'component', 'grow'];
export const KEYS = [
    ['Left drag', 'turn (orbit tool); use the tool (others)'], ['Right drag', 'move (orbit tool); turn (others)'],
    ['Middle or Shift drag', 'move'], ['Wheel, pinch, + and -', 'zoom'], ['Double click', 'turn around this point'],
    ['Arrows, Shift+arrows', 'turn, move'], ['Space', 'use the tool in the middle of the view'], ['R  T  F  S  P', 'reset, top, front, side, orthographic'],
    ['O  M  L  B  X  C  G', 'orbit, measure, lasso, brush, box, component, grow'],
    ['Shift or Alt while selecting', 'add to the selection, take from it'], ['1 .. 9, 0', 'give the selection this class'],
    ['Enter  Delete  V', 'assign the active class, ignore, confirm'], ['Ctrl+Z  Ctrl+Y', 'undo, redo'],
    ['N  A', 'go to the next tile, select it (pages of gelatto next)'], ['I  ?', 'save an image, this help'], ['Escape', 'clear selection and measurement'],
];

export const ARROWS = {ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1]};

export class Controls {
    constructor(app) {
        this.app = app;
        this.canvas = byId('canvas');
        this.overlay = byId('overlay');
        this.pointers = new Map();
        this.path = null;
        this.cursor = null;
        this.keyed = false; // the camera was moved by keys: the middle of the view counts
        const listen = (type, act, options) => this.canvas.addEventListener(type, act, options);
        listen('pointerdown', e => this.down(e));
        listen('pointermove', e => this.move(e));
        listen('pointerup', e => this.up(e));
        listen('pointercancel', e => this.up(e));
        listen('pointerleave', () => { this.cursor = null; byId('hover').hidden = true; this.drawOverlay(); });
        listen('wheel', e => this.wheel(e), {passive: false});
        listen('dblclick', e => this.centre(e));
        listen('contextmenu', e => e.preventDefault());
        document.addEventListener('keydown', e => this.key(e));
        app.drawn = () => this.drawOverlay();
    }

    at(event) {
        const {left, top} = this.canvas.getBoundingClientRect();
        return [event.clientX - left, event.clientY - top];
    }

    how(event) { return event.altKey ? 'remove' : event.shiftKey ? 'add' : 'new'; }

    down(event) {
        const {app} = this, [x, y] = this.at(event);
        this.canvas.setPointerCapture(event.pointerId);
        this.canvas.focus({preventScroll: true});
        this.pointers.set(event.pointerId, [x, y]);
        this.keyed = false;
        app.activate(app.viewAt(x));
        byId('hover').hidden = true;
        this.moved = false;
        if (this.pointers.size > 1) {
            this.path = null;
            this.action = 'pinch';
            return;
        }
        const selecting = SELECTING.includes(app.tool);
        if (event.button === 1 || event.button === 0 && event.shiftKey && !selecting) this.action = 'pan';
        else if (event.button === 2) this.action = selecting || app.tool === 'measure' ? 'turn' : 'pan';
        else if (selecting) this.startTool(event, x, y);
        else this.action = 'turn';
        this.start = [x, y];
    }

    startTool(event, x, y) {
        const {tool} = this.app;
        this.action = tool;
        if (tool === 'lasso' || tool === 'box') this.path = [[x, y]];
        if (tool !== 'brush') return;
        if (this.how(event) === 'new') this.app.edits.select([], 'new');
        this.app.brushAt(x, y, this.how(event));
    }

    move(event) {
        const {app} = this, [x, y] = this.at(event), last = this.pointers.get(event.pointerId);
        this.cursor = [x, y];
        if (!last) {
            this.hoverSoon();
            if (app.tool === 'brush') this.drawOverlay();
            return;
        }
        const {height} = app.rectangle(0), dx = x - last[0], dy = y - last[1];
        if (this.start && Math.hypot(x - this.start[0], y - this.start[1]) > 3) this.moved = true;
        if (this.action === 'pinch') return this.pinch(event, x, y);
        this.pointers.set(event.pointerId, [x, y]);
        const camera = app.view.camera;
        if (this.action === 'turn') camera.turn(3 * dx / height, 3 * dy / height);
        else if (this.action === 'pan') camera.pan(dx / height, dy / height);
        else if (this.action === 'lasso') this.path.push([x, y]);
        else if (this.action === 'box') this.path = [this.start, [x, this.start[1]], [x, y], [this.start[0], y]];
        else if (this.action === 'brush') app.brushAt(x, y, event.altKey ? 'remove' : 'add');
        if (this.action === 'turn' || this.action === 'pan') this.cameraMoved();
        else this.drawOverlay();
    }

    pinch(event, x, y) {
        const {app} = this, ids = [...this.pointers.keys()].slice(0, 2), before = ids.map(id => this.pointers.get(id));
        this.pointers.set(event.pointerId, [x, y]);
        const after = ids.map(id => this.pointers.get(id)), {height} = app.rectangle(0);
        const length = p => Math.hypot(p[0][0] - p[1][0], p[0][1] - p[1][1]), mean = (p, k) => (p[0][k] + p[1][k]) / 2;
        app.view.camera.pan((mean(after, 0) - mean(before, 0)) / height, (mean(after, 1) - mean(before, 1)) / height);
        if (length(after) > 0) app.view.camera.zoom(length(before) / length(after));
        this.cameraMoved();
    }

    up(event) {
        const {app} = this, [x, y] = this.at(event);
        this.pointers.delete(event.pointerId);
        const {action, path} = this;
        this.path = null;
        this.action = null;
        if (action === 'lasso' || action === 'box') {
            if (path.length > 2 && this.moved) app.selectPolygon(path, app.active, this.how(event));
            else if (this.how(event) === 'new') app.edits.select([], 'new');
        } else if (['component', 'grow', 'turn'].includes(action) && !this.moved && event.button === 0) {
            this.useTool(x, y, this.how(event));
        }
        this.drawOverlay();
    }

    // A click with a tool that needs no drag.
    useTool(x, y, how) {
        const {app} = this;
        if (app.tool === 'component' || app.tool === 'grow') app.selectAround(x, y, how);
        else if (app.tool === 'measure') app.measure(x, y);
        else if (app.tool === 'orbit') this.click(x, y);
    }

    click(x, y) {
        const {view, point} = this.app.pickAt(x, y), {explorer, views} = this.app;
        if (explorer && views[view].cloud === explorer.cloud) explorer.pick(point);
        this.hover();
    }

    wheel(event) {
        event.preventDefault();
        const {app} = this, [x, y] = this.at(event), i = app.viewAt(x), r = app.rectangle(i);
        app.views[i].camera.zoom(Math.exp(Math.max(-1, Math.min(1, event.deltaY / 400))), 2 * (x - r.x) / r.width - 1, 1 - 2 * y / r.height, r.width / r.height);
        this.cameraMoved();
    }

    centre(event) {
        const {app} = this, {view, point} = app.pickAt(...this.at(event));
        if (point < 0 || app.tool !== 'orbit') return;
        const {cloud, camera} = app.views[view];
        camera.target = [0, 1, 2].map(a => cloud.pos[4 * point + a] * cloud.step[a] + cloud.offset[a]);
        this.cameraMoved();
    }

    cameraMoved() {
        byId('hover').hidden = true;
        this.app.redraw(true);
        clearTimeout(this.hashTimer);
        this.hashTimer = setTimeout(() => this.app.changed('camera'), 250);
    }

    // --- hovering ---

    hoverSoon() {
        byId('hover').hidden = true;
        clearTimeout(this.hoverTimer);
        this.hoverTimer = setTimeout(() => this.hover(), 70);
    }

    hover() {
        const {app} = this;
        if (!this.cursor || this.pointers.size) return;
        const [x, y] = this.cursor, {view, point} = app.pickAt(x, y), box = byId('hover');
        box.hidden = point < 0;
        if (point < 0) return;
        const cloud = app.views[view].cloud, {label, lines} = app.describe(cloud, point), chip = document.createElement('b');
        chip.style.background = label === NONE ? '#8c8c8c' : `rgb(${cloud.classes[label].shade.join(' ')})`;
        box.replaceChildren(chip, lines.join('\n'));
        byId('status').textContent = lines.join('   ');
        const {width, height} = this.canvas.getBoundingClientRect();
        box.style.left = `${x + 16 + box.offsetWidth > width ? x - 12 - box.offsetWidth : x + 16}px`;
        box.style.top = `${Math.min(y + 12, height - box.offsetHeight - 8)}px`;
    }

    // --- over the points ---

    drawOverlay() {
        const {overlay, app} = this, ratio = window.devicePixelRatio || 1;
        const {width, height} = this.canvas.getBoundingClientRect();
        if (overlay.width !== Math.round(width * ratio) || overlay.height !== Math.round(height * ratio)) {
            overlay.width = Math.round(width * ratio);
            overlay.height = Math.round(height * ratio);
        }
        const pen = overlay.getContext('2d');
        pen.setTransform(ratio, 0, 0, ratio, 0, 0);
        pen.clearRect(0, 0, width, height);
        this.drawDividers(pen, height);
        app.explorer?.drawOverlay(pen);
        app.next?.drawOverlay(pen);
        if (this.path) this.drawPath(pen);
        if (app.tool === 'brush' && this.cursor) this.drawBrush(pen);
        if (this.keyed) this.drawMiddle(pen);
        if (app.measured.length) this.drawMeasurement(pen);
    }

    drawDividers(pen, height) {
        pen.fillStyle = getComputedStyle(document.documentElement).getPropertyValue('--line');
        for (let i = 1; i < this.app.views.length; i++) pen.fillRect(this.app.rectangle(i).x - 1, 0, 1, height);
    }

    drawPath(pen) {
        pen.beginPath();
        for (const [x, y] of this.path) pen.lineTo(x, y);
        pen.closePath();
        pen.fillStyle = 'rgb(255 115 0 / 14%)';
        pen.fill();
        pen.strokeStyle = '#ff7300';
        pen.lineWidth = 1.5;
        pen.setLineDash([6, 4]);
        pen.stroke();
        pen.setLineDash([]);
    }

    drawBrush(pen) {
        const {app} = this, view = app.views[app.viewAt(this.cursor[0])], {height} = app.rectangle(0);
        const radius = app.brushRadius() / (2 * view.camera.distance * Math.tan(Math.PI / 8)) * height;
        pen.beginPath();
        pen.arc(...this.cursor, Math.max(4, radius), 0, 2 * Math.PI);
        pen.strokeStyle = '#ff7300';
        pen.lineWidth = 1.5;
        pen.stroke();
    }

    middle() {
        const {x, width, height} = this.app.rectangle(this.app.active);
        return [x + width / 2, height / 2];
    }

    drawMiddle(pen) {
        const [x, y] = this.middle();
        pen.strokeStyle = '#ff7300';
        pen.lineWidth = 1.5;
        for (const [dx, dy] of Object.values(ARROWS)) {
            pen.beginPath();
            pen.moveTo(x + 4 * dx, y + 4 * dy);
            pen.lineTo(x + 11 * dx, y + 11 * dy);
            pen.stroke();
        }
    }

    project(viewIndex, cloud, point) {
        const view = this.app.views[viewIndex], r = this.app.rectangle(viewIndex), m = screenMatrix({...view, cloud}, r);
        const [X, Y, Z] = [0, 1, 2].map(a => cloud.pos[4 * point + a]), w = m[3] * X + m[7] * Y + m[11] * Z + m[15];
        return w > 0 ? [r.x + (m[0] * X + m[4] * Y + m[8] * Z + m[12]) / w, (m[1] * X + m[5] * Y + m[9] * Z + m[13]) / w] : null;
    }

    // The same of a place in local coordinates.
    projectPlace(viewIndex, place) {
        const view = this.app.views[viewIndex], r = this.app.rectangle(viewIndex), m = view.camera.matrix(r.width / r.height);
        const at = row => m[row] * place[0] + m[row + 4] * place[1] + m[row + 8] * place[2] + m[row + 12], w = at(3);
        return w > 0 ? [r.x + (1 + at(0) / w) / 2 * r.width, (1 - at(1) / w) / 2 * r.height] : null;
    }

    drawMeasurement(pen) {
        const places = this.app.measured.filter(p => p.view < this.app.views.length).map(p => this.project(p.view, p.cloud, p.point)).filter(Boolean);
        pen.strokeStyle = pen.fillStyle = '#ff7300';
        pen.lineWidth = 2;
        pen.beginPath();
        for (const p of places) pen.lineTo(...p);
        pen.stroke();
        for (const p of places) {
            pen.beginPath();
            pen.arc(...p, 4, 0, 2 * Math.PI);
            pen.fill();
        }
    }

    // --- keys ---

    key(event) {
        const {app} = this, {target} = event, key = event.key;
        const typing = target.tagName === 'SELECT' || target.tagName === 'INPUT' && ['text', 'number'].includes(target.type);
        if (typing && key === 'Escape') target.blur(); // the selection stays
        if (typing || byId('help').open || event.altKey && key !== ' ') return;
        if (event.ctrlKey || event.metaKey) {
            if (key === 'z') app.undo();
            else if (key === 'y' || key === 'Z') app.redo();
            else return;
            event.preventDefault();
            return;
        }
        if (ARROWS[key] && target === this.canvas) this.arrow(event);
        else if (key === ' ' && target === this.canvas) this.space(event);
        else if (/^[0-9]$/.test(key)) this.number((+key + 9) % 10);
        else if (KEY_CLICKS[key.toLowerCase()]) {
            if (key === 'Enter' && ['BUTTON', 'INPUT'].includes(target.tagName)) return; // they have a use for it
            byId(KEY_CLICKS[key.toLowerCase()])?.click();
        } else if (key === '+' || key === '=' || key === '-') {
            app.view.camera.zoom(key === '-' ? 1.15 : 1 / 1.15);
            this.cameraMoved();
        } else if (key === 'Escape') {
            app.measured = [];
            app.edits.select([], 'new');
            app.changed('view');
        } else return;
        event.preventDefault();
    }

    arrow(event) {
        const [dx, dy] = ARROWS[event.key];
        this.keyed = true;
        if (event.shiftKey) this.app.view.camera.pan(-0.05 * dx, -0.05 * dy);
        else this.app.view.camera.turn(0.08 * dx, 0.08 * dy);
        this.cameraMoved();
    }

    space(event) {
        const {app} = this, [x, y] = this.cursor = this.middle(), how = this.how(event);
        this.keyed = true;
        if (app.tool === 'brush') app.brushAt(x, y, how === 'new' ? 'add' : how);
        else this.useTool(x, y, how);
        this.hover();
        this.drawOverlay();
    }

    number(i) {
        const {app} = this;
        if (i >= app.cloud.classes.length) return;
        app.activeClass = i;
        if (app.edits.selected) app.assign(i);
        else app.changed('classes');
    }
}

const KEY_CLICKS = {r: 'view-reset', t: 'view-top', f: 'view-front', s: 'view-side', p: 'view-flat', i: 'screenshot', '?': 'help-open',
    o: 'tool-orbit', m: 'tool-measure', l: 'tool-lasso', b: 'tool-brush', x: 'tool-box', c: 'tool-component', g: 'tool-grow',
    enter: 'assign', delete: 'ignore', backspace: 'ignore', v: 'confirm', n: 'next-step', a: 'next-select'};
