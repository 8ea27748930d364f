/* Model files: every option as text for config_set, classes and categories as JSON, the parameters
 * under their own names. Errors name what is unknown, missing or of another shape. */
#include "model/model_file.h"

#include "cloud/classes.h"
#include "cloud/part_names.h"
#include "config/options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "core/string.h"
#include "model/model_create.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char FORMAT_VERSION[] = "1";

/* --- writing --- */

static int set_json(struct json *meta, const char *key, struct json *value)
{
    char *text = NULL;
    size_t len;
    int code = value ? json_print(&text, &len, value)
                     : error_topic(error_set(GLT_ENOMEM, "%s: out of memory", key),
                                   GLT_TOPIC_MEMORY, NULL);
    if (code == 0 && json_set(meta, key, json_string(text)))
        code = error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    memory_free(text);
    json_free(value);
    return code;
}

static struct json *config_json(const struct config *c)
{
    struct json *out = json_object();
    for (int i = 0; i < options_count; i++) {
        char text[256];
        if (!options_decide(&options[i]))
            continue;
        if (config_get(c, options[i].key, text, sizeof text) < 0 ||
            json_set(out, options[i].key, json_string(text))) {
            json_free(out);
            return NULL;
        }
    }
    return out;
}

int model_metadata(struct json *meta, const struct model *m, const struct json *notes)
{
    static const char *const tasks[] = {"segment", "parts", "classify"};
    int failed = json_set(meta, "gelatto.format", json_string(FORMAT_VERSION));
    failed |= json_set(meta, "gelatto.task", json_string(tasks[m->config.task]));
    if (m->card)
        failed |= json_set(meta, "gelatto.training", json_string(m->card));
    for (size_t i = 0; i < json_size(notes); i++)
        failed |= json_set(meta, json_key(notes, i), json_copy(json_at(notes, i)));
    if (failed)
        return error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    TRY(set_json(meta, "gelatto.config", config_json(&m->config)));
    TRY(set_json(meta, "gelatto.classes", classes_json(&m->classes)));
    if (m->classes.n_categories == 0)
        return 0;
    return set_json(meta, "gelatto.categories", classes_categories_json(&m->classes));
}

static void describe(struct st_source *s, const struct parameter *p, const float *items, bool half)
{
    *s = (struct st_source){.type = half && !p->vector ? ST_F16 : ST_F32, .items = items};
    snprintf(s->name, sizeof s->name, "%s", p->name);
    s->dims = p->vector ? 1 : 2;
    s->shape[0] = p->vector ? p->cols : p->rows;
    s->shape[1] = p->cols;
}

/* Such a file could not be read again, so it is not written. */
static int check_finite(const struct model *m, const float *floats, const char *path, bool half)
{
    static const float half_max = 65504;
    for (int32_t k = 0; k < m->count; k++) {
        const struct parameter *p = &m->parameters[k];
        for (int64_t i = p->offset; i < p->offset + p->rows * p->cols; i++) {
            if (half && !p->vector && fabsf(floats[i]) > half_max)
                return error_topic(error_in(GLT_ENUMERIC, path,
                                            "not written, '%s' holds %g, too much for 16 bits",
                                            p->name, (double)floats[i]),
                                   GLT_TOPIC_VALUE, p->name);
            if (!isfinite(floats[i]))
                return error_topic(error_in(GLT_ENUMERIC, path,
                                            "not written, '%s' holds a number that is not "
                                            "finite",
                                            p->name),
                                   GLT_TOPIC_VALUE, p->name);
        }
    }
    return 0;
}

int model_put(struct file *f, const struct model *m, bool half, const struct st_source *more,
              int n_more, const struct json *notes)
{
    int code = GLT_ENOMEM;
    size_t n = (size_t)(m->count + n_more);
    struct st_source *sources = memory_alloc(n, sizeof *sources);
    float *floats = memory_alloc((size_t)m->size, sizeof *floats);
    struct json *meta = json_object();
    if (!sources || !floats || !meta)
        goto done;
    for (int64_t i = 0; i < m->size; i++)
        floats[i] = (float)m->block[i];
    code = check_finite(m, floats, file_name(f), half);
    if (code < 0)
        goto done;
    for (int32_t i = 0; i < m->count; i++)
        describe(&sources[i], &m->parameters[i], floats + m->parameters[i].offset, half);
    if (n_more)
        memcpy(sources + m->count, more, (size_t)n_more * sizeof *more);
    code = model_metadata(meta, m, notes);
    if (code == 0)
        code = safetensors_put(f, sources, (int)n, meta);
done:
    json_free(meta);
    memory_free(floats);
    memory_free(sources);
    return code;
}

int model_save(const struct model *m, const char *path, bool half, const struct st_source *more,
               int n_more, const struct json *notes)
{
    struct file *f;
    TRY(file_create_as(&f, path, FILE_MODEL));
    return file_finish(f, model_put(f, m, half, more, n_more, notes));
}

