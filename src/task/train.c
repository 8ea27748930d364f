/* The loop of a training run: steps, records, checkpoints, validation, the best model.
 *
 * Every bit of the weights depends only on the configuration, the data and the position (epoch,
 * batch), not on when checkpoints were written or how often the process died. */
#include "cloud/classes.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/clock.h"
#include "core/context.h"
#include "core/error.h"
#include "core/file_syscall.h"
#include "core/json.h"
#include "core/memory.h"
#include "core/print.h"
#include "core/ranks.h"
#include "core/string.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/digest.h"
#include "draw/svg.h"
#include "geometry/pyramid.h"
#include "model/attention.h"
#include "model/exchange.h"
#include "model/model.h"
#include "model/model_file.h"
#include "model/safetensors.h"
#include "model/trainer.h"
#include "sampling/batch.h"
#include "sampling/confusion.h"
#include "sampling/item.h"
#include "sampling/scores.h"
#include "task/checkpoint.h"
#include "task/comparison.h"
#include "task/confusion_file.h"
#include "task/observe.h"
#include "task/run.h"
#include "task/run_cloud.h"
#include "task/run_curves.h"
#include "task/schedule.h"
#include "task/score.h"
#include "task/spread.h"
#include "task/training.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- models and checkpoints --- */

static int save_checkpoint(struct training *t)
{
    struct checkpoint at = t->at;
    double now = clock_seconds();
    at.seconds += now - t->began;
    int code = run_sync(&t->run);
    if (code == 0 && !t->run.silent)
        code = checkpoint_save(t->trainer, &at, t->checkpoints);
    t->saved = now; /* a kill loses all work after it, including the writing of the next */
    t->save_seconds = clock_seconds() - now;
    return code;
}

/* If the user has not set a number of steps: saves before a kill could lose too much work, the next
 * occasion being `ahead` seconds away. */
static int save_if_due(struct training *t, double ahead)
{
    bool due =
        !t->options.save && checkpoint_is_due(clock_seconds() - t->saved, ahead, t->save_seconds);
    return due ? save_checkpoint(t) : 0;
}

static const char *chosen_by(const struct training *t, const char *name)
{
    if (!strcmp(name, "last.safetensors"))
        return "none: the last step";
    return t->validated && !isnan(t->at.metric) ? "val" : "none: the last epoch";
}

/* Writes a model, with a card that describes its training data. */
static int save_model(struct training *t, const char *name, double metric)
{
    char path[RUN_PATH], data[sizeof t->at.data], *text = NULL;
    size_t len;
    if (t->run.silent)
        return 0;
    training_data_name(data, sizeof data, t->at.data);
    TRY(run_path(path, &t->run, name));
    struct json *range = NULL;
    TRY(range_to_json(&range, &t->range));
    struct json *card = json_pack(
        "{s:s, s:s, s:s, s:s, s:I, s:I, s:s, s:s, s:o}", "gelatto", glt_version(), "commit",
        glt_commit(), "data", data, "fingerprint", t->at.fingerprint, "epoch",
        (int64_t)(t->at.epoch + (t->at.batch > 0)), "step", (int64_t)t->at.steps, "metric_name",
        score_metric_name(t->config.task), "chosen_by", chosen_by(t, name), "range", range);
    if (card)
        json_set(card, "metric", isnan(metric) ? json_null() : json_real(metric));
    if (card && t->at.replay[0])
        json_set(card, "replay", json_string(t->at.replay));
    if (card && t->attention_step == t->at.steps)
        json_set(card, "attention", attention_to_json(t->attention));
    int code = card ? json_print(&text, &len, card)
                    : error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    json_free(card);
    TRY(code);
    memory_free(t->model->card);
    t->model->card = text;
    return model_save(t->model, path, false, NULL, 0, NULL);
}

/* --- one step --- */

