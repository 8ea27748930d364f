// The tiles that gelatto next proposes, one after the other. The page opens at the first.
import {byId, make, plural} from './dom.js';
import {REVIEWED} from './data.js';

const EDGES = [[0, 1], [1, 3], [3, 2], [2, 0], [4, 5], [5, 7], [7, 6], [6, 4], [0, 4], [1, 5], [2, 6], [3, 7]];

export class Next {
    constructor(app, tiles) {
        this.app = app;
        this.tiles = tiles;
        this.at = 0;
        this.rows = tiles.map((tile, i) => make('button', {className: 'tile', onclick: () => this.go(i)},
            make('b', {}, String(i + 1)), make('span', {className: 'name'}, app.clouds[tile.cloud].name),
            make('span', {className: 'count', title: 'score: 1 for an average tile'}, tile.score.toFixed(2)), make('span', {className: 'done'})));
        byId('next-list').replaceChildren(...this.rows);
        byId('next-step').addEventListener('click', () => this.go((this.at + 1) % this.tiles.length));
        byId('next-select').addEventListener('click', () => this.select());
        byId('next').hidden = false;
        byId('panel').prepend(byId('next'));
        app.on(what => { if (what === 'history' || what === 'views') this.progress(); });
    }

    // The corners of a tile in local coordinates.
    corners({low, high}) {
        return [...Array(8).keys()].map(k => low.map((v, i) => (k >> i & 1 ? high[i] : v) - this.app.origin[i]));
    }

    go(i, keepCamera = false) {
        const {app} = this, tile = this.tiles[i];
        this.at = i;
        app.showCloud(app.clouds[tile.cloud]);
        if (!keepCamera) app.view.camera.frame(this.corners(tile));
        this.rows.forEach((row, k) => row.setAttribute('aria-pressed', k === i));
        this.rows[i].scrollIntoView({block: 'nearest'});
        byId('next-about').textContent = `${plural(tile.points, 'point')}. Doubt ${tile.doubt.toFixed(2)}, passes disagree ` +
            `${tile.votes.toFixed(3)}, auxiliary outputs ${tile.auxiliary.toFixed(3)}.`;
        app.changed('views');
    }

    // The points of a tile that are shown.
    points(tile) {
        const cloud = this.app.clouds[tile.cloud], {pos, n, step, low: origin} = cloud, found = [];
        const [low, high] = [tile.low, tile.high].map(c => c.map((v, k) => (v - origin[k]) / step[k]));
        for (let i = 0; i < n; i++)
            if (pos[4 * i] >= low[0] && pos[4 * i] < high[0] && pos[4 * i + 1] >= low[1] && pos[4 * i + 1] < high[1]) found.push(i);
        return found;
    }

    // What is hidden is selected too: a tile is reviewed as a whole.
    select() {
        this.app.edits.select(this.points(this.tiles[this.at]), 'new');
    }

    progress() {
        this.tiles.forEach((tile, i) => {
            const {marks} = this.app.clouds[tile.cloud], points = this.points(tile);
            const seen = points.reduce((sum, p) => sum + (marks[4 * p + 2] & REVIEWED ? 1 : 0), 0);
            this.rows[i].lastChild.textContent = points.length && seen ? `${Math.round(100 * seen / points.length)} %` : '';
        });
    }

    drawOverlay(pen) {
        const {app} = this, tile = this.tiles[this.at];
        if (app.view.cloud !== app.clouds[tile.cloud]) return;
        const places = this.corners(tile).map(c => app.controls.projectPlace(app.active, c));
        pen.strokeStyle = '#ff7300';
        pen.lineWidth = 1.2;
        for (const [a, b] of EDGES) {
            if (!places[a] || !places[b]) continue;
            pen.beginPath();
            pen.moveTo(...places[a]);
            pen.lineTo(...places[b]);
            pen.stroke();
        }
    }
}
