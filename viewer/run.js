// A training run: its validation cloud as it was labelled after each validation, beside the ground
// truth, and the curve of the score.
import {byId, percent} from './dom.js';
import {NONE} from './data.js';

// The labels of the epochs are attributes of the cloud: nothing to colour by.
export function takeFrames(cloud) {
    const places = new Map(cloud.classes.map((c, i) => [c.number, i]));
    const frames = cloud.attributes.map(a => ({epoch: +a.name.replace('epoch_', ''), labels: Uint8Array.from(a.values, v => places.get(v) ?? NONE)}));
    cloud.attributes = [];
    cloud.fixed = 'The labels of a training run cannot be corrected here.';
    return frames.sort((a, b) => a.epoch - b.epoch);
}

export class Run {
    constructor(app, {metric, epochs}, frames) {
        Object.assign(this, {app, metric, epochs, frames});
        const modes = app.modesOf(app.cloud), mode = kind => modes.find(m => m.kind === kind) ?? modes[0];
        if (app.views.length === 1) { // the address has no views
            app.split(true);
            [app.views[0].mode, app.views[1].mode] = [mode('label'), mode('truth')];
        }
        for (const id of ['correct', 'reviewed', 'add-class']) byId(id).hidden = true;
        byId('run').hidden = false;
        byId('panel').prepend(byId('run'));
        byId('run-at').max = frames.length - 1;
        byId('run-at').addEventListener('input', () => this.go(+byId('run-at').value));
        byId('run-play').addEventListener('click', () => this.play(!this.timer));
        byId('run-curve').addEventListener('click', event => this.pick(event));
        app.on(what => { if (what === 'view') this.draw(); });
        this.go(frames.length - 1);
    }

    go(at) {
        const {app} = this, {cloud} = app, {labels, epoch} = this.frames[at], found = this.epochs.find(e => e.epoch === epoch);
        this.at = at;
        for (let i = 0; i < cloud.n; i++) cloud.marks[4 * i] = labels[i];
        byId('run-at').value = at;
        byId('run-about').textContent = `Epoch ${epoch}` + (found ? `, step ${found.step}: ${this.metric} ${percent(found.metric)}, loss ${found.loss.toFixed(3)}` : '');
        app.marksChanged(cloud);
        this.draw();
    }

    play(on) {
        clearInterval(this.timer);
        this.timer = on ? setInterval(() => this.go((this.at + 1) % this.frames.length), 700) : 0;
        byId('run-play').textContent = on ? 'Stop' : 'Play';
    }

    // Where an epoch stands on the curve, from 0 to 1.
    across(epoch) {
        const all = [...this.epochs, ...this.frames].map(e => e.epoch), low = Math.min(...all), high = Math.max(...all);
        return high > low ? (epoch - low) / (high - low) : 0.5;
    }

    pick(event) {
        const {left, width} = byId('run-curve').getBoundingClientRect(), x = (event.clientX - left) / width;
        const far = this.frames.map(f => Math.abs(this.across(f.epoch) - x));
        this.go(far.indexOf(Math.min(...far)));
    }

    // The score from 0 to its largest value, the loss likewise; a line where the cloud is now.
    draw() {
        const canvas = byId('run-curve'), pen = canvas.getContext('2d'), width = canvas.clientWidth, height = canvas.clientHeight;
        const style = getComputedStyle(document.documentElement), colour = name => style.getPropertyValue(name);
        const x = e => 4 + this.across(e.epoch) * (width - 8), top = 18, bottom = height - 4;
        canvas.width = width * devicePixelRatio;
        canvas.height = height * devicePixelRatio;
        pen.scale(devicePixelRatio, devicePixelRatio);
        pen.font = '11px system-ui, sans-serif';
        pen.strokeStyle = colour('--line');
        pen.strokeRect(0.5, top - 3.5, width - 1, bottom - top + 6);
        for (const [key, hue, align, place, text] of [['loss', '--soft', 'right', width, v => `loss, up to ${v.toFixed(2)}`],
            ['metric', '--accent', 'left', 0, v => `${this.metric}, up to ${percent(v)}`]]) {
            const maximum = Math.max(...this.epochs.map(e => e[key]), 1e-9);
            const y = e => bottom - Math.max(0, e[key]) / maximum * (bottom - top);
            pen.strokeStyle = pen.fillStyle = colour(hue);
            pen.lineWidth = key === 'metric' ? 1.8 : 1;
            pen.beginPath();
            for (const e of this.epochs) pen.lineTo(x(e), y(e));
            pen.stroke();
            pen.textAlign = align;
            pen.fillText(text(maximum), place, 11);
            for (const e of key === 'metric' ? this.epochs : []) pen.fillRect(x(e) - 1.5, y(e) - 1.5, 3, 3);
        }
        const now = x(this.frames[this.at]);
        pen.strokeStyle = colour('--text');
        pen.lineWidth = 1;
        pen.beginPath();
        pen.moveTo(now, top - 3);
        pen.lineTo(now, bottom + 3);
        pen.stroke();
    }
}