/* Saves a batch whose loss was not finite: the network's input and its source. */
static int dump_batch(const struct training *t, const struct batch *b, const char *names)
{
    char path[RUN_PATH], file[64], number[32];
    snprintf(file, sizeof file, "dump-step-%08lld.safetensors", (long long)t->at.steps + 1);
    TRY(run_path(path, &t->run, file));
    snprintf(number, sizeof number, "%lld", (long long)t->at.steps + 1);
    struct st_source list[2] = {{.type = ST_F32, .dims = 2, .items = b->features},
                                {.type = ST_I32, .dims = 1, .items = b->labels[0]}};
    strcpy(list[0].name, "features");
    strcpy(list[1].name, "labels");
    list[0].shape[0] = list[1].shape[0] = b->pyramid.n[0];
    list[0].shape[1] = b->channels;
    struct json *meta = json_pack("{s:s, s:s}", "samples", names, "step", number);
    int code = meta ? safetensors_write(path, list, b->labels[0] ? 2 : 1, meta)
                    : error_topic(error_set(GLT_ENOMEM, "out of memory"), GLT_TOPIC_MEMORY, NULL);
    json_free(meta);
    return code;
}

static int stop_not_finite(struct training *t, const struct batch *b)
{
    char *names;
    struct error reason;
    struct string list = {0};
    error_save(&reason);
    for (int32_t i = 0; i < b->clouds; i++)
        string_add(&list, "%s%s", i ? ", " : "", t->items.name(t->items.user, b->item[i]));
    TRY(string_take(&names, &list));
    if (!call_keep(&t->call, names))
        return GLT_ENOMEM;
    int code = t->run.silent ? GLT_EIO : dump_batch(t, b, names);
    run_say(&t->run, GLT_LOG_WARNING, "step %lld, samples %.900s: %s", (long long)t->at.steps + 1,
            names, reason.message);
    error_restore(&reason);
    error_prefix(GLT_ENUMERIC, "step %lld of %s, samples %.400s: ", (long long)t->at.steps + 1,
                 t->run.folder, names);
    return error_suffix(GLT_ENUMERIC, "; the batch is %s",
                        code < 0 ? "lost, it could not be written" : "in the run's dump file");
}

static double step_samples(const struct training *t)
{
    return (double)t->config.training.batch * t->config.training.accumulate;
}

/* The mini-batches of a step, one after the other; the last step of an epoch may have fewer. */
static int compute_leaves(struct training *t)
{
    int64_t first = t->at.batch * t->config.training.accumulate;
    for (int32_t i = t->trainer->first; i < t->trainer->end && first + i < t->minis; i++) {
        const struct batch *b;
        TRY(loader_next(t->loader, &b));
        int code = trainer_add(t->trainer, b, i);
        if (code < 0)
            return code == GLT_ENUMERIC ? stop_not_finite(t, b) : code;
    }
    return 0;
}

static int take_step(struct training *t, double rate)
{
    int32_t group = t->config.training.accumulate;
    int64_t left = t->minis - t->at.batch * group;
    unsigned stop = t->asked;
    TRY(ranks_agree(t->ranks, compute_leaves(t), &stop));
    t->stop = stop;
    int code = trainer_finish(t->trainer, left < group ? (int32_t)left : group, rate);
    return code == GLT_ENUMERIC
               ? error_prefix(code, "step %lld of %s: ", (long long)t->at.steps + 1, t->run.folder)
               : code;
}

static int record_step(struct training *t, double rate)
{
    double spent = clock_seconds() - t->began;
    int outputs = t->config.task == TASK_CLASSIFY ? 1 : PLAN_LOSSES;
    struct run_step s = {.epoch = t->at.epoch + 1,
                         .step = t->at.steps,
                         .loss = t->trainer->loss,
                         .rate = rate,
                         .seconds = t->at.seconds + spent};
    struct glt_train_status status = {.folder = t->run.folder,
                                      .metric_name = score_metric_name(t->config.task),
                                      .epoch = s.epoch,
                                      .epochs = t->config.training.epochs,
                                      .step = s.step,
                                      .steps = t->last,
                                      .outputs = outputs,
                                      .loss = s.loss,
                                      .rate = rate,
                                      .metric = t->at.metric,
                                      .best = t->at.best};
    t->samples += t->trainer->clouds;
    t->at.losses[0] += s.loss;
    for (int i = 0; i < PLAN_LOSSES; i++) {
        s.losses[i] = status.losses[i] = i < outputs ? t->trainer->losses[i] : NAN;
        t->at.losses[1 + i] += i < outputs ? s.losses[i] : 0;
    }
    status.samples_per_second = (double)t->samples / spent;
    status.seconds_left = (double)(t->last - s.step) * step_samples(t) / status.samples_per_second;
    if ((t->fn && t->fn(t->user, &status)) || context_cancelled())
        t->asked = true;
    t->stop = t->stop || (t->asked && !t->ranks); /* other ranks learn of it in the next step */
    return run_add_step(&t->run, &s);
}

