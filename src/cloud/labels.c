/* Labels of a cloud: see labels.h. */
#include "cloud/labels.h"

#include "cloud/asprs.h"

#include "cloud/classes.h"
#include "cloud/column.h"
#include "cloud/type.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/string.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define LABELS_CHOSEN "labels.attribute" /* the note of labels_choose */

/* --- which attribute --- */

/* NULL if none was chosen, or it was removed. */
static const struct column *chosen_column(const struct glt_cloud *c)
{
    const struct note *chosen = cloud_note(c, LABELS_CHOSEN);
    return chosen && chosen->len ? cloud_attribute(c, (const char *)chosen->bytes) : NULL;
}

const struct column *labels_column(const struct glt_cloud *c)
{
    static const char *const names[] = {"label",    "labels",        "class",
                                        "semantic", "sem_label",     "semantic_label",
                                        "category", "classification"};
    const struct column *x = chosen_column(c);
    for (size_t i = 0; !x && i < sizeof names / sizeof *names; i++)
        if (column_is_single(cloud_attribute(c, names[i])))
            x = cloud_attribute(c, names[i]);
    return x;
}

int labels_choose(struct glt_cloud *c, const char *name)
{
    const struct column *x = NULL;
    for (int32_t i = 0; i < c->n_columns && !cloud_attribute(c, name); i++)
        if (c->columns[i].source && !strcmp(c->columns[i].source, name))
            name = c->columns[i].name;
    TRY(cloud_single(&x, c, name));
    return cloud_set_note(c, LABELS_CHOSEN, x->name, strlen(x->name));
}

int labels_rename(struct glt_cloud *c, const char *from, const char *to)
{
    const struct column *x = chosen_column(c);
    if (!x || strcmp(x->name, from) != 0)
        return 0;
    return cloud_set_note(c, LABELS_CHOSEN, to, strlen(to));
}

/* Whether all points of a cloud have the same classification, which the file does not name. */
static bool is_idle(const struct glt_cloud *c, const struct column *x)
{
    if (strcmp(x->name, "classification") != 0 || c->n == 0)
        return false;
    double first = column_value(x, 0);
    for (int64_t i = 1; i < c->n; i++)
        if (column_value(x, i) != first)
            return false;
    return !(first >= 0 && first <= INT32_MAX && classes_name(&c->classes, (int32_t)first));
}

const struct column *labels_given(const struct glt_cloud *c)
{
    const struct column *x = labels_column(c);
    return x && !is_idle(c, x) ? x : NULL;
}

struct labels labels_find(const struct glt_cloud *c, const struct classes *classes, bool claimed)
{
    struct labels x = {.column = labels_column(c), .named = &c->classes, .classes = classes};
    const struct column *truth = cloud_attribute(c, "truth");
    bool chosen = chosen_column(c);
    x.kept = column_is_single(truth) && !chosen;
    if (x.kept)
        x.column = truth;
    else if (x.column && is_idle(c, x.column)) {
        bool listed = classes && classes_number(classes, 0) < classes->n_labels;
        x.column = claimed && (listed || column_value(x.column, 0) != 0) ? x.column : NULL;
    }
    x.predicted = x.column && !x.kept && !chosen && cloud_attribute(c, "confidence");
    x.las = x.column && cloud_is_las(c) && !strcmp(x.column->name, "classification");
    bool foreign = classes && (classes->origin == LABELS_FROM_NAMES ||
                               (classes->origin == LABELS_FROM_MODEL && !classes->n_labels));
    x.unnamed = x.las && foreign && c->classes.n == 0;
    return x;
}

/* --- what numbers mean --- */

static bool rest_class(int32_t *class, const struct classes *c)
{
    if (c->has_rest)
        *class = c->labels[classes_label(c, LABEL_REST)].class;
    return c->has_rest;
}

bool labels_class_named(int32_t *class, const struct classes *c, const char *name)
{
    int32_t label = classes_label(c, name);
    *class = label < c->n_labels ? c->labels[label].class : classes_find(c, name);
    return label < c->n_labels || *class >= 0 || rest_class(class, c);
}

static bool class_of_place(int32_t *class, const struct classes *c, int32_t number)
{
    *class = number < 0 ? -1 : number;
    return number < c->n;
}

