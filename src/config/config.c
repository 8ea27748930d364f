/* Setting, printing and checking options: see config.h. The rows are in options.c. */
#include "config/config.h"

#include "config/inputs.h"
#include "config/options.h"
#include "config/presets.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/json.h"
#include "core/number.h"
#include "core/number_print.h"
#include "core/option_string.h"
#include "core/string.h"
#include "core/suggest.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int unknown_key(const char *key)
{
    const char *nearest = "";
    int best = 4;
    for (int i = 0; i < options_count; i++) {
        int distance = suggest_distance(key, options[i].key);
        if (distance < best) {
            best = distance;
            nearest = options[i].key;
        }
    }
    return *nearest ? error_topic(error_set(GLT_EARGUMENT, "no option '%s'; did you mean '%s'?",
                                            key, nearest),
                                  GLT_TOPIC_UNKNOWN_OPTION, key)
                    : error_topic(error_set(GLT_EARGUMENT, "no option '%s'", key),
                                  GLT_TOPIC_UNKNOWN_OPTION, key);
}

static int index_of_word(const char *words, const char *word)
{
    int i = 0;
    size_t len;
    for (const char *item; (item = option_string_item(&words, &len, '|')); i++)
        if (strlen(word) == len && !strncmp(item, word, len))
            return i;
    return -1;
}

static int parse_number(const struct option *o, const char *text, double *out)
{
    if (o->choices && o->type != OPTION_CHOICE && index_of_word(o->choices, text) == 0) {
        *out = 0;
        return 0;
    }
    double value;
    bool good = number_is_double(&value, text) && isfinite(value);
    if (!good || (o->type != OPTION_REAL && value != floor(value)))
        return error_topic(error_set(GLT_EARGUMENT, "%s = '%s': give %s", o->key, text,
                                     o->type == OPTION_REAL ? "a number" : "a whole number"),
                           GLT_TOPIC_OPTION, o->key);
    if (value < o->min || value > o->max)
        return error_topic(error_set(GLT_EARGUMENT, "%s = %s is out of range: give %g to %g",
                                     o->key, text, o->min, o->max),
                           GLT_TOPIC_OPTION, o->key);
    *out = value;
    return 0;
}

static double expand(enum option_expand rule, double first, int level)
{
    static const double ladder[] = {1, 2, 8, 32};
    switch (rule) {
    case EXPAND_DOUBLE:
        return first * (1 << level);
    case EXPAND_CAP16:
        return level == 3 && first > 16 ? 16 : first;
    case EXPAND_LADDER:
        return floor(fmax(1, first / ladder[level]));
    default:
        return first;
    }
}

static int parse_list(const struct option *o, const char *text, double *values)
{
    int n = 0;
    size_t len;
    char one[64];
    for (const char *item, *rest = text; (item = option_string_item(&rest, &len, ','));) {
        if (n == o->count)
            return error_topic(
                error_set(GLT_EARGUMENT, "%s = '%s': give one value or %d", o->key, text, o->count),
                GLT_TOPIC_OPTION, o->key);
        if (len >= sizeof one)
            return error_topic(error_set(GLT_EARGUMENT, "%s: a value of more than %zu bytes",
                                         o->key, sizeof one - 1),
                               GLT_TOPIC_OPTION, o->key);
        snprintf(one, sizeof one, "%.*s", (int)len, item);
        TRY(parse_number(o, one, &values[n++]));
    }
    if (n != 1 && n != o->count)
        return error_topic(
            error_set(GLT_EARGUMENT, "%s = '%s': give one value or %d", o->key, text, o->count),
            GLT_TOPIC_OPTION, o->key);
    if (n == 1)
        for (int i = o->count - 1; i >= 0; i--)
            values[i] = expand(o->expand, values[0], i);
    for (int i = 0; i < o->count; i++)
        if (values[i] < o->min || values[i] > o->max)
            return error_topic(error_set(GLT_EARGUMENT, "%s = '%s' is out of range: give %g to %g",
                                         o->key, text, o->min, o->max),
                               GLT_TOPIC_OPTION, o->key);
    return 0;
}

static int set_key(struct config *c, const char *key, const char *value, bool given);

/* Sets every key that a preset names to the value it has there, or back to its default. */
static int set_named(struct config *c, const struct preset *p, bool again)
{
    const char *value;
    char key[OPTION_STRING_KEY], copy[128];
    size_t len;
    for (const char *rest = p ? p->pairs : NULL, *pair;
         (pair = option_string_item(&rest, &len, ' '));) {
        snprintf(copy, sizeof copy, "%.*s", (int)len, pair);
        if (option_string_pair(key, &value, copy))
            TRY(set_key(c, key, again ? options_find(key)->value : value, false));
    }
    return 0;
}

static int no_preset(const char *name)
{
    char list[256] = "";
    for (int i = 0; presets_at(i); i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 presets_at(i)->name);
    return error_topic(error_set(GLT_EARGUMENT, "no preset '%s': there are %s", name, list),
                       GLT_TOPIC_OPTION, "preset");
}