/* --- an epoch --- */

/* Warns of a class that is in the ground truth, was predicted before and no longer is. */
static void warn_of_collapse(struct training *t, const struct confusion *c)
{
    for (int32_t k = 0; k < c->classes; k++) {
        int64_t truth = 0, predicted = 0;
        for (int32_t j = 0; j < c->classes; j++) {
            truth += c->count[(int64_t)k * c->classes + j];
            predicted += c->count[(int64_t)j * c->classes + k];
        }
        if (t->seen[k] && !predicted && truth)
            run_say(&t->run, GLT_LOG_WARNING,
                    "epoch %lld: class '%s' is not predicted any more (%lld are there)",
                    (long long)t->at.epoch + 1, t->model->classes.names[k], (long long)truth);
        t->seen[k] = predicted > 0;
    }
}

/* Measures the current attention. */
static int observe(struct training *t)
{
    if (t->attention_step == t->at.steps || t->run.silent)
        return 0;
    TRY(observe_attention(t->attention, t->model, t->data, training_observed(t),
                          &t->config.sampling));
    t->attention_step = t->at.steps;
    return 0;
}

/* Warns once of unusual attention, until the warning changes. */
static int warn_of_attention(struct training *t)
{
    struct string text = {0};
    char *now;
    if (t->run.silent)
        return 0;
    attention_describe(&text, t->attention, t->at.steps >= t->last);
    TRY(string_take(&now, &text));
    if (*now && (!t->attention_said || strcmp(now, t->attention_said)))
        run_say(&t->run, GLT_LOG_WARNING, "epoch %lld: attention is %s", (long long)t->at.epoch + 1,
                now);
    memory_free(t->attention_said);
    t->attention_said = now;
    return 0;
}

static int write_matrix(const struct training *t, const struct confusion *c)
{
    char path[RUN_PATH];
    if (t->run.silent)
        return 0;
    TRY(run_path(path, &t->run, "confusion.csv"));
    TRY(confusion_file_write(path, c, t->data->classes.names));
    TRY(run_path(path, &t->run, "confusion.svg"));
    return svg_matrix_file(path, c, t->data->classes.names);
}

/* Saves the current labels of a cloud, to compare them with those of other epochs. */
static int record_cloud(struct training *t, const int32_t *labels)
{
    const struct item *x;
    if (!labels || t->run.silent)
        return 0;
    TRY(dataset_take(&x, t->data, SPLIT_VAL, 0));
    int code = run_cloud_add(&t->run, x, labels, &t->data->classes, t->at.epoch + 1);
    dataset_give(t->data, SPLIT_VAL, 0);
    return code;
}

