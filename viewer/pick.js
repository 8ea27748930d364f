// Which points are where on the screen: hovering, lasso, box. Everything works on quantised
// coordinates and takes one pass over the points.
import {BLOCK} from './data.js';
import {screenMatrix} from './renderer.js';

// What hides points of a view: classes that are off, and the clip box, in quantised coordinates.
export function makeFilter({cloud, mode}, clip) {
    const low = clip.low.map(v => Math.floor(v * 65535)), high = clip.high.map(v => Math.ceil(v * 65535));
    return {shown: cloud.shownClasses, low, high, mark: mode.kind === 'truth' ? 1 : 0};
}

export function isVisible({pos, marks}, {shown, low, high, mark}, i) {
    const at = 4 * i;
    return shown[marks[at + mark]] && pos[at] >= low[0] && pos[at] <= high[0] && pos[at + 1] >= low[1] &&
        pos[at + 1] <= high[1] && pos[at + 2] >= low[2] && pos[at + 2] <= high[2];
}

// Whether the box of a block may have points within `reach` pixels of (x, y).
function mayHold(m, blocks, b, x, y, reach) {
    let left = Infinity, right = -Infinity, top = Infinity, bottom = -Infinity;
    for (let corner = 0; corner < 8; corner++) {
        const X = blocks[6 * b + (corner & 1 ? 3 : 0)], Y = blocks[6 * b + 1 + (corner & 2 ? 3 : 0)];
        const Z = blocks[6 * b + 2 + (corner & 4 ? 3 : 0)];
        const w = m[3] * X + m[7] * Y + m[11] * Z + m[15];
        if (w <= 0) return true;
        const sx = (m[0] * X + m[4] * Y + m[8] * Z + m[12]) / w, sy = (m[1] * X + m[5] * Y + m[9] * Z + m[13]) / w;
        left = Math.min(left, sx);
        right = Math.max(right, sx);
        top = Math.min(top, sy);
        bottom = Math.max(bottom, sy);
    }
    return x >= left - reach && x <= right + reach && y >= top - reach && y <= bottom + reach;
}

// The front-most point near (x, y): one that is a little farther away on the screen loses against
// one behind it only if that is much nearer to the pointer. -1 if there is none.
export function pick(view, rectangle, filter, x, y, reach = 7) {
    const {pos, blocks, n} = view.cloud, m = screenMatrix(view, rectangle);
    let best = -1, bestCost = Infinity;
    for (let b = 0; b * BLOCK < n; b++) {
        if (!mayHold(m, blocks, b, x, y, reach)) continue;
        const end = Math.min(n, (b + 1) * BLOCK);
        for (let i = b * BLOCK, at = 4 * i; i < end; i++, at += 4) {
            const X = pos[at], Y = pos[at + 1], Z = pos[at + 2];
            const w = m[3] * X + m[7] * Y + m[11] * Z + m[15];
            if (w <= 0) continue;
            const dx = (m[0] * X + m[4] * Y + m[8] * Z + m[12]) / w - x;
            const dy = (m[1] * X + m[5] * Y + m[9] * Z + m[13]) / w - y;
            const d2 = dx * dx + dy * dy;
            if (d2 > reach * reach || !isVisible(view.cloud, filter, i)) continue;
            const z = (m[2] * X + m[6] * Y + m[10] * Z + m[14]) / w;
            const cost = z + 1e-4 * d2;
            if (cost < bestCost) {
                bestCost = cost;
                best = i;
            }
        }
    }
    return best;
}

// A polygon as a mask of pixels, by the even-odd rule.
export function fillPolygon(polygon, width, height) {
    const mask = new Uint8Array(width * height);
    for (let row = 0; row < height; row++) {
        const y = row + 0.5, crossings = [];
        for (let i = 0, j = polygon.length - 1; i < polygon.length; j = i++) {
            const [ax, ay] = polygon[i], [bx, by] = polygon[j];
            if (ay > y !== by > y) crossings.push(ax + (y - ay) / (by - ay) * (bx - ax));
        }
        crossings.sort((a, b) => a - b);
        for (let k = 0; k + 1 < crossings.length; k += 2) {
            const from = Math.max(0, Math.ceil(crossings[k] - 0.5)), to = Math.min(width, Math.ceil(crossings[k + 1] - 0.5));
            if (to > from) mask.fill(1, row * width + from, row * width + to);
        }
    }
    return mask;
}

// Calls back with every visible point whose pixel is set in the mask. With `front`, points that lie
// behind a nearer surface are left out: a point is in front if it is not more than a small share of
// the depth behind the nearest one of its cell of 3 x 3 pixels.
export function pointsInMask(view, rectangle, filter, mask, front) {
    const {pos, marks, n} = view.cloud, m = screenMatrix(view, rectangle);
    const width = Math.round(rectangle.width), height = Math.round(rectangle.height);
    const cell = 3, across = Math.ceil(width / cell) + 1;
    const nearest = front ? new Float32Array(across * (Math.ceil(height / cell) + 1)).fill(Infinity) : null;
    const found = new Uint32Array(n), depth = front ? new Float32Array(n) : null, cells = front ? new Uint32Array(n) : null;
    const [m0, m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11, m12, m13, m14, m15] = m;
    const {shown, low, high, mark} = filter;
    const [l0, l1, l2] = low, [h0, h1, h2] = high;
    const flat = view.camera.orthographic;
    let count = 0;
    for (let i = 0, at = 0; i < n; i++, at += 4) {
        const X = pos[at], Y = pos[at + 1], Z = pos[at + 2];
        const w = m3 * X + m7 * Y + m11 * Z + m15;
        if (w <= 0) continue;
        const x = (m0 * X + m4 * Y + m8 * Z + m12) / w, y = (m1 * X + m5 * Y + m9 * Z + m13) / w;
        if (!(x >= 0 && x < width && y >= 0 && y < height)) continue;
        if (!mask[(y | 0) * width + (x | 0)]) continue;
        if (!shown[marks[at + mark]] || X < l0 || X > h0 || Y < l1 || Y > h1 || Z < l2 || Z > h2) continue;
        if (front) {
            const d = flat ? m2 * X + m6 * Y + m10 * Z + m14 : w, c = (y / cell | 0) * across + (x / cell | 0);
            depth[count] = d;
            cells[count] = c;
            if (d < nearest[c]) nearest[c] = d;
        }
        found[count++] = i;
    }
    if (!front) return found.slice(0, count);
    const slack = flat ? 0.01 : 0.02 * view.camera.distance + 3 * view.cloud.spacing;
    let kept = 0;
    for (let k = 0; k < count; k++) if (depth[k] <= nearest[cells[k]] + slack) found[kept++] = found[k];
    return found.slice(0, kept);
}