/* "" is none. The keys of the previous preset are reset, so that nothing of it is left. */
static int apply_preset(struct config *c, const char *name)
{
    const struct preset *p = presets_find(name);
    if (!p && *name)
        return no_preset(name);
    TRY(set_named(c, presets_find(c->preset), true));
    return set_named(c, p, false);
}

static int set_text(struct config *c, const struct option *o, const char *value)
{
    char *field = (char *)c + o->offset;
    if (strlen(value) >= (size_t)o->count)
        return error_topic(error_set(GLT_EARGUMENT, "%s = '%s' is longer than %d bytes", o->key,
                                     value, o->count - 1),
                           GLT_TOPIC_OPTION, o->key);
    if (!json_holds(value)) /* a model file could not store it */
        return error_topic(error_set(GLT_EARGUMENT, "%s = '%s': not UTF-8", o->key, value),
                           GLT_TOPIC_OPTION, o->key);
    if (options_decide(o) && string_control(value) >= 0) /* the path of the cache may have them */
        return error_topic(error_set(GLT_EARGUMENT, "%s: byte %d is a control character", o->key,
                                     string_control(value)),
                           GLT_TOPIC_OPTION, o->key);
    if (!strcmp(o->key, "preset"))
        TRY(apply_preset(c, value));
    memmove(field, value, strlen(value) + 1);
    return 0;
}

static int set_value(struct config *c, const struct option *o, const char *value)
{
    const char *key = o->key;
    void *field = (char *)c + o->offset;
    if (o->type == OPTION_TEXT)
        return set_text(c, o, value);
    if (o->type == OPTION_CHOICE) {
        int i = index_of_word(o->choices, value);
        if (i < 0)
            return error_topic(
                error_set(GLT_EARGUMENT, "%s = '%s': give %s", key, value, o->choices),
                GLT_TOPIC_OPTION, key);
        *(int32_t *)field = i;
        return 0;
    }
    double values[CONFIG_DECODER];
    ASSERT(o->count <= CONFIG_DECODER);
    TRY(parse_list(o, value, values));
    for (int i = 0; i < o->count; i++) {
        if (o->type == OPTION_INT)
            ((int32_t *)field)[i] = (int32_t)values[i];
        else if (o->type == OPTION_INT64)
            ((int64_t *)field)[i] = (int64_t)values[i];
        else
            ((double *)field)[i] = values[i];
    }
    return 0;
}

static int set_key(struct config *c, const char *key, const char *value, bool given)
{
    const struct option *o = options_find(key);
    if (!o)
        return unknown_key(key);
    TRY(set_value(c, o, value));
    c->given[o - options] = given;
    return 0;
}

bool config_given(const struct config *c, const char *key)
{
    const struct option *o = options_find(key);
    return o && c->given[o - options];
}

/* A preset names many keys: those that were given stay. */
static int set_under(struct config *c, const char *key, const char *value, bool given)
{
    struct config x = *c;
    TRY(set_key(&x, key, value, given));
    for (int i = 0; i < options_count; i++) {
        char text[256];
        if (!c->given[i] || !strcmp(options[i].key, key) || !strcmp(options[i].key, "preset"))
            continue;
        TRY(config_get(c, options[i].key, text, sizeof text));
        TRY(set_key(&x, options[i].key, text, true));
    }
    *c = x;
    return 0;
}

int config_set(struct config *c, const char *key, const char *value)
{
    return !strcmp(key, "preset") ? set_under(c, key, value, true) : set_key(c, key, value, true);
}

int config_set_stored(struct config *c, const char *key, const char *value)
{
    static const struct {
        const char *key, *was, *now;
    } retired[] = {
        /* the two implementations that auto now chooses between */
        {"path", "collapsed", "auto"},
        {"path", "fused", "auto"},
    };
    for (size_t i = 0; i < sizeof retired / sizeof *retired; i++)
        if (!strcmp(key, retired[i].key) && !strcmp(value, retired[i].was))
            value = retired[i].now;
    return config_set(c, key, value);
}

int config_propose(struct config *c, const char *key, const char *value)
{
    return config_given(c, key) ? 0 : set_under(c, key, value, false);
}

int config_copy_given(struct config *to, const struct config *from)
{
    char text[256];
    for (int i = 0; i < options_count; i++) {
        if (!from->given[i] || !strcmp(options[i].key, "preset"))
            continue;
        TRY(config_get(from, options[i].key, text, sizeof text));
        TRY(config_set(to, options[i].key, text));
    }
    return 0;
}

int config_set_pair(struct config *c, const char *pair)
{
    char key[OPTION_STRING_KEY];
    const char *value;
    if (!option_string_pair(key, &value, pair))
        return error_topic(error_set(GLT_EARGUMENT, "'%s': give key=value", pair), GLT_TOPIC_OPTION,
                           NULL);
    return config_set(c, key, value);
}

