/* Classes of a folder's YAML: see folder.c for the keys. */
#include "datasets/folder_yaml.h"

#include "cloud/classes.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/string.h"
#include "core/suggest.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong(const struct yaml *node, const char *what)
{
    return error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE, node->line, "%s", what),
                       GLT_TOPIC_VALUE, NULL);
}

static int unknown_key(const struct yaml *key, const char *const *keys, size_t n)
{
    char known[128] = "";
    size_t nearest = 0;
    for (size_t k = 0; k < n; k++) {
        size_t at = strlen(known);
        snprintf(known + at, sizeof known - at, "%s%s", k ? ", " : "", keys[k]);
        if (suggest_distance(key->text, keys[k]) < suggest_distance(key->text, keys[nearest]))
            nearest = k;
    }
    if (suggest_distance(key->text, keys[nearest]) <= 2)
        return error_topic(error_at(GLT_EFORMAT, key->name, GLT_PLACE_LINE, key->line,
                                    "unknown key '%s'; did you mean '%s'?", key->text,
                                    keys[nearest]),
                           GLT_TOPIC_UNKNOWN_OPTION, key->text);
    return error_topic(
        error_at(GLT_EFORMAT, key->name, GLT_PLACE_LINE, key->line,
                 "unknown key '%.80s'; a dataset has %s (docs/reference/datasets.md)", key->text,
                 known),
        GLT_TOPIC_UNKNOWN_OPTION, key->text);
}

int folder_yaml_check_keys(const struct yaml *root)
{
    static const char *const keys[] = {
        "path", "train",  "val",     "test",  "task",  "names", "colors", "ignore",
        "map",  "labels", "columns", "parts", "files", "truth", "replay", "label_attribute"};
    if (root->kind != YAML_MAP)
        return wrong(root, "give keys with values: path, train, names, ..");
    for (size_t i = 0; i < root->n; i++) {
        size_t k = 0;
        while (k < sizeof keys / sizeof *keys && strcmp(keys[k], root->key[i]->text))
            k++;
        if (k == sizeof keys / sizeof *keys)
            return unknown_key(root->key[i], keys, k);
    }
    return 0;
}

static int read_task(struct dataset *d, const struct yaml *root)
{
    const struct yaml *node = yaml_find(root, "task");
    const char *text;
    d->task = TASK_SEGMENT;
    if (!node)
        return 0;
    TRY(yaml_string(&text, node));
    for (d->task = 0; d->task < TASKS; d->task++)
        if (!strcmp(text, dataset_task_name(d->task)))
            return 0;
    return wrong(node, "task: give segment, classify or parts");
}

/* The value of `names`: the classes, and their numbers in files. */
struct named {
    struct {
        int64_t number;
        const struct yaml *node; /* of the name */
    } list[DATASET_CLASSES_MAX];
    int32_t n;
    bool sparse; /* the numbers are not 0 .. n - 1 */
};

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* A list of names, or a map of numbers to names, whose classes are in ascending order. Labels match
 * names ignoring case, so names must differ in more than case. */
static int read_names(struct dataset *d, struct named *x, const struct yaml *node)
{
    const char *names[DATASET_CLASSES_MAX];
    if (node->kind == YAML_SCALAR || node->n < 1 || node->n > DATASET_CLASSES_MAX)
        return wrong(node,
                     "names: give a list of 1 to 1024 class names, or a map of numbers to names");
    x->n = (int32_t)node->n;
    for (int32_t i = 0; i < x->n; i++) {
        x->list[i].number = i;
        x->list[i].node = node->item[i];
        if (node->kind == YAML_MAP)
            TRY(yaml_int(&x->list[i].number, node->key[i], 0, INT32_MAX));
        TRY(yaml_string(&names[i], node->item[i]));
        for (int32_t k = 0; k < i; k++)
            if (!string_compare_nocase(names[k], names[i]))
                return wrong(node->item[i], "names: the name occurs twice");
    }
    qsort(x->list, (size_t)x->n, sizeof x->list[0], by_number);
    for (int32_t i = 0; i < x->n; i++) {
        if (i && x->list[i - 1].number == x->list[i].number)
            return wrong(x->list[i].node, "names: the number occurs twice");
        x->sparse |= x->list[i].number != i;
        names[i] = x->list[i].node->text;
    }
    return dataset_set_classes(d, names, x->n);
}

