/* The edits of convert, in this order: crop, subsample, up, scale, shift, rename attributes, map
 * labels. */
#include "cloud/edit.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/option_string.h"
#include "core/random.h"

#include <math.h>
#include <string.h>

enum { PAIRS_MAX = 256 };

struct edit {
    bool has_crop, has_scale, has_shift;
    int up;                /* the axis that points up becomes z: 0 x, 1 y, 2 z (nothing to do) */
    double crop[6];        /* smallest x, y, z, then largest */
    const char *crop_name; /* the option that gave them */
    double scale[3], shift[3];
    int64_t subsample; /* number of points drawn at random; 0 = all */
    uint64_t seed;
    int32_t map[PAIRS_MAX][2], n_map; /* labels: old, new */
    const char *rename;               /* attributes: "old:new,..", checked; NULL: none */
};

/* Exactly n numbers separated by commas, no NaN, and with `finite` no infinity. */
static int read_numbers(double *dst, int n, bool finite, const char *key, const char *text)
{
    bool good = option_string_numbers(dst, n, text) == n;
    for (int i = 0; good && i < n; i++)
        good = finite ? isfinite(dst[i]) : !isnan(dst[i]);
    if (good)
        return 0;
    return error_topic(
        error_set(GLT_EARGUMENT, "%s=%s: %d numbers separated by commas are needed", key, text, n),
        GLT_TOPIC_OPTION, key);
}

/* "3:0,4:0,-1:255"; other numbers stay. */
static int read_map(struct edit *e, const char *text)
{
    size_t len;
    for (const char *rest = text, *at; (at = option_string_item(&rest, &len, ','));) {
        const char *end = at + len;
        int64_t pair[2];
        if (e->n_map == PAIRS_MAX)
            return error_topic(
                error_set(GLT_EARGUMENT, "map=%s: more than %d pairs", text, PAIRS_MAX),
                GLT_TOPIC_OPTION, "map");
        for (int i = 0; i < 2; i++) {
            at = number_parse_int(&pair[i], at, end);
            bool good = at && pair[i] >= INT32_MIN && pair[i] <= INT32_MAX &&
                        (i ? at == end : at < end && *at == ':');
            if (!good)
                return error_topic(
                    error_set(GLT_EARGUMENT, "map=%s: pairs like 3:0,4:1 are needed", text),
                    GLT_TOPIC_OPTION, "map");
            at += at < end;
        }
        e->map[e->n_map][0] = (int32_t)pair[0];
        e->map[e->n_map++][1] = (int32_t)pair[1];
    }
    return 0;
}

/* One factor for all axes, or one for each. */
static int read_scale(struct edit *e, const char *text)
{
    int n = strchr(text, ',') ? 3 : 1;
    if (option_string_numbers(e->scale, n, text) != n)
        return error_topic(
            error_set(GLT_EARGUMENT, "scale=%s: a factor, or three with commas, is needed", text),
            GLT_TOPIC_OPTION, "scale");
    for (int d = 0; d < 3; d++) {
        e->scale[d] = e->scale[d < n ? d : 0];
        if (!(e->scale[d] > 0 && isfinite(e->scale[d])))
            return error_topic(
                error_set(GLT_EARGUMENT, "scale=%s: factors above 0 are needed", text),
                GLT_TOPIC_OPTION, "scale");
    }
    e->has_scale = true;
    return 0;
}

static int read_up(struct edit *e, const char *text)
{
    static const char axes[] = "xyz";
    if (strlen(text) != 1 || !strchr(axes, text[0]))
        return error_topic(error_set(GLT_EARGUMENT, "up=%s: x, y or z is needed", text),
                           GLT_TOPIC_OPTION, "up");
    e->up = (int)(strchr(axes, text[0]) - axes);
    return 0;
}

enum { ATTRIBUTE_NAME = 128 };

/* The next pair "old:new" of a list; false after the last, and for a malformed one. Names may
 * contain colons as long as one of the pair has none: the last colon counts. */
static bool next_rename(char from[ATTRIBUTE_NAME], char to[ATTRIBUTE_NAME], const char **rest)
{
    size_t len;
    const char *item = option_string_item(rest, &len, ','), *colon = item ? item + len : NULL;
    while (item && colon > item && *--colon != ':')
        ;
    size_t old = item ? (size_t)(colon - item) : 0, new = item ? len - old : 0;
    if (!item || old == 0 || new < 2 || old >= ATTRIBUTE_NAME || new > ATTRIBUTE_NAME)
        return false;
    memcpy(from, item, old);
    from[old] = 0;
    memcpy(to, colon + 1, new - 1);
    to[new - 1] = 0;
    return true;
}

