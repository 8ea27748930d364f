/* Setting up a training run: a new one, a resumed one, or one that begins with another model's
 * weights. See training.h. */
#include "task/training.h"

#include "cloud/classes.h"
#include "config/config.h"
#include "config/inputs.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/json.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "datasets/dataset.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "model/card.h"
#include "model/exchange.h"
#include "model/model.h"
#include "model/model_create.h"
#include "model/model_file.h"
#include "model/models.h"
#include "model/trainer.h"
#include "sampling/sample.h"
#include "sampling/sampler.h"
#include "task/defaults.h"
#include "task/observe.h"
#include "task/spread.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>

/* --- the description of the model --- */

/* The labels that rules map to classes. If rules give some class no number, or take it away, labels
 * without a rule are class numbers if they are in the dataset. */
static int number_model(struct classes *to, const struct classes *c)
{
    int32_t covered = 0, number;
    bool ruled = false; /* some number is not the index of its class */
    for (int32_t i = 0; i < c->n_labels; i++) {
        const struct label *x = &c->labels[i];
        if (x->name || classes_number(c, x->number) != i)
            continue;
        ruled = ruled || x->class >= 0 || (x->number >= 0 && x->number < c->n);
        covered += x->class >= 0 && !classes_first_number(&number, to, x->class);
        if (x->class >= 0)
            TRY(classes_add_number(to, x->number, x->class));
    }
    ruled = ruled && c->origin == LABELS_ARE_PLACES && covered < c->n;
    for (int32_t i = 0; ruled && i < c->n; i++)
        if (classes_number(c, i) == c->n_labels)
            TRY(classes_add_number(to, i, i));
    return 0;
}

static int name_model(struct classes *to, const struct dataset *d)
{
    const struct classes *c = &d->classes;
    for (int32_t i = 0; i < c->n; i++)
        TRY(classes_change(to, i, c->names[i], c->colours[i]));
    for (int32_t i = 0; i < c->n_categories; i++)
        TRY(classes_add_category(to, c->categories[i].name, c->categories[i].first,
                                 c->categories[i].count));
    TRY(classes_check(to));
    return d->task == TASK_SEGMENT ? number_model(to, c) : 0;
}

/* --- starting from another model --- */

/* Records the model's preset; another one that was given is dropped, since a preset mostly defines
 * the network. */
static int take_preset(struct config *c, const struct config *from, const char *name)
{
    struct config x;
    if (c->preset[0] && strcmp(c->preset, from->preset)) {
        log_warning(GLT_TOPIC_OPTION, "preset", "preset %s is not used: the network is that of %s",
                    c->preset, name);
        config_default(&x);
        TRY(config_copy_given(&x, c));
        *c = x;
    }
    memcpy(c->preset, from->preset, sizeof c->preset);
    c->given[options_find("preset") - options] = true; /* so that no dataset proposes another */
    return 0;
}

/* The options of the network and of its samples: balls and levels fit the density of these. */
static bool is_taken_over(const struct option *o)
{
    static const char *const samples[] = {"points", "block", "block_min", "normalise"};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (!strcmp(o->key, samples[i]))
            return true;
    return o->group == GROUP_NETWORK && strcmp(o->key, "preset") && strcmp(o->key, "task");
}

/* Takes over a model's options of the network and of samples that the user has not set. */
static int take_network(struct config *c, const struct config *from, const char *name)
{
    char text[256];
    TRY(take_preset(c, from, name));
    for (int i = 0; i < options_count; i++) {
        if (!is_taken_over(&options[i]) || c->given[i])
            continue;
        TRY(config_get(from, options[i].key, text, sizeof text));
        TRY(config_set(c, options[i].key, text));
    }
    return 0;
}

static bool same_classes(const struct classes *a, const struct classes *b)
{
    bool same = a->n == b->n;
    for (int32_t i = 0; same && i < a->n; i++)
        same = !strcmp(a->names[i], b->names[i]);
    return same;
}

