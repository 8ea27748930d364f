// Neighbourhoods: a grid over the points of a cloud, connected components, growing regions.

// Cells of at least `edge`, by counting sort: points of cell c are order[start[c]] .. order[start[c + 1] - 1].
export class Grid {
    constructor(cloud, edge) {
        const {pos, n, step} = cloud;
        const extent = step.map(v => v * 65535);
        let cells;
        for (;; edge *= 1.3) {
            this.dims = extent.map(v => Math.floor(v / edge) + 1);
            cells = this.dims[0] * this.dims[1] * this.dims[2];
            if (cells <= 4e6 + 2 * n) break;
        }
        this.cloud = cloud;
        this.edge = edge;
        this.cell = new Uint32Array(n);
        this.start = new Uint32Array(cells + 1);
        this.order = new Uint32Array(n);
        const [sx, sy, sz] = step.map(v => v / edge), [, dy, dz] = this.dims;
        for (let i = 0, at = 0; i < n; i++, at += 4) {
            const c = ((pos[at] * sx | 0) * dy + (pos[at + 1] * sy | 0)) * dz + (pos[at + 2] * sz | 0);
            this.cell[i] = c;
            this.start[c + 1]++;
        }
        for (let c = 0; c < cells; c++) this.start[c + 1] += this.start[c];
        const next = this.start.slice(0, cells);
        for (let i = 0; i < n; i++) this.order[next[this.cell[i]]++] = i;
    }

    // Calls back with every point within `radius` of point or place (x, y, z), in units of the file.
    around(x, y, z, radius, visit) {
        const {pos, step} = this.cloud, {dims, edge, start, order} = this;
        const low = [x, y, z].map(v => Math.max(0, Math.floor((v - radius) / edge)));
        const high = [x, y, z].map((v, i) => Math.min(dims[i] - 1, Math.floor((v + radius) / edge)));
        const r2 = radius * radius;
        for (let cx = low[0]; cx <= high[0]; cx++)
            for (let cy = low[1]; cy <= high[1]; cy++) {
                const row = (cx * dims[1] + cy) * dims[2];
                for (let k = start[row + low[2]]; k < start[row + high[2] + 1]; k++) {
                    const i = order[k], at = 4 * i;
                    const dx = pos[at] * step[0] - x, dy = pos[at + 1] * step[1] - y, dz = pos[at + 2] * step[2] - z;
                    if (dx * dx + dy * dy + dz * dz <= r2) visit(i);
                }
            }
    }

    place(i) {
        const {pos, step} = this.cloud;
        return [pos[4 * i] * step[0], pos[4 * i + 1] * step[1], pos[4 * i + 2] * step[2]];
    }
}

// All points that can be reached from `seed` in steps of at most `reach` over points that are accepted.
function flood(grid, seed, reach, accept, limit) {
    const seen = new Uint8Array(grid.cloud.n), queue = new Uint32Array(grid.cloud.n);
    let head = 0, tail = 0;
    seen[seed] = 1;
    queue[tail++] = seed;
    while (head < tail && tail < limit) {
        const from = queue[head++];
        grid.around(...grid.place(from), reach, i => {
            if (seen[i]) return;
            if (!accept(i, from)) return;
            seen[i] = 1;
            queue[tail++] = i;
        });
    }
    return queue.slice(0, tail);
}

// The points of the seed's class that hang together.
export function component(grid, seed, reach, visible) {
    const {marks} = grid.cloud, label = marks[4 * seed];
    return flood(grid, seed, reach, i => marks[4 * i] === label && visible(i), Infinity);
}

// Points around the seed whose colour differs by at most `tolerance` (0..1) from the seed's.
export function growByColour(grid, seed, reach, tolerance, visible) {
    const {rgba} = grid.cloud, r = rgba[4 * seed], g = rgba[4 * seed + 1], b = rgba[4 * seed + 2];
    const limit = (tolerance * 255) ** 2 * 3;
    return flood(grid, seed, reach, i => {
        const dr = rgba[4 * i] - r, dg = rgba[4 * i + 1] - g, db = rgba[4 * i + 2] - b;
        return dr * dr + dg * dg + db * db <= limit && visible(i);
    }, Infinity);
}

// The direction in which the neighbours of a point spread least: the eigenvector of the smallest
// eigenvalue of their covariance, by Jacobi rotations. null if there are too few of them.
export function normalAt(grid, i, radius) {
    const [x, y, z] = grid.place(i), {pos, step} = grid.cloud;
    let n = 0, sx = 0, sy = 0, sz = 0, xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;
    grid.around(x, y, z, radius, k => {
        const a = pos[4 * k] * step[0] - x, b = pos[4 * k + 1] * step[1] - y, c = pos[4 * k + 2] * step[2] - z;
        n++;
        sx += a; sy += b; sz += c;
        xx += a * a; xy += a * b; xz += a * c; yy += b * b; yz += b * c; zz += c * c;
    });
    if (n < 4) return null;
    const m = [[xx - sx * sx / n, xy - sx * sy / n, xz - sx * sz / n], [0, yy - sy * sy / n, yz - sy * sz / n], [0, 0, zz - sz * sz / n]];
    m[1][0] = m[0][1];
    m[2][0] = m[0][2];
    m[2][1] = m[1][2];
    return smallestEigenvector(m);
}

function smallestEigenvector(m) {
    const v = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    for (let sweep = 0; sweep < 8; sweep++)
        for (const [p, q] of [[0, 1], [0, 2], [1, 2]]) {
            if (Math.abs(m[p][q]) < 1e-30) continue;
            const theta = (m[q][q] - m[p][p]) / (2 * m[p][q]);
            const t = Math.sign(theta || 1) / (Math.abs(theta) + Math.sqrt(theta * theta + 1));
            const c = 1 / Math.sqrt(t * t + 1), s = t * c;
            for (let k = 0; k < 3; k++) [m[k][p], m[k][q]] = [c * m[k][p] - s * m[k][q], s * m[k][p] + c * m[k][q]];
            for (let k = 0; k < 3; k++) [m[p][k], m[q][k]] = [c * m[p][k] - s * m[q][k], s * m[p][k] + c * m[q][k]];
            for (let k = 0; k < 3; k++) [v[k][p], v[k][q]] = [c * v[k][p] - s * v[k][q], s * v[k][p] + c * v[k][q]];
        }
    const d = [m[0][0], m[1][1], m[2][2]], k = d.indexOf(Math.min(...d));
    return [v[0][k], v[1][k], v[2][k]];
}

// A normal takes about ten microseconds, and the page waits.
export const GROWTH_MAX = 1000000;

// Points around the seed whose surface turns by at most `angle` (radians) from one to the next.
export function growByNormal(grid, seed, reach, angle, visible) {
    const normals = new Map(), cosine = Math.cos(angle), radius = 1.8 * reach;
    const normal = i => {
        if (!normals.has(i)) normals.set(i, normalAt(grid, i, radius));
        return normals.get(i);
    };
    if (!normal(seed)) return Uint32Array.of(seed);
    return flood(grid, seed, reach, (i, from) => {
        if (!visible(i)) return false;
        const a = normal(from), b = normal(i);
        return a && b && Math.abs(a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) >= cosine;
    }, GROWTH_MAX);
}