static int check_rename(const char *list)
{
    char from[ATTRIBUTE_NAME], to[ATTRIBUTE_NAME];
    for (const char *rest = list; rest;)
        if (!next_rename(from, to, &rest))
            return error_topic(
                error_set(GLT_EARGUMENT, "rename=%s: pairs like gt:label are needed", list),
                GLT_TOPIC_OPTION, "rename");
    return 0;
}

/* One after the other, so that names can be swapped through a third. */
static int rename_attributes(struct glt_cloud *c, const char *list)
{
    char from[ATTRIBUTE_NAME], to[ATTRIBUTE_NAME];
    for (const char *rest = list; rest && next_rename(from, to, &rest);) {
        struct column *x = cloud_attribute(c, from);
        const struct column *none;
        if (!x) /* for an error that lists the names */
            TRY(cloud_single(&none, c, from));
        if (cloud_attribute(c, to))
            return error_topic(error_set(GLT_EDATA,
                                         "rename: the cloud has an attribute %s already; rename "
                                         "that one first",
                                         to),
                               GLT_TOPIC_ATTRIBUTE, to);
        TRY(labels_rename(c, from, to));
        TRY(column_rename(x, to));
        memory_free(x->source); /* writers use the new name, not the file's spelling */
        x->source = NULL;
    }
    return 0;
}

static int read_options(struct call *call, struct edit *e, const char *options)
{
    const char *crop = NULL, *shift = NULL, *scale = NULL, *up = NULL, *map = NULL;
    const struct option_field table[] = {
        {"crop", FIELD_TEXT, &crop, 0, 0},    {"shift", FIELD_TEXT, &shift, 0, 0},
        {"scale", FIELD_TEXT, &scale, 0, 0},  {"up", FIELD_TEXT, &up, 0, 0},
        {"map", FIELD_TEXT, &map, 0, 0},      {"subsample", FIELD_INT64, &e->subsample, 1, 0x1p53},
        {"seed", FIELD_SEED, &e->seed, 0, 0}, {"rename", FIELD_TEXT, &e->rename, 0, 0},
    };
    *e = (struct edit){.up = 2, .scale = {1, 1, 1}, .crop_name = "crop"};
    TRY(option_string_read(call, options, table, sizeof table / sizeof *table));
    if (crop)
        TRY(read_numbers(e->crop, 6, false, "crop", crop));
    if (shift)
        TRY(read_numbers(e->shift, 3, true, "shift", shift));
    if (scale)
        TRY(read_scale(e, scale));
    if (up)
        TRY(read_up(e, up));
    TRY(check_rename(e->rename));
    e->has_crop = crop;
    e->has_shift = shift;
    return map ? read_map(e, map) : 0;
}

