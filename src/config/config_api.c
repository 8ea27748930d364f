/* Options and configurations in the public header. */
#include "config/config.h"
#include "config/config_yaml.h"
#include "config/options.h"
#include "config/presets.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/suggest.h"
#include "gelatto_tool.h"

#include <stdio.h>
#include <string.h>

int glt_option_count(void)
{
    return options_count;
}

int glt_option_at(int i, struct glt_option *out)
{
    REQUIRE(out);
    TRY(error_size("glt_option", out->size, sizeof *out));
    static const char *const groups[] = {"network", "data", "training", "augmentation", "run"};
    static const char *const types[] = {"integer", "integer", "number", "choice", "text"};
    if (i < 0 || i >= options_count)
        return error_topic(error_set(GLT_EARGUMENT, "no option %d: there are %d", i, options_count),
                           GLT_TOPIC_ARGUMENT, "i");
    const struct option *o = &options[i];
    *out = (struct glt_option){.size = out->size,
                               .key = o->key,
                               .group = groups[o->group],
                               .type = types[o->type],
                               .value = o->value,
                               .choices = o->choices,
                               .help = o->help,
                               .min = o->min,
                               .max = o->max};
    return 0;
}

const char *glt_preset_at(int i, const char **summary)
{
    const struct preset *p = presets_at(i);
    if (p && summary)
        *summary = p->summary;
    return p ? p->name : NULL;
}

int glt_word_distance(const char *a, const char *b)
{
    REQUIRE(a, b);
    return suggest_distance(a, b);
}

int glt_config_create(struct glt_config **out)
{
    REQUIRE(out);
    struct config *c = memory_alloc(1, sizeof *c);
    if (!c)
        return GLT_ENOMEM;
    config_default(c);
    int code = config_environment(c);
    if (code < 0) {
        memory_free(c);
        return code;
    }
    *out = (struct glt_config *)c;
    return 0;
}

int glt_config_set(struct glt_config *config, const char *key, const char *value)
{
    REQUIRE(config, key, value);
    return config_set((struct config *)config, key, value);
}

int glt_config_read(struct glt_config *config, const char *path)
{
    REQUIRE(config, path);
    return config_read((struct config *)config, path);
}

int glt_config_get(const struct glt_config *config, const char *key, char *text, size_t size)
{
    REQUIRE(config, key, text);
    return config_get((const struct config *)config, key, text, size);
}

void glt_config_free(struct glt_config *config)
{
    memory_free(config);
}

/* --- an option as a line of YAML, from which config_read makes the same value ---
 *
 * Letters, digits and a few marks need no quotes. Anything else (a path with ": " or " #", an empty
 * value) is in double quotes, where only quotes, backslashes and control characters need an escape.
 * Bytes above 127 are copied: YAML is UTF-8. */

enum { VALUE = 512 };

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,-";

/* A leading mark may have a meaning: "- a" is a list. */
static bool is_plain(const char *value)
{
    return *value && !strchr("-,", *value) && !value[strspn(value, plain)];
}

static void quote(char *dst, const char *value) /* dst: 4 bytes for each, and 3 */
{
    *dst++ = '"';
    for (const char *p = value; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            dst += sprintf(dst, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            dst += sprintf(dst, "\\x%02x", (unsigned)c);
        else
            *dst++ = *p;
    }
    strcpy(dst, "\"");
}

int glt_config_line(const struct glt_config *config, const char *key, char *text, size_t size)
{
    REQUIRE(config, key, text);
    char value[VALUE], quoted[4 * VALUE + 3];
    TRY(config_get((const struct config *)config, key, value, sizeof value));
    if (!is_plain(value))
        quote(quoted, value);
    int len = snprintf(text, size, "%s: %s", key, is_plain(value) ? value : quoted);
    if (len < 0 || (size_t)len >= size)
        return error_topic(
            error_set(GLT_EARGUMENT, "%s: %zu bytes do not hold its line", key, size),
            GLT_TOPIC_ARGUMENT, "size");
    return 0;
}
