/* The surroundings of a cloud: see halo.h. */
#include "task/halo.h"

#include "cloud/column.h"
#include "core/error.h"
#include "core/log.h"
#include "core/number_print.h"
#include "formats/format.h"

#include <math.h>
#include <string.h>

/* --- boxes --- */

/* Measures the box of a file whose header does not have it. */
static int measure_box(double box[4], const char *path, const char *reading)
{
    struct glt_cloud *c;
    struct bounds b;
    TRY(glt_cloud_read(&c, path, reading));
    int code = cloud_bounds(&b, c);
    cloud_free(c);
    for (int k = 0; k < 2 && code == 0; k++) {
        box[k] = b.min[k];
        box[k + 2] = b.max[k];
    }
    return code;
}

/* Whether a file cannot be read, which ends only its own labelling. */
static bool is_damage(int code)
{
    return code == GLT_EFORMAT || code == GLT_EDATA || code == GLT_EUNSUPPORTED || code == GLT_EIO;
}

/* Whether it is too large to measure its box. */
static bool is_too_large(int code)
{
    return code == GLT_ENOMEM || code == GLT_ELIMIT;
}

static void report_unseen(const char *path)
{
    log_warning(GLT_TOPIC_FORMAT, "neighbour", "%s: the files beside it do not see its points: %s",
                path, glt_error_message());
}

static int find_box(double box[4], const struct halo_files *files, int32_t i)
{
    int found = format_extent(box, files->paths[i]);
    if (found == 0)
        found = files->find_box(box, files->user, i);
    TRY(found < 0 ? found : 0);
    if (found)
        return 0;
    TRY(measure_box(box, files->paths[i], files->reading));
    files->keep_box(files->user, i, box);
    return 0;
}

int halo_find_boxes(struct halo_files *files, struct call *call)
{
    files->box = call_alloc(call, (size_t)files->n, sizeof *files->box);
    if (!files->box)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < files->n; i++) {
        int code = find_box(files->box[i], files, i);
        TRY(is_damage(code) || is_too_large(code) ? 0 : code);
        if (code < 0)
            report_unseen(files->paths[i]);
        for (int k = 0; k < 4 && code < 0; k++)
            files->box[i][k] = k < 2 ? INFINITY : -INFINITY;
    }
    return 0;
}

static void widen(double box[4], double by)
{
    for (int k = 0; k < 2; k++) {
        box[k] -= by;
        box[k + 2] += by;
    }
}

/* near: points in it may get labels; reach: all points that are input. */
static void find_reach(double near[4], double reach[4], const double box[4],
                       const struct halo_reach *r)
{
    memcpy(near, box, 4 * sizeof *near);
    widen(near, r->halo);
    memcpy(reach, r->wide ? near : box, 4 * sizeof *reach);
    tiling_reach(reach, &r->tiling);
    for (int k = 0; k < 2; k++) {
        reach[k] = fmin(reach[k], near[k]);
        reach[k + 2] = fmax(reach[k + 2], near[k + 2]);
    }
}

int halo_neighbours(int32_t **list, int32_t *n, struct call *call, const struct halo_files *files,
                    int32_t i, const struct halo_reach *r)
{
    double near[4], reach[4];
    find_reach(near, reach, files->box[i], r);
    *n = 0;
    *list = call_alloc(call, (size_t)files->n, sizeof **list);
    if (!*list)
        return GLT_ENOMEM;
    for (int32_t k = 0; k < files->n; k++) {
        const double *b = files->box[k];
        if (k != i && b[0] <= reach[2] && b[1] <= reach[3] && b[2] >= reach[0] && b[3] >= reach[1])
            (*list)[(*n)++] = k;
    }
    return 0;
}

/* --- one cloud of several --- */

enum { CHANNELS_MAX = 3 + 3 * INPUTS_MAX };

/* An attribute that the network uses. */
struct channel {
    const char *name;
    bool optional;
    double absent; /* the value of points without it, if it is optional */
};

/* The attributes of a cloud that the network uses. An optional one that the file lacks is not used
 * from its neighbours either. */