/* Predictions may divide vegetation by height, and models learn one class of it. */
static int32_t class_of_vegetation(const struct classes *c, const char *name)
{
    static const char *const kinds[] = {"low vegetation", "medium vegetation", "high vegetation"};
    enum { KINDS = 3 };
    for (int i = 0; i < KINDS; i++)
        if (!string_compare_nocase(name, kinds[i]))
            return classes_find(c, "vegetation");
    return string_compare_nocase(name, "vegetation") ? -1 : classes_find(c, kinds[KINDS - 1]);
}

static bool class_of_model(int32_t *class, const struct labels *x, int32_t number)
{
    const char *name = classes_name(x->named, number);
    if (name) {
        *class = classes_find(x->classes, name);
        if (*class < 0)
            *class = class_of_vegetation(x->classes, name);
        return *class >= 0;
    }
    if (x->kept || (!x->las && x->classes->n_labels == 0))
        return class_of_place(class, x->classes, number);
    *class = classes_of_number(x->classes, number);
    return true;
}

static bool class_of_dataset(int32_t *class, const struct labels *x, int32_t number)
{
    const struct classes *c = x->classes;
    const char *name = classes_name(x->named, number);
    int32_t label = classes_number(c, number);
    if (name && classes_label(c, name) <= label)
        return labels_class_named(class, c, name);
    if (label < c->n_labels) {
        *class = c->labels[label].class;
        return true;
    }
    bool place = number < 0 || c->origin == LABELS_ARE_PLACES;
    return (place && class_of_place(class, c, number)) || rest_class(class, c);
}

bool labels_class(int32_t *class, const struct labels *x, int32_t number)
{
    if (x->kept && number == UINT8_MAX && x->classes->n <= UINT8_MAX) {
        *class = -1;
        return true;
    }
    return x->classes->origin == LABELS_FROM_MODEL ? class_of_model(class, x, number)
                                                   : class_of_dataset(class, x, number);
}

bool labels_are_las(const struct column *x)
{
    return x && !strcmp(x->name, "classification");
}

const char *labels_name(const struct glt_cloud *c, const struct column *x, int32_t number)
{
    const char *name = classes_name(&c->classes, number);
    return name || !labels_are_las(x) ? name : asprs_name(number);
}

void labels_colour(uint8_t rgb[3], int32_t number, const char *name)
{
    if (!asprs_colour(rgb, name))
        classes_colour(rgb, number);
}

int labels_number(int32_t *out, double value, int64_t point, const char *file)
{
    bool whole = value >= INT32_MIN && value <= INT32_MAX && value == floor(value);
    if (!whole && !isnan(value)) /* rounded, it would name an arbitrary class */
        return error_topic(
            error_place(error_in(GLT_EDATA, file,
                                 "point %" PRId64 " has label %g; give whole numbers up to %d, and "
                                 "-1 or NaN where there is no label",
                                 point, value, INT32_MAX),
                        GLT_PLACE_POINT, point),
            GLT_TOPIC_LABELS, NULL);
    *out = whole ? (int32_t)value : -1;
    return 0;
}

int labels_numbers(int32_t *dst, const struct column *x, int64_t n, const char *file)
{
    for (int64_t i = 0; i < n; i++)
        TRY(labels_number(&dst[i], column_value(x, i), i, file));
    return 0;
}

int32_t labels_none(const struct glt_cloud *c, const struct column *x)
{
    if (strcmp(x->name, "classification") == 0)
        return classes_name(&c->classes, 0) ? UINT8_MAX : 0;
    if (type_is_real(x->type) || type_min(x->type) < 0)
        return -1;
    double max = type_max(x->type);
    return max < INT32_MAX ? (int32_t)max : INT32_MAX;
}

bool labels_is_class(const struct glt_cloud *c, const struct column *x, int32_t number)
{
    bool kept = !strcmp(x->name, "truth") && number == UINT8_MAX;
    return number >= 0 &&
           ((number != labels_none(c, x) && !kept) || classes_name(&c->classes, number) != NULL);
}

/* --- the classes of a cloud --- */

static int add_number(struct classes *found, int32_t number, int64_t point, const char *file)
{
    if (classes_number(found, number) < found->n_labels)
        return 0;
    if (number > CLASS_NUMBER_MAX)
        return error_topic(error_place(error_in(GLT_EDATA, file,
                                                "point %" PRId64 " has label %d; numbers of "
                                                "classes go up to %d",
                                                point, number, CLASS_NUMBER_MAX),
                                       GLT_PLACE_POINT, point),
                           GLT_TOPIC_LABELS, NULL);
    return classes_add_number(found, number, -1);
}

