/* Augmentation: see augment.h. Every draw is made even if its kind is switched off, so that the
 * other kinds do not change. */
#include "sampling/augment.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

/* lanes of a sample's stream */
enum {
    LANE_SHAPE,
    LANE_JITTER,
    LANE_COLOUR,
    LANE_COLOUR_NOISE,
    LANE_DROP,
    LANE_SLOPE,
    LANE_COLOUR_DROP,
    LANE_INPUT_DROP,
    LANE_LIFT
};

static const double pi = 3.14159265358979323846;

static double between(struct random *r, double reach)
{
    return (2 * random_uniform(r) - 1) * reach;
}

/* The linear map of positions (row-major), that of normals (its inverse transpose), the shift. */
struct maps {
    double position[9], normal[9], shift[3];
};

static struct maps draw_maps(struct random *r, const struct augment_settings *c)
{
    double scale[3], sign[3], turn;
    double all = 1 + between(r, c->scale);
    for (int k = 0; k < 3; k++) {
        double own = 1 + between(r, c->scale);
        scale[k] = c->scale_axes ? own : all;
    }
    const double chance[3] = {c->flip_x, c->flip_y, c->flip_z};
    for (int k = 0; k < 3; k++)
        sign[k] = random_uniform(r) < chance[k] ? -1 : 1;
    turn = between(r, c->rotate * pi / 180);
    int up = c->up, a = (up + 1) % 3, b = (up + 2) % 3;
    double cosine = cos(turn), sine = sin(turn);
    double rotation[9] = {0};
    rotation[up * 3 + up] = 1;
    rotation[a * 3 + a] = rotation[b * 3 + b] = cosine;
    rotation[a * 3 + b] = -sine;
    rotation[b * 3 + a] = sine;
    struct maps m;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 3; k++) {
            m.position[i * 3 + k] = rotation[i * 3 + k] * sign[k] * scale[k];
            m.normal[i * 3 + k] = rotation[i * 3 + k] * sign[k] / scale[k];
        }
        m.shift[i] = between(r, c->shift);
    }
    return m;
}

/* Rise of the ground along the two level axes, 0 along the up axis. */
static void draw_slope(double rise[3], struct random_stream s, const struct augment_settings *c)
{
    struct random r = random_start(s, LANE_SLOPE);
    double steepness = random_uniform(&r) * c->slope;
    double heading = random_uniform(&r) * 2 * pi;
    rise[c->up] = 0;
    rise[(c->up + 1) % 3] = steepness * cos(heading);
    rise[(c->up + 2) % 3] = steepness * sin(heading);
}

/* Sets the mapped points on a slope whose lowest end is at height 0: heights above it stay, and no
 * point moves below 0. */
static void set_on_slope(struct maps *m, const double rise[3], int up, const float *xyz, int32_t n)
{
    double along[3] = {0}, lowest = INFINITY; /* rise of a point before the map */
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 3; i++)
            along[k] += rise[i] * m->position[i * 3 + k];
    for (int64_t i = 0; i < n; i++) {
        const float *x = xyz + 3 * i;
        lowest = fmin(lowest,
                      along[0] * (double)x[0] + along[1] * (double)x[1] + along[2] * (double)x[2]);
    }
    for (int k = 0; k < 3; k++) {
        m->position[up * 3 + k] += along[k];
        for (int i = 0; i < 3; i++)
            m->normal[i * 3 + k] -= rise[i] * m->normal[up * 3 + k];
    }
    m->shift[up] -= n > 0 ? lowest : 0;
}

/* Few samples are raised far: where the floor that heights are measured from is not that of their
 * ground, as beside the sea, on a rock or above stray points. */
static double draw_lift(struct random_stream s, const struct augment_settings *c)
{
    struct random r = random_start(s, LANE_LIFT);
    double chance = random_uniform(&r), part = random_uniform(&r);
    return chance < 0.3 ? c->lift * part * part : 0;
}

static void apply(double out[3], const double map[9], const float *x)
{
    for (int i = 0; i < 3; i++)
        out[i] = map[i * 3] * (double)x[0] + map[i * 3 + 1] * (double)x[1] +
                 map[i * 3 + 2] * (double)x[2];
}

static void move_points(float *xyz, int32_t n, const struct maps *m)
{
    for (int64_t i = 0; i < n; i++) {
        double out[3];
        apply(out, m->position, xyz + 3 * i);
        for (int k = 0; k < 3; k++)
            xyz[3 * i + k] = (float)(out[k] + m->shift[k]);
    }
}