/* The rows to keep, ascending; *n of them. */
static int choose_rows(struct call *call, int64_t *rows, int64_t *n, const struct glt_cloud *c,
                       const struct edit *e)
{
    const struct column *xyz[3];
    *n = 0;
    for (int d = 0; d < 3; d++)
        if (!column_is_single(xyz[d] = cloud_attribute(c, names_xyz[d])) && e->has_crop)
            return error_topic(error_set(GLT_EDATA, "the cloud has no coordinates to crop by"),
                               GLT_TOPIC_COORDINATES, NULL);
    for (int64_t i = 0; i < c->n; i++) {
        bool inside = true;
        for (int d = 0; d < 3 && e->has_crop; d++) {
            double v = column_value(xyz[d], i);
            inside = inside && v >= e->crop[d] && v <= e->crop[3 + d];
        }
        if (inside)
            rows[(*n)++] = i;
    }
    if (!e->subsample || e->subsample >= *n)
        return 0;
    if (*n > INT32_MAX)
        return error_topic(
            error_set(GLT_ELIMIT, "at most 2,147,483,647 points can be subsampled: crop first"),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    int32_t *drawn = call_alloc(call, (size_t)e->subsample, sizeof *drawn);
    if (!drawn)
        return GLT_ENOMEM;
    struct random r = random_start(random_stream(e->seed, 0, 0, RANDOM_CONVERT), 0);
    random_sample(&r, drawn, (int32_t)e->subsample, (int32_t)*n);
    for (int64_t i = 0; i < e->subsample; i++) /* drawn ascends, so nothing is overwritten early */
        rows[i] = rows[drawn[i]];
    *n = e->subsample;
    return 0;
}

/* Renames x, y, z (nx, ny, nz) to y, z, x, `steps` times: a cyclic permutation is a rotation, not a
 * mirror image, and no value changes. */
static int turn(struct glt_cloud *c, int steps, const char *const axes[3], bool needed)
{
    struct column *a[3], old[3];
    for (int d = 0; d < 3; d++) {
        if (!(a[d] = cloud_attribute(c, axes[d])))
            return needed
                       ? error_topic(error_set(GLT_EDATA, "the cloud has no coordinate %s to turn",
                                               axes[d]),
                                     GLT_TOPIC_COORDINATES, NULL)
                       : 0;
        old[d] = *a[d];
    }
    for (int d = 0; d < 3; d++) {
        const struct column *from = &old[(steps + d) % 3];
        char *name = a[d]->name, *source = a[d]->source;
        *a[d] = *from;
        a[d]->name = name;
        a[d]->source = source;
    }
    return 0;
}

/* v * scale + by. Scaled integers change their scale and offset; reals become double, so that
 * nothing is lost. */
static int move(struct glt_cloud *c, const double scale[3], const double by[3])
{
    if (cloud_note(c, "unit") && (scale[0] != 1 || scale[1] != 1 || scale[2] != 1))
        TRY(cloud_set_note(c, "unit", "", 0));
    for (int d = 0; d < 3; d++) {
        struct column *x = cloud_attribute(c, names_xyz[d]);
        if (!column_is_single(x))
            return error_topic(
                error_set(GLT_EDATA, "the cloud has no coordinate %s to move", names_xyz[d]),
                GLT_TOPIC_COORDINATES, NULL);
        if (!type_is_real(x->type)) {
            x->scale *= scale[d];
            x->offset = x->offset * scale[d] + by[d];
            continue;
        }
        double *v = memory_alloc((size_t)c->n, sizeof *v);
        if (!v)
            return GLT_ENOMEM;
        for (int64_t i = 0; i < c->n; i++)
            v[i] = column_value(x, i) * scale[d] + by[d];
        column_replace(x, v);
        x->type = GLT_F64;
    }
    return 0;
}

/* A surface stretched along one axis changes direction: its normals are scaled by the inverse
 * factors and normalised to their old length. Integers stay, with a warning. */
static void turn_normals(struct glt_cloud *c, const double scale[3])
{
    struct column *x[3];
    if (scale[0] == scale[1] && scale[1] == scale[2])
        return;
    for (int d = 0; d < 3; d++) {
        if (!(x[d] = cloud_attribute(c, names_normal[d])))
            return;
        if (!column_is_single(x[d]) || !type_is_real(x[d]->type)) {
            log_warning(GLT_TOPIC_ATTRIBUTE, "normals",
                        "integer normals are not changed, which is "
                        "wrong where factors differ");
            return;
        }
    }
    for (int64_t i = 0; i < c->n; i++) {
        double v[3], before = 0, after = 0;
        for (int d = 0; d < 3; d++) {
            double old = column_value(x[d], i);
            v[d] = old / scale[d];
            before += old * old;
            after += v[d] * v[d];
        }
        for (int d = 0; d < 3 && after > 0; d++) {
            double unit = v[d] * sqrt(before / after);
            if (x[d]->type == GLT_F32)
                ((float *)x[d]->data)[i] = (float)unit;
            else
                ((double *)x[d]->data)[i] = unit;
        }
    }
}

/* The new number of a value; false if the map does not name it. */
static bool find_pair(double *to, const struct edit *e, double v)
{
    for (int32_t k = 0; k < e->n_map; k++)
        if (v == e->map[k][0]) {
            *to = e->map[k][1];
            return true;
        }
    return false;
}

static bool holds(enum glt_type type, double min, double max)
{
    return min >= type_min(type) && max <= type_max(type);
}

/* The column's own type if it holds the new numbers, else the smallest that holds them beside the
 * values that stay; scaled integers become doubles. */
static int choose_type(enum glt_type *out, const struct column *x, int64_t n, const struct edit *e)
{
    static const enum glt_type wider[] = {GLT_U8, GLT_I32, GLT_I64};
    bool exact = true;
    double min = 0, max = 0, low = 0, high = 0; /* of the new numbers, of those that stay */
    *out = column_is_scaled(x) ? GLT_F64 : x->type;
    for (int64_t i = 0; i < n; i++) {
        double v = column_value(x, i), to;
        if (find_pair(&to, e, v)) {
            min = to < min ? to : min;
            max = to > max ? to : max;
            exact = exact && (double)(float)to == to;
        } else {
            low = v < low ? v : low;
            high = v > high ? v : high;
        }
    }
    if (*out == GLT_F32 && !exact)
        *out = GLT_F64;
    if (type_is_real(*out) || holds(*out, min, max))
        return 0;
    for (int i = 0; i < 3; i++)
        if (holds(wider[i], min < low ? min : low, max > high ? max : high)) {
            *out = wider[i];
            return 0;
        }
    return error_topic(error_set(GLT_EDATA, "%s from %g to %g: no type holds these beside %g",
                                 x->name, low, high, min),
                       GLT_TOPIC_VALUE, x->name);
}

/* Values that the map does not name stay bit for bit. */
static int map_labels(struct glt_cloud *c, const struct edit *e)
{
    const struct column *labels = labels_column(c);
    enum glt_type type = GLT_F64;
    if (!labels)
        return error_topic(error_set(GLT_EDATA, "the cloud has no labels to map"), GLT_TOPIC_LABELS,
                           NULL);
    TRY(choose_type(&type, labels, c->n, e));
    struct column *x = cloud_attribute(c, labels->name);
    size_t size = type_size(type);
    unsigned char *data = memory_alloc((size_t)c->n, size);
    if (!data)
        return GLT_ENOMEM;
    column_convert(data, type, 0, x, 0, c->n);
    for (int64_t i = 0; i < c->n; i++) {
        double to;
        struct column number = {.type = GLT_F64, .width = 1, .scale = 1, .data = &to};
        if (find_pair(&to, e, column_value(x, i)))
            column_convert(data + (size_t)i * size, type, 0, &number, 0, 1);
    }
    column_replace(x, data);
    x->type = type;
    x->scale = 1;
    x->offset = 0;
    if (!strcmp(x->name, "label"))
        cloud_remove_attribute(c, "scalar_label"); /* it still has the old numbers */
    return labels_map(c, e->map, e->n_map);
}

/* Usually the box is in another unit, or relative to another origin. */
static void warn_of_empty(const struct glt_cloud *c, const char *option)
{
    struct bounds b;
    if (cloud_bounds(&b, c) == 0)
        log_warning(GLT_TOPIC_OPTION, option,
                    "%s leaves no point: the cloud reaches from %.10g,%.10g,%.10g to "
                    "%.10g,%.10g,%.10g",
                    option, b.min[0], b.min[1], b.min[2], b.max[0], b.max[1], b.max[2]);
}

/* Copies the points to keep. */
static int select_points(struct call *call, struct glt_cloud **to, const struct glt_cloud *c,
                         const struct edit *e)
{
    int64_t *rows = call_alloc(call, (size_t)c->n, sizeof *rows), n;
    if (!rows)
        return GLT_ENOMEM;
    TRY(choose_rows(call, rows, &n, c, e));
    TRY(cloud_select(to, c, rows, n));
    if (n == 0 && c->n > 0)
        warn_of_empty(c, e->crop_name);
    for (int32_t i = 0; i < c->n_elements - (*to)->n_elements; i++)
        log_warning(GLT_TOPIC_ATTRIBUTE, c->elements[i].name,
                    "the element %s (%lld of them) is left out: it refers to "
                    "points that were removed",
                    c->elements[i].name, (long long)c->elements[i].n);
    return 0;
}

int edit_box(struct glt_cloud **c, const double box[4])
{
    struct edit e = {.has_crop = true,
                     .crop = {box[0], box[1], -INFINITY, box[2], box[3], INFINITY},
                     .crop_name = "box"};
    struct call call = {0};
    struct glt_cloud *kept;
    int code = select_points(&call, &kept, *c, &e);
    call_free(&call);
    TRY(code);
    cloud_free(*c);
    *c = kept;
    return 0;
}

int edit_turn(struct glt_cloud *c, int from, int to)
{
    int steps = (from - to + 3) % 3;
    if (steps == 0)
        return 0;
    TRY(turn(c, steps, names_xyz, true));
    return turn(c, steps, names_normal, false);
}

static int change(struct glt_cloud *c, const struct edit *e)
{
    TRY(edit_turn(c, e->up, 2));
    if (e->has_shift || e->has_scale)
        TRY(move(c, e->scale, e->shift));
    if (e->has_scale)
        turn_normals(c, e->scale);
    if (e->up != 2 || e->has_shift || e->has_scale)
        TRY(cloud_set_note(c, "moved", "", 0));
    TRY(cloud_set_note(c, "edited", "", 0));
    if (e->rename)
        TRY(rename_attributes(c, e->rename));
    return e->n_map ? map_labels(c, e) : 0;
}

int glt_cloud_edit(struct glt_cloud **out, const struct glt_cloud *c, const char *options)
{
    if (c)
        REQUIRE(out);
    struct call call = {0}, words = {0};
    struct edit e;
    struct glt_cloud *to = NULL;
    int code = read_options(&words, &e, options);
    if (code == 0 && c)
        code = select_points(&call, &to, c, &e);
    call_free(&call); /* free the rows before the points are copied once more */
    if (code == 0 && c)
        code = change(to, &e);
    call_free(&words);
    if (code == 0 && c)
        *out = to;
    else
        cloud_free(to);
    return code;
}
