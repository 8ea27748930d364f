/* The range of a model's training data, and whether a cloud is within it: see range.h. */
#include "datasets/range.h"

#include "config/inputs.h"
#include "core/context.h"
#include "core/error.h"
#include "core/json_parse.h"
#include "core/log.h"
#include "core/parallel.h"
#include "core/print.h"
#include "core/progress.h"
#include "datasets/dataset_items.h"
#include "sampling/item.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *const names[RANGES] = {"density", "extent", "height", "brightness",
                                          "saturation"};

static void measure_colours(double values[RANGES], const struct item *x, int32_t rgb)
{
    double brightness = 0, saturation = 0;
    for (int64_t i = 0; i < x->n; i++) {
        const float *c = x->features + i * x->extra + rgb;
        brightness += ((double)c[0] + (double)c[1] + (double)c[2]) / 3;
        saturation += fmax(fmax((double)c[0], (double)c[1]), (double)c[2]) -
                      fmin(fmin((double)c[0], (double)c[1]), (double)c[2]);
    }
    values[RANGE_BRIGHTNESS] = brightness / x->n;
    values[RANGE_SATURATION] = saturation / x->n;
}

static void measure_sides(double side[3], const struct item *x)
{
    double low[3], high[3];
    for (int k = 0; k < 3; k++) {
        low[k] = INFINITY;
        high[k] = -INFINITY;
    }
    for (int64_t i = 0; i < 3 * (int64_t)x->n; i++) {
        low[i % 3] = fmin(low[i % 3], (double)x->xyz[i]);
        high[i % 3] = fmax(high[i % 3], (double)x->xyz[i]);
    }
    for (int k = 0; k < 3; k++)
        side[k] = high[k] - low[k];
}

/* x as item_from_cloud left it, or finished: the result is the same except for normalised
 * shapes. */
static void measure_item(double values[RANGES], const struct item *x, const struct inputs *inputs,
                         bool scene)
{
    double side[3];
    measure_sides(side, x);
    double area = side[0] * side[1];
    for (int i = 0; i < RANGES; i++)
        values[i] = NAN; /* not measured: shapes are normalised, and a cloud may have no colours */
    values[RANGE_DENSITY] = !scene ? (double)x->n : area > 0 ? (double)x->n / area : 0;
    if (scene) {
        values[RANGE_EXTENT] = fmax(side[0], side[1]);
        values[RANGE_HEIGHT] = side[2];
    }
    if (inputs->rgb >= 0 && !x->grey)
        measure_colours(values, x, inputs->rgb);
}

static void widen(struct range *r, const double values[RANGES])
{
    for (int i = 0; i < RANGES; i++) {
        r->low[i] = r->items ? fmin(r->low[i], values[i]) : values[i];
        r->high[i] = r->items ? fmax(r->high[i], values[i]) : values[i];
    }
    r->items++;
}

void range_add(struct range *r, const struct item *x, const struct inputs *inputs, bool scene)
{
    double values[RANGES];
    measure_item(values, x, inputs, scene);
    widen(r, values);
}

struct portion {
    struct dataset *data;
    enum split split;
    int32_t first;
    double (*values)[RANGES]; /* of the items from `first` on */
    int64_t *labelled;
    int *codes;
};

static int measure(double values[RANGES], int64_t *n, struct dataset *d, enum split s, int32_t i)
{
    const struct item *x;
    TRY(dataset_take(&x, d, s, i));
    measure_item(values, x, &d->inputs, d->task == TASK_SEGMENT);
    bool labelled = d->task == TASK_CLASSIFY || x->labels;
    *n = d->task == TASK_CLASSIFY;
    for (int32_t k = 0; x->labels && k < x->n; k++)
        *n += x->labels[k] >= 0;
    dataset_give(d, s, i);
    return labelled ? 0
                    : error_topic(error_in(GLT_EDATA, d->split[s].list[i].name,
                                           "it has no labels to learn from"),
                                  GLT_TOPIC_LABELS, NULL);
}

static void measure_chunk(void *user, int64_t begin, int64_t end)
{
    const struct portion *p = user;
    for (int64_t i = begin; i < end; i++)
        p->codes[i] = context_cancelled() ? 0
                                          : measure(p->values[i], &p->labelled[i], p->data,
                                                    p->split, p->first + (int32_t)i);
}

int range_of_split(struct range *r, struct dataset *d, enum split s)
{
    enum { PORTION = 64 };
    double values[PORTION][RANGES];
    int64_t labelled[PORTION];
    int codes[PORTION];
    struct portion p = {d, s, 0, values, labelled, codes};
    int32_t all = dataset_count(d, s);
    for (; p.first < all; p.first += PORTION) {
        int32_t n = all - p.first < PORTION ? all - p.first : PORTION;
        TRY(progress_report("read", p.first, all));
        parallel_for(n, 1, measure_chunk, &p);
        if (context_cancelled())
            return progress_report("read", p.first, all);
        for (int32_t i = 0; i < n; i++) {
            if (codes[i] < 0) /* repeat it for its message: that of the thread is lost */
                TRY(measure(values[i], &labelled[i], d, s, p.first + i));
            widen(r, values[i]);
            r->labelled += labelled[i];
        }
    }
    return 0;
}

