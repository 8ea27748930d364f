/* Checks that ranks agree: see spread.h. */
#include "task/spread.h"

#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/memory.h"
#include "kernels/kernels.h"
#include "task/checkpoint.h"

#include <stdio.h>
#include <string.h>

/* --- facts --- */

void spread_add(struct string *facts, const char *name, const char *value)
{
    string_add(facts, "%s\t", name);
    for (; value && *value; value++) /* one line for each fact */
        string_add_bytes(facts, *value == '\n' ? " " : value, 1);
    string_add(facts, value ? "\n" : "(not given)\n");
}

void spread_add_number(struct string *facts, const char *name, int64_t value)
{
    string_add(facts, "%s\t%lld\n", name, (long long)value);
}

/* The commit too: another one may compute other bits, and structs are sent as raw memory. */
void spread_add_build(struct string *facts)
{
    const uint32_t order = 1;
    unsigned char first;
    memcpy(&first, &order, 1);
    string_add(facts, "version\t%s, commit %s\n", glt_version(), glt_commit());
    string_add(facts, "layout\t%zu %zu %zu %d\n", sizeof(struct config), sizeof(struct checkpoint),
               sizeof(void *), first);
    string_add(facts, "kernels\t%s\n", kernels()->name);
}

void spread_add_options(struct string *facts, const struct config *c)
{
    for (int i = 0; i < options_count; i++) {
        char text[256];
        if (!options_decide(&options[i]))
            continue;
        bool given = c && c->given[i] && config_get(c, options[i].key, text, sizeof text) == 0;
        spread_add(facts, options[i].key, given ? text : NULL);
    }
}

/* --- comparing --- */

static int differ(const char *name, const char *own, const char *other)
{
    bool build = !strcmp(name, "version") || !strcmp(name, "layout") || !strcmp(name, "kernels");
    int code = build                      ? GLT_EUNSUPPORTED
               : !strcmp(name, "data")    ? GLT_EDATA
               : !strcmp(name, "weights") ? GLT_ENUMERIC
                                          : GLT_EARGUMENT;
    const char *advice = !strcmp(name, "kernels") ? "set GELATTO_CPU to one that all of them have"
                         : build                  ? "install the same build on all machines"
                         : code == GLT_ENUMERIC   ? "test the memory of that machine, then resume"
                                                  : "give all ranks the same";
    error_set(code, "%s = %.200s, but rank 0 has %.200s: %s", name, own, other, advice);
    return error_topic(code, GLT_TOPIC_RANKS, name);
}

/* Splits the first line of a text at its tab; returns the text after the line. */
static char *cut_line(char **name, char **value, char *text)
{
    char *tab = strchr(text, '\t'), *end = tab ? strchr(tab, '\n') : NULL;
    if (!end)
        return NULL;
    *tab = *end = 0;
    *name = text;
    *value = tab + 1;
    return end + 1;
}

/* Finds the first line that differs. */
static int compare(char *own, char *other)
{
    char *name, *value, *name_other, *value_other;
    for (;;) {
        char *next = cut_line(&name, &value, own),
             *end = cut_line(&name_other, &value_other, other);
        if (!next || !end)
            return next || end ? differ("version", "(other facts)", "others") : 0;
        if (strcmp(name, name_other) || strcmp(value, value_other))
            return differ(name, value, value_other);
        own = next;
        other = end;
    }
}

static int compare_with_first(struct ranks *r, char *own)
{
    int64_t bytes = (int64_t)strlen(own) + 1;
    TRY(ranks_broadcast(r, &bytes, sizeof bytes));
    char *first = memory_alloc((size_t)bytes, 1);
    int code = ranks_agree(r, first ? 0 : GLT_ENOMEM, NULL);
    if (code == 0 && ranks_number(r) == 0)
        memcpy(first, own, (size_t)bytes);
    if (code == 0)
        code = ranks_broadcast(r, first, (size_t)bytes);
    if (code == 0)
        code = ranks_agree(r, ranks_number(r) ? compare(own, first) : 0, NULL);
    memory_free(first);
    return code;
}

int spread_same(struct ranks *r, struct string *facts)
{
    char *own = NULL;
    int code = ranks_agree(r, string_take(&own, facts), NULL);
    if (code == 0 && r)
        code = compare_with_first(r, own);
    memory_free(own);
    return code;
}

int spread_compare(struct ranks *r, const struct config *c, const struct glt_train_options *o)
{
    struct string facts = {0};
    if (!r)
        return 0;
    spread_add_build(&facts);
    spread_add_options(&facts, c);
    spread_add(&facts, "resume", o->resume);
    spread_add(&facts, "init", o->init);
    spread_add(&facts, "folder", o->folder);
    spread_add_number(&facts, "force", o->force);
    spread_add_number(&facts, "steps", o->steps);
    spread_add_number(&facts, "validate", o->validate);
    return spread_same(r, &facts);
}

/* --- sharing a step --- */

int spread_check(const struct ranks *r, const struct config *c)
{
    int32_t group = c->training.accumulate;
    struct string numbers = {0};
    char *list;
    if (group % ranks_count(r) == 0)
        return 0;
    for (int32_t i = 1; i <= group; i++)
        if (group % i == 0)
            string_add(&numbers, "%s%d", i > 1 ? ", " : "", i);
    TRY(string_take(&list, &numbers));
    error_set(GLT_EARGUMENT,
              "%d ranks cannot share a step of %d mini-batch%s: start %s%s, or set accumulate to a "
              "multiple of %d",
              ranks_count(r), group, group == 1 ? "" : "es", group == 1 ? "" : "one of ", list,
              ranks_count(r));
    memory_free(list);
    return error_topic(GLT_EARGUMENT, GLT_TOPIC_RANKS, "accumulate");
}
