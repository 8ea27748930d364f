/* Opens the data of an evaluation: a dataset by its protocol, or one labelled cloud by the classes
 * of the model. */
#include "task/eval_open.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/log.h"
#include "datasets/dataset.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "formats/format.h"
#include "model/model.h"
#include "model/model_file.h"
#include "model/models.h"
#include "task/predict.h"

#include <string.h>

/* Sets the category of a single shape with parts, which the caller must give. */
static int set_category(struct eval *e, const char *given)
{
    int32_t k;
    if (model_category(&k, e->model, given) < 0)
        return error_topic(error_in(GLT_EARGUMENT, e->data->path,
                                    "the model has no category '%s': set the option category "
                                    "to that of the shape",
                                    given),
                           GLT_TOPIC_CATEGORY, given);
    e->data->split[SPLIT_TEST].list[0].category = k;
    return 0;
}

static int open_cloud(struct eval *e, const char *path, const struct config *c)
{
    if (e->options.split && strcmp(e->options.split, "test"))
        return error_topic(
            error_in(GLT_EARGUMENT, path, "one cloud has no %s split", e->options.split),
            GLT_TOPIC_SPLIT, e->options.split);
    if (c->task == TASK_CLASSIFY)
        return error_topic(
            error_in(GLT_EDATA, path,
                     "the class of a single cloud is not known: give a set of shapes by class"),
            GLT_TOPIC_LABELS, NULL);
    const struct format_options how = {
        .label_attribute = *c->data.label_attribute ? c->data.label_attribute : NULL};
    int code = format_read(&e->cloud, path, &how);
    if (code == 0 && predict_check_inputs(e->cloud, e->model) < 0)
        code = error_prefix_file(GLT_EMODEL, path);
    if (code == 0)
        code = dataset_open_cloud(&e->data, e->cloud, path, &c->data, c->task, &e->model->classes);
    TRY(code);
    e->data->up = c->augment.up;
    e->data->scored = true;
    e->split = SPLIT_TEST;
    if (c->task == TASK_PARTS)
        TRY(set_category(e, c->data.category));
    return digest_path(e->fingerprint, NULL, path);
}

/* Classes are compared by name: a model with other classes cannot be scored. */
static int compare_classes(const struct eval *e)
{
    const struct model *m = e->model;
    TRY(score_fits(e->data, m));
    for (int32_t i = 0; i < m->classes.n; i++)
        if (strcmp(m->classes.names[i], e->data->classes.names[i]))
            return error_topic(
                error_file(error_set(GLT_EMODEL,
                                     "class %d is '%s' in %s and '%s' in the model: list "
                                     "the same names in the order of the model",
                                     i, e->data->classes.names[i], e->data->path,
                                     m->classes.names[i]),
                           e->data->path),
                GLT_TOPIC_CLASSES, m->classes.names[i]);
    return 0;
}

/* Warns of options of the network: a model is scored as it was made. */
static int report_unused(const struct config *own, const char *key, const char *given)
{
    char text[256];
    TRY(config_get(own, key, text, sizeof text));
    if (strcmp(text, given))
        log_warning(GLT_TOPIC_OPTION, key, "%s = %s is not used: the model has %s = %s", key, given,
                    key, text);
    return 0;
}

/* What a dataset holds out depends on the seed of the training run, and for reviewed clouds on its
 * block: with others, points that the model has learned from would be scored. The given seed and
 * block decide the samples. */
static int open_set(struct eval *e, const char *path, const struct config *c)
{
    TRY(dataset_open(&e->data, path, &c->data, e->model->config.seed));
    dataset_hold(e->data, e->model->config.sampling.block);
    if (c->data.area != e->model->config.data.area && e->data->type->areas)
        log_warning(GLT_TOPIC_SPLIT, "area",
                    "area = %d is scored, but the model was trained with area %d held out: if it "
                    "was trained on this dataset, it is scored on its training data",
                    c->data.area, e->model->config.data.area);
    return 0;
}

/* The model's settings, overridden by what was given for data and seed. */
static int settle(struct config *out, const struct eval *e, const struct config *given)
{
    char text[256];
    *out = e->model->config;
    for (int i = 0; given && i < options_count; i++) {
        const struct option *o = &options[i];
        if (!given->given[i])
            continue;
        TRY(config_get(given, o->key, text, sizeof text));
        if (o->group == GROUP_DATA || o->group == GROUP_RUN)
            TRY(config_set(out, o->key, text));
        else
            TRY(report_unused(out, o->key, text));
    }
    return 0;
}

int eval_open(struct eval *e, const char *path, const struct config *given)
{
    struct config c;
    char file[4096];
    TRY(models_find(file, sizeof file, e->model_path));
    TRY(model_load(&e->model, file));
    TRY(settle(&c, e, given));
    e->sampling = c.sampling;
    e->seed = c.seed;
    bool single;
    TRY(dataset_is_cloud(&single, path));
    if (single)
        return open_cloud(e, path, &c);
    TRY(open_set(e, path, &c));
    e->data->scored = true;
    TRY(compare_classes(e));
    TRY(score_split(&e->split, e->data, e->options.split));
    return dataset_fingerprint(e->fingerprint, e->data);
}
