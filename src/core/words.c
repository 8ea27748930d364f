/* Options of API calls as text: see words.h. */
#include "core/words.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/suggest.h"

#include <stdbool.h>
#include <string.h>

static int out_of_range(const struct word *w, const char *value)
{
    if (w->low == 0 && w->high == 0)
        return error_set(GLT_EARGUMENT, "option %s=%s: not a number", w->key, value);
    return error_set(GLT_EARGUMENT, "option %s=%s: give a number from %.15g to %.15g", w->key,
                     value, w->low, w->high);
}

static bool within(const struct word *w, double x)
{
    return (w->low == 0 && w->high == 0) || (x >= w->low && x <= w->high);
}

static int set_flag(const struct word *w, const char *value)
{
    bool yes = !value || strcmp(value, "true") == 0;
    if (!yes && strcmp(value, "false") != 0)
        return error_set(GLT_EARGUMENT, "option %s=%s: give true or false", w->key, value);
    *(bool *)w->out = yes;
    return 0;
}

static int set_number(const struct word *w, const char *value)
{
    int64_t whole;
    double real;
    if (w->kind == WORD_SEED) {
        uint64_t seed;
        const char *end = value + strlen(value);
        if (number_parse_unsigned(&seed, value, end) != end)
            return error_set(GLT_EARGUMENT, "option %s=%s: give a whole number", w->key, value);
        *(uint64_t *)w->out = seed;
        return 0;
    }
    if (w->kind == WORD_NUMBER) {
        if (!number_is_double(&real, value) || !(real - real == 0) || !within(w, real))
            return out_of_range(w, value);
        *(double *)w->out = real;
        return 0;
    }
    if (!number_is_int(&whole, value) || !within(w, (double)whole))
        return out_of_range(w, value);
    if (w->kind == WORD_INT)
        *(int *)w->out = (int)whole;
    else
        *(int64_t *)w->out = whole;
    return 0;
}

static int set_word(char *text, const struct word *table, size_t n)
{
    char *value = strchr(text, '=');
    if (value)
        *value++ = 0;
    const char *best = NULL;
    int least = 3;
    for (size_t i = 0; i < n; i++) {
        const struct word *w = &table[i];
        if (strcmp(w->key, text) != 0) {
            int distance = glt_word_distance(w->key, text);
            best = distance < least ? w->key : best;
            least = distance < least ? distance : least;
            continue;
        }
        if (w->kind == WORD_FLAG)
            return set_flag(w, value);
        if (!value || !*value)
            return error_set(GLT_EARGUMENT, "option %s needs a value: %s=...", text, text);
        if (w->kind != WORD_TEXT)
            return set_number(w, value);
        *(const char **)w->out = value;
        return 0;
    }
    return error_set(GLT_EARGUMENT, "there is no option \"%s\" here%s%s%s", text,
                     best ? "; did you mean \"" : "", best ? best : "", best ? "\"?" : "");
}

int words_read(char **copy, const char *words, const struct word *table, size_t n)
{
    *copy = memory_string(words ? words : "");
    if (!*copy)
        return GLT_ENOMEM;
    char *rest = NULL;
    for (char *text = strtok_r(*copy, " \t\n", &rest); text; text = strtok_r(NULL, " \t\n", &rest))
        TRY(set_word(text, table, n));
    return 0;
}
