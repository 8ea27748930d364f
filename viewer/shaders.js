// Points, and eye-dome shading (Boucheny and Ribes, 2011): a pixel is darker the more of its
// neighbours are in front of it.

export const MODES = {rgb: 0, label: 1, truth: 2, error: 3, confidence: 4, height: 5, attribute: 6, reviewed: 7};

export const POINT_VERTEX = `#version 300 es
layout(location = 0) in vec3 position;   // 0..1 in the box of the cloud
layout(location = 1) in vec4 rgbc;       // colour, confidence
layout(location = 2) in uvec4 marks;     // label, truth, flags, size
layout(location = 3) in float value;     // 0..1
uniform mat4 matrix;
uniform vec3 scale, offset, clipLow, clipHigh;
uniform float pointPixels, minimumSize;
uniform int mode;
uniform sampler2D table;                 // row 0: colours of classes, alpha = shown; row 1: scale
uniform vec3 highlight;
out vec4 colour;                         // alpha: how much it is shaded

vec3 ramp(float t) { return texelFetch(table, ivec2(int(clamp(t, 0.0, 1.0) * 255.0), 1), 0).rgb; }

void main() {
    int shownClass = int(mode == 2 ? marks.g : marks.r);
    vec4 class_ = texelFetch(table, ivec2(shownClass, 0), 0);
    if (class_.a < 0.5 || any(lessThan(position, clipLow)) || any(greaterThan(position, clipHigh))) {
        gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
        gl_PointSize = 0.0;
        return;
    }
    gl_Position = matrix * vec4(position * scale + offset, 1.0);
    vec3 rgb;
    float size = marks.a == 1u ? 0.3 : marks.a == 2u ? 1.6 : 1.0;
    gl_PointSize = clamp(size * pointPixels / gl_Position.w, minimumSize, 40.0);
    if (mode == 0) rgb = rgbc.rgb;
    else if (mode == 1 || mode == 2) rgb = class_.rgb;
    else if (mode == 3) rgb = marks.g == 255u ? vec3(0.55) : marks.r == marks.g ? vec3(0.8) : vec3(0.84, 0.15, 0.16);
    else if (mode == 4) rgb = ramp(rgbc.a);
    else if (mode == 5) rgb = ramp(position.z);
    else if (mode == 6) rgb = ramp(value);
    else rgb = (marks.b & 2u) != 0u ? vec3(0.0, 0.62, 0.45) : vec3(0.6);
    if ((marks.b & 1u) != 0u) rgb = mix(rgb, highlight, 0.75);
    colour = vec4(rgb, size < 1.0 ? 0.0 : 1.0);
}`;

export const POINT_FRAGMENT = `#version 300 es
precision mediump float;
in vec4 colour;
out vec4 result;
void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    if (dot(p, p) > 1.0) discard;
    result = colour;
}`;

export const SCREEN_VERTEX = `#version 300 es
void main() {
    gl_Position = vec4(float(gl_VertexID % 2) * 4.0 - 1.0, float(gl_VertexID / 2) * 4.0 - 1.0, 0.0, 1.0);
}`;

export const SHADING_FRAGMENT = `#version 300 es
precision highp float;
uniform sampler2D colours;
uniform highp sampler2D depths;
uniform vec3 background;
uniform vec4 range;      // near, far, 1 if orthographic, depth
uniform float strength, flatness; // steps below flatness are none
uniform int reach;       // pixels
out vec4 result;

float away(float z) {
    float ndc = 2.0 * z - 1.0;
    return range.z > 0.5 ? ndc * range.w + range.w
                         : 2.0 * range.x * range.y / (range.y + range.x - ndc * (range.y - range.x));
}

void main() {
    ivec2 at = ivec2(gl_FragCoord.xy), size = textureSize(depths, 0);
    float z = texelFetch(depths, at, 0).r;
    if (z >= 1.0) { result = vec4(background, 1.0); return; }
    float here = log2(away(z)), sum = 0.0;
    const ivec2 around[4] = ivec2[4](ivec2(1, 0), ivec2(-1, 0), ivec2(0, 1), ivec2(0, -1));
    for (int i = 0; i < 4; i++) {
        float other = texelFetch(depths, clamp(at + around[i] * reach, ivec2(0), size - 1), 0).r;
        sum += other >= 1.0 ? 0.0 : max(0.0, here - log2(away(other)) - flatness);
    }
    vec4 colour = texelFetch(colours, at, 0);
    float shade = exp(-sum * 40.0 * strength * colour.a);
    result = vec4(colour.rgb * mix(0.25, 1.0, shade), 1.0);
}`;