/* Numbers that are not the indices of the classes become rules after those of `map` and `ignore`. A
 * file that names its labels is still read by name: names come first. */
static int add_numbers(struct dataset *d, const struct named *x)
{
    d->classes.origin = LABELS_FROM_RULES;
    for (int32_t i = 0; i < x->n; i++)
        TRY(classes_add_label(&d->classes, d->classes.names[i], i));
    for (int32_t i = 0; i < x->n; i++)
        TRY(classes_add_number(&d->classes, (int32_t)x->list[i].number, i));
    return 0;
}

static int read_parts(struct dataset *d, const struct yaml *root)
{
    const struct yaml *node;
    TRY(yaml_want(&node, root, "parts", YAML_MAP));
    if (node->n < 1 || node->n > DATASET_CLASSES_MAX)
        return wrong(node, "parts: give categories and how many parts each has");
    for (size_t i = 0; i < node->n; i++) {
        int64_t count;
        if (classes_category(&d->classes, node->key[i]->text) >= 0)
            return wrong(node->key[i], "parts: the category occurs twice");
        TRY(yaml_int(&count, node->item[i], 1, DATASET_CLASSES_MAX));
        TRY(dataset_add_parts(d, node->key[i]->text, (int32_t)count));
    }
    return 0;
}

/* Classes called "chair.seat" name their category; those of one category must be adjacent. */
static int split_names(struct dataset *d, const struct yaml *node)
{
    struct classes *c = &d->classes;
    for (int32_t i = 0; i < c->n; i++) {
        char text[32];
        const char *dot = strchr(c->names[i], '.');
        size_t len = dot ? (size_t)(dot - c->names[i]) : 0;
        if (len == 0 || len >= sizeof text)
            return wrong(node, "names: parts are called category.part, as in chair.seat; or give "
                               "`parts`");
        snprintf(text, sizeof text, "%.*s", (int)len, c->names[i]);
        struct category *last = i ? &c->categories[c->n_categories - 1] : NULL;
        if (last && !strcmp(last->name, text)) {
            last->count++;
            continue;
        }
        if (classes_category(c, text) >= 0)
            return wrong(node, "names: the parts of a category must be adjacent");
        TRY(classes_add_category(c, text, i, 1));
    }
    return 0;
}

/* "#rrggbb" or [r, g, b] */
static int read_colour(uint8_t rgb[3], const struct yaml *node)
{
    unsigned r, g, b;
    int used = 0;
    if (node->kind == YAML_SCALAR && strlen(node->text) == 7 &&
        sscanf(node->text, "#%2x%2x%2x%n", &r, &g, &b, &used) == 3 && used == 7) {
        rgb[0] = (uint8_t)r;
        rgb[1] = (uint8_t)g;
        rgb[2] = (uint8_t)b;
        return 0;
    }
    if (node->kind != YAML_LIST || node->n != 3)
        return wrong(node, "colors: give \"#rrggbb\" or [r, g, b] for each class");
    for (int k = 0; k < 3; k++) {
        int64_t value;
        TRY(yaml_int(&value, node->item[k], 0, 255));
        rgb[k] = (uint8_t)value;
    }
    return 0;
}

static int read_colours(struct dataset *d, const struct yaml *node)
{
    if (node->kind != YAML_LIST || node->n != (size_t)d->classes.n)
        return wrong(node, "colors: give a list with one colour for each class");
    for (size_t i = 0; i < node->n; i++)
        TRY(read_colour(d->classes.colours[i], node->item[i]));
    return 0;
}

