/* Channels of a network: see inputs.h. */
#include "config/inputs.h"

#include "core/error.h"
#include "core/option_string.h"

#include <stdbool.h>
#include <string.h>

static int add_input(struct inputs *x, const char *name, size_t len, const char *inputs)
{
    if (x->n == INPUTS_MAX || len == 0 || len >= sizeof x->list[0].name)
        return error_topic(error_set(GLT_EARGUMENT, "inputs = '%s': give up to %d names like rgb",
                                     inputs, INPUTS_MAX),
                           GLT_TOPIC_OPTION, "inputs");
    char *copy = x->list[x->n].name;
    bool optional = name[len - 1] == '?';
    len -= optional;
    if (len == 0 || (optional && len == 7 && !strncmp(name, "normals", 7)))
        return error_topic(
            error_set(GLT_EARGUMENT, "inputs = '%s': only rgb and attributes may end in ?", inputs),
            GLT_TOPIC_OPTION, "inputs");
    memcpy(copy, name, len);
    copy[len] = 0;
    bool twice = !strcmp(copy, "xyz");
    for (int32_t i = 0; i < x->n; i++)
        twice |= !strcmp(copy, x->list[i].name);
    if (twice)
        return error_topic(
            error_set(GLT_EARGUMENT, "inputs = '%s': '%s' occurs twice", inputs, copy),
            GLT_TOPIC_OPTION, "inputs");
    bool rgb = !strcmp(copy, "rgb"), normals = !strcmp(copy, "normals");
    if (rgb)
        x->rgb = x->extra;
    x->rgb_optional |= rgb && optional;
    x->list[x->n].optional = optional;
    if (normals)
        x->normals = x->extra;
    x->list[x->n++].first = x->extra;
    x->extra += rgb || normals ? 3 : 1;
    return 0;
}

int inputs_read(struct inputs *out, const struct data_settings *s)
{
    TRY(inputs_parse(out, s->inputs));
    out->rgb_hidden = !s->colours;
    out->hidden = !s->attributes;
    if (out->rgb_hidden && out->rgb >= 0 && !out->rgb_optional)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "colours = off, but inputs = %s needs them: only rgb? may be "
                                     "missing",
                                     s->inputs),
                           GLT_TOPIC_OPTION, "colours");
    return 0;
}

int inputs_parse(struct inputs *out, const char *inputs)
{
    struct inputs x = {.rgb = -1, .normals = -1};
    size_t len = 0;
    const char *rest = inputs, *item = option_string_item(&rest, &len, ',');
    if (!item || len != 3 || strncmp(item, "xyz", 3))
        return error_topic(error_set(GLT_EARGUMENT,
                                     "inputs = '%s': xyz comes first, as in xyz or xyz,rgb",
                                     inputs),
                           GLT_TOPIC_OPTION, "inputs");
    while ((item = option_string_item(&rest, &len, ',')))
        TRY(add_input(&x, item, len, inputs));
    *out = x;
    return 0;
}
