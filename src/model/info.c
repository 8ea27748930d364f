/* Describes a model, for people or as JSON: parameters per module, configuration, classes, and the
 * plan of its network at a given size. Everything is collected as JSON first. */
#include "config/options.h"
#include "config/settings.h"
#include "core/call.h"
#include "core/error.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/markdown.h"
#include "core/option_string.h"
#include "core/print.h"
#include "core/string.h"
#include "model/model.h"
#include "model/model_file.h"
#include "model/network.h"
#include "nn/plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

struct wishes {
    bool json, plan, train, card;
    int clouds, points; /* 0: from the configuration */
};

/* "enc1.block2" of enc1.block2.in.weight, "dec4" of dec4.0.weight */
static void module_name(char *dst, size_t size, const char *name)
{
    size_t len = strcspn(name, ".");
    if (!strncmp(name, "enc", 3))
        len += 1 + strcspn(name + len + 1, ".");
    snprintf(dst, size, "%.*s", (int)len, name);
}

static struct json *modules_json(const struct model *m)
{
    struct json *out = json_object();
    for (int32_t i = 0; i < m->count; i++) {
        char name[64];
        const struct parameter *p = &m->parameters[i];
        module_name(name, sizeof name, p->name);
        int64_t n = json_integer_value(json_get(out, name));
        if (!p->statistic)
            json_set(out, name, json_integer(n + p->rows * p->cols));
    }
    return out;
}

static struct json *shapes_json(const struct plan *p, struct tensor *const *list, int n)
{
    struct json *out = json_array();
    for (int i = 0; i < n && list[i]; i++)
        json_append(out,
                    json_pack("[I, I]", (int64_t)rows_max(p, list[i]), (int64_t)list[i]->cols));
    return out;
}

static struct json *op_json(const struct plan *p, const struct op *op)
{
    int64_t bytes = 0, macs = op->macs && (p->training || !op->constant) ? op->macs(p, op) : 0;
    for (int i = 0; i < OP_OUT && op->out[i]; i++)
        if (!op->out[i]->outside && op->out[i]->root == op->out[i])
            bytes += rows_max(p, op->out[i]) * op->out[i]->cols * (int64_t)sizeof(real);
    return json_pack("{s:s, s:o, s:o, s:I, s:I, s:b, s:b}", "op", op->kind, "in",
                     shapes_json(p, op->in, OP_IN), "out", shapes_json(p, op->out, OP_OUT), "bytes",
                     (int64_t)bytes, "flops", (int64_t)(2 * macs), "once",
                     !p->training && op->constant, "backward", p->training && op_backs(op));
}

static int plan_json(struct json **out, const struct model *m, const struct wishes *w)
{
    struct network n;
    real none = 0;
    struct network_options o = {.training = w->train,
                                .batch = w->clouds,
                                .points = w->points,
                                .gradient = w->train ? &none : NULL};
    TRY(network_create(&n, (struct model *)m, &o, false)); /* measuring reads no weights */
    struct plan *p = n.plan;
    memcpy(p->batch.rows, p->capacity, sizeof p->batch.rows); /* for the FLOPs */
    struct json *ops = json_array();
    for (int i = 0; i < p->ops_count; i++)
        json_append(ops, op_json(p, p->ops[i]));
    *out = json_pack("{s:s, s:i, s:i, s:I, s:I, s:o}", "for", w->train ? "training" : "inference",
                     "clouds", w->clouds, "points", w->points, "bytes", (int64_t)p->bytes, "flops",
                     (int64_t)(2 * plan_macs(p, w->train)), "ops", ops);
    network_free(&n);
    return *out ? 0 : error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
}

/* The metadata of a file of the model, with its JSON texts as values. */
static int describe(struct json *out, const struct model *m)
{
    static const char *const keys[] = {"config", "classes", "categories", "training"};
    struct json *meta = json_object();
    int code = meta ? model_metadata(meta, m, NULL)
                    : error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    for (size_t i = 0; code == 0 && i < sizeof keys / sizeof *keys; i++) {
        char key[48];
        struct json *value = NULL;
        snprintf(key, sizeof key, "gelatto.%s", keys[i]);
        const char *text = json_string_value(json_get(meta, key));
        if (text && (code = json_parse(&value, key, text, strlen(text))) == 0)
            json_set(out, keys[i], value);
    }
    json_free(meta);
    return code;
}

static int collect(struct json *out, const struct model *m, const struct wishes *w)
{
    struct json *plan = NULL;
    if (*m->digest)
        json_set(out, "digest", json_string(m->digest));
    json_set(out, "parameters", json_integer((int64_t)model_trainable(m)));
    json_set(out, "modules", modules_json(m));
    TRY(describe(out, m));
    if (w->plan) {
        TRY(plan_json(&plan, m, w));
        json_set(out, "plan", plan);
    }
    return json_check(out);
}

/* --- for people --- */

