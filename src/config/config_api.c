/* The option table in the public header. */
#include "config/config.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/suggest.h"

int glt_option_count(void)
{
    return options_count;
}

int glt_option_at(int i, struct glt_option *out)
{
    GIVEN(out);
    static const char *const groups[] = {"network", "data", "training", "augmentation", "run"};
    static const char *const types[] = {"integer", "integer", "number", "choice", "text"};
    if (i < 0 || i >= options_count)
        return error_set(GLT_EARGUMENT, "no option %d: there are %d", i, options_count);
    const struct option *o = &options[i];
    *out = (struct glt_option){o->key,     groups[o->group], types[o->type], o->value,
                               o->choices, o->help,          o->min,         o->max};
    return 0;
}

const char *glt_preset_at(int i, const char **summary)
{
    return preset_at(i, summary);
}

int glt_word_distance(const char *a, const char *b)
{
    GIVEN(a, b);
    return suggest_distance(a, b);
}

int glt_config_create(struct glt_config **out)
{
    GIVEN(out);
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
    GIVEN(config, key, value);
    return config_set((struct config *)config, key, value);
}

int glt_config_read(struct glt_config *config, const char *path)
{
    GIVEN(config, path);
    return config_read((struct config *)config, path);
}

int glt_config_get(const struct glt_config *config, const char *key, char *text, size_t size)
{
    GIVEN(config, key, text);
    return config_get((const struct config *)config, key, text, size);
}

void glt_config_free(struct glt_config *config)
{
    memory_free(config);
}