int range_to_json(struct json **out, const struct range *r)
{
    struct json *object = json_object();
    int failed = !object;
    for (int i = 0; i < RANGES && !failed; i++)
        if (isfinite(r->low[i]) && isfinite(r->high[i]))
            failed = json_set(object, names[i], json_pack("[f,f]", r->low[i], r->high[i]));
    if (failed) {
        json_free(object);
        return error_set(GLT_ENOMEM, "out of memory");
    }
    *out = object;
    return 0;
}

bool range_from_card(struct range *r, const char *card)
{
    struct json *root = NULL;
    if (!card || json_parse(&root, "the model's card", card, strlen(card)) < 0)
        return false;
    const struct json *object = json_get(root, "range");
    struct range x = {.items = 1};
    for (int i = 0; i < RANGES; i++) {
        const struct json *pair = json_get(object, names[i]);
        const struct json *low = json_at(pair, 0), *high = json_at(pair, 1);
        bool good = json_is_number(low) && json_is_number(high);
        x.low[i] = good ? json_number_value(low) : NAN;
        x.high[i] = good ? json_number_value(high) : NAN;
    }
    bool found = json_is(object, JSON_OBJECT);
    json_free(root);
    if (found)
        *r = x;
    return found;
}

/* --- is a cloud within the range? --- */

/* How far a value may be outside: a factor, for colours a difference. */
static const struct {
    const char *name, *what;
    double factor, slack;
} rules[RANGES] = {{"density", "density (points per square unit)", 4, 0},
                   {"extent", "extent", 4, 0},
                   {"height", "height", 2, 0},
                   {"brightness", "mean brightness", 1, 0.15},
                   {"saturation", "mean saturation of the colours", 1, 0.1}};

/* True also if it was not measured. */
static bool within(const struct range *r, int i, double value, double factor, double slack)
{
    double low = r->low[i] / factor - slack, high = r->high[i] * factor + slack;
    return !isfinite(value) || !isfinite(low) || !isfinite(high) || (value >= low && value <= high);
}

static bool fits(const struct range *r, int i, double value)
{
    return within(r, i, value, rules[i].factor, rules[i].slack);
}

/* Three digits, without an exponent below a million. */
static const char *print(char dst[32], double x)
{
    print_to(dst, 32, x >= 100 && x < 1e6 ? "%.0f" : "%.3g", x);
    return dst;
}

/* A unit of length: a metre is `factor` of them; and the edit that converts to metres. */
struct unit {
    double factor, scale;
    const char *name;
};

static const struct unit units[] = {{1000, 0.001, "millimetres"},
                                    {100, 0.01, "centimetres"},
                                    {3.2808, 0.3048, "feet"},
                                    {0.001, 1000, "kilometres"}};

/* The unit in which both width and height of the cloud would closely fit the range: many factors
 * make only one of them fit. Feet are so close to metres that a file which names metres is
 * trusted. */
static const struct unit *unit_of(const double values[RANGES], const struct range *r, bool metres)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (!(metres && !strcmp(units[i].name, "feet")) &&
            within(r, RANGE_EXTENT, values[RANGE_EXTENT] / units[i].factor, 1.5, 0) &&
            within(r, RANGE_HEIGHT, values[RANGE_HEIGHT] / units[i].factor, 1.5, 0))
            return &units[i];
    return NULL;
}

static bool only_z_is_scaled(const double values[RANGES], const struct range *r)
{
    return fits(r, RANGE_EXTENT, values[RANGE_EXTENT]) &&
           within(r, RANGE_HEIGHT, values[RANGE_HEIGHT] / 1000, 1.5, 0);
}

/* Whether height and width of the cloud would fit the range if x or y pointed up. Never true for
 * flat ground, whose z is the shortest side. */
static bool other_axis_fits(const double side[3], const struct range *r)
{
    for (int k = 0; k < 2; k++)
        if (side[k] < side[2] && fits(r, RANGE_HEIGHT, side[k]) &&
            fits(r, RANGE_EXTENT, fmax(side[1 - k], side[2])))
            return true;
    return false;
}

/* Advice for a cloud whose size is out of range in every unit. */
static const char *size_advice(const double values[RANGES], const struct range *r)
{
    double extent = values[RANGE_EXTENT], height = values[RANGE_HEIGHT];
    bool more = fits(r, RANGE_EXTENT, extent) ? height > r->high[RANGE_HEIGHT]
                                              : extent > r->high[RANGE_EXTENT];
    if (only_z_is_scaled(values, r))
        return "only z seems to be in millimetres: scale it by 0.001";
    if (!fits(r, RANGE_EXTENT, extent))
        return more ? "the cloud is larger than the training clouds: another model may fit it"
                    : "the cloud is smaller than the training clouds: another model may fit it";
    return more ? "the cloud is higher than the training clouds: another model may fit it"
                : "the cloud is lower than the training clouds: expect more errors";
}

