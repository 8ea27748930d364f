// The clouds of the page: sections of base64 and deflate become typed arrays.
// src/task/view_cloud.c writes them; the order of bytes is explained there.

export const NONE = 255; // the class of a point that has none
export const SELECTED = 1, REVIEWED = 2; // bits of a point's flags
export const NORMAL = 0, SMALL = 1, LARGE = 2; // how a point is drawn

function decodeBase64(text) {
    if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
    const binary = atob(text), bytes = new Uint8Array(binary.length);
    for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
    return bytes;
}

export async function section(id) {
    const node = document.getElementById(id);
    if (!node) return null;
    const bytes = decodeBase64(node.textContent);
    node.remove();
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Differences, low bytes before high ones, into every fourth place: (n, 4) with the last unused.
function readPositions(bytes, n) {
    const pos = new Uint16Array(4 * n);
    for (let axis = 0; axis < 3; axis++) {
        const low = 2 * axis * n, high = low + n;
        for (let i = 0, at = axis, value = 0; i < n; i++, at += 4) {
            value = value + bytes[low + i] + (bytes[high + i] << 8) & 65535;
            pos[at] = value;
        }
    }
    return pos;
}

function readRows(bytes, n) {
    const rows = new Uint32Array(n);
    for (let i = 0, at = 0, next = 0; i < n; i++) {
        let gap = 0, shift = 1, byte;
        do {
            byte = bytes[at++];
            gap += (byte & 127) * shift;
            shift *= 128;
        } while (byte & 128);
        rows[i] = next + gap;
        next = rows[i] + 1;
    }
    return rows;
}

// (n, 4): red, green, blue, confidence
function readColours(rgb, confidence, n) {
    const out = new Uint8Array(4 * n).fill(rgb ? 0 : 190);
    for (let k = 0; rgb && k < 3; k++)
        for (let i = 0, at = k, value = 0; i < n; i++, at += 4)
            out[at] = value = value + rgb[k * n + i] & 255;
    for (let i = 0; i < n; i++) out[4 * i + 3] = confidence ? confidence[i] : 255;
    return out;
}

function readAttribute(meta, bytes, n) {
    const whole = new Uint32Array(n), above = meta.real ? new Float32Array(whole.buffer) : whole;
    for (let k = 0; k < meta.bytes; k++)
        for (let i = 0; i < n; i++) whole[i] |= bytes[k * n + i] << 8 * k;
    const values = Float64Array.from(above, v => meta.low + v);
    return {name: meta.name, low: meta.low, high: meta.high, values};
}

// Points per occupied cell of a coarse grid give the distance between neighbours on a surface.
function estimateSpacing(cloud) {
    const {pos, n, step} = cloud, cells = new Uint8Array(64 * 64 * 64);
    const side = Math.max(...step) * 65536, edge = side / 64;
    if (!(side > 0)) return 1;
    let occupied = 0;
    const every = Math.max(1, Math.floor(n / 200000));
    for (let i = 0; i < n; i += every) {
        const cell = ((pos[4 * i] * step[0] / edge | 0) * 64 + (pos[4 * i + 1] * step[1] / edge | 0)) * 64 +
            (pos[4 * i + 2] * step[2] / edge | 0);
        occupied += cells[cell] ? 0 : (cells[cell] = 1);
    }
    return Math.sqrt(occupied * edge * edge / Math.max(n, 1));
}

// Boxes of consecutive points, in quantised coordinates: picking skips most of them.
export const BLOCK = 1024;
function findBlocks(pos, n) {
    const blocks = new Uint16Array(6 * Math.ceil(n / BLOCK));
    for (let b = 0; b * BLOCK < n; b++) {
        const end = Math.min(n, (b + 1) * BLOCK);
        for (let axis = 0; axis < 3; axis++) {
            let low = 65535, high = 0;
            for (let at = 4 * b * BLOCK + axis; at < 4 * end; at += 4) {
                const v = pos[at];
                if (v < low) low = v;
                if (v > high) high = v;
            }
            blocks[6 * b + axis] = low;
            blocks[6 * b + 3 + axis] = high;
        }
    }
    return blocks;
}

export async function readCloud(meta, number) {
    const n = meta.shown, id = name => `c${number}${name}`;
    const [xyz, row, rgb, label, truth, confidence, ...attributes] = await Promise.all(
        ['xyz', 'row', 'rgb', 'label', 'truth', 'confidence', ...meta.attributes.map((_, i) => `a${i}`)]
            .map(name => section(id(name))));
    const cloud = {
        ...meta, n, number,
        pos: readPositions(xyz, n),
        rows: row ? readRows(row, n) : null,
        rgba: readColours(rgb, confidence, n),
        marks: new Uint8Array(4 * n), // label, truth, flags, size
        classes: meta.classes.map(c => ({...c, named: c.name !== null, name: c.name ?? `class ${c.number}`})),
        attributes: meta.attributes.map((a, i) => readAttribute(a, attributes[i], n)),
        fixed: meta.tile ? 'A pass cannot be corrected: correct the labels of the whole cloud.' : '', // why nothing is corrected there
        hasRgb: meta.rgb, hasLabel: meta.label !== null, hasTruth: meta.truth, hasConfidence: meta.confidence,
    };
    for (let i = 0; i < n; i++) {
        cloud.marks[4 * i] = label ? label[i] : NONE;
        cloud.marks[4 * i + 1] = truth ? truth[i] : NONE;
    }
    cloud.given = label ?? new Uint8Array(n).fill(NONE);
    cloud.blocks = findBlocks(cloud.pos, n);
    cloud.spacing = estimateSpacing(cloud);
    return cloud;
}

export const rowOf = (cloud, i) => cloud.rows ? cloud.rows[i] : i;
export const coordinate = (cloud, i, axis) => cloud.low[axis] + cloud.pos[4 * i + axis] * cloud.step[axis];
