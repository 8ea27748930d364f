/* Setting, printing and checking options: see config.h; the rows stand in options.c. */
#include "config/config.h"

#include "core/control.h"
#include "core/error.h"
#include "core/json.h"
#include "core/number.h"
#include "core/number_print.h"
#include "core/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

struct preset {
    const char *name, *summary, *pairs;
};

#define PAPER_SEGMENT                                                                              \
    "task=segment inputs=xyz,rgb stem=64 width=128,256,512,1024 "                                  \
    "decoder=1024,512,512,256,256,128,128,128 head_hidden=128 levels=4096,2048,512,128 "           \
    "k=32,32,32,16 radius=0.1 radius2_factor=2 points=6144 batch=2 lr=1e-4 cls_hidden=512"
#define PAPER_CLASSIFY                                                                             \
    "task=classify inputs=xyz stem=64 width=128,256,512,1024 cls_hidden=512 cls_norm=bn "          \
    "k=32,32,32,16 radius=0.1 radius2_factor=2 points=7168 batch=2 lr=1e-4 "
#define OWN_CLASSIFY                                                                               \
    "task=classify inputs=xyz cls_norm=bias levels=1024,512,256,64 k=32,32,32,16 radius=0.1 "      \
    "radius2_factor=2 points=1024 batch=16 lr=1e-3 "

static const struct preset presets[] = {
    {"paper", "the paper's segmentation network, 15.3 M parameters", PAPER_SEGMENT},
    {"paper-cls", "the paper's classification network", PAPER_CLASSIFY "levels=4096,2048,512,128"},
    {"paper-cls-tuned", "the same with the levels the paper found better",
     PAPER_CLASSIFY "levels=1024,512,256,64"},
    {"small", "half the widths, 3.8 M parameters",
     PAPER_SEGMENT " stem=32 width=64 decoder=512,256,256,128,128,64,64,64 head_hidden=64 "
                   "cls_hidden=256"},
    {"small-cls", "half the widths, for whole shapes",
     OWN_CLASSIFY "stem=32 width=64 cls_hidden=256"},
    {"shapes", "tiny-cls with levels, balls and a recipe for 1,024 points on the unit sphere",
     OWN_CLASSIFY "stem=16 width=32 cls_hidden=128 levels=512,256,64,16 k=16 "
                  "radius=0.2,0.28,0.43,0.65 lr=1.5e-3 schedule=onecycle epochs=80 dropout=0.2 "
                  "label_smoothing=0.2 augment.shift=0.1"},
    {"tiny", "a quarter of the widths, 1.0 M parameters",
     PAPER_SEGMENT " stem=16 width=32 decoder=256,128,128,64,64,32,32,32 head_hidden=32 "
                   "cls_hidden=128"},
    {"tiny-cls", "a quarter of the widths, for whole shapes",
     OWN_CLASSIFY "stem=16 width=32 cls_hidden=128"},
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

const char *preset_at(int i, const char **summary)
{
    if (i < 0 || i >= PRESETS)
        return NULL;
    if (summary)
        *summary = presets[i].summary;
    return presets[i].name;
}

bool option_decides(const struct option *o)
{
    return strcmp(o->key, "threads") && strcmp(o->key, "cache");
}

const struct option *option_find(const char *key)
{
    for (int i = 0; i < options_count; i++)
        if (!strcmp(options[i].key, key))
            return &options[i];
    return NULL;
}

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
    return *nearest ? error_set(GLT_EARGUMENT, "no option '%s'; did you mean '%s'?", key, nearest)
                    : error_set(GLT_EARGUMENT, "no option '%s'; `gelatto options` lists them", key);
}

static int index_of_word(const char *words, const char *word)
{
    size_t len = strlen(word);
    for (int i = 0; words; i++) {
        const char *end = strchr(words, '|');
        size_t here = end ? (size_t)(end - words) : strlen(words);
        if (here == len && !strncmp(words, word, len))
            return i;
        words = end ? end + 1 : NULL;
    }
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
        return error_set(GLT_EARGUMENT, "%s = '%s': give %s", o->key, text,
                         o->type == OPTION_REAL ? "a number" : "a whole number");
    if (value < o->min || value > o->max)
        return error_set(GLT_EARGUMENT, "%s = %s is out of range: give %g to %g", o->key, text,
                         o->min, o->max);
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
    char copy[256];
    if (strlen(text) >= sizeof copy)
        return error_set(GLT_EARGUMENT, "%s: the list is too long", o->key);
    strcpy(copy, text);
    int n = 0;
    for (char *item = copy; item;) {
        char *comma = strchr(item, ',');
        if (comma)
            *comma++ = 0;
        if (n == o->count)
            return error_set(GLT_EARGUMENT, "%s = '%s': give one value or %d", o->key, text,
                             o->count);
        TRY(parse_number(o, item, &values[n++]));
        item = comma;
    }
    if (n != 1 && n != o->count)
        return error_set(GLT_EARGUMENT, "%s = '%s': give one value or %d", o->key, text, o->count);
    if (n == 1)
        for (int i = o->count - 1; i >= 0; i--)
            values[i] = expand(o->expand, values[0], i);
    for (int i = 0; i < o->count; i++)
        if (values[i] < o->min || values[i] > o->max)
            return error_set(GLT_EARGUMENT, "%s = '%s' is out of range: give %g to %g", o->key,
                             text, o->min, o->max);
    return 0;
}