static int32_t find_channels(struct channel list[CHANNELS_MAX], const struct glt_cloud *c,
                             const struct inputs *inputs)
{
    static const char *const colours[] = {"red", "green", "blue"};
    static const char *const normals[] = {"nx", "ny", "nz"};
    double scale = cloud_colour_scale(c);
    int32_t n = 0;
    list[n++] = (struct channel){.name = "x"};
    list[n++] = (struct channel){.name = "y"};
    list[n++] = (struct channel){.name = "z"};
    for (int32_t i = 0; i < inputs->n; i++) {
        bool rgb = inputs->list[i].first == inputs->rgb, optional = inputs->list[i].optional;
        bool three = rgb || inputs->list[i].first == inputs->normals;
        const char *const *names = rgb ? colours : normals, *name = inputs->list[i].name;
        if (optional && (rgb ? scale == 0 : !column_is_single(cloud_attribute(c, name))))
            continue;
        for (int k = 0; k < (three ? 3 : 1); k++)
            list[n++] = (struct channel){three ? names[k] : name, optional,
                                         optional && rgb ? (double)INPUTS_GREY / scale : 0};
    }
    return n;
}

/* The file and its neighbours. */
struct parts {
    struct glt_cloud **list; /* (n) */
    int32_t n;
    int64_t points;
    struct channel channels[CHANNELS_MAX];
    int32_t n_channels;
};

static const struct column *single(const struct glt_cloud *c, const char *name)
{
    const struct column *x = cloud_attribute(c, name);
    return column_is_single(x) ? x : NULL;
}

/* The attribute that a neighbour lacks; NULL: none. */
static const char *missing(const struct glt_cloud *c, const struct parts *p)
{
    for (int32_t i = 0; i < p->n_channels; i++)
        if (!p->channels[i].optional && !single(c, p->channels[i].name))
            return p->channels[i].name;
    return NULL;
}

/* The type in the file if all parts have it, so that 8-bit colours keep their type. */
static enum glt_type common_type(const struct parts *p, const char *name)
{
    const struct column *first = single(p->list[0], name);
    for (int32_t i = 0; i < p->n; i++) {
        const struct column *x = single(p->list[i], name);
        if (!x || x->type != first->type || column_is_scaled(x))
            return GLT_F64;
    }
    return first->type;
}

/* Values of points begin .. begin + n - 1; only columns of doubles have points without a value. */
static void convert(void *dst, enum glt_type type, const struct channel *channel,
                    const struct column *from, int64_t begin, int64_t n)
{
    if (from)
        column_convert(dst, type, 0, from, begin, n);
    for (int64_t i = 0; !from && i < n; i++)
        ((double *)dst)[i] = channel->absent;
}

/* order (points): the destination of each point of the parts */
static int merge_column(struct glt_cloud *out, const struct parts *p, const struct channel *channel,
                        const int64_t *order)
{
    enum { BLOCK = 512 };
    struct column *to;
    enum glt_type type = common_type(p, channel->name);
    size_t size = type_size(type), at = 0;
    double block[BLOCK]; /* of any type */
    TRY(cloud_add_attribute(&to, out, channel->name, type));
    for (int32_t i = 0; i < p->n; i++) {
        const struct glt_cloud *c = p->list[i];
        const struct column *from = single(c, channel->name);
        for (int64_t begin = 0; begin < c->n; begin += BLOCK) {
            int64_t n = c->n - begin < BLOCK ? c->n - begin : BLOCK;
            convert(block, type, channel, from, begin, n);
            for (int64_t k = 0; k < n; k++)
                memcpy((unsigned char *)to->data + (size_t)order[at++] * size,
                       (unsigned char *)block + (size_t)k * size, size);
        }
    }
    return 0;
}

/* Orders the points of the file first, then near points of its neighbours, then the others. Returns
 * the number of the first two. */
static int64_t find_order(int64_t *order, const struct parts *p, const double near[4], bool wide)
{
    int64_t own = p->list[0]->n, first = own, at = 0;
    for (int pass = 0; pass < 2; pass++) {
        int64_t row = own;
        for (int32_t i = 1; i < p->n; i++) {
            const struct column *x = cloud_attribute(p->list[i], "x");
            const struct column *y = cloud_attribute(p->list[i], "y");
            for (int64_t k = 0; k < p->list[i]->n; k++, row++) {
                double at_x = column_value(x, k), at_y = column_value(y, k);
                bool is_near = wide && at_x >= near[0] && at_y >= near[1] && at_x <= near[2] &&
                               at_y <= near[3];
                if (is_near == (pass == 0))
                    order[row] = first++;
            }
        }
        at = pass == 0 ? first : at;
    }
    for (int64_t i = 0; i < own; i++)
        order[i] = i;
    return at;
}