static void say_config(struct string *t, const struct json *config)
{
    const char *key;
    struct json *value;
    string_add(t, "options\n");
    for (size_t at_key = 0; (key = json_key(config, at_key)) && (value = json_at(config, at_key));
         at_key++) {
        const char *text = json_string_value(value);
        string_add(t, "  %-20s %s\n", key, *text ? text : "-");
    }
}

static void say_classes(struct string *t, const struct json *all)
{
    size_t i;
    struct json *item;
    string_add(t, "classes %zu\n", json_size(all));
    for (i = 0; (item = json_at(all, i)); i++) {
        const struct json *c = json_get(item, "color");
        int rgb[3];
        for (size_t k = 0; k < 3; k++)
            rgb[k] = (int)json_integer_value(json_at(c, k));
        string_add(t, "  %-3zu %-20s #%02x%02x%02x\n", i, json_string_value(json_get(item, "name")),
                   rgb[0], rgb[1], rgb[2]);
    }
}

static void say_shapes(struct string *t, const struct json *list)
{
    size_t i;
    struct json *shape;
    for (i = 0; (shape = json_at(list, i)); i++) {
        string_add(t, "%s(%lld, %lld)", i ? " " : "", json_integer_value(json_at(shape, 0)),
                   json_integer_value(json_at(shape, 1)));
    }
}

static void say_plan(struct string *t, const struct json *plan)
{
    size_t i;
    struct json *op;
    const struct json *ops = json_get(plan, "ops");
    string_add(t, "plan of %s, %lld x %lld points: %zu ops, %.1f MB, %.3f GFLOP\n",
               json_string_value(json_get(plan, "for")),
               json_integer_value(json_get(plan, "clouds")),
               json_integer_value(json_get(plan, "points")), json_size(ops),
               1e-6 * (double)json_integer_value(json_get(plan, "bytes")),
               1e-9 * (double)json_integer_value(json_get(plan, "flops")));
    for (i = 0; (op = json_at(ops, i)); i++) {
        double flops = (double)json_integer_value(json_get(op, "flops"));
        string_add(t, "  %-4zu %-14s", i, json_string_value(json_get(op, "op")));
        string_add(t, " %10.3f MB %10.3f MFLOP %s  ",
                   1e-6 * (double)json_integer_value(json_get(op, "bytes")), 1e-6 * flops,
                   json_is(json_get(op, "once"), JSON_TRUE) ? "once" : "    ");
        say_shapes(t, json_get(op, "in"));
        string_add(t, " -> ");
        say_shapes(t, json_get(op, "out"));
        string_add(t, "\n");
    }
}

/* Names and options come from a file: control characters must not reach a terminal. */
static int take_readable(char **out, struct string *t)
{
    for (int64_t i = 0; i < t->len; i++)
        if (((unsigned char)t->bytes[i] < ' ' && t->bytes[i] != '\n') || t->bytes[i] == 127)
            t->bytes[i] = '?';
    return string_take(out, t);
}

static int print(char **out, const struct json *all)
{
    struct string t = {0};
    const char *key;
    struct json *value;
    if (json_get(all, "digest"))
        string_add(&t, "digest %s\n", json_string_value(json_get(all, "digest")));
    string_add(&t, "parameters %lld\n", json_integer_value(json_get(all, "parameters")));
    for (size_t at_key = 0; (key = json_key(json_get(all, "modules"), at_key)) &&
                            (value = json_at(json_get(all, "modules"), at_key));
         at_key++) {
        string_add(&t, "  %-20s %lld\n", key, json_integer_value(value));
    }
    say_classes(&t, json_get(all, "classes"));
    struct json *categories = json_get(all, "categories");
    for (size_t i = 0; i < json_size(categories); i++) {
        const struct json *k = json_at(categories, i);
        string_add(&t, "  category %-11s parts from %lld, %lld\n",
                   json_string_value(json_get(k, "name")), json_integer_value(json_get(k, "first")),
                   json_integer_value(json_get(k, "count")));
    }
    say_config(&t, json_get(all, "config"));
    if (json_get(all, "plan"))
        say_plan(&t, json_get(all, "plan"));
    return take_readable(out, &t);
}

/* --- as a card: Markdown, for a file beside the model --- */

/* Keys and values come from a file, so they are escaped. */
static void say_row(struct string *t, const char *key, const char *value)
{
    string_add(t, "| ");
    markdown_text(t, key);
    string_add(t, " | ");
    markdown_text(t, value);
    string_add(t, " |\n");
}

static void say_pairs(struct string *t, const struct json *object)
{
    const char *key;
    struct json *value;
    for (size_t at_key = 0; (key = json_key(object, at_key)) && (value = json_at(object, at_key));
         at_key++) {
        char number[32];
        if (json_is(value, JSON_STRING)) {
            say_row(t, key, json_string_value(value));
        } else if (json_is_number(value)) {
            bool whole = json_is(value, JSON_INTEGER);
            print_to(number, sizeof number, whole ? "%.0f" : "%.4f", json_number_value(value));
            say_row(t, key, number);
        }
    }
}

