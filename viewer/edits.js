// Corrections of one cloud: selection, relabelling with undo and redo, autosave, the patch file.
import {NONE, REVIEWED, SELECTED, rowOf} from './data.js';

export class Edits {
    // changed: called after marks changed; copy: how many clouds before this one have the same points
    constructor(cloud, changed, copy) {
        this.cloud = cloud;
        this.changed = changed;
        this.copy = copy;
        this.changes = 0;
        this.done = [];
        this.undone = [];
        this.selected = 0;
        this.reviewed = 0;
        this.unsaved = false; // the browser has not kept the last change
        this.lost = false;    // and it will not
    }

    // how: 'new', 'add' or 'remove'
    select(points, how = 'new') {
        const {marks, n} = this.cloud, wanted = how === 'remove' ? 0 : SELECTED;
        if (how === 'new' && this.selected) {
            for (let i = 0; i < n; i++) marks[4 * i + 2] &= ~SELECTED;
            this.selected = 0;
        }
        for (const i of points) {
            this.selected += wanted - (marks[4 * i + 2] & SELECTED);
            marks[4 * i + 2] = marks[4 * i + 2] & ~SELECTED | wanted;
        }
        this.changed();
    }

    selection() {
        const {marks, n} = this.cloud, out = new Uint32Array(this.selected);
        for (let i = 0, k = 0; i < n; i++) if (marks[4 * i + 2] & SELECTED) out[k++] = i;
        return out;
    }

    // Gives the selected points a class (NONE: ignore; null: the one they have, which confirms it).
    assign(label) {
        const {marks} = this.cloud, points = this.selection();
        if (!points.length) return 0;
        const before = new Uint8Array(points.length), wasReviewed = new Uint8Array(points.length), after = new Uint8Array(points.length);
        points.forEach((i, k) => {
            before[k] = marks[4 * i];
            wasReviewed[k] = marks[4 * i + 2] & REVIEWED;
            after[k] = label ?? before[k];
        });
        const edit = {points, before, wasReviewed, after};
        this.done.push(edit);
        this.undone = [];
        this.apply(edit);
        this.select([], 'new');
        this.save();
        return points.length;
    }

    apply({points, after}) {
        const {marks} = this.cloud;
        points.forEach((i, k) => {
            this.reviewed += marks[4 * i + 2] & REVIEWED ? 0 : 1;
            marks[4 * i] = after[k];
            marks[4 * i + 2] |= REVIEWED;
        });
    }

    undo() {
        const edit = this.done.pop();
        if (!edit) return false;
        const {marks} = this.cloud;
        edit.points.forEach((i, k) => {
            marks[4 * i] = edit.before[k];
            if (!edit.wasReviewed[k]) {
                marks[4 * i + 2] &= ~REVIEWED;
                this.reviewed--;
            }
        });
        this.undone.push(edit);
        this.finishStep();
        return true;
    }

    redo() {
        const edit = this.undone.pop();
        if (!edit) return false;
        this.apply(edit);
        this.done.push(edit);
        this.finishStep();
        return true;
    }

    finishStep() {
        this.changed();
        this.save();
    }

    // Back to the labels of the file. This clears the history.
    discard() {
        const {marks, given, n} = this.cloud;
        for (let i = 0; i < n; i++) {
            marks[4 * i] = given[i];
            marks[4 * i + 2] = 0;
        }
        this.done = [];
        this.undone = [];
        this.selected = this.reviewed = 0;
        this.left = null;
        this.finishStep();
    }

    // --- the patch file: docs/reference/patch-files.md ---

    // Rows of each class in runs "first-last": all rows of a run that are shown have the class.
    runs() {
        const {marks, n} = this.cloud, texts = new Map();
        for (let i = 0; i < n;) {
            if (!(marks[4 * i + 2] & REVIEWED)) { i++; continue; }
            const label = marks[4 * i], first = i;
            while (i < n && marks[4 * i] === label && marks[4 * i + 2] & REVIEWED) i++;
            const from = rowOf(this.cloud, first), to = rowOf(this.cloud, i - 1);
            if (!texts.has(label)) texts.set(label, []);
            texts.get(label).push(from === to ? `${from}` : `${from}-${to}`);
        }
        return texts;
    }

    patch() {
        const {name, digest, points, maximum, classes} = this.cloud;
        const edits = [...this.runs()].sort((a, b) => a[0] - b[0]).map(([label, runs]) => label === NONE
            ? {class: null, rows: runs.join(' ')}
            : {class: classes[label].number, ...(classes[label].named ? {name: classes[label].name} : {}), rows: runs.join(' ')});
        return JSON.stringify({gelatto: 'patch', version: 1, cloud: name, digest, points, maximum, edits}) + '\n';
    }