static int read_map(struct dataset *d, const struct yaml *node)
{
    if (node->kind != YAML_MAP)
        return wrong(node, "map: give {label of the files: class name or ignore}");
    for (size_t i = 0; i < node->n; i++) {
        const char *to;
        TRY(yaml_string(&to, node->item[i]));
        int32_t class = classes_find(&d->classes, to);
        if (class < 0 && strcmp(to, "ignore"))
            return error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE,
                                        node->item[i]->line,
                                        "map: '%s' is not in names; give one of them or "
                                        "ignore",
                                        to),
                               GLT_TOPIC_CLASSES, to);
        TRY(classes_add_label(&d->classes, node->key[i]->text, class));
    }
    return 0;
}

/* If `map` has numbers and there is a `rest`, the indices of names are not numbers in files: a
 * number missing from `map` belongs to the rest. */
static bool maps_numbers(const struct dataset *d, const struct yaml *map)
{
    int64_t number;
    for (size_t i = 0; map && i < map->n; i++)
        if (number_is_int(&number, map->key[i]->text))
            return d->classes.has_rest;
    return false;
}

static int read_ignore(struct dataset *d, const struct yaml *node)
{
    const char *text;
    if (node->kind == YAML_SCALAR) {
        TRY(yaml_string(&text, node));
        return classes_add_label(&d->classes, text, -1);
    }
    for (size_t i = 0; node->kind == YAML_LIST && i < node->n; i++) {
        TRY(yaml_string(&text, node->item[i]));
        TRY(classes_add_label(&d->classes, text, -1));
    }
    return node->kind == YAML_LIST ? 0 : wrong(node, "ignore: give labels of the files");
}

/* Parts may have names of their own, one for each. */
static int name_parts(struct dataset *d, struct named *x, const struct yaml *names)
{
    int32_t parts = d->classes.n;
    if (!names)
        return 0;
    if (names->n != (size_t)parts)
        return error_topic(error_at(GLT_EFORMAT, names->name, GLT_PLACE_LINE, names->line,
                                    "names: %zu names for the %d parts of all categories", names->n,
                                    parts),
                           GLT_TOPIC_CLASSES, "names");
    return read_names(d, x, names);
}

static int read_rules(struct dataset *d, const struct yaml *from)
{
    const struct yaml *node;
    if ((node = yaml_find(from, "map")))
        TRY(read_map(d, node));
    return (node = yaml_find(from, "ignore")) ? read_ignore(d, node) : 0;
}

/* own: rules that come before those of root; may be NULL */
static int read_classes(struct dataset *d, struct named *x, const struct yaml *root,
                        const struct yaml *own)
{
    const struct yaml *names = yaml_find(root, "names"), *map = yaml_find(root, "map"), *node;
    if (d->task == TASK_PARTS && yaml_find(root, "parts")) {
        TRY(read_parts(d, root));
        TRY(name_parts(d, x, names));
    } else if (names) {
        TRY(read_names(d, x, names));
    } else {
        return error_topic(
            error_in(GLT_EFORMAT, root->name, "no `names`: list the classes, as in names: [a, b]"),
            GLT_TOPIC_MISSING, "names");
    }
    if (d->task == TASK_PARTS && d->classes.n_categories == 0)
        TRY(split_names(d, names));
    if ((node = yaml_find(root, "colors")))
        TRY(read_colours(d, node));
    if (own)
        TRY(read_rules(d, own));
    TRY(read_rules(d, root));
    /* before labels of classes are added, one of which may be this */
    d->classes.has_rest = classes_label(&d->classes, LABEL_REST) < d->classes.n_labels;
    d->classes.origin = maps_numbers(d, map) ? LABELS_FROM_RULES : LABELS_ARE_PLACES;
    return x->sparse ? add_numbers(d, x) : 0;
}

/* --- reviewed labels --- */

static int read_share(double *share, const struct yaml *node)
{
    bool fine = node->kind == YAML_SCALAR && number_is_double(share, node->text) && *share > 0 &&
                *share < 1;
    return fine ? 0
                : wrong(node, "replay: share is the part of old data in the samples, between 0 "
                              "and 1, as in 0.5");
}

