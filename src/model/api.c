/* The public functions of models: argument checks, then calls of this module. */
#include "cloud/classes.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "model/card.h"
#include "model/model.h"
#include "model/model_create.h"
#include "model/model_file.h"
#include "model/models.h"

#include <limits.h>
#include <string.h>

static const struct model *model_of(const struct glt_model *m)
{
    return (const struct model *)m;
}

int glt_model_create(struct glt_model **out, const struct glt_config *config, int classes)
{
    REQUIRE(out, config);
    struct model *m = NULL;
    TRY(model_create(&m, (const struct config *)config, classes));
    *out = (struct glt_model *)m;
    return 0;
}

int glt_model_load(struct glt_model **out, const char *path)
{
    REQUIRE(out, path);
    struct model *m = NULL;
    char file[PATH_MAX];
    TRY(models_find(file, sizeof file, path));
    TRY(model_load(&m, file));
    *out = (struct glt_model *)m;
    return 0;
}

int glt_model_path(char *path, size_t size, const char *name)
{
    REQUIRE(path, name);
    return models_find(path, size, name);
}

static int save_options(bool *half, const char *words)
{
    const struct option_field table[] = {{"half", FIELD_FLAG, half, 0, 0}};
    struct call call = {0};
    int code = option_string_read(&call, words, table, 1);
    call_free(&call);
    return code;
}

int glt_model_save(const struct glt_model *m, const char *path, const char *words)
{
    REQUIRE(m, path);
    bool half = false;
    TRY(save_options(&half, words));
    return model_save(model_of(m), path, half, NULL, 0, NULL);
}

int glt_model_load_buffer(struct glt_model **out, const void *bytes, size_t len)
{
    REQUIRE(out, bytes);
    struct file *f;
    struct model *m = NULL;
    TRY(file_open_memory(&f, "buffer", bytes, len));
    int code = model_load_file(&m, f);
    file_close(f);
    if (code == 0)
        *out = (struct glt_model *)m;
    return code;
}

int glt_model_save_buffer(void **bytes, size_t *len, const struct glt_model *m, const char *words)
{
    REQUIRE(bytes, len, m);
    bool half = false;
    struct file *f;
    TRY(save_options(&half, words));
    TRY(file_create_memory(&f, "buffer", bytes, len));
    return file_finish(f, model_put(f, model_of(m), half, NULL, 0, NULL));
}

void glt_model_free(struct glt_model *m)
{
    model_free((struct model *)m);
}

int glt_model_classes(const struct glt_model *m)
{
    REQUIRE(m);
    return model_of(m)->classes.n;
}

int glt_model_channels(const struct glt_model *m)
{
    REQUIRE(m);
    return model_of(m)->channels - 3;
}

int64_t glt_model_parameters(const struct glt_model *m)
{
    REQUIRE(m);
    return model_trainable(model_of(m));
}

int glt_model_option(const struct glt_model *m, const char *key, char *text, size_t size)
{
    REQUIRE(m, key, text);
    return config_get(&model_of(m)->config, key, text, size);
}

int glt_model_class(const struct glt_model *m, int i, const char **name, unsigned char *colour)
{
    REQUIRE(m);
    const struct classes *c = &model_of(m)->classes;
    if (i < 0 || i >= c->n)
        return error_topic(error_set(GLT_EARGUMENT, "no class %d: the model has %d", i, c->n),
                           GLT_TOPIC_ARGUMENT, "i");
    if (name)
        *name = c->names[i];
    if (colour)
        memcpy(colour, c->colours[i], 3);
    return 0;
}

int glt_model_set_class(struct glt_model *m, int i, const char *name, const unsigned char *colour)
{
    REQUIRE(m);
    if (!name) /* change only the colour */
        TRY(glt_model_class(m, i, &name, NULL));
    ((struct model *)m)->digest[0] = 0;
    return classes_change(&((struct model *)m)->classes, i, name, colour);
}

int glt_model_category(const struct glt_model *m, int i, const char **name, int *first, int *count)
{
    REQUIRE(m);
    const struct classes *c = &model_of(m)->classes;
    if (i < 0 || i >= c->n_categories)
        return error_topic(
            error_set(GLT_EARGUMENT, "no category %d: the model has %d", i, c->n_categories),
            GLT_TOPIC_ARGUMENT, "i");
    const struct category *k = &c->categories[i];
    if (name)
        *name = k->name;
    if (first)
        *first = k->first;
    if (count)
        *count = k->count;
    return 0;
}

int glt_model_add_category(struct glt_model *m, const char *name, int first, int count)
{
    REQUIRE(m, name);
    struct classes *c = &((struct model *)m)->classes;
    ((struct model *)m)->digest[0] = 0;
    TRY(classes_add_category(c, name, first, count));
    int code = classes_check(c);
    if (code < 0)
        memory_free(c->categories[--c->n_categories].name);
    return code;
}

int glt_model_note(struct glt_model *m, const char *key, const char *text)
{
    REQUIRE(m, key, text);
    ((struct model *)m)->digest[0] = 0;
    return card_set(&((struct model *)m)->card, key, text);
}

struct listing {
    glt_model_fn *fn;
    void *user;
};

static int list_one(void *user, const struct model_found *found)
{
    const struct listing *l = user;
    struct glt_installed x = {.name = found->name,
                              .path = found->path,
                              .task = found->task,
                              .inputs = found->inputs,
                              .preset = found->preset,
                              .classes = found->classes,
                              .bytes = found->bytes,
                              .licence = found->licence,
                              .use = found->use};
    l->fn(l->user, &x);
    return 0;
}

int glt_models(glt_model_fn *fn, void *user)
{
    REQUIRE(fn);
    struct listing l = {fn, user};
    return models_each(list_one, &l);
}