/* Options that are not defaults, as in a configuration file. */
static void say_settings(struct string *t, const struct json *config)
{
    const char *key;
    struct json *value;
    struct config defaults;
    config_default(&defaults);
    for (size_t at_key = 0; (key = json_key(config, at_key)) && (value = json_at(config, at_key));
         at_key++) {
        char usual[256];
        if (config_get(&defaults, key, usual, sizeof usual) == 0 &&
            strcmp(usual, json_string_value(value)))
            string_add(t, "    %s: %s\n", key, json_string_value(value));
    }
}

static void say_range(struct string *t, const struct json *range)
{
    const char *key;
    struct json *value;
    string_add(t,
               "\n## Range\n\nThe range of the training clouds. Prediction warns about values far "
               "outside it.\n\n| | from | to |\n|---|---|---|\n");
    for (size_t at_key = 0; (key = json_key(range, at_key)) && (value = json_at(range, at_key));
         at_key++) {
        double low = json_number_value(json_at(value, 0));
        double high = json_number_value(json_at(value, 1));
        if (json_size(value) != 2 || (low == 0 && high == 0)) /* shapes have no extent */
            continue;
        string_add(t, "| ");
        markdown_text(t, key);
        string_add(t, " | %.4g | %.4g |\n", low, high);
    }
}

static void say_attention(struct string *t, const struct json *rows)
{
    string_add(
        t, "\n## Attention\n\nMeasured over centres with at least 8 neighbours, when this model "
           "was validated. Entropy is relative\nto uniform weights: at 1, attention is a "
           "mean. A score is saturated if one neighbour has a weight\nabove 0.99.\n\n"
           "| level | block | head | entropy | saturated |\n|--:|--:|---|--:|--:|\n");
    for (size_t i = 0; i < json_size(rows); i++) {
        const struct json *r = json_at(rows, i);
        const char *head = json_string_value(json_get(r, "head"));
        string_add(t, "| %lld | %lld | ", json_integer_value(json_get(r, "level")),
                   json_integer_value(json_get(r, "block")));
        markdown_text(t, head ? head : "");
        string_add(t, " | %.3f | %.1f %% |\n", json_number_value(json_get(r, "entropy")),
                   100 * json_number_value(json_get(r, "saturation")));
    }
}

static int print_card(char **out, const struct json *all)
{
    struct string t = {0};
    const struct json *config = json_get(all, "config");
    const struct json *training = json_get(all, "training");
    const struct json *classes = json_get(all, "classes");
    const char *digest = json_string_value(json_get(all, "digest"));
    static const char *const keys[] = {"task", "preset", "inputs", "seed"};
    string_add(&t, "# Model card\n\n| | |\n|---|---|\n");
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        say_row(&t, keys[i], json_string_value(json_get(config, keys[i])));
    string_add(&t, "| parameters | %lld |\n", json_integer_value(json_get(all, "parameters")));
    say_row(&t, "digest", digest ? digest : "not saved yet");
    say_pairs(&t, training);
    if (!training)
        string_add(&t, "| training | not recorded |\n");
    string_add(&t, "\n## Options that are not the defaults\n\n");
    say_settings(&t, config);
    string_add(&t, "\n## Classes\n\n");
    for (size_t i = 0; i < json_size(classes); i++) {
        string_add(&t, i ? ", " : "");
        markdown_text(&t, json_string_value(json_get(json_at(classes, i), "name")));
    }
    string_add(&t, "\n");
    if (json_get(training, "range"))
        say_range(&t, json_get(training, "range"));
    if (json_size(json_get(training, "attention")))
        say_attention(&t, json_get(training, "attention"));
    return take_readable(out, &t);
}

int glt_model_info(char **out, const struct glt_model *model, const char *words)
{
    REQUIRE(out, model);
    const struct model *m = (const struct model *)model;
    struct wishes w = {0};
    const struct option_field table[] = {
        {"json", FIELD_FLAG, &w.json, 0, 0},        {"plan", FIELD_FLAG, &w.plan, 0, 0},
        {"train", FIELD_FLAG, &w.train, 0, 0},      {"card", FIELD_FLAG, &w.card, 0, 0},
        {"clouds", FIELD_INT, &w.clouds, 1, 65536}, {"points", FIELD_INT, &w.points, 1, 1 << 24}};
    struct call call = {0};
    size_t len;
    struct json *all = json_object();
    int code = all ? option_string_read(&call, words, table, sizeof table / sizeof *table)
                   : error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    w.points = w.points ? w.points : m->config.sampling.points;
    w.clouds = w.clouds ? w.clouds : w.train ? m->config.training.batch : 1;
    if (code == 0)
        code = collect(all, m, &w);
    if (code == 0)
        code = w.json   ? json_print(out, &len, all)
               : w.card ? print_card(out, all)
                        : print(out, all);
    json_free(all);
    call_free(&call);
    return code;
}