    // --- autosave: labels and flags under the digest of the cloud. A later page of the same points
    // may list other classes: the store has numbers and names of them, too ---

    get key() { return [this.cloud.digest, this.cloud.maximum, ...(this.copy ? [this.copy] : [])].join('/'); }

    save() {
        this.unsaved = true;
        this.changes++;
        this.saved?.();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.saveNow(), 400);
    }

    async saveNow() {
        clearTimeout(this.timer);
        const {changes} = this, {marks, n} = this.cloud, labels = new Uint8Array(n), flags = new Uint8Array(n);
        for (let i = 0; i < n; i++) {
            labels[i] = marks[4 * i];
            flags[i] = marks[4 * i + 2] & REVIEWED;
        }
        const classes = this.cloud.classes.map(({number, name, named, colour, added}) => ({number, name, named, colour, added}));
        this.keepLeft(labels, flags, classes);
        const any = flags.some(f => f) || classes.some(c => c.added);
        this.lost = await store('readwrite', s => any ? s.put({labels, flags, classes}, this.key) : s.delete(this.key))
            .then(() => false, () => true);
        if (changes === this.changes) this.unsaved = this.lost; // else a change came while the browser wrote
        this.saved?.();
    }

    // Adds the corrections that restore() left out: they belong to an earlier page, which needs them.
    keepLeft(labels, flags, classes) {
        if (!this.left || classes.length + this.left.classes.length > NONE) return;
        for (const [i, k] of this.left.points) {
            if (flags[i]) continue;
            labels[i] = classes.length + k;
            flags[i] = REVIEWED;
        }
        classes.push(...this.left.classes);
    }

    // The place of a class of the store in this page; -1: its number means another class here.
    place({number, name, named, colour}) {
        const {classes} = this.cloud, at = classes.findIndex(c => c.number === number);
        if (at >= 0) return classes[at].name === name || !named || !classes[at].named ? at : -1;
        return classes.length < NONE ? classes.push({number, name, named, colour, count: 0, added: true}) - 1 : -1;
    }

    // Takes up what an earlier visit left: how many points, and how many of them cannot be.
    async restore() {
        const found = await store('readonly', s => s.get(this.key)).catch(() => null);
        const {marks, n} = this.cloud;
        if (!found?.classes || found.labels.length !== n) return {restored: 0, left: 0};
        const used = new Set(found.labels.filter((_, i) => found.flags[i]));
        const places = found.classes.map((c, i) => c.added || used.has(i) ? this.place(c) : -1);
        const left = new Map(), kept = [...used].filter(c => places[c] === -1);
        for (let i = 0; i < n; i++) {
            if (!found.flags[i]) continue;
            const label = found.labels[i] === NONE ? NONE : places[found.labels[i]] ?? -1;
            if (label < 0) {
                if (kept.includes(found.labels[i])) left.set(i, kept.indexOf(found.labels[i]));
                continue;
            }
            marks[4 * i] = label;
            marks[4 * i + 2] = REVIEWED;
            this.reviewed++;
        }
        if (left.size) this.left = {points: left, classes: kept.map(c => ({...found.classes[c], added: false}))};
        return {restored: this.reviewed, left: left.size};
    }
}

// One request to the store of this browser.
function store(mode, act) {
    return new Promise((resolve, reject) => {
        const opening = indexedDB.open('gelatto', 1);
        opening.onupgradeneeded = () => opening.result.createObjectStore('edits');
        opening.onerror = () => reject(opening.error);
        opening.onsuccess = () => {
            const transaction = opening.result.transaction('edits', mode), request = act(transaction.objectStore('edits'));
            transaction.oncomplete = () => { opening.result.close(); resolve(request.result); };
            // a failed request aborts as well, and so does a full disk
            transaction.onabort = () => { opening.result.close(); reject(transaction.error); };
        };
    });
}

// Points and reviewed points per class and per tile of the ground plan.
export function progress(cloud, tiles) {
    const {marks, n, pos} = cloud, perClass = Array.from({length: 256}, () => [0, 0]);
    const perTile = Array.from({length: tiles.across * tiles.down}, () => [0, 0]);
    for (let i = 0; i < n; i++) {
        const seen = marks[4 * i + 2] & REVIEWED ? 1 : 0, label = marks[4 * i];
        const x = Math.min(tiles.across - 1, pos[4 * i] * tiles.across >> 16);
        const y = Math.min(tiles.down - 1, pos[4 * i + 1] * tiles.down >> 16);
        const tile = perTile[y * tiles.across + x];
        perClass[label][0]++;
        perClass[label][1] += seen;
        tile[0]++;
        tile[1] += seen;
    }
    return {perClass, perTile};
}
