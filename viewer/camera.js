// A camera that turns around a target, z up. Matrices are column-major, as WebGL wants them.
import {clamp} from './dom.js';

export const FIELD_OF_VIEW = 45 * Math.PI / 180;

export function multiply(a, b) {
    const out = new Float64Array(16);
    for (let c = 0; c < 4; c++)
        for (let r = 0; r < 4; r++)
            for (let k = 0; k < 4; k++) out[4 * c + r] += a[4 * k + r] * b[4 * c + k];
    return out;
}

export class Camera {
    // box: {low, high} in local coordinates; places: some of what is in it; aspect: width by height
    // of a view
    constructor(box, places, aspect) {
        this.box = box;
        this.places = places.length ? places : [box.low, box.high];
        this.aspect = aspect;
        this.reset();
    }

    get radius() {
        const {low, high} = this.box;
        return Math.max(1e-6, 0.5 * Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]));
    }

    reset() {
        this.yaw = -Math.PI / 3;
        this.pitch = 0.7;
        this.orthographic = false;
        this.frame(this.places);
    }

    // Looks at the middle of some places, from where all of them are seen.
    frame(places) {
        this.target = [0, 1, 2].map(i => {
            const values = places.map(p => p[i]);
            return (Math.min(...values) + Math.max(...values)) / 2;
        });
        this.distance = this.fit(places);
    }

    // The distance from which all of these places are seen.
    fit(places = this.places) {
        const {back, right, up} = this.basis(), slope = Math.tan(FIELD_OF_VIEW / 2);
        const along = (v, axis) => v[0] * axis[0] + v[1] * axis[1] + v[2] * axis[2];
        return places.reduce((distance, place) => {
            const v = place.map((p, i) => p - this.target[i]);
            const aside = Math.max(Math.abs(along(v, right)) / this.aspect, Math.abs(along(v, up))) / slope;
            return Math.max(distance, 1.06 * aside + (this.orthographic ? 0 : along(v, back)));
        }, 1e-3 * this.radius);
    }

    look(name) {
        const views = {top: [-Math.PI / 2, Math.PI / 2], front: [-Math.PI / 2, 0], side: [0, 0]};
        [this.yaw, this.pitch] = views[name];
    }

    // Direction from the target to the eye, then right and up.
    basis() {
        const cp = Math.cos(this.pitch), sp = Math.sin(this.pitch);
        const cy = Math.cos(this.yaw), sy = Math.sin(this.yaw);
        return {back: [cp * cy, cp * sy, sp], right: [-sy, cy, 0], up: [-sp * cy, -sp * sy, cp]};
    }

    eye() {
        const {back} = this.basis();
        return this.target.map((v, i) => v + this.distance * back[i]);
    }

    matrix(aspect) {
        const {back, right, up} = this.basis(), eye = this.eye();
        const dot = v => v[0] * eye[0] + v[1] * eye[1] + v[2] * eye[2];
        const view = [right[0], up[0], back[0], 0, right[1], up[1], back[1], 0,
            right[2], up[2], back[2], 0, -dot(right), -dot(up), -dot(back), 1];
        return multiply(this.projection(aspect), view);
    }

    range() {
        const centre = this.box.low.map((v, i) => (v + this.box.high[i]) / 2), eye = this.eye();
        const away = Math.hypot(...centre.map((v, i) => v - eye[i]));
        const far = away + 1.05 * this.radius;
        return [Math.max(away - 1.05 * this.radius, far / 2000), far];
    }

    projection(aspect) {
        const [near, far] = this.range(), f = 1 / Math.tan(FIELD_OF_VIEW / 2);
        if (this.orthographic) {
            const half = this.distance / f, depth = far + this.radius;
            return [1 / (half * aspect), 0, 0, 0, 0, 1 / half, 0, 0, 0, 0, -1 / depth, 0, 0, 0, 0, 1];
        }
        return [f / aspect, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1,
            0, 0, 2 * far * near / (near - far), 0];
    }

    turn(dx, dy) {
        this.yaw -= dx;
        this.pitch = clamp(this.pitch + dy, -Math.PI / 2, Math.PI / 2);
    }

    // By parts of the height of the view.
    pan(dx, dy) {
        const {right, up} = this.basis(), size = 2 * this.distance * Math.tan(FIELD_OF_VIEW / 2);
        this.target = this.target.map((v, i) => v + size * (up[i] * dy - right[i] * dx));
    }

    // Keeps what is under (x, y), in -1..1, where it is.
    zoom(factor, x = 0, y = 0, aspect = 1) {
        const before = this.distance;
        this.distance = clamp(before * factor, 1e-4 * this.radius, 50 * this.radius);
        const {right, up} = this.basis(), size = (before - this.distance) * Math.tan(FIELD_OF_VIEW / 2);
        this.target = this.target.map((v, i) => v + size * (right[i] * x * aspect + up[i] * y));
    }

    toText() {
        const short = v => String(+v.toPrecision(6));
        return [...this.target, this.yaw, this.pitch, this.distance, this.orthographic ? 1 : 0].map(short).join(',');
    }

    fromText(text) {
        const v = text.split(',').map(Number);
        if (v.length !== 7 || !v.every(Number.isFinite) || !(v[5] > 0)) return;
        this.target = v.slice(0, 3);
        [this.yaw, this.pitch, this.distance] = [v[3], clamp(v[4], -Math.PI / 2, Math.PI / 2), v[5]];
        this.orthographic = v[6] === 1;
    }
}