/* If inputs differ, takes the stem's columns of the inputs that both models have. */
static int take_stem(struct model *m, const struct model *from, const struct parameter *p,
                     const struct parameter *q)
{
    struct inputs now, then;
    TRY(inputs_parse(&now, m->config.data.inputs));
    TRY(inputs_parse(&then, from->config.data.inputs));
    for (int64_t row = 0; row < p->rows; row++) {
        real *to = m->block + p->offset + row * p->cols;
        const real *weights = from->block + q->offset + row * q->cols;
        memcpy(to, weights, 3 * sizeof *to); /* xyz */
        for (int32_t i = 0; i < now.n; i++)
            for (int32_t j = 0; j < then.n; j++)
                if (!strcmp(now.list[i].name, then.list[j].name))
                    memcpy(to + 3 + now.list[i].first, weights + 3 + then.list[j].first,
                           (size_t)inputs_width(&now, i) * sizeof *to);
    }
    return 0;
}

enum { INIT_LINE = 512 }; /* of the log */

/* Takes the last layers' rows of classes that both models have. */
static void take_classes(struct model *m, const struct model *from, const struct parameter *p,
                         const struct parameter *q)
{
    int64_t width = p->vector ? 1 : p->cols;
    for (int32_t i = 0; i < m->classes.n; i++) {
        int32_t old = classes_find(&from->classes, m->classes.names[i]);
        if (old >= 0)
            memcpy(m->block + p->offset + i * width, from->block + q->offset + old * width,
                   (size_t)width * sizeof(real));
    }
}

/* Takes the tensors that fit. The encoder must fit, or there is nothing to start from. If classes
 * differ, the last layers are drawn anew; but `reviewed` data corrects a model, so classes of the
 * same name are kept. `name` is for messages. */
static int take_weights(struct model *m, const struct model *from, const char *name, bool reviewed,
                        char said[INIT_LINE])
{
    bool same = same_classes(&m->classes, &from->classes);
    int taken = 0, drawn = 0;
    for (int32_t i = 0; i < m->count; i++) {
        const struct parameter *p = &m->parameters[i], *q = model_find(from, p->name);
        bool logits = strstr(p->name, ".logits.") != NULL;
        bool fits = q && q->rows == p->rows && q->cols == p->cols;
        if (q && q->rows == p->rows && !strcmp(p->name, "stem.weight") &&
            strcmp(m->config.data.inputs, from->config.data.inputs)) {
            TRY(take_stem(m, from, p, q));
            taken++;
            continue;
        }
        if (!fits && (!strncmp(p->name, "enc", 3) || !strncmp(p->name, "stem", 4)))
            return error_topic(
                error_in(GLT_EMODEL, name,
                         "%s does not fit this network: leave its options as the model has "
                         "them",
                         p->name),
                GLT_TOPIC_SHAPE, p->name);
        if (!fits || (logits && !same)) {
            if (reviewed && logits && q && (p->vector || p->cols == q->cols))
                take_classes(m, from, p, q);
            drawn++;
            continue;
        }
        memcpy(m->block + p->offset, from->block + q->offset,
               (size_t)(p->rows * p->cols) * sizeof(real));
        taken++;
    }
    snprintf(said, INIT_LINE, "begins with %d tensors of %.400s; %d drawn anew%s", taken, name,
             drawn, same ? "" : ": other classes");
    return 0;
}

/* --- a new run --- */

/* Makes the folder of a new run: with the next number, or the given one, from which the leftovers
 * of a start without a checkpoint are removed. */
static int make_folder(struct training *t)
{
    const struct glt_train_options *o = &t->options;
    if (!o->folder)
        return run_create(&t->run, o->runs ? o->runs : "runs", o->name ? o->name : "train");
    TRY(file_make_folder(o->folder));
    TRY(run_open(&t->run, o->folder));
    return run_rewind(&t->run, 0, false);
}

/* Finds errors that would end the run later, before it has a folder. */
static int check_data(const struct training *t, const char *data)
{
    bool single;
    if (strlen(data) >= sizeof t->at.data)
        return error_topic(error_set(GLT_EARGUMENT, "the path of the data is too long"),
                           GLT_TOPIC_SIZE_LIMIT, "data");
    if (!json_holds(data))
        return error_topic(
            error_set(GLT_EARGUMENT,
                      "%s is not UTF-8, which the records of a run are: rename it, or name it "
                      "by a link",
                      data),
            GLT_TOPIC_VALUE, "data");
    if (dataset_count(t->data, SPLIT_TRAIN) > 0)
        return 0;
    TRY(dataset_is_cloud(&single, data));
    if (single)
        return error_topic(
            error_in(GLT_EDATA, data,
                     "one cloud cannot be trained on: give a folder, or a YAML file"),
            GLT_TOPIC_SPLIT, "train");
    return error_topic(
        error_in(GLT_EDATA, data, "the train split is empty: %s", dataset_advice(t->data)),
        GLT_TOPIC_SPLIT, "train");
}

