// Draws views of clouds side by side on one canvas. A frame is drawn when something changed; while
// the camera moves only every k-th point is, so that the frame rate holds on any machine.
import {say} from './dom.js';
import {FIELD_OF_VIEW, multiply} from './camera.js';
import {MODES, POINT_FRAGMENT, POINT_VERTEX, SCREEN_VERTEX, SHADING_FRAGMENT} from './shaders.js';
import {scaleColour} from './palettes.js';

function compile(gl, vertex, fragment) {
    const program = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
        const shader = gl.createShader(type);
        gl.shaderSource(shader, text);
        gl.compileShader(shader);
        if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
        gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    const uniforms = {};
    for (let i = 0; i < gl.getProgramParameter(program, gl.ACTIVE_UNIFORMS); i++) {
        const {name} = gl.getActiveUniform(program, i);
        uniforms[name] = gl.getUniformLocation(program, name);
    }
    return {program, uniforms};
}

function buffer(gl, data) {
    const out = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, out);
    gl.bufferData(gl.ARRAY_BUFFER, data, gl.STATIC_DRAW);
    return out;
}

export class Renderer {
    constructor(canvas) {
        this.canvas = canvas;
        const gl = this.gl = canvas.getContext('webgl2', {antialias: false, alpha: false});
        if (!gl) throw new Error('This browser offers no WebGL 2.');
        this.clouds = [];
        this.begin();
        canvas.addEventListener('webglcontextlost', event => {
            event.preventDefault(); // else the browser does not restore it
            say('The graphics card was reset.');
        });
        canvas.addEventListener('webglcontextrestored', () => {
            this.begin();
            for (const cloud of this.clouds) this.upload(cloud);
            this.restored();
        });
        this.budget = 2e6; // points of a frame while the camera moves
    }

    begin() {
        this.points = compile(this.gl, POINT_VERTEX, POINT_FRAGMENT);
        this.shading = compile(this.gl, SCREEN_VERTEX, SHADING_FRAGMENT);
        this.target = this.oldTarget = null;
    }

    add(cloud) {
        this.clouds.push(cloud);
        this.upload(cloud);
    }

    // Everything the graphics card needs of a cloud.
    upload(cloud) {
        const gl = this.gl;
        cloud.gpu = {pos: buffer(gl, cloud.pos), rgba: buffer(gl, cloud.rgba), marks: buffer(gl, cloud.marks),
            values: new Map(), table: gl.createTexture()};
    }