static void turn_normals(float *normals, int32_t n, int32_t stride, const double map[9])
{
    for (int64_t i = 0; i < n; i++) {
        float *x = normals + i * stride;
        double out[3], length;
        apply(out, map, x);
        length = sqrt(out[0] * out[0] + out[1] * out[1] + out[2] * out[2]);
        for (int k = 0; k < 3; k++)
            x[k] = (float)(length > 0 ? out[k] / length : 0);
    }
}

static void jitter(float *xyz, int32_t n, struct random_stream s, const struct augment_settings *c)
{
    struct random r = random_start(s, LANE_JITTER);
    double sigma = c->jitter, limit = c->jitter_clip;
    for (int64_t i = 0; i < 3 * (int64_t)n; i++) {
        double noise = fmax(-limit, fmin(limit, random_normal(&r)));
        xyz[i] = (float)((double)xyz[i] + sigma * noise);
    }
}

static void switch_channels(float *rgb, int32_t n, int32_t stride, struct random *r, double chance)
{
    int32_t from[3] = {0, 1, 2};
    bool now = random_uniform(r) < chance;
    random_shuffle(r, from, 3);
    for (int64_t i = 0; now && i < n; i++) {
        float *x = rgb + i * stride, old[3];
        memcpy(old, x, sizeof old);
        for (int k = 0; k < 3; k++)
            x[k] = old[from[k]];
    }
}

static void colour_noise(float *rgb, int32_t n, int32_t stride, struct random_stream s,
                         double sigma)
{
    struct random r = random_start(s, LANE_COLOUR_NOISE);
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) {
            double value = (double)rgb[i * stride + k] + sigma * random_normal(&r);
            rgb[i * stride + k] = (float)fmax(0, fmin(1, value));
        }
    }
}

/* Sets the values of a cloud without colours. */
static void drop_colours(float *rgb, int32_t n, int32_t stride, struct random_stream s,
                         double chance)
{
    struct random r = random_start(s, LANE_COLOUR_DROP);
    bool now = random_uniform(&r) < chance;
    for (int64_t i = 0; now && i < n; i++)
        for (int k = 0; k < 3; k++)
            rgb[i * stride + k] = INPUTS_GREY;
}

/* Sets the values of a cloud without any optional attribute. */
static void drop_inputs(float *features, int32_t n, const struct inputs *inputs,
                        struct random_stream s, double chance)
{
    struct random r = random_start(s, LANE_INPUT_DROP);
    bool now = random_uniform(&r) < chance;
    for (int32_t k = 0; now && k < inputs->n; k++) {
        int32_t at = inputs->list[k].first;
        for (int64_t i = 0; inputs->list[k].optional && at != inputs->rgb && i < n; i++)
            features[i * inputs->extra + at] = 0;
    }
}

static struct random_stream stream_of(struct random_key key)
{
    return random_stream(key.seed, key.epoch, key.sample, RANDOM_AUGMENT);
}

int32_t augment_kept(int32_t n, const struct augment_settings *c, struct random_key key)
{
    struct random r = random_start(stream_of(key), LANE_DROP);
    double max = fmin(c->drop * n, n > c->least ? n - c->least : 0);
    return n - (int32_t)(random_uniform(&r) * max);
}

void augment_sample(float *xyz, float *features, int32_t n, const struct inputs *inputs, bool grey,
                    const struct augment_settings *c, struct random_key key)
{
    struct random_stream s = stream_of(key);
    struct random r = random_start(s, LANE_SHAPE);
    struct maps m = draw_maps(&r, c);
    if (c->slope > 0) {
        double rise[3];
        draw_slope(rise, s, c);
        set_on_slope(&m, rise, c->up, xyz, n);
    }
    m.shift[c->up] += draw_lift(s, c);
    move_points(xyz, n, &m);
    if (inputs->normals >= 0)
        turn_normals(features + inputs->normals, n, inputs->extra, m.normal);
    if (c->jitter > 0)
        jitter(xyz, n, s, c);
    drop_inputs(features, n, inputs, s, c->input_drop);
    if (inputs->rgb < 0 || grey)
        return;
    float *rgb = features + inputs->rgb;
    struct random colour = random_start(s, LANE_COLOUR);
    switch_channels(rgb, n, inputs->extra, &colour, c->rgb_permute);
    if (c->rgb_noise > 0)
        colour_noise(rgb, n, inputs->extra, s, c->rgb_noise);
    drop_colours(rgb, n, inputs->extra, s, c->rgb_drop);
}