int labels_collect(struct classes *found, const struct glt_cloud *c, const struct column *x,
                   int32_t max)
{
    int32_t number = -1, last = -1;
    for (int64_t i = 0; x && i < c->n && found->n_labels <= max; i++) {
        TRY(labels_number(&number, column_value(x, i), i, cloud_name(c)));
        if (number != last && labels_is_class(c, x, number))
            TRY(add_number(found, number, i, cloud_name(c)));
        last = number;
    }
    if (found->n_labels > max)
        return error_topic(
            error_in(GLT_ELIMIT, cloud_name(c), "more than %d different labels", max),
            GLT_TOPIC_CLASSES, NULL);
    return 0;
}

int labels_list(struct classes *out, const struct classes *found, bool las)
{
    for (int32_t i = 0; i < found->n_labels; i++) {
        const struct label *x = &found->labels[found->order[i]];
        char text[32];
        const char *name = x->class >= 0 ? found->names[x->class] : NULL;
        name = name || !las ? name : asprs_name(x->number);
        snprintf(text, sizeof text, "class %d", x->number);
        TRY(classes_add(out, name ? name : text));
        labels_colour(out->colours[out->n - 1], x->number, name);
        TRY(classes_add_number(out, x->number, out->n - 1));
    }
    return 0;
}

int labels_classes(struct classes *out, const struct glt_cloud *c, const struct column *label,
                   const struct column *truth, int32_t max)
{
    struct classes found = {0};
    int code = classes_copy(&found, &c->classes);
    if (code == 0)
        code = labels_collect(&found, c, label, max);
    if (code == 0)
        code = labels_collect(&found, c, truth, max);
    if (code == 0)
        code = labels_list(out, &found, labels_are_las(label) || labels_are_las(truth));
    classes_free(&found);
    return code;
}

/* --- changes --- */

/* Several names may now have the same number: one stays if they are all alike, else none. */
static void settle_class(struct glt_cloud *c, int32_t class)
{
    int32_t number, first = -1;
    const char *name, *one = NULL;
    bool differ = false;
    for (int32_t i = 0; i < c->n_comments; i++) {
        if (!classes_comment(&number, &name, c->comments[i]) || number != class)
            continue;
        if (one && strcmp(one, name) != 0) {
            log_warning(GLT_TOPIC_CLASSES, one,
                        "class %d would be called %s and %s: the names are left out", class, one,
                        name);
            differ = true;
        }
        one = one ? one : name;
        first = first < 0 ? i : first;
    }
    for (int32_t i = c->n_comments - 1; first >= 0 && i >= first + !differ; i--)
        if (classes_comment(&number, &name, c->comments[i]) && number == class)
            cloud_remove_comment(c, i);
}

/* Changes the number in comment i, which names a class; -1 removes it. */
static int renumber_comment(struct glt_cloud *c, int32_t i, const char *name, int32_t number)
{
    struct string text = {0};
    char *comment;
    if (number < 0) {
        cloud_remove_comment(c, i);
        return 0;
    }
    if (number > CLASS_NUMBER_MAX)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "map: class %.60s would be %d: a class with a name has a "
                                     "number from 0 to %d",
                                     name, number, CLASS_NUMBER_MAX),
                           GLT_TOPIC_OPTION, "map");
    string_add(&text, "class %d %s", number, name);
    TRY(string_take(&comment, &text));
    memory_free(c->comments[i]);
    c->comments[i] = comment;
    return 0;
}

int labels_map(struct glt_cloud *c, const int32_t (*map)[2], int32_t n)
{
    int32_t number;
    const char *name;
    for (int32_t i = c->n_comments - 1; i >= 0; i--) {
        int32_t k = 0;
        if (!classes_comment(&number, &name, c->comments[i]))
            continue;
        while (k < n && number != map[k][0])
            k++;
        if (k < n)
            TRY(renumber_comment(c, i, name, map[k][1]));
    }
    for (int32_t k = 0; k < n; k++)
        settle_class(c, map[k][1]);
    TRY(cloud_read_classes(c));
    return cloud_set_note(c, "classes", "mapped", 6);
}

