// A forward pass: neighbour lists, attention of every level, block and head, outputs, the way up.
// src/task/view_trace.c writes it. Points are in network order: every level is a prefix.
import {section} from './data.js';

export const LEVELS = [1, 2, 3, 4], BLOCKS = [1, 2], HEADS = ['geometric', 'latent'], KINDS = ['mean', 'strongest'];
const OUTPUTS = ['main', 'aux1', 'aux2', 'aux3', 'aux4'];

function startsOf(degrees) {
    const start = new Uint32Array(degrees.length + 1);
    for (let i = 0; i < degrees.length; i++) start[i + 1] = start[i] + degrees[i];
    return start;
}

// Ranks, 255ths of the second largest weight, the two largest weights of each centre, its channel.
function readHead(bytes, edges, centres) {
    const copy = (from, to) => bytes.slice(from, to).buffer, tail = 2 * edges;
    return {rank: bytes.subarray(0, edges), part: bytes.subarray(edges, tail),
        largest: new Float32Array(copy(tail, tail + 8 * centres)), channel: new Uint16Array(copy(tail + 8 * centres, tail + 10 * centres))};
}

export class Trace {
    constructor(meta) {
        this.levels = meta.levels;
        this.number = meta.number;
        this.row = meta.row;
        this.radius = meta.radius; // of level 1 block 1, level 1 block 2, level 2 block 1 and so on
        this.k = meta.k;
        this.blocks = {};
        this.outputs = {};
        this.up = {};
    }

    static async read(meta) {
        const trace = new Trace(meta), at = name => section(`t${meta.number}${name}`);
        for (const level of LEVELS) {
            for (const block of BLOCKS) trace.blocks[`${level}${block}`] = await trace.readBlock(at, level, block);
            const index = await at(`ui${level}`), weight = await at(`uw${level}`);
            if (index) trace.up[level] = {index: new Uint32Array(index.buffer), weight: new Float32Array(weight.buffer)};
        }
        for (const name of OUTPUTS) trace.outputs[name] = await at(`o${name}`);
        return trace;
    }

    async readBlock(at, level, block) {
        const degrees = await at(`n${level}${block}`), index = new Uint32Array((await at(`i${level}${block}`)).buffer);
        const out = {start: startsOf(degrees), index, heads: {}};
        for (const head of HEADS)
            for (const kind of KINDS) {
                const bytes = await at(`w${level}${block}${head[0]}${kind[0]}`);
                if (bytes) out.heads[`${head} ${kind}`] = readHead(bytes, index.length, degrees.length);
            }
        return out;
    }

    // Neighbours of a centre with the weights of a head; null without that head.
    attention(level, block, head, kind, centre) {
        const {start, index, heads} = this.blocks[`${level}${block}`], h = heads[`${head} ${kind}`];
        if (!h) return null;
        const from = start[centre], to = start[centre + 1], [largest, second] = h.largest.subarray(2 * centre, 2 * centre + 2);
        const weights = Array.from(h.part.subarray(from, to), (part, k) => h.rank[from + k] === 0 ? largest : part / 255 * second);
        return {index: Array.from(index.subarray(from, to)), rank: Array.from(h.rank.subarray(from, to)), weights, channel: h.channel[centre]};
    }
}