/* A warning, and its line in the provenance of the labels, which names no file. */
__attribute__((format(printf, 4, 5))) static void
warn(const struct range_log *to, enum glt_topic topic, const char *what, const char *format, ...)
{
    char text[512];
    va_list args;
    va_start(args, format);
    print_list(text, sizeof text, format, args);
    va_end(args);
    log_warning(topic, what, "%s: %s", to->name, text);
    if (to->lines)
        string_add(to->lines, "warning %s\n", text);
}

/* One verdict on both lengths. The density is converted to the unit found, so that a wrong unit is
 * not reported twice. */
static void guard_size(double values[RANGES], const double side[3], const struct range *r,
                       const struct range_log *to)
{
    double extent = values[RANGE_EXTENT], height = values[RANGE_HEIGHT];
    char text[6][32], advice[128];
    if (fits(r, RANGE_EXTENT, extent) && fits(r, RANGE_HEIGHT, height))
        return;
    const struct unit *unit = unit_of(values, r, to->metres);
    const char *what = unit                            ? unit->name
                       : only_z_is_scaled(values, r)   ? "z"
                       : fits(r, RANGE_EXTENT, extent) ? "height"
                                                       : "extent";
    if (unit)
        print_to(advice, sizeof advice,
                 "are the coordinates in %s? The model knows metres: scale the cloud by %g",
                 unit->name, unit->scale);
    else
        snprintf(advice, sizeof advice, "%s", size_advice(values, r));
    warn(to, GLT_TOPIC_COORDINATES, what,
         "extent is %s and height %s, the model was trained on %s to %s and %s to %s: %s%s",
         print(text[0], extent), print(text[1], height), print(text[2], r->low[RANGE_EXTENT]),
         print(text[3], r->high[RANGE_EXTENT]), print(text[4], r->low[RANGE_HEIGHT]),
         print(text[5], r->high[RANGE_HEIGHT]),
         other_axis_fits(side, r) ? "does another axis point up? Else " : "", advice);
    if (unit)
        values[RANGE_DENSITY] *= unit->factor * unit->factor;
}

static void guard(int i, double value, const struct range *r, bool scene,
                  const struct range_log *log)
{
    bool grey = i == RANGE_SATURATION && value == 0 && r->low[i] > 0;
    if (fits(r, i, value) && !grey)
        return;
    char is[32], from[32], to[32];
    warn(log, GLT_TOPIC_INPUTS, rules[i].name, "%s is %s, the model was trained on %s to %s%s",
         i == RANGE_DENSITY && !scene ? "the number of points" : rules[i].what, print(is, value),
         print(from, r->low[i]), print(to, r->high[i]),
         grey                 ? ": the colours are all grey"
         : i != RANGE_DENSITY ? ""
         : value < r->low[i]  ? ": expect more errors than there"
                              : ": thin the cloud out");
}

int range_guard(const char *card, const struct item *x, const struct inputs *inputs, bool scene,
                const struct range_log *log)
{
    struct range r;
    double values[RANGES];
    if (!range_from_card(&r, card))
        return 0;
    double side[3];
    measure_item(values, x, inputs, scene);
    measure_sides(side, x);
    guard_size(values, side, &r, log);
    guard(RANGE_DENSITY, values[RANGE_DENSITY], &r, scene, log);
    guard(RANGE_BRIGHTNESS, values[RANGE_BRIGHTNESS], &r, scene, log);
    guard(RANGE_SATURATION, values[RANGE_SATURATION], &r, scene, log);
    return log->lines ? log->lines->code : 0;
}

int range_ask_up(int axis, int up, const struct range_log *log)
{
    warn(log, GLT_TOPIC_COORDINATES, "up",
         "does %c point up? It seems so, but the model expects %c: set the option up=%c",
         "xyz"[axis], "xyz"[up], "xyz"[axis]);
    return log->lines ? log->lines->code : 0;
}

double range_distance(const char *card, const struct item *x)
{
    static const struct inputs none = {.rgb = -1, .normals = -1};
    struct range r;
    double values[RANGES], sum = 0;
    if (!range_from_card(&r, card))
        return INFINITY;
    measure_item(values, x, &none, true);
    for (int i = RANGE_DENSITY; i <= RANGE_HEIGHT; i++) {
        double v = fmax(values[i], 1e-9);
        bool known = r.low[i] > 0 && r.high[i] > 0;
        sum += known ? fmax(0, fmax(log(r.low[i] / v), log(v / r.high[i]))) : 0;
    }
    return sum;
}