static void forget_classes(struct glt_cloud *c)
{
    int32_t kept = 0, number;
    const char *name;
    for (int32_t i = 0; i < c->n_comments; i++) {
        if (classes_comment(&number, &name, c->comments[i]))
            memory_free(c->comments[i]);
        else
            c->comments[kept++] = c->comments[i];
    }
    c->n_comments = kept;
    classes_free(&c->classes);
}

static int add_labels(struct glt_cloud *c, const int32_t *labels, bool wide)
{
    struct column *x;
    TRY(cloud_add_attribute(&x, c, "label", wide ? GLT_I32 : GLT_U8));
    for (int64_t i = 0; i < c->n; i++) {
        if (wide)
            ((int32_t *)x->data)[i] = labels[i];
        else
            ((uint8_t *)x->data)[i] = (uint8_t)labels[i];
    }
    return 0;
}

int labels_set(struct glt_cloud *c, const int32_t *labels, const float *confidence,
               const char *const *names, int32_t n_classes)
{
    bool wide = n_classes > 255;
    for (int64_t i = 0; i < c->n; i++)
        wide = wide || labels[i] < 0 || labels[i] > 255;
    /* stale copies of the old labels would contradict the new */
    static const char *const old[] = {"label", "scalar_label", "confidence", "scalar_confidence"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        cloud_remove_attribute(c, old[i]);
    TRY(add_labels(c, labels, wide));
    struct column *x;
    if (confidence) {
        TRY(cloud_add_attribute(&x, c, "confidence", GLT_F32));
        if (c->n)
            memcpy(x->data, confidence, (size_t)c->n * sizeof *confidence);
    }
    TRY(cloud_set_note(c, "labels", "predicted", 9));
    TRY(cloud_set_note(c, LABELS_CHOSEN, "", 0)); /* these are the labels now */
    if (!names)
        return 0;
    forget_classes(c);
    TRY(cloud_set_note(c, "classes", "", 0)); /* not those that a user mapped */
    for (int32_t i = 0; i < n_classes; i++) {
        char text[256];
        snprintf(text, sizeof text, "class %d %s", i, names[i]);
        TRY(cloud_add_comment(c, text));
    }
    return 0;
}

/* --- the public interface --- */

int glt_cloud_class(const struct glt_cloud *c, int i, int32_t *number, const char **name)
{
    REQUIRE(c);
    const struct classes *x = &c->classes;
    if (i < 0 || i >= x->n)
        return error_topic(
            error_set(GLT_EARGUMENT, "no class %d: the cloud names %d", i, (int)x->n),
            GLT_TOPIC_ARGUMENT, "i");
    if (number)
        classes_first_number(number, x, i);
    if (name)
        *name = x->names[i];
    return 0;
}

/* Names of classes become lines of text in files. */
static int check_class(int32_t number, const char *name)
{
    enum { NAME_MAX_BYTES = 200 };
    if (number < 0 || number > CLASS_NUMBER_MAX)
        return error_topic(error_set(GLT_EARGUMENT, "class %d: give a number from 0 to %d",
                                     (int)number, CLASS_NUMBER_MAX),
                           GLT_TOPIC_ARGUMENT, "number");
    if (name && (!*name || *name == ' ' || strlen(name) > NAME_MAX_BYTES ||
                 string_control(name) >= 0 || !json_holds(name)))
        return error_topic(error_set(GLT_EARGUMENT,
                                     "class %d: its name must be UTF-8 of 1 to %d bytes, without "
                                     "control characters and without a blank in front",
                                     (int)number, NAME_MAX_BYTES),
                           GLT_TOPIC_CLASSES, "name");
    return 0;
}

int glt_cloud_set_class(struct glt_cloud *c, int32_t number, const char *name)
{
    REQUIRE(c);
    TRY(check_class(number, name));
    int32_t of;
    const char *old;
    for (int32_t i = c->n_comments; i-- > 0;)
        if (classes_comment(&of, &old, c->comments[i]) && of == number)
            cloud_remove_comment(c, i);
    TRY(cloud_read_classes(c));
    char text[256];
    snprintf(text, sizeof text, "class %d %s", (int)number, name ? name : "");
    return name ? cloud_add_comment(c, text) : 0;
}