static void print_choice(const char *words, int index, char *text, size_t size)
{
    for (; index > 0; index--)
        words = strchr(words, '|') + 1;
    snprintf(text, size, "%.*s", (int)strcspn(words, "|"), words);
}

int config_get(const struct config *c, const char *key, char *text, size_t size)
{
    const struct option *o = options_find(key);
    if (!o)
        return unknown_key(key);
    const void *field = (const char *)c + o->offset;
    char out[256] = "", one[40];
    if (o->type == OPTION_TEXT) {
        snprintf(out, sizeof out, "%s", (const char *)field);
    } else if (o->type == OPTION_CHOICE) {
        print_choice(o->choices, *(const int32_t *)field, out, sizeof out);
    } else {
        for (int i = 0; i < o->count; i++) {
            double value = o->type == OPTION_INT     ? ((const int32_t *)field)[i]
                           : o->type == OPTION_INT64 ? (double)((const int64_t *)field)[i]
                                                     : ((const double *)field)[i];
            if (value == 0 && o->choices)
                snprintf(one, sizeof one, "%s", o->choices);
            else
                number_print_double(one, value);
            snprintf(out + strlen(out), sizeof out - strlen(out), "%s%s", i ? "," : "", one);
        }
    }
    if (strlen(out) >= size)
        return error_topic(
            error_set(GLT_EARGUMENT, "%s: %zu bytes do not hold its value", key, size),
            GLT_TOPIC_OPTION, key);
    strcpy(text, out);
    return 0;
}

void config_default(struct config *c)
{
    memset(c, 0, sizeof *c);
    for (int i = 0; i < options_count; i++) {
        int code = set_key(c, options[i].key, options[i].value, false);
        ASSERT(code == 0);
    }
    ASSERT(options_count <= CONFIG_KEYS);
    memset(c->given, 0, sizeof c->given);
}

int config_environment(struct config *c)
{
    for (int i = 0; i < options_count; i++) {
        char name[80] = "GELATTO_";
        size_t len = strlen(name);
        for (const char *p = options[i].key; *p && len < sizeof name - 1; p++)
            name[len++] = *p == '.' ? '_' : string_upper(*p);
        name[len] = 0;
        const char *value = getenv(name);
        if (value && config_set(c, options[i].key, value) < 0)
            return error_prefix(GLT_EARGUMENT, "environment variable %s: ", name);
    }
    return 0;
}

/* --- values derived from the keys, and the rules between them --- */

int config_channels(const struct config *c, int *channels)
{
    struct inputs inputs;
    TRY(inputs_parse(&inputs, c->data.inputs));
    *channels = 3 + inputs.extra;
    return 0;
}

int32_t config_inner(const struct config *c, int level)
{
    double inner = floor(c->network.width[level] * c->network.inner + 0.5);
    return inner < 1 ? 1 : (int32_t)inner;
}

enum config_map_kind config_map_kind(const struct config *c, enum config_map_group group)
{
    static const enum config_map_kind table[][MAP_GROUPS] = {
        [MAPS_LINEAR] = {MAP_LINEAR, MAP_LINEAR, MAP_LINEAR},
        [MAPS_BN] = {MAP_BN, MAP_BN, MAP_BN},
        [MAPS_VALUE_RELU] = {MAP_LINEAR, MAP_BN_RELU, MAP_LINEAR},
        [MAPS_BN_RELU] = {MAP_BN_RELU, MAP_BN_RELU, MAP_LINEAR},
        [MAPS_SCORE_MLP] = {MAP_LINEAR, MAP_LINEAR, MAP_MLP},
    };
    int32_t own = c->network.map_kind[group];
    return own == MAP_AUTO ? table[c->network.maps][group] : (enum config_map_kind)own;
}

int32_t config_k(const struct config *c, int level, int second)
{
    return second && c->network.k2[level] ? c->network.k2[level] : c->network.k[level];
}

int config_identity2(const struct config *c)
{
    if (c->network.shortcut2 == SHORTCUT_AUTO)
        return config_map_kind(c, MAP_SCORE) == MAP_MLP;
    return c->network.shortcut2 == SHORTCUT_IDENTITY;
}

int config_check(const struct config *c)
{
    int channels;
    TRY(config_channels(c, &channels));
    for (int l = 0; l < CONFIG_LEVELS; l++) {
        if (l > 0 && c->network.levels[l] > c->network.levels[l - 1])
            return error_topic(
                error_set(GLT_EARGUMENT,
                          "levels: %d points at level %d are more than %d at level %d; "
                          "give descending sizes",
                          c->network.levels[l], l + 1, c->network.levels[l - 1], l),
                GLT_TOPIC_OPTION, "levels");
        int32_t d = config_inner(c, l);
        int32_t shared = c->network.features_per_head ? c->network.features_per_head : d;
        if (d % shared)
            return error_topic(
                error_set(GLT_EARGUMENT,
                          "features_per_head = %d does not divide the inner width %d of level "
                          "%d",
                          shared, d, l + 1),
                GLT_TOPIC_OPTION, "features_per_head");
    }
    return 0;
}