/* Takes over options of the model's training run that the user has not set. */
static int take_habits(struct config *c, const struct config *from)
{
    static const char *const keys[] = {"dropout", "label_smoothing", "clip", "bn_momentum", "area"};
    char text[256];
    for (int i = 0; i < options_count; i++) {
        bool taken = options[i].group == GROUP_AUGMENT;
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++)
            taken = taken || !strcmp(options[i].key, keys[k]);
        if (!taken || c->given[i])
            continue;
        TRY(config_get(from, options[i].key, text, sizeof text));
        TRY(config_propose(c, options[i].key, text));
    }
    return 0;
}

/* The defaults of a run on reviewed points: a model is corrected in small steps. */
static int propose_lesson(struct config *c, const struct model *from)
{
    static const char *const pairs[][2] = {
        {"epochs", "5"}, {"lr", "0.0003"}, {"schedule", "onecycle"}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        TRY(config_propose(c, pairs[i][0], pairs[i][1]));
    return from ? take_habits(c, &from->config) : 0;
}

static int choose_replay(struct training *t, const struct model *from)
{
    TRY(replay_choose(t->at.replay, sizeof t->at.replay, t->data, from));
    t->at.replay_seed = from ? from->config.seed : t->config.seed;
    if (!json_holds(t->at.replay))
        return error_topic(error_set(GLT_EARGUMENT, "replay: its path is not UTF-8"),
                           GLT_TOPIC_VALUE, "replay");
    TRY(replay_open(&t->replay, t->at.replay, t->data, &t->config, t->at.replay_seed));
    return t->replay.data
               ? replay_fingerprint(t->at.replay_fingerprint, &t->replay, t->data->replay_share)
               : 0;
}

/* Takes the card of the initial model, for start.safetensors. */
static int take_card(struct training *t, const struct model *from)
{
    return !from->card || (t->model->card = memory_string(from->card)) ? 0 : GLT_ENOMEM;
}

/* Saves the model before the first step, for the comparison at the end. */
static int keep_start(struct training *t)
{
    char path[RUN_PATH];
    TRY(run_path(path, &t->run, "start.safetensors"));
    return model_save(t->model, path, false, NULL, 0, NULL);
}

void training_data_name(char *dst, size_t size, const char *data)
{
    size_t end = strlen(data);
    while (end > 1 && data[end - 1] == '/')
        end--;
    size_t begin = end;
    while (begin > 0 && data[begin - 1] != '/')
        begin--;
    snprintf(dst, size, "%.*s", (int)(end - begin), data + begin);
}

/* Whether the initial model learned from a dataset of that name. */
static bool knows_data(const struct model *from, const char *data)
{
    char then[RUN_PATH], now[RUN_PATH];
    card_text(then, sizeof then, from->card, "data");
    training_data_name(now, sizeof now, data);
    return *then && !strcmp(then, now);
}

/* Seed and area decide which clouds are held out: with others, clouds that the initial model has
 * learned from would be scored. Given ones are kept, with a warning. */
static int keep_held_out(struct config *c, const struct model *from, const char *data)
{
    static const char *const keys[] = {"seed", "area"};
    for (int i = 0; i < 2; i++) {
        char then[32], now[32];
        TRY(config_get(&from->config, keys[i], then, sizeof then));
        TRY(config_propose(c, keys[i], then));
        TRY(config_get(c, keys[i], now, sizeof now));
        if (strcmp(then, now) && knows_data(from, data))
            log_warning(GLT_TOPIC_SPLIT, keys[i],
                        "%s = %s, but the initial model was trained on this dataset with %s = %s: "
                        "clouds that it has learned from may be held out and scored",
                        keys[i], now, keys[i], then);
    }
    return 0;
}

/* Makes a new run except its folder. from: the initial model, NULL for none. */
static int make_run(struct training *t, const char *data, struct model **from, char said[INIT_LINE])
{
    const char *init = t->options.init;
    char file[RUN_PATH];
    if (init) {
        TRY(models_find(file, sizeof file, init));
        TRY(model_load(from, file));
        TRY(take_network(&t->config, &(*from)->config, init));
        TRY(keep_held_out(&t->config, *from, data));
    }
    TRY(defaults_open(&t->data, &t->config, data));
    TRY(check_data(t, data));
    if (t->data->reviewed)
        TRY(propose_lesson(&t->config, *from));
    TRY(model_create(&t->model, &t->config, t->data->classes.n));
    TRY(name_model(&t->model->classes, t->data));
    TRY(dataset_fingerprint(t->at.fingerprint, t->data));
    if (init)
        TRY(take_weights(t->model, *from, init, t->data->reviewed, said));
    if (t->data->reviewed)
        TRY(choose_replay(t, *from));
    if (t->data->reviewed && init)
        TRY(take_card(t, *from));
    t->at.best = NAN;
    strcpy(t->at.data, data);
    return spread_check(t->ranks, &t->config);
}

static int start_fresh(struct training *t, const char *data, char said[INIT_LINE])
{
    struct model *from = NULL;
    int code = make_run(t, data, &from, said);
    model_free(from);
    return code;
}

/* The folder comes last, so that a refused run leaves none. */
static int make_records(struct training *t, const char *data, const char *said)
{
    TRY(make_folder(t));
    if (*said)
        run_say(&t->run, GLT_LOG_INFO, "%s", said);
    TRY(run_write_config(&t->run, &t->config));
    TRY(run_write_environment(&t->run, data, t->at.fingerprint));
    return t->data->reviewed && t->options.init ? keep_start(t) : 0;
}

/* --- resuming --- */

/* Compares settings given now with those of the run: `mine` is the run's configuration. */
static int compare_settings(struct training *t, struct config *mine, const struct config *given)
{
    for (int i = 0; i < options_count; i++) {
        char now[256], then[256];
        const char *key = options[i].key;
        if (!given->given[i] || !options_decide(&options[i]))
            continue;
        TRY(config_get(given, key, now, sizeof now));
        TRY(config_get(mine, key, then, sizeof then));
        if (!strcmp(now, then))
            continue;
        if (options[i].group == GROUP_NETWORK)
            return error_topic(
                error_set(
                    GLT_EARGUMENT,
                    "%s = %s, but %s has %s = %s: another network needs another run; start one "
                    "from this model",
                    key, now, t->options.resume, key, then),
                GLT_TOPIC_INIT, key);
        if (!t->options.force)
            return error_topic(error_set(GLT_EARGUMENT,
                                         "%s = %s, but %s has %s = %s: leave it out, or force it",
                                         key, now, t->options.resume, key, then),
                               GLT_TOPIC_RESUME, key);
        TRY(config_set(mine, key, now));
        run_say(&t->run, GLT_LOG_WARNING, "%s = %s instead of %s from step %lld on (forced)", key,
                now, then, (long long)t->at.steps);
    }
    return 0;
}

/* Force continues with other data. kept: the fingerprint so far; "" in earlier checkpoints. */
static int compare_fingerprint(struct training *t, char kept[DIGEST_SIZE],
                               const char found[DIGEST_SIZE], const struct dataset *d,
                               const char *name)
{
    bool other = *kept && strcmp(found, kept);
    if (other && !t->options.force)
        return error_topic(
            error_file(error_set(GLT_EDATA,
                                 "%s is not the %s that %s was trained on (fingerprint %.8s, not "
                                 "%.8s): force the run to continue with it",
                                 d->path, name, t->options.resume, found, kept),
                       d->path),
            GLT_TOPIC_RESUME, name);
    if (other)
        run_say(&t->run, GLT_LOG_WARNING, "other %s from step %lld on (forced)", name,
                (long long)t->at.steps);
    memcpy(kept, found, DIGEST_SIZE);
    return 0;
}

static int compare_data(struct training *t)
{
    char found[DIGEST_SIZE];
    TRY(dataset_fingerprint(found, t->data));
    TRY(score_fits(t->data, t->model));
    bool other = strcmp(found, t->at.fingerprint) != 0;
    TRY(compare_fingerprint(t, t->at.fingerprint, found, t->data, "data"));
    if (other) { /* the best score is one on other clouds */
        t->at.best = NAN;
        t->at.best_epoch = 0;
    }
    if (!t->replay.data)
        return 0;
    TRY(replay_fingerprint(found, &t->replay, t->data->replay_share));
    return compare_fingerprint(t, t->at.replay_fingerprint, found, t->replay.data, "replay");
}

/* The recorded path of the data may be relative, and invalid in another folder. */
static int open_again(struct training *t, const char *data, const struct config *c)
{
    int code = dataset_open(&t->data, data ? data : t->at.data, &c->data, c->seed);
    if (code == 0) {
        dataset_hold(t->data, c->sampling.block);
        return replay_open(&t->replay, t->at.replay, t->data, c, t->at.replay_seed);
    }
    if (data || file_exists(t->at.data))
        return code;
    return error_topic(error_suffix(code, ": say where the data is now"), GLT_TOPIC_NOT_FOUND,
                       "data");
}

/* A folder without a checkpoint cannot be resumed and is not changed. */
static int check_begun(const char *folder)
{
    char path[RUN_PATH];
    bool any = true;
    TRY(file_join(path, sizeof path, folder, "checkpoints"));
    if (file_is_folder(folder) && !file_is_folder(path))
        any = false;
    else if (file_is_own_folder(path))
        TRY(checkpoint_any(&any, path));
    return any ? 0
               : error_topic(error_in(GLT_EIO, folder, "there is no checkpoint to resume from"),
                             GLT_TOPIC_NOT_FOUND, "checkpoint");
}

static int start_again(struct training *t, const char *data, char path[CHECKPOINT_PATH])
{
    TRY(check_begun(t->options.resume));
    TRY(run_open(&t->run, t->options.resume));
    TRY(run_path(t->checkpoints, &t->run, "checkpoints"));
    TRY(checkpoint_find(path, &t->model, &t->at, t->checkpoints));
    struct config mine = t->model->config;
    memset(mine.given, 0, sizeof mine.given);
    TRY(compare_settings(t, &mine, &t->config));
    memcpy(mine.data.cache, t->config.data.cache, sizeof mine.data.cache);
    mine.threads = t->config.threads;
    t->config = t->model->config = mine;
    TRY(spread_check(t->ranks, &mine));
    TRY(open_again(t, data, &mine));
    TRY(compare_data(t));
    TRY(checkpoint_sweep(t->checkpoints));
    TRY(checkpoint_set_aside(t->checkpoints, t->at.steps));
    TRY(run_sweep(&t->run));
    TRY(run_rewind(&t->run, t->at.steps, t->at.scored));
    TRY(run_write_config(&t->run, &mine));
    run_say(&t->run, GLT_LOG_INFO, "resumes from %s", path);
    return 0;
}

/* --- engines, items and weights --- */

/* Adds the counts of the old data: a class that only it has must keep its weight. */
static int add_old_counts(struct training *t, int64_t *counts)
{
    struct dataset *old = t->replay.data;
    if (!old)
        return 0;
    int64_t *more = call_alloc(&t->call, (size_t)dataset_class_count(old) + 1, sizeof *more);
    if (!more)
        return GLT_ENOMEM;
    TRY(dataset_histogram(more, old, SPLIT_TRAIN));
    for (int32_t i = 0; i < dataset_class_count(old); i++)
        counts[i] += more[i];
    return 0;
}

/* 1 / sqrt(share), scaled so that existing classes have the mean weight 1. */
static int weigh_classes(struct training *t)
{
    int32_t n = t->model->classes.n, there = 0;
    if (t->config.training.class_weights != WEIGHTS_SQRT)
        return 0;
    int64_t *counts = call_alloc(&t->call, (size_t)n + 1, sizeof *counts), all = 0;
    t->class_weight = call_alloc(&t->call, (size_t)n, sizeof *t->class_weight);
    if (!counts || !t->class_weight)
        return GLT_ENOMEM;
    TRY(dataset_histogram(counts, t->data, SPLIT_TRAIN));
    TRY(add_old_counts(t, counts));
    double sum = 0;
    for (int32_t i = 0; i < n; i++)
        all += counts[i];
    for (int32_t i = 0; i < n; i++) {
        double weight = counts[i] ? 1 / sqrt((double)counts[i] / (double)all) : 0;
        t->class_weight[i] = (real)weight;
        sum += weight;
        there += counts[i] > 0;
    }
    for (int32_t i = 0; i < n; i++)
        t->class_weight[i] *= (real)(there / sum);
    return 0;
}

/* --- what is reported before the first step --- */

/* Bytes of the process besides our own blocks, measured by its first training run: a later one
 * would count the peak of earlier runs. */
static double program_bytes(void)
{
    static _Atomic int64_t kept;
    int64_t bytes = atomic_load(&kept);
    struct rusage use;
    if (bytes == 0 && getrusage(RUSAGE_SELF, &use) == 0) {
        bytes = 1024 * (int64_t)use.ru_maxrss - memory_stats().bytes;
        atomic_store(&kept, bytes);
    }
    return (double)bytes;
}

/* Logs the maximum memory of the process: itself, the clouds and weights already in memory, and
 * later allocations. Validation and saving a model never overlap. */
static int report_memory(struct training *t)
{
    size_t network, batches;
    double block =
        t->range.high[RANGE_DENSITY] * t->config.sampling.block * t->config.sampling.block;
    int32_t group = t->config.training.accumulate;
    TRY(trainer_bytes(&network, t->model, t->config.training.batch, loader_points(t->loader)));
    network += trainer_share_bytes(t->model, group, t->ranks);
    TRY(loader_bytes(&batches, t->loader, block < 0x1p30 ? (int32_t)block : 1 << 30));
    double weights = (double)t->model->size * sizeof(real), saving = weights;
    double validation = (double)t->validation_bytes;
    double here = program_bytes() + (double)memory_stats().bytes;
    double steps = (double)network - weights; /* which exist already */
    double all = here + steps + (double)batches + fmax(validation, saving);
    run_say(&t->run, GLT_LOG_INFO,
            "memory: about %.0f MB (program, clouds and weights %.0f, steps %.0f, batches %.0f, "
            "validation or saving %.0f)",
            1e-6 * all, 1e-6 * here, 1e-6 * steps, 1e-6 * (double)batches,
            1e-6 * fmax(validation, saving));
    double there = memory_machine();
    if (all > there)
        run_say(&t->run, GLT_LOG_WARNING,
                "this machine has %.0f MB: take a smaller batch, fewer points or a smaller preset",
                1e-6 * there);
    return 0;
}

/* Warns if tiles of the densest cloud are nearly empty: they teach nothing, and usually the unit is
 * wrong. */
static void report_tiles(struct training *t)
{
    const struct config *c = &t->config;
    double held = t->range.high[RANGE_DENSITY] * c->sampling.block * c->sampling.block;
    if (t->data->task == TASK_SEGMENT && held < c->sampling.points / 8.0)
        run_say(&t->run, GLT_LOG_WARNING,
                "tiles of edge %g hold about %.2g points, but a sample has %d: are the "
                "coordinates in metres? A check of the dataset proposes a block",
                c->sampling.block, held, c->sampling.points);
}

enum split training_observed(const struct training *t)
{
    return t->validated ? SPLIT_VAL : SPLIT_TRAIN;
}

static int64_t count_labelled(const struct dataset *d, enum split s)
{
    int64_t n = 0;
    for (int32_t i = 0; i < dataset_count(d, s); i++)
        n += d->split[s].list[i].labelled;
    return n;
}

/* Opens the items to learn from. */
static int find_items(struct training *t)
{
    struct dataset *d = t->data;
    TRY(dataset_items(&t->items, d, SPLIT_TRAIN));
    if (!d->reviewed)
        return 0;
    if (count_labelled(d, SPLIT_TRAIN) == 0)
        return error_topic(error_in(GLT_EDATA, d->path,
                                    "no point of the train split is reviewed, or all are held "
                                    "out: there is nothing to learn from"),
                           GLT_TOPIC_LABELS, "reviewed");
    struct item_source reviewed = t->items;
    TRY(replay_mix(&t->items, &t->replay, &reviewed, d->replay_share, t->config.sampling.points));
    run_say(&t->run, GLT_LOG_INFO, "%lld reviewed points to learn from; old data: %s",
            (long long)count_labelled(d, SPLIT_TRAIN), t->at.replay[0] ? t->at.replay : "none");
    return 0;
}

/* Whether there is something to validate on: for reviewed clouds, held-out labels. */
static int find_validated(struct training *t)
{
    struct dataset *d = t->data;
    t->validated = dataset_count(d, SPLIT_VAL) > 0;
    if (!t->validated || !d->reviewed)
        return 0;
    TRY(dataset_measure(d, SPLIT_VAL));
    t->validated = count_labelled(d, SPLIT_VAL) > 0;
    return 0;
}

static int make_engines(struct training *t)
{
    int threads = parallel_threads();
    const struct config *c = &t->config;
    struct loader_options o = {.samples = {.task = c->task,
                                           .inputs = t->data->inputs,
                                           .sampling = c->sampling,
                                           .augment = c->augment,
                                           .seed = (uint64_t)c->seed},
                               .batch = c->training.batch,
                               .group = c->training.accumulate,
                               .pyramid = sampler_pyramid(&c->network, c->task, c->seed),
                               .threads = threads > 1 ? (threads + 1) / 2 : 0};
    exchange_share(&o.first, &o.end, t->ranks, o.group);
    if (t->data->reviewed)
        range_from_card(&t->range, t->model->card);       /* the old range still counts */
    TRY(range_of_split(&t->range, t->data, SPLIT_TRAIN)); /* also measures the sizes */
    if (t->range.labelled == 0 && !t->data->reviewed)
        return error_topic(error_in(GLT_EDATA, t->data->path,
                                    "no point of the train split has a label that is a class: "
                                    "correct names, map or ignore"),
                           GLT_TOPIC_LABELS, "train");
    report_tiles(t);
    TRY(find_items(t));
    o.items = t->items;
    TRY(loader_open(&t->loader, &o));
    int32_t group = c->training.accumulate;
    t->minis = loader_batches(t->loader);
    t->batches = (t->minis + group - 1) / group;
    /* from where it is: with --force, earlier epochs may have had another number of batches */
    t->last = t->at.steps - t->at.batch + t->batches * (t->config.training.epochs - t->at.epoch);
    if (t->at.end && t->at.end < t->last)
        t->last = t->at.end;
    TRY(find_validated(t));
    if (t->validated)
        TRY(score_bytes(
            &t->validation_bytes, t->model, t->data, SPLIT_VAL,
            &(struct score_options){.sampling = c->sampling, .seed = c->seed, .keep_first = true}));
    int64_t observation;
    TRY(observe_bytes(&observation, t->model, t->data, training_observed(t), &c->sampling));
    if (observation > t->validation_bytes) /* they run one after the other */
        t->validation_bytes = observation;
    TRY(report_memory(t));
    TRY(weigh_classes(t));
    t->seen = call_alloc(&t->call, (size_t)t->model->classes.n, sizeof *t->seen);
    if (!t->seen)
        return GLT_ENOMEM;
    TRY(trainer_create(&t->trainer, t->model, o.batch, loader_points(t->loader)));
    t->trainer->class_weight = t->class_weight;
    return trainer_share(t->trainer, group, t->ranks);
}

/* The requested end is kept until another one is given; a run that has reached it continues to the
 * end of its epochs. */
static void settle_end(struct training *t)
{
    if (t->options.steps)
        t->at.end = t->options.steps;
    else if (t->at.steps >= t->at.end && t->at.scored)
        t->at.end = 0;
    if (t->options.validate)
        t->at.validate = t->options.validate;
}

/* A given folder with a checkpoint is resumed. A run with an initial model has the preset of that
 * model, so one given now is ignored. */
static int look_into_folder(struct training *t)
{
    char path[RUN_PATH];
    bool begun;
    if (!t->options.folder)
        return 0;
    TRY(file_join(path, sizeof path, t->options.folder, "checkpoints"));
    TRY(checkpoint_any(&begun, path));
    if (begun) {
        t->options.resume = t->options.folder;
        if (t->options.init)
            t->config.given[options_find("preset") - options] = false;
        t->options.init = NULL;
    }
    return 0;
}

/* Configuration, dataset, model and state of the run, for the rank that writes. */
static int start_writer(struct training *t, const char *data, char path[CHECKPOINT_PATH],
                        char said[INIT_LINE])
{
    TRY(look_into_folder(t));
    bool resume = t->options.resume != NULL;
    if (!data && !resume)
        return error_topic(error_set(GLT_EARGUMENT, "nothing to train on: give a dataset"),
                           GLT_TOPIC_ARGUMENT, "data");
    if (resume && t->options.init)
        return error_topic(
            error_set(GLT_EARGUMENT, "a resumed run has its own weights: leave out init"),
            GLT_TOPIC_OPTION, "init");
    TRY(resume ? start_again(t, data, path) : start_fresh(t, data, said));
    if (t->data->reviewed && ranks_count(t->ranks) > 1)
        return error_topic(error_in(GLT_EUNSUPPORTED, t->data->path,
                                    "truth: reviewed is learned by one process: start one, with "
                                    "all threads"),
                           GLT_TOPIC_ARGUMENT, "ranks");
    settle_end(t);
    return 0;
}

/* The same for another rank, from the state of rank 0: its own copy of the data must be the
 * same. */
static int start_other(struct training *t, const char *data)
{
    char found[DIGEST_SIZE];
    TRY(dataset_open(&t->data, data ? data : t->at.data, &t->config.data, t->config.seed));
    TRY(dataset_fingerprint(found, t->data));
    if (strcmp(found, t->at.fingerprint))
        return error_topic(
            error_file(error_set(GLT_EDATA,
                                 "%s is not the data of rank 0 (fingerprint %.8s, not %.8s): give "
                                 "all ranks the same data",
                                 t->data->path, found, t->at.fingerprint),
                       t->data->path),
            GLT_TOPIC_RANKS, "data");
    TRY(model_create(&t->model, &t->config, t->data->classes.n));
    return name_model(&t->model->classes, t->data);
}

/* Sends the state of rank 0 to all. */
static int share_state(struct training *t, const struct config *own, const char *data)
{
    TRY(ranks_broadcast(t->ranks, &t->config, sizeof t->config));
    TRY(ranks_broadcast(t->ranks, &t->at, sizeof t->at));
    int code = 0;
    if (ranks_number(t->ranks)) {
        t->config.threads = own->threads;
        memcpy(t->config.data.cache, own->data.cache, sizeof t->config.data.cache);
        code = start_other(t, data);
    }
    return ranks_agree(t->ranks, code, NULL);
}

/* Sends weights and moments of rank 0 to all. */
static int share_weights(struct training *t)
{
    struct trainer *x = t->trainer;
    size_t bytes = (size_t)t->model->size * sizeof(real);
    TRY(ranks_broadcast(t->ranks, t->model->block, bytes));
    TRY(ranks_broadcast(t->ranks, x->m, bytes));
    TRY(ranks_broadcast(t->ranks, x->v, bytes));
    return ranks_broadcast(t->ranks, &x->steps, sizeof x->steps);
}

/* Starts engines and weights of a run whose folder exists. */
static int start_engines(struct training *t, const char *path)
{
    TRY(run_path(t->checkpoints, &t->run, "checkpoints"));
    run_say(&t->run, GLT_LOG_INFO, "%s: %s, %d classes, %d to train, %d to validate, %lld weights",
            t->run.folder, t->data->path, t->data->classes.n, dataset_count(t->data, SPLIT_TRAIN),
            dataset_count(t->data, SPLIT_VAL), (long long)model_trainable(t->model));
    TRY(make_engines(t));
    if (*path)
        TRY(checkpoint_moments(t->trainer, &t->at, path));
    if (t->at.batch > t->batches)
        return error_topic(error_set(GLT_EDATA,
                                     "the checkpoint is at step %lld of an epoch with %lld",
                                     (long long)t->at.batch, (long long)t->batches),
                           GLT_TOPIC_RESUME, "batch");
    return 0;
}

int training_start(struct training *t, const struct config *c, const char *data)
{
    char path[CHECKPOINT_PATH] = "", said[INIT_LINE] = "";
    int code = 0;
    (void)program_bytes(); /* must be measured first */
    t->config = *c;
    t->at.metric = NAN;
    t->run.silent = ranks_number(t->ranks) > 0;
    TRY(spread_compare(t->ranks, c, &t->options));
    if (!t->run.silent)
        code = start_writer(t, data, path, said);
    TRY(ranks_agree(t->ranks, code, NULL));
    TRY(share_state(t, c, data));
    if (!t->run.silent && !t->options.resume)
        code = make_records(t, data, said);
    TRY(ranks_agree(t->ranks, code, NULL));
    TRY(ranks_broadcast(t->ranks, t->run.folder, sizeof t->run.folder));
    TRY(ranks_agree(t->ranks, start_engines(t, path), NULL));
    return share_weights(t);
}

void training_free(struct training *t)
{
    memory_free(t->attention_said);
    trainer_free(t->trainer);
    loader_close(t->loader);
    model_free(t->model);
    replay_close(&t->replay);
    dataset_close(t->data);
    run_close(&t->run);
    call_free(&t->call);
}