/* The score after an epoch, its records, and the best model. */
static int validate(struct training *t)
{
    struct score x = {.metric = NAN};
    struct score_options o = {
        .sampling = t->config.sampling, .seed = t->config.seed, .keep_first = true};
    struct run_epoch e = {.epoch = t->at.epoch + 1, .step = t->at.steps};
    int64_t every = t->at.validate ? t->at.validate : 1;
    bool due = (t->at.epoch + 1) % every == 0 || t->at.steps >= t->last;
    double steps = t->at.batch ? (double)t->at.batch : 1;
    e.loss = t->at.losses[0] / steps;
    e.metric = e.miou = e.macc = e.oa = NAN;
    if (due) {
        /* an epoch that ends early has threads that still read ahead */
        TRY(loader_start(t->loader, (uint32_t)t->at.epoch, t->minis));
        TRY(observe(t));
        TRY(warn_of_attention(t));
        e.attention = t->attention;
    }
    if (t->validated && due) {
        TRY(score_model(&x, t->model, t->data, SPLIT_VAL, &o));
        t->at.metric = e.metric = x.metric;
        e.miou = x.scores.miou;
        e.macc = x.scores.macc;
        e.oa = x.scores.oa;
        warn_of_collapse(t, &x.confusion);
        int code = write_matrix(t, &x.confusion);
        if (code == 0)
            code = record_cloud(t, x.first);
        score_free(&x);
        TRY(code);
    }
    e.rate = schedule_rate(&t->config, t->at.epoch, t->at.batch - 1, t->batches);
    e.seconds = t->at.seconds + clock_seconds() - t->began;
    char score[64] = "not validated";
    if (!isnan(e.metric))
        print_to(score, sizeof score, "%s %.2f %%", score_metric_name(t->config.task),
                 100 * e.metric);
    run_say(&t->run, GLT_LOG_INFO, "epoch %lld, step %lld: loss %.4f, %s", (long long)e.epoch,
            (long long)e.step, e.loss, score);
    bool better = !isnan(e.metric) && (isnan(t->at.best) || e.metric > t->at.best);
    if (better) {
        TRY(save_model(t, "best.safetensors", e.metric));
        t->at.best = e.metric;
        t->at.best_epoch = e.epoch;
    }
    TRY(run_add_epoch(&t->run, &e));
    return run_write_curves(&t->run, score_metric_name(t->config.task));
}

static int run_steps(struct training *t)
{
    int64_t first = t->at.batch * t->config.training.accumulate;
    TRY(loader_start(t->loader, (uint32_t)t->at.epoch, first < t->minis ? first : t->minis));
    while (!t->stop && t->at.steps < t->last && t->at.batch < t->batches) {
        double begin = clock_seconds();
        double rate = schedule_rate(&t->config, t->at.epoch, t->at.batch, t->batches);
        TRY(take_step(t, rate));
        t->at.steps++;
        t->at.batch++;
        t->at.scored = false;
        TRY(record_step(t, rate));
        t->step_seconds = clock_seconds() - begin;
        if (t->options.save && t->at.steps % t->options.save == 0)
            TRY(save_checkpoint(t));
        TRY(save_if_due(t, t->step_seconds));
    }
    return 0;
}

/* Ranks compute the same weights from the same sums, unless a machine is defective. Checked after
 * every epoch, so that no bad model is used. */
static int compare_weights(struct training *t)
{
    struct digest *digest;
    struct string facts = {0};
    char hex[DIGEST_SIZE] = "";
    if (!t->ranks)
        return 0;
    int code = digest_begin(&digest);
    if (code == 0) {
        digest_add(digest, t->model->block, (size_t)t->model->size * sizeof(real));
        digest_end(hex, digest);
        spread_add(&facts, "weights", hex);
    }
    TRY(ranks_agree(t->ranks, code, NULL));
    return spread_same(t->ranks, &facts);
}

static int finish_epoch(struct training *t)
{
    TRY(compare_weights(t));
    TRY(save_if_due(t, t->validation_seconds));
    double begin = clock_seconds();
    TRY(validate(t));
    t->validation_seconds = clock_seconds() - begin;
    t->at.scored = true;
    if (t->at.batch == t->batches) {
        t->at.epoch++;
        t->at.batch = 0;
        memset(t->at.losses, 0, sizeof t->at.losses);
    }
    return save_if_due(t, t->step_seconds);
}

static int stop_here(struct training *t)
{
    TRY(save_checkpoint(t));
    TRY(save_model(t, "last.safetensors", NAN));
    run_say(&t->run, GLT_LOG_INFO, "stopped after step %lld", (long long)t->at.steps);
    return error_topic(error_in(GLT_EINTERRUPTED, t->run.folder,
                                "stopped after step %lld, with a checkpoint",
                                (long long)t->at.steps),
                       GLT_TOPIC_STOPPED, "train");
}

/* Logs the cost of the ranks since this process began. */
static void report_ranks(const struct training *t, int64_t first)
{
    const struct exchange *x = &t->trainer->others;
    double steps = (double)(t->at.steps - first), spent = clock_seconds() - t->began;
    if (t->ranks && steps > 0)
        run_say(
            &t->run, GLT_LOG_INFO,
            "%d ranks: rank 0 sent %.2f MB in %.0f messages a step; the exchange of gradients "
            "took %.2f s of %.2f s (%.1f %%), all exchanges with waiting for other ranks %.2f s",
            ranks_count(t->ranks), 1e-6 * (double)x->bytes / steps, (double)x->messages / steps,
            x->seconds, spent, 100 * x->seconds / spent, t->ranks->seconds);
}