static int read_replay(struct dataset *d, const struct yaml *node)
{
    const char *data = NULL;
    const struct yaml *share = NULL;
    if (node->kind == YAML_MAP) {
        for (size_t i = 0; i < node->n; i++)
            if (strcmp(node->key[i]->text, "data") && strcmp(node->key[i]->text, "share"))
                return wrong(node->key[i], "replay: give data and share");
        share = yaml_find(node, "share");
        node = yaml_find(node, "data");
    }
    if (share)
        TRY(read_share(&d->replay_share, share));
    if (node)
        TRY(yaml_string(&data, node));
    return !data || (d->replay = memory_string(data)) ? 0 : GLT_ENOMEM;
}

int folder_yaml_truth(struct dataset *d, const struct yaml *root)
{
    const struct yaml *node = yaml_find(root, "truth"), *replay = yaml_find(root, "replay");
    const char *text = "all";
    if (node)
        TRY(yaml_string(&text, node));
    d->reviewed = !strcmp(text, "reviewed");
    if (!d->reviewed && strcmp(text, "all"))
        return wrong(node, "truth: give reviewed (points whose attribute reviewed is set), or all");
    if (replay && !d->reviewed)
        return wrong(replay, "replay: it applies only to truth: reviewed");
    if (!d->reviewed)
        return 0;
    if (d->task != TASK_SEGMENT)
        return wrong(node, "truth: reviewed applies only to the points of scenes (task: segment)");
    if ((node = yaml_find(root, "labels")))
        return wrong(node, "labels: with truth: reviewed, labels are those of the clouds");
    d->tile = 1;
    d->replay_share = 0.5;
    return replay ? read_replay(d, replay) : 0;
}

int folder_yaml_classes(struct dataset *d, const struct yaml *root)
{
    TRY(read_task(d, root));
    struct named *x = memory_alloc(1, sizeof *x);
    int code = x ? read_classes(d, x, root, NULL) : GLT_ENOMEM;
    memory_free(x);
    return code;
}

/* --- rules of some files --- */

static int read_weight(double *weight, const struct yaml *node)
{
    *weight = 1;
    if (!node)
        return 0;
    bool fine = node->kind == YAML_SCALAR && number_is_double(weight, node->text) && *weight > 0 &&
                *weight <= 1e6;
    return fine ? 0 : wrong(node, "weight: give a number above 0, as in 0.5");
}

/* Keys of one pattern of `files`. */
static int check_file_keys(const struct yaml *node)
{
    if (node->kind != YAML_MAP)
        return wrong(node, "files: give {pattern: {ignore: .., map: .., weight: ..}}");
    for (size_t i = 0; i < node->n; i++) {
        const char *key = node->key[i]->text;
        if (strcmp(key, "ignore") && strcmp(key, "map") && strcmp(key, "weight"))
            return wrong(node->key[i], "files: a pattern has ignore, map and weight");
    }
    return 0;
}

/* Their classes are made like those of the dataset, in a temporary dataset. */
static int add_file_rules(struct dataset *d, struct named *x, const struct yaml *root,
                          const char *pattern, const struct yaml *own)
{
    struct dataset part = {.path = d->path, .task = d->task};
    struct file_rules *r = &d->rules[d->n_rules];
    TRY(check_file_keys(own));
    TRY(read_weight(&r->weight, yaml_find(own, "weight")));
    r->pattern = pattern;
    int code = read_classes(&part, x, root, own);
    r->classes = part.classes;
    d->n_rules++;
    return code;
}

int folder_yaml_files(struct dataset *d, const struct yaml *root)
{
    const struct yaml *node = yaml_find(root, "files");
    if (!node)
        return 0;
    if (node->kind != YAML_MAP)
        return wrong(node, "files: give {pattern: {ignore: .., map: .., weight: ..}}");
    if (d->task != TASK_SEGMENT)
        return wrong(node, "files: its rules are for the points of scenes (task: segment)");
    d->rules = memory_alloc(node->n, sizeof *d->rules);
    struct named *x = memory_alloc(1, sizeof *x);
    int code = x && d->rules ? 0 : GLT_ENOMEM;
    for (size_t i = 0; code == 0 && i < node->n; i++) {
        *x = (struct named){0};
        code = add_file_rules(d, x, root, node->key[i]->text, node->item[i]);
    }
    memory_free(x);
    return code;
}