    updateMarks(cloud) {
        const gl = this.gl;
        gl.bindBuffer(gl.ARRAY_BUFFER, cloud.gpu.marks);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, cloud.marks);
    }

    updateColours(cloud) {
        const gl = this.gl;
        gl.bindBuffer(gl.ARRAY_BUFFER, cloud.gpu.rgba);
        gl.bufferSubData(gl.ARRAY_BUFFER, 0, cloud.rgba);
    }

    // Colours of classes (the last is that of none) with 1 for those that are shown, and the scale.
    updateTable(cloud, colours, shown, stops) {
        const gl = this.gl, bytes = new Uint8Array(2 * 256 * 4);
        for (let i = 0; i < 256; i++) {
            bytes.set([...(colours[i] ?? [140, 140, 140]), shown[i] ? 255 : 0], 4 * i);
            bytes.set([...scaleColour(stops, i / 255), 255], 1024 + 4 * i);
        }
        gl.bindTexture(gl.TEXTURE_2D, cloud.gpu.table);
        gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA8, 256, 2, 0, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
        gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    }

    // The values of an attribute as 16 bits between its limits, made when they are first needed.
    valuesOf(cloud, attribute) {
        const made = cloud.gpu.values.get(attribute);
        if (made) return made;
        const {low, high, values} = attribute, scaled = new Uint16Array(cloud.n);
        const factor = high > low ? 65535 / (high - low) : 0;
        for (let i = 0; i < cloud.n; i++) scaled[i] = Math.min(Math.max((values[i] - low) * factor, 0), 65535);
        const out = buffer(this.gl, scaled);
        cloud.gpu.values.set(attribute, out);
        return out;
    }

    resize() {
        const {canvas} = this, ratio = Math.min(window.devicePixelRatio || 1, 2);
        const width = Math.max(1, Math.round(canvas.clientWidth * ratio));
        const height = Math.max(1, Math.round(canvas.clientHeight * ratio));
        if (canvas.width !== width || canvas.height !== height) {
            canvas.width = width;
            canvas.height = height;
            this.target = null;
        }
    }

    // A texture of colours and one of depths, as large as the canvas.
    makeTarget() {
        const gl = this.gl, {width, height} = this.canvas;
        const texture = (format, external, type) => {
            const t = gl.createTexture();
            gl.bindTexture(gl.TEXTURE_2D, t);
            gl.texImage2D(gl.TEXTURE_2D, 0, format, width, height, 0, external, type, null);
            for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
            return t;
        };
        if (this.oldTarget) {
            gl.deleteFramebuffer(this.oldTarget.frame);
            gl.deleteTexture(this.oldTarget.colour);
            gl.deleteTexture(this.oldTarget.depth);
        }
        const frame = gl.createFramebuffer();
        const colour = texture(gl.RGBA8, gl.RGBA, gl.UNSIGNED_BYTE);
        const depth = texture(gl.DEPTH_COMPONENT24, gl.DEPTH_COMPONENT, gl.UNSIGNED_INT);
        gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, colour, 0);
        gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, depth, 0);
        this.target = this.oldTarget = {frame, colour, depth};
    }

    // Where view i of n is, in pixels of the canvas from its lower left corner.
    viewport(i, n) {
        const left = Math.round(i * this.canvas.width / n), right = Math.round((i + 1) * this.canvas.width / n);
        return {x: left, y: 0, width: Math.max(1, right - left - (i < n - 1 ? 2 : 0)), height: this.canvas.height};
    }

    draw(views, settings, moving) {
        const gl = this.gl;
        this.resize();
        if (settings.shading > 0 && !this.target) this.makeTarget();
        gl.bindFramebuffer(gl.FRAMEBUFFER, settings.shading > 0 ? this.target.frame : null);
        gl.viewport(0, 0, this.canvas.width, this.canvas.height);
        gl.clearColor(...settings.background, 1);
        gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
        const total = views.reduce((sum, v) => sum + v.cloud.n, 0);
        const every = moving ? Math.min(255 / 8 | 0, Math.max(1, Math.ceil(total / this.budget))) : 1;
        views.forEach((view, i) => this.drawPoints(view, this.viewport(i, views.length), settings, every));
        if (settings.shading > 0) this.shade(views, settings);
        return every;
    }

    drawPoints(view, port, settings, every) {
        const gl = this.gl, {cloud, camera} = view, {uniforms} = this.points;
        const aspect = port.width / port.height, drawn = Math.ceil(cloud.n / every);
        if (!drawn) return;
        gl.viewport(port.x, port.y, port.width, port.height);
        gl.enable(gl.DEPTH_TEST);
        gl.useProgram(this.points.program);
        gl.uniformMatrix4fv(uniforms.matrix, false, new Float32Array(camera.matrix(aspect)));
        gl.uniform3fv(uniforms.scale, cloud.step.map(v => v * 65535));
        gl.uniform3fv(uniforms.offset, cloud.offset);
        gl.uniform3fv(uniforms.clipLow, settings.clip.low);
        gl.uniform3fv(uniforms.clipHigh, settings.clip.high);
        gl.uniform3fv(uniforms.highlight, settings.highlight);
        const pixels = port.height / (2 * Math.tan(FIELD_OF_VIEW / 2)) / (camera.orthographic ? camera.distance : 1);
        gl.uniform1f(uniforms.pointPixels, 2 * settings.pointSize * cloud.spacing * Math.sqrt(every) * pixels);
        gl.uniform1f(uniforms.minimumSize, Math.max(1, settings.pointSize * (port.height > 1400 ? 2 : 1)));
        gl.uniform1i(uniforms.mode, MODES[view.mode.kind]);
        gl.activeTexture(gl.TEXTURE0);
        gl.bindTexture(gl.TEXTURE_2D, cloud.gpu.table);
        gl.uniform1i(uniforms.table, 0);
        this.bindColumns(cloud, view.mode, every);
        gl.drawArrays(gl.POINTS, 0, drawn);
    }

    // A stride of several points draws every k-th of them.
    bindColumns(cloud, mode, every) {
        const gl = this.gl, {gpu} = cloud;
        const column = (place, data, size, type, normalised, bytes) => {
            gl.bindBuffer(gl.ARRAY_BUFFER, data);
            gl.enableVertexAttribArray(place);
            gl.vertexAttribPointer(place, size, type, normalised, bytes * every, 0);
        };
        column(0, gpu.pos, 3, gl.UNSIGNED_SHORT, true, 8);
        column(1, gpu.rgba, 4, gl.UNSIGNED_BYTE, true, 4);
        gl.bindBuffer(gl.ARRAY_BUFFER, gpu.marks);
        gl.enableVertexAttribArray(2);
        gl.vertexAttribIPointer(2, 4, gl.UNSIGNED_BYTE, 4 * every, 0);
        if (mode.kind === 'attribute') {
            column(3, this.valuesOf(cloud, mode.attribute), 1, gl.UNSIGNED_SHORT, true, 2);
        } else {
            gl.disableVertexAttribArray(3);
        }
    }

    shade(views, settings) {
        const gl = this.gl, {uniforms} = this.shading;
        gl.bindFramebuffer(gl.FRAMEBUFFER, null);
        gl.disable(gl.DEPTH_TEST);
        gl.useProgram(this.shading.program);
        for (const [unit, name, texture] of [[0, 'colours', this.target.colour], [1, 'depths', this.target.depth]]) {
            gl.activeTexture(gl.TEXTURE0 + unit);
            gl.bindTexture(gl.TEXTURE_2D, texture);
            gl.uniform1i(uniforms[name], unit);
        }
        gl.uniform3fv(uniforms.background, settings.background);
        gl.uniform1f(uniforms.strength, settings.shading);
        gl.uniform1i(uniforms.reach, window.devicePixelRatio > 1.5 ? 2 : 1);
        for (let i = 0; i < 4; i++) gl.disableVertexAttribArray(i);
        gl.enable(gl.SCISSOR_TEST);
        gl.viewport(0, 0, this.canvas.width, this.canvas.height);
        views.forEach((view, i) => {
            const port = this.viewport(i, views.length), camera = view.camera;
            gl.scissor(port.x, port.y, port.width + 2, port.height);
            gl.uniform1f(uniforms.flatness, 0.7 * view.cloud.spacing / camera.distance);
            gl.uniform4f(uniforms.range, ...camera.range(), camera.orthographic ? 1 : 0, camera.range()[1] + camera.radius);
            gl.drawArrays(gl.TRIANGLES, 0, 3);
        });
        gl.disable(gl.SCISSOR_TEST);
    }

    // Frames that take too long make the next ones coarser.
    adapt(milliseconds) {
        this.budget = Math.min(2e7, Math.max(1e5, this.budget * (milliseconds > 60 ? 0.7 : milliseconds < 25 ? 1.25 : 1)));
    }

    // Waits until the graphics card has drawn: for measurements.
    finish() {
        this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
    }
}

// From quantised coordinates to pixels of the canvas's layout, from the upper left corner of a view:
// x = (m0 X + m4 Y + m8 Z + m12) / w, y likewise, depth = w (or -z of the view).
export function screenMatrix(view, rectangle) {
    const {cloud, camera} = view, {step, offset} = cloud;
    const toLocal = [step[0], 0, 0, 0, 0, step[1], 0, 0, 0, 0, step[2], 0, ...offset, 1];
    const toScreen = [rectangle.width / 2, 0, 0, 0, 0, -rectangle.height / 2, 0, 0, 0, 0, 1, 0,
        rectangle.width / 2, rectangle.height / 2, 0, 1];
    return multiply(toScreen, multiply(camera.matrix(rectangle.width / rectangle.height), toLocal));
}