static int set_key(struct config *c, const char *key, const char *value, bool given);

static const struct preset *find_preset(const char *name)
{
    for (int i = 0; i < PRESETS; i++)
        if (!strcmp(presets[i].name, name))
            return &presets[i];
    return NULL;
}

/* Every key a preset names gets the value it has there, or its default again. */
static int set_named(struct config *c, const struct preset *p, bool again)
{
    char pairs[1024];
    snprintf(pairs, sizeof pairs, "%s", p ? p->pairs : "");
    for (char *rest, *key = strtok_r(pairs, " ", &rest); key; key = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(key, '=');
        *value++ = 0;
        TRY(set_key(c, key, again ? option_find(key)->value : value, false));
    }
    return 0;
}

/* "" is none. What the one before named goes, so that two leave nothing of the first. */
static int apply_preset(struct config *c, const char *name)
{
    const struct preset *p = find_preset(name);
    char list[256] = "";
    for (int i = 0; i < PRESETS; i++)
        snprintf(list + strlen(list), sizeof list - strlen(list), "%s%s", i ? ", " : "",
                 presets[i].name);
    if (!p && *name)
        return error_set(GLT_EARGUMENT, "no preset '%s': there are %s", name, list);
    TRY(set_named(c, find_preset(c->preset), true));
    return set_named(c, p, false);
}

static int set_text(struct config *c, const struct option *o, const char *value)
{
    char *field = (char *)c + o->offset;
    if (strlen(value) >= (size_t)o->count)
        return error_set(GLT_EARGUMENT, "%s = '%s' is longer than %d bytes", o->key, value,
                         o->count - 1);
    if (!json_holds(value)) /* a model file could not say it */
        return error_set(GLT_EARGUMENT, "%s = '%s': not UTF-8", o->key, value);
    if (option_decides(o) && control_at(value) >= 0) /* but a path of the user's own */
        return error_set(GLT_EARGUMENT, "%s: byte %d is a control character", o->key,
                         control_at(value));
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
            return error_set(GLT_EARGUMENT, "%s = '%s': give %s", key, value, o->choices);
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
    const struct option *o = option_find(key);
    if (!o)
        return unknown_key(key);
    TRY(set_value(c, o, value));
    c->given[o - options] = given;
    return 0;
}

bool config_given(const struct config *c, const char *key)
{
    const struct option *o = option_find(key);
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

int config_propose(struct config *c, const char *key, const char *value)
{
    return config_given(c, key) ? 0 : set_under(c, key, value, false);
}

int config_set_pair(struct config *c, const char *pair)
{
    char key[64];
    const char *equals = strchr(pair, '=');
    size_t len = equals ? (size_t)(equals - pair) : 0;
    if (!equals || len == 0 || len >= sizeof key)
        return error_set(GLT_EARGUMENT, "'%s': give key=value", pair);
    memcpy(key, pair, len);
    key[len] = 0;
    return config_set(c, key, equals + 1);
}

static void print_choice(const char *words, int index, char *text, size_t size)
{
    for (; index > 0; index--)
        words = strchr(words, '|') + 1;
    snprintf(text, size, "%.*s", (int)strcspn(words, "|"), words);
}

int config_get(const struct config *c, const char *key, char *text, size_t size)
{
    const struct option *o = option_find(key);
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
        return error_set(GLT_EARGUMENT, "%s: %zu bytes do not hold its value", key, size);
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
            name[len++] = *p == '.' ? '_' : (char)toupper((unsigned char)*p);
        name[len] = 0;
        const char *value = getenv(name);
        if (value && config_set(c, options[i].key, value) < 0)
            return error_prefix(GLT_EARGUMENT, "environment variable %s: ", name);
    }
    return 0;
}