/* --- reading --- */

static int read_json(struct json **out, const struct safetensors *st, const char *key,
                     enum json_type type)
{
    char name[600];
    const char *text = safetensors_meta(st, key);
    snprintf(name, sizeof name, "%.500s: %s", file_name(st->file), key);
    if (!text)
        return error_topic(
            error_in(GLT_EMODEL, file_name(st->file), "%s is missing: not a gelatto model", key),
            GLT_TOPIC_MISSING, key);
    int code = json_parse(out, name, text, strlen(text));
    if (code < 0)
        return error_file(code, file_name(st->file));
    if (json_typeof(*out) == type)
        return 0;
    json_free(*out);
    *out = NULL;
    return error_topic(
        error_in(GLT_EMODEL, file_name(st->file), "%s is not of the right kind", key),
        GLT_TOPIC_VALUE, key);
}

/* Turns an invalid argument into an error of the file. */
static int as_model(int code, const char *file)
{
    if (code == 0 || code == GLT_ENOMEM)
        return code;
    return error_prefix_file(code == GLT_EARGUMENT ? GLT_EMODEL : code, file);
}

static int read_config(struct config *c, const struct safetensors *st)
{
    struct json *all = NULL, *value;
    const char *key;
    config_default(c);
    TRY(read_json(&all, st, "gelatto.config", JSON_OBJECT));
    int code = 0;
    for (size_t at_key = 0; (key = json_key(all, at_key)) && (value = json_at(all, at_key));
         at_key++) {
        const struct option *o = options_find(key);
        if (code < 0 || !strcmp(key, "preset") || (o && !options_decide(o)))
            continue; /* all keys of the preset are stored too, perhaps changed */
        if (!o)
            code = error_topic(error_set(GLT_EMODEL,
                                         "option '%s' is unknown to gelatto %s: the file is from "
                                         "another version",
                                         key, glt_version()),
                               GLT_TOPIC_UNKNOWN_OPTION, key);
        else
            code = json_is(value, JSON_STRING)
                       ? config_set_stored(c, key, json_string_value(value))
                       : error_topic(error_set(GLT_EMODEL, "option '%s' is not text", key),
                                     GLT_TOPIC_OPTION, key);
    }
    const char *preset = json_string_value(json_get(all, "preset"));
    if (code == 0 && preset && string_control(preset) >= 0)
        code = error_topic(
            error_set(GLT_EMODEL, "preset: byte %d is a control character", string_control(preset)),
            GLT_TOPIC_OPTION, "preset");
    else if (preset && strlen(preset) < sizeof c->preset)
        strcpy(c->preset, preset);
    json_free(all);
    if (code == 0)
        code = config_check(c);
    if (code < 0)
        error_prefix(code, "gelatto.config: ");
    return as_model(code, file_name(st->file));
}

int model_read_classes(struct classes *out, const struct safetensors *st)
{
    struct json *classes = NULL, *categories = NULL;
    TRY(read_json(&classes, st, "gelatto.classes", JSON_ARRAY));
    int code = 0;
    if (safetensors_meta(st, "gelatto.categories"))
        code = read_json(&categories, st, "gelatto.categories", JSON_ARRAY);
    if (code == 0)
        code = classes_read(out, classes, categories, file_name(st->file));
    if (code == 0 && (code = part_names_apply(out)) < 0)
        classes_free(out);
    json_free(classes);
    json_free(categories);
    return code;
}

static int read_parameter(struct model *m, const struct parameter *p, const struct safetensors *st,
                          float *buffer)
{
    const struct st_tensor *t = safetensors_find(st, p->name);
    const char *file = file_name(st->file);
    if (!t)
        return error_topic(error_in(GLT_EMODEL, file, "tensor '%s' is missing", p->name),
                           GLT_TOPIC_MISSING, p->name);
    int64_t rows = p->vector ? p->cols : p->rows;
    if (t->dims != (p->vector ? 1 : 2) || t->shape[0] != rows ||
        (!p->vector && t->shape[1] != p->cols))
        return error_topic(error_in(GLT_EMODEL, file,
                                    "tensor '%s' has another shape than (%lld, %lld)", p->name,
                                    (long long)p->rows, (long long)p->cols),
                           GLT_TOPIC_SHAPE, p->name);
    TRY(safetensors_read_floats(st, t, buffer));
    for (int64_t i = 0; i < t->items; i++) {
        if (!isfinite(buffer[i]))
            return error_topic(error_in(GLT_ENUMERIC, file,
                                        "tensor '%s' holds a number that is not finite", p->name),
                               GLT_TOPIC_VALUE, p->name);
        m->block[p->offset + i] = (real)buffer[i];
    }
    size_t len = strlen(p->name);
    bool variance = len > 12 && !strcmp(p->name + len - 12, ".running_var");
    for (int64_t i = 0; variance && i < t->items; i++)
        if (buffer[i] < 0)
            return error_topic(
                error_in(GLT_EMODEL, file, "tensor '%s' holds a variance below 0", p->name),
                GLT_TOPIC_VALUE, p->name);
    return 0;
}