static int merge(struct halo *out, struct call *call, const struct parts *p, const double near[4],
                 bool wide)
{
    struct halo h = {0};
    int64_t *order = call_alloc(call, (size_t)p->points, sizeof *order);
    if (!order)
        return GLT_ENOMEM;
    h.wanted = find_order(order, p, near, wide);
    TRY(cloud_new(&h.cloud, p->points));
    int code = 0;
    for (int32_t i = 0; i < p->n_channels && code == 0; i++)
        code = merge_column(h.cloud, p, &p->channels[i], order);
    if (code < 0)
        halo_free(&h);
    else
        *out = h;
    return code;
}

/* --- reading --- */

/* An error if the box in the header is too small: it would hide neighbours. */
static int check_box(const struct glt_cloud *c, const double box[4])
{
    struct bounds b;
    bool beyond = false;
    TRY(cloud_bounds(&b, c));
    for (int k = 0; k < 2 && b.finite; k++) {
        double slack = 1e-6 * fmax(1, fmax(fabs(box[k]), fabs(box[k + 2])));
        beyond = beyond || b.min[k] < box[k] - slack || b.max[k] > box[k + 2] + slack;
    }
    if (beyond)
        log_warning(GLT_TOPIC_COORDINATES, "bounds",
                    "%s: points lie outside the bounding box in its header: the files beside it "
                    "do not see them",
                    cloud_name(c));
    return 0;
}

/* The options to read the near part of a neighbour. printf would write commas in some locales,
 * which options cannot have. */
static char *part_options(struct call *call, const char *reading, const double reach[4])
{
    char text[4][NUMBER_PRINT_MAX];
    for (int k = 0; k < 4; k++)
        number_print_double(text[k], reach[k]);
    return call_print(call, "box=%s,%s,%s,%s %s", text[0], text[1], text[2], text[3],
                      reading ? reading : "");
}

static int read_parts(struct parts *p, struct call *call, const struct halo_files *files,
                      const int32_t *list, int32_t n, const double reach[4])
{
    const char *options = part_options(call, files->reading, reach);
    if (!options)
        return GLT_ENOMEM;
    for (int32_t i = 0; i < n; i++) {
        struct glt_cloud *c;
        const char *path = files->paths[list[i]], *lacks;
        int code = glt_cloud_read(&c, path, options);
        if (is_damage(code)) {
            report_unseen(path);
            continue;
        }
        TRY(code);
        if ((lacks = missing(c, p)))
            log_warning(GLT_TOPIC_INPUTS, lacks,
                        "%s: it has no %s, which the model needs: its points are not seen from "
                        "the files beside it",
                        path, lacks);
        if (lacks || c->n == 0) {
            cloud_free(c);
            continue;
        }
        p->list[p->n++] = c;
        p->points += c->n;
    }
    return 0;
}

int halo_read(struct halo *out, const struct glt_cloud *c, const struct halo_files *files,
              int32_t i, const int32_t *list, int32_t n, const struct halo_reach *r,
              const struct inputs *inputs)
{
    struct call call = {0};
    struct parts p = {.n = 1, .points = c->n};
    double near[4], reach[4];
    find_reach(near, reach, files->box[i], r);
    p.n_channels = find_channels(p.channels, c, inputs);
    p.list = call_alloc(&call, (size_t)n + 1, sizeof *p.list);
    int code = p.list ? check_box(c, files->box[i]) : GLT_ENOMEM;
    if (p.list)
        p.list[0] = (struct glt_cloud *)c;
    if (code == 0)
        code = read_parts(&p, &call, files, list, n, reach);
    if (code == 0)
        code = merge(out, &call, &p, near, r->wide);
    for (int32_t k = 1; k < p.n; k++)
        cloud_free(p.list[k]);
    call_free(&call);
    return code;
}

void halo_free(struct halo *h)
{
    cloud_free(h->cloud);
    *h = (struct halo){0};
}