static int run_all(struct training *t)
{
    int64_t first = t->at.steps;
    t->began = t->saved = clock_seconds();
    t->validation_seconds = t->validated ? INFINITY : 0; /* unknown so far */
    while (t->at.steps < t->last || !t->at.scored) {
        int code = run_steps(t);
        if (code == 0)
            code = t->stop ? GLT_EINTERRUPTED : finish_epoch(t);
        if (code == GLT_EINTERRUPTED)
            return stop_here(t);
        TRY(code);
    }
    TRY(save_checkpoint(t));
    TRY(observe(t)); /* in case the first checkpoint had the last score already */
    TRY(save_model(t, "last.safetensors", t->at.metric));
    if (isnan(t->at.best))
        TRY(save_model(t, "best.safetensors", NAN));
    TRY(comparison_write(t));
    char best[128] = "the last model is the best: there was no validation";
    if (isnan(t->at.best) && t->validated)
        print_to(best, sizeof best, "the last model is the best: no validation had a score");
    else if (!isnan(t->at.best))
        print_to(best, sizeof best, "best %s %.2f %% in epoch %lld",
                 score_metric_name(t->config.task), 100 * t->at.best, (long long)t->at.best_epoch);
    report_ranks(t, first);
    run_say(&t->run, GLT_LOG_INFO, "done after %lld step%s: %s; %s", (long long)t->at.steps,
            string_plural(t->at.steps), best, t->run.folder);
    return 0;
}

/* After a full disk or missing permissions, a run with a checkpoint can be resumed once that is
 * fixed. */
static int advise(const struct training *t, int code)
{
    struct error reason;
    bool any = false;
    if (code != GLT_EIO || (t->ranks && (t->ranks->failed || t->ranks->lost)))
        return code;
    error_save(&reason);
    any = checkpoint_any(&any, t->checkpoints) == 0 && any;
    error_restore(&reason);
    if (reason.topic != GLT_TOPIC_CHECKPOINT)
        error_prefix(code, "stopped in step %lld: ", (long long)t->at.steps);
    if (reason.topic == GLT_TOPIC_NOT_FOUND) /* a cloud that is gone */
        return code;
    return error_topic(code, GLT_TOPIC_CHECKPOINT, any ? t->run.folder : NULL);
}

/* The bounds of a checkpoint, which stores them. */
static int check_options(const struct glt_train_options *o)
{
    const int64_t max = (int64_t)1 << 53, given[] = {o->steps, o->save, o->validate};
    static const char *const names[] = {"steps", "save", "validate"};
    for (int i = 0; i < 3; i++)
        if (given[i] < 0 || given[i] > max)
            return error_topic(error_set(GLT_EARGUMENT, "%s = %lld: give 0 to %lld", names[i],
                                         (long long)given[i], (long long)max),
                               GLT_TOPIC_ARGUMENT, names[i]);
    return 0;
}

int glt_train(const struct glt_config *config, const char *data,
              const struct glt_train_options *run, glt_train_fn *fn, void *user)
{
    REQUIRE(config);
    if (run)
        TRY(error_size("glt_train_options", run->size, sizeof *run));
    if (run)
        TRY(check_options(run));
    struct training *t = memory_alloc(1, sizeof *t);
    if (!t)
        return GLT_ENOMEM;
    if (run)
        t->options = *run;
    t->fn = fn;
    t->user = user;
    struct context own, *before;
    context_copy(&own, context_current());
    if (((const struct config *)config)->threads)
        atomic_store(&own.threads, ((const struct config *)config)->threads);
    before = context_enter(&own);
    t->ranks = ranks_current();
    ranks_begin(t->ranks);
    int code = training_start(t, (const struct config *)config, data);
    if (code == 0)
        code = advise(t, run_all(t));
    code = ranks_settle(t->ranks, code);
    training_free(t);
    context_enter(before);
    memory_free(t);
    return code;
}