static int read_parameters(struct model *m, const struct safetensors *st)
{
    for (int i = 0; i < st->count; i++) {
        const char *name = st->tensors[i].name; /* a checkpoint also has Adam's moments */
        bool moment = !strncmp(name, "adam.m/", 7) || !strncmp(name, "adam.v/", 7);
        if (!model_find(m, moment ? name + 7 : name))
            return error_topic(error_in(GLT_EMODEL, file_name(st->file),
                                        "tensor '%.80s' is not part of the network that its "
                                        "options describe",
                                        name),
                               GLT_TOPIC_SHAPE, name);
    }
    int64_t max = 1;
    for (int32_t i = 0; i < m->count; i++) {
        int64_t n = m->parameters[i].rows * m->parameters[i].cols;
        max = n > max ? n : max;
    }
    float *buffer = memory_alloc((size_t)max, sizeof *buffer);
    int code = buffer ? 0 : GLT_ENOMEM;
    for (int32_t i = 0; i < m->count && code == 0; i++)
        code = read_parameter(m, &m->parameters[i], st, buffer);
    memory_free(buffer);
    return code;
}

/* Keeps the text about its training; checked, because `info` parses it. */
static int read_card(struct model *m, const struct safetensors *st)
{
    struct json *card = NULL;
    if (!safetensors_meta(st, "gelatto.training"))
        return 0;
    TRY(read_json(&card, st, "gelatto.training", JSON_OBJECT));
    json_free(card);
    m->card = memory_string(safetensors_meta(st, "gelatto.training"));
    return m->card ? 0 : GLT_ENOMEM;
}

int model_read(struct model **out, const struct safetensors *st)
{
    struct config c;
    struct classes classes;
    struct model *m = NULL;
    const char *format = safetensors_meta(st, "gelatto.format"), *file = file_name(st->file);
    if (safetensors_meta(st, "gelatto.trace"))
        return error_topic(error_in(GLT_EMODEL, file, "this is a trace of a model, not a model"),
                           GLT_TOPIC_FORMAT, NULL);
    if (!format || strcmp(format, FORMAT_VERSION))
        return error_topic(error_in(GLT_EMODEL, file, "model format '%.20s': this gelatto reads %s",
                                    format ? format : "(none)", FORMAT_VERSION),
                           GLT_TOPIC_FORMAT, NULL);
    TRY(read_config(&c, st));
    TRY(model_read_classes(&classes, st));
    /* a header may claim more weights than the file can hold */
    int64_t max = (file_size(st->file) - st->data) / 2;
    int code = as_model(model_allocate(&m, &c, classes.n, max), file);
    if (code < 0) {
        classes_free(&classes);
        return code;
    }
    classes_free(&m->classes);
    m->classes = classes;
    code = read_parameters(m, st);
    if (code == 0)
        code = read_card(m, st);
    if (code < 0) {
        model_free(m);
        return code;
    }
    memcpy(m->digest, st->digest, sizeof m->digest);
    *out = m;
    return 0;
}

int model_load_file(struct model **out, struct file *f)
{
    struct safetensors st;
    TRY(safetensors_open(&st, f));
    int code = model_read(out, &st);
    safetensors_close(&st);
    return code;
}

/* A name for people, independent of the location: "rooms" for rooms.safetensors; for a run's
 * best.safetensors it includes the run, since all runs have one. */
static void name_model(struct model *m, const char *path)
{
    static const char ending[] = ".safetensors";
    const char *base = strrchr(path, '/'), *parent = base;
    base = base ? base + 1 : path;
    size_t len = strlen(base), end = sizeof ending - 1;
    len -= len > end && !strcmp(base + len - end, ending) ? end : 0;
    bool common = len == 4 && (!strncmp(base, "best", len) || !strncmp(base, "last", len));
    while (common && parent && parent > path && parent[-1] != '/')
        parent--;
    if (common && parent)
        len += (size_t)(base - parent);
    snprintf(m->name, sizeof m->name, "%.*s", (int)len, common && parent ? parent : base);
    bool text = json_holds(m->name);
    for (char *s = m->name; *s; s++)
        if ((unsigned char)*s < ' ' || *s == 0x7f || (!text && (unsigned char)*s > 0x7f))
            *s = '_';
}

int model_load(struct model **out, const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    int code = model_load_file(out, f);
    file_close(f);
    if (code == 0)
        name_model(*out, path);
    return code;
}
