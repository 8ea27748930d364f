/* Option strings: see option_string.h. */
#include "core/option_string.h"

#include "core/error.h"
#include "core/number.h"
#include "core/number_print.h"
#include "core/suggest.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

static int out_of_range(const struct option_field *f, const char *value)
{
    if (f->low == 0 && f->high == 0)
        return error_topic(error_set(GLT_EARGUMENT, "option %s=%s: not a number", f->key, value),
                           GLT_TOPIC_OPTION, f->key);
    return error_topic(error_set(GLT_EARGUMENT, "option %s=%s: give a number from %.15g to %.15g",
                                 f->key, value, f->low, f->high),
                       GLT_TOPIC_OPTION, f->key);
}

static bool within(const struct option_field *f, double x)
{
    return (f->low == 0 && f->high == 0) || (x >= f->low && x <= f->high);
}

static int set_flag(const struct option_field *f, const char *value)
{
    bool yes = !value || strcmp(value, "true") == 0;
    if (!yes && strcmp(value, "false") != 0)
        return error_topic(
            error_set(GLT_EARGUMENT, "option %s=%s: give true or false", f->key, value),
            GLT_TOPIC_OPTION, f->key);
    *(bool *)f->out = yes;
    return 0;
}

static int set_number(const struct option_field *f, const char *value)
{
    int64_t whole;
    double real;
    if (f->kind == FIELD_SEED) {
        uint64_t seed;
        const char *end = value + strlen(value);
        if (number_parse_unsigned(&seed, value, end) != end)
            return error_topic(
                error_set(GLT_EARGUMENT, "option %s=%s: give a whole number", f->key, value),
                GLT_TOPIC_OPTION, f->key);
        *(uint64_t *)f->out = seed;
        return 0;
    }
    if (f->kind == FIELD_REAL) {
        if (!number_is_double(&real, value) || !(real - real == 0) || !within(f, real))
            return out_of_range(f, value);
        *(double *)f->out = real;
        return 0;
    }
    if (!number_is_int(&whole, value) || !within(f, (double)whole))
        return out_of_range(f, value);
    if (f->kind == FIELD_INT)
        *(int *)f->out = (int)whole;
    else
        *(int64_t *)f->out = whole;
    return 0;
}

static int set_field(char *text, const struct option_field *table, size_t n)
{
    char *value = strchr(text, '=');
    if (value)
        *value++ = 0;
    const char *best = NULL;
    int least = 3;
    for (size_t i = 0; i < n; i++) {
        const struct option_field *f = &table[i];
        if (strcmp(f->key, text) != 0) {
            int distance = suggest_distance(f->key, text);
            best = distance < least ? f->key : best;
            least = distance < least ? distance : least;
            continue;
        }
        if (f->kind == FIELD_FLAG)
            return set_flag(f, value);
        if (!value || !*value)
            return error_topic(
                error_set(GLT_EARGUMENT, "option %s needs a value: %s=...", text, text),
                GLT_TOPIC_OPTION, text);
        if (f->kind != FIELD_TEXT)
            return set_number(f, value);
        *(const char **)f->out = value;
        return 0;
    }
    return error_topic(error_set(GLT_EARGUMENT, "there is no option \"%s\" here%s%s%s", text,
                                 best ? "; did you mean \"" : "", best ? best : "",
                                 best ? "\"?" : ""),
                       GLT_TOPIC_UNKNOWN_OPTION, text);
}

static const char BLANKS[] = " \t\n";

/* The next pair without its escapes, which makes it no longer; NULL after the last. */
static char *next_pair(char **rest)
{
    char *from = *rest + strspn(*rest, BLANKS), *to = from, *pair = from;
    if (!*from)
        return NULL;
    for (; *from && !strchr(BLANKS, *from); *to++ = *from++)
        from += *from == '\\' && from[1];
    *rest = from + (*from != 0);
    *to = 0;
    return pair;
}

int option_string_read(struct call *call, const char *text, const struct option_field *table,
                       size_t n)
{
    char *rest = call_string(call, text ? text : "");
    if (!rest)
        return GLT_ENOMEM;
    for (char *pair; (pair = next_pair(&rest));)
        TRY(set_field(pair, table, n));
    return 0;
}

static void print_text(struct string *out, const struct option_field *f)
{
    string_add(out, " %s=", f->key);
    for (const char *at = *(const char **)f->out; *at; at++) {
        if (*at == '\\' || strchr(BLANKS, *at))
            string_add(out, "\\");
        string_add_bytes(out, at, 1);
    }
}

static void print_field(struct string *out, const struct option_field *f)
{
    if (f->kind == FIELD_FLAG && *(bool *)f->out)
        string_add(out, " %s", f->key);
    if (f->kind == FIELD_INT && *(int *)f->out)
        string_add(out, " %s=%d", f->key, *(int *)f->out);
    if (f->kind == FIELD_INT64 && *(int64_t *)f->out)
        string_add(out, " %s=%" PRId64, f->key, *(int64_t *)f->out);
    if (f->kind == FIELD_SEED && *(uint64_t *)f->out)
        string_add(out, " %s=%" PRIu64, f->key, *(uint64_t *)f->out);
    if (f->kind == FIELD_REAL && *(double *)f->out != 0) {
        char text[NUMBER_PRINT_MAX];
        number_print_double(text, *(double *)f->out);
        string_add(out, " %s=%s", f->key, text);
    }
    if (f->kind == FIELD_TEXT && *(const char **)f->out)
        print_text(out, f);
}

void option_string_print(struct string *out, const struct option_field *table, size_t n,
                         const char *without)
{
    for (size_t i = 0; i < n; i++) {
        char key[OPTION_STRING_KEY + 2];
        snprintf(key, sizeof key, " %s ", table[i].key);
        if (!strstr(without, key))
            print_field(out, &table[i]);
    }
}

bool option_string_pair(char key[OPTION_STRING_KEY], const char **value, const char *pair)
{
    size_t len = strcspn(pair, "=");
    if (!pair[len] || len == 0 || len >= OPTION_STRING_KEY)
        return false;
    memcpy(key, pair, len);
    key[len] = 0;
    *value = pair + len + 1;
    return true;
}

const char *option_string_item(const char **rest, size_t *len, char separator)
{
    const char *item = *rest;
    if (!item)
        return NULL;
    const char *end = strchr(item, separator);
    *len = end ? (size_t)(end - item) : strlen(item);
    *rest = end ? end + 1 : NULL;
    return item;
}

int option_string_numbers(double *dst, int max, const char *list)
{
    int n = 0;
    size_t len;
    for (const char *item; (item = option_string_item(&list, &len, ','));)
        if (n == max || number_parse_double(&dst[n++], item, item + len) != item + len)
            return -1;
    return n;
}
