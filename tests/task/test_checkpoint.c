/* Checkpoints: every truncation and every flipped bit is found, a failed write leaves the older
 * ones whole, three are kept, the newest that verifies wins.
 * labels: quick full nightly slow */
#include "data_folder.h"
#include "errors.h"
#include "faults.h"

#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_syscall.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "model/model_create.h"
#include "model/model_file.h"
#include "model/safetensors.h"
#include "task/checkpoint.h"
#include "tier.h"

#include <math.h>
#include <unistd.h>

static struct trainer *trainer;
static struct model *model;

static int setup(void **state)
{
    (void)state;
    struct config c;
    data_config(&c, "stem=1 width=2,2,2,2 decoder=1,1,1,1,1,1,1,1 head_hidden=1 inputs=xyz");
    data_check(model_create(&model, &c, 2));
    data_check(trainer_create(&trainer, model, 1, 16));
    for (int64_t i = 0; i < model->size; i++) {
        trainer->m[i] = (float)i * 0.25f;
        trainer->v[i] = (float)i * 0.5f;
    }
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    trainer_free(trainer);
    model_free(model);
    return 0;
}

static struct checkpoint state_of(int64_t steps)
{
    struct checkpoint c = {.epoch = 3, .batch = 7, .steps = steps, .best = 0.1, .best_epoch = 2};
    c.scored = true;
    c.metric = 0.05;
    c.end = 9000;
    c.validate = 4;
    c.replay_seed = 77;
    for (int i = 0; i < 6; i++)
        c.losses[i] = (1.0 + i) / 3;
    c.seconds = 12.5;
    strcpy(c.data, "synth:rooms");
    strcpy(c.replay, "old rooms");
    strcpy(c.fingerprint, "0123456789abcdef0123456789abcdef");
    return c;
}

static const char *folder_of(char path[DATA_PATH], const char *name)
{
    snprintf(path, DATA_PATH, "%s/%s", data_folder(), name);
    data_check(file_make_folder(path));
    return path;
}

static void save(const char *folder, int64_t steps)
{
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    *c = state_of(steps);
    data_check(checkpoint_save(trainer, c, folder));
    memory_free(c);
}

/* The step of the newest that verifies, with all of its state compared. */
static int64_t newest(const char *folder)
{
    char path[CHECKPOINT_PATH];
    struct model *m = NULL;
    struct checkpoint *c = memory_alloc(2, sizeof *c);
    data_check(checkpoint_find(path, &m, c, folder));
    int64_t steps = c->steps;
    c[1] = state_of(steps);
    assert_int_equal(c->epoch, c[1].epoch);
    assert_int_equal(c->batch, c[1].batch);
    assert_int_equal(c->best_epoch, c[1].best_epoch);
    assert_int_equal(c->end, c[1].end);
    assert_int_equal(c->validate, c[1].validate);
    assert_int_equal(c->replay_seed, c[1].replay_seed);
    assert_true(c->scored && c->best == c[1].best && c->metric == c[1].metric);
    assert_true(c->seconds == c[1].seconds);
    assert_memory_equal(c->losses, c[1].losses, sizeof c->losses);
    assert_string_equal(c->data, c[1].data);
    assert_string_equal(c->replay, c[1].replay);
    assert_string_equal(c->fingerprint, c[1].fingerprint);
    assert_memory_equal(m->block, model->block, (size_t)m->size * sizeof(real));
    struct trainer *t;
    data_check(trainer_create(&t, m, 1, 16));
    data_check(checkpoint_moments(t, c, path));
    assert_int_equal(t->steps, steps);
    for (int32_t i = 0; i < m->count; i++) {
        const struct parameter *p = &m->parameters[i];
        size_t bytes = (size_t)(p->rows * p->cols) * sizeof(real);
        if (p->statistic)
            continue;
        assert_memory_equal(t->m + p->offset, trainer->m + p->offset, bytes);
        assert_memory_equal(t->v + p->offset, trainer->v + p->offset, bytes);
    }
    trainer_free(t);
    model_free(m);
    memory_free(c);
    return steps;
}

/* Links in the folder, and a folder that is a link, lead to what belongs to somebody else. */
static void pruning_does_not_follow_links(void **state)
{
    (void)state;
    char folder[DATA_PATH], other[DATA_PATH], path[2 * DATA_PATH], linked[DATA_PATH];
    bool any;
    folder_of(folder, "own");
    folder_of(other, "others");
    save(other, 1);
    snprintf(linked, sizeof linked, "%s/linked", data_folder());
    assert_int_equal(symlink(other, linked), 0);
    data_check(checkpoint_any(&any, linked));
    assert_false(any);
    assert_int_equal(checkpoint_clear(linked), GLT_EIO);
    assert_int_equal(newest(other), 1);
    snprintf(path, sizeof path, "%s/step-00000009.safetensors", folder);
    assert_int_equal(symlink("../others/step-00000001.safetensors", path), 0);
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    *c = state_of(9);
    assert_int_equal(checkpoint_save(trainer, c, folder), GLT_EIO);
    memory_free(c);
    save(folder, 10);
    data_check(checkpoint_clear(folder));
    assert_int_equal(newest(other), 1);
}

/* Runs with steps and writes of any length: what a kill at the worst moment loses, and the share of
 * the time that goes into checkpoints. */
static void a_kill_loses_two_minutes_at_most(void **state)
{
    (void)state;
    static const double steps[] = {0.001, 0.05, 0.7, 3, 17, 40, 90}, costs[] = {0.01, 0.3, 2, 4};
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        for (size_t k = 0; k < sizeof costs / sizeof *costs; k++) {
            double now = 0, saved = 0, writing = 0, cost = 0, lost = 0;
            for (int n = 0; now < 3600 && n < 4000000; n++) {
                double step = steps[i] * (n % 2 ? 1.05 : 0.95);
                now += step;
                if (checkpoint_is_due(now - saved, step, cost)) {
                    lost = fmax(lost, now + costs[k] - saved);
                    saved = now;
                    now += costs[k];
                    writing += cost = costs[k];
                }
            }
            assert_true(lost <= CHECKPOINT_SECONDS);
            assert_true(writing <= 1.01 * CHECKPOINT_SHARE * now);
        }
    assert_false(checkpoint_is_due(300, 1, 20)); /* a slow disk: less often */
    assert_true(checkpoint_is_due(400, 1, 20));
    assert_true(checkpoint_is_due(1, INFINITY, 0)); /* before a validation of unknown length */
}

static void three_checkpoints_are_kept(void **state)
{
    (void)state;
    char folder[DATA_PATH], **names;
    size_t n;
    folder_of(folder, "kept");
    for (int64_t steps = 1; steps <= 5; steps++)
        save(folder, steps);
    save(folder, 123456789); /* nine digits are newer than eight */
    data_check(file_list(&names, &n, folder));
    assert_int_equal(n, 3);
    assert_string_equal(names[0], "step-00000004.safetensors");
    assert_string_equal(names[2], "step-123456789.safetensors");
    file_free_names(names, n);
    assert_int_equal(newest(folder), 123456789);
}

static void write_bytes(const char *path, const char *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

/* Reading from memory: thousands of files on disk would only cost time. */
static int read_bytes(const char *bytes, size_t len)
{
    struct file *f;
    struct safetensors st;
    int code = file_open_memory(&f, "checkpoint", bytes, len);
    if (code < 0)
        return code;
    code = safetensors_open(&st, f);
    if (code == 0)
        safetensors_close(&st);
    file_close(f);
    return code;
}

static void any_cut_and_any_flipped_bit_is_found(void **state)
{
    (void)state;
    char folder[DATA_PATH], path[2 * DATA_PATH], *bytes;
    size_t len;
    folder_of(folder, "damage");
    save(folder, 1);
    snprintf(path, sizeof path, "%s/step-00000001.safetensors", folder);
    data_check(file_read_all(&bytes, &len, path, 1 << 24));
    assert_int_equal(read_bytes(bytes, len), 0);
    /* every bit takes minutes, so lower tiers take one in a prime number: all places of a byte
     * occur */
    size_t stride = (size_t)tier_pick(3989, 397, 1), flips = 0;
    for (size_t cut = 0; cut < len; cut += stride)
        if (read_bytes(bytes, cut) == 0)
            fail_msg("cut to %zu of %zu bytes: not found", cut, len);
    for (size_t bit = 0; bit < 8 * len; bit += stride, flips++) {
        bytes[bit / 8] ^= (char)(1 << bit % 8);
        if (read_bytes(bytes, len) == 0)
            fail_msg("bit %zu of byte %zu flipped: not found", bit % 8, bit / 8);
        bytes[bit / 8] ^= (char)(1 << bit % 8);
    }
    print_message("%zu truncations, %zu flipped bits\n", (len + stride - 1) / stride, flips);
    memory_free(bytes);
}

static void damaged_checkpoints_are_passed_over(void **state)
{
    (void)state;
    char folder[DATA_PATH], path[2 * DATA_PATH], *bytes;
    size_t len;
    folder_of(folder, "passed");
    save(folder, 1);
    save(folder, 2);
    save(folder, 3);
    for (int64_t step = 3; step >= 2; step--) {
        snprintf(path, sizeof path, "%s/step-%08lld.safetensors", folder, (long long)step);
        data_check(file_read_all(&bytes, &len, path, 1 << 24));
        bytes[len / 2] ^= 1;
        write_bytes(path, bytes, step == 3 ? len : len / 2);
        memory_free(bytes);
        assert_int_equal(newest(folder), step - 1);
    }
    /* set aside, they do not push out good ones */
    data_check(checkpoint_set_aside(folder, 1));
    for (int64_t step = 2; step <= 3; step++)
        save(folder, 10 * step);
    char **names;
    size_t n;
    data_check(file_list(&names, &n, folder));
    assert_int_equal(n, 5);
    assert_string_equal(names[1], "step-00000020.safetensors");
    assert_string_equal(names[3], "unreadable-step-00000002.safetensors");
    file_free_names(names, n);
    assert_int_equal(newest(folder), 30);
    for (int64_t step = 2; step <= 3; step++) {
        snprintf(path, sizeof path, "%s/step-%08lld.safetensors", folder, (long long)(10 * step));
        write_bytes(path, "nonsense", 8);
    }
    snprintf(path, sizeof path, "%s/step-00000001.safetensors", folder);
    write_bytes(path, "nonsense", 8);
    struct model *m = NULL;
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    char found[CHECKPOINT_PATH];
    assert_true(checkpoint_find(found, &m, c, folder) < 0);
    assert_null(m);
    memory_free(c);
}

/* Every call of a save fails in turn, once or from then on (disk full, failed fsync, failed
 * rename): what was there is there, and what is there verifies. */
static void a_failed_save_leaves_the_older_checkpoints(void **state)
{
    (void)state;
    char folder[DATA_PATH], **names;
    size_t n;
    folder_of(folder, "failing");
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    save(folder, 1);
    static const enum file_fault faults[] = {FILE_FAULT_ERROR, FILE_FAULT_SHORT};
    int64_t failed = 0, steps = 2;
    for (int kind = 0; kind < 4; kind++) {
        bool met = true;
        for (int64_t nth = 1; met; nth += tier_pick(7, 1, 1), steps++) {
            int64_t calls = file_calls(), before = newest(folder);
            *c = state_of(steps);
            file_fault(FILE_CALLS, nth, kind % 2, faults[kind / 2], 0);
            calls = file_calls();
            int code = checkpoint_save(trainer, c, folder);
            met = file_calls() - calls >= nth;
            file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
            int64_t after = newest(folder);
            if (code == 0)
                assert_int_equal(after, steps);
            else
                assert_true(after == before || after == steps); /* renamed, then a failed sync */
            failed += code < 0;
            data_check(checkpoint_sweep(folder));
            save(folder, ++steps); /* with what is pruned, as many files as before */
        }
    }
    assert_true(failed > tier_pick(1, 10, 10));
    data_check(file_list(&names, &n, folder));
    assert_true(n >= 1 && n <= CHECKPOINT_KEPT + 1);
    file_free_names(names, n);
    /* The message says what to do. */
    *c = state_of(steps);
    file_fault(FILE_CALL_WRITE, 1, true, FILE_FAULT_ERROR, 0);
    assert_int_equal(checkpoint_save(trainer, c, folder), GLT_EIO);
    file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_CHECKPOINT);
    assert_true(*glt_error_name()); /* the folder of older ones */
    memory_free(c);
}

/* A model file whose counters are this text; what reading it gives. */
static int read_counters(struct checkpoint *c, const char *path, const char *text)
{
    struct json *notes = json_object();
    struct model *m = NULL;
    assert_int_equal(json_set(notes, "gelatto.run", json_string(text)), 0);
    data_check(model_save(model, path, false, NULL, 0, notes));
    json_free(notes);
    int code = checkpoint_read(&m, c, path);
    assert_int_equal(code == 0, m != NULL);
    model_free(m);
    return code;
}

/* The counters with one of them replaced, or removed. */
static int read_changed(struct checkpoint *c, const char *path, const char *key, struct json *value)
{
    static const char whole[] = "{\"epoch\":1,\"batch\":2,\"steps\":3,\"best_epoch\":0,\"end\":5,"
                                "\"validate\":1,\"scored\":false,"
                                "\"seconds\":1.5,\"best\":null,\"metric\":null,\"data\":\"d\","
                                "\"fingerprint\":\"f\",\"replay\":\"r\","
                                "\"replay_seed\":6,\"sums\":{\"loss\":1,\"main\":2,\"aux1\":3,"
                                "\"aux2\":4,\"aux3\":5,\"aux4\":6}}";
    struct json *all = NULL;
    char *text = NULL;
    size_t len;
    data_check(json_parse(&all, "counters", whole, sizeof whole - 1));
    if (value)
        assert_int_equal(json_set(all, key, value), 0);
    else
        json_remove(all, key);
    data_check(json_print(&text, &len, all));
    int code = read_counters(c, path, text);
    memory_free(text);
    json_free(all);
    return code;
}

static struct json *long_text(size_t len)
{
    char text[CHECKPOINT_PATH + 1] = {0};
    memset(text, 'x', len);
    return json_string(text);
}

static void counters_that_lie_are_refused(void **state)
{
    (void)state;
    static const char *const whole[] = {"epoch", "batch",    "steps",      "best_epoch",
                                        "end",   "validate", "replay_seed"};
    static const char *const needed[] = {"epoch",    "batch", "steps",       "best_epoch",
                                         "validate", "best",  "seconds",     "metric",
                                         "sums",     "data",  "fingerprint", "replay_seed"};
    const int64_t max = (int64_t)1 << 53;
    char folder[DATA_PATH], path[2 * DATA_PATH];
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    snprintf(path, sizeof path, "%s/a.safetensors", folder_of(folder, "lies"));
    data_check(read_changed(c, path, "scored", json_null()));
    assert_true(!c->scored && isnan(c->best) && isnan(c->metric) && c->end == 5 &&
                c->seconds == 1.5);
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++) {
        data_check(read_changed(c, path, whole[i], json_integer(max)));
        assert_int_equal(read_changed(c, path, whole[i], json_integer(max + 1)), GLT_EFORMAT);
        assert_int_equal(read_changed(c, path, whole[i], json_integer(-1)), GLT_EFORMAT);
    }
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        assert_int_equal(read_changed(c, path, needed[i], NULL), GLT_EFORMAT);
        assert_int_equal(read_changed(c, path, needed[i], json_boolean(true)), GLT_EFORMAT);
    }
    data_check(read_changed(c, path, "end", NULL)); /* as in old files */
    data_check(read_changed(c, path, "replay", NULL));
    assert_string_equal(c->replay, "");
    assert_int_equal(read_changed(c, path, "sums", json_object()), GLT_EFORMAT);
    assert_error("VALUE gelatto.run");
    static const char *const texts[] = {"data", "replay"};
    for (int i = 0; i < 2; i++) {
        data_check(read_changed(c, path, texts[i], long_text(CHECKPOINT_PATH - 1)));
        assert_int_equal(read_changed(c, path, texts[i], long_text(CHECKPOINT_PATH)), GLT_EFORMAT);
    }
    data_check(read_changed(c, path, "fingerprint", long_text(DIGEST_SIZE - 1)));
    assert_int_equal(read_changed(c, path, "fingerprint", long_text(DIGEST_SIZE)), GLT_EFORMAT);
    assert_int_equal(read_counters(c, path, "[]"), GLT_EFORMAT);
    assert_error("VALUE gelatto.run");
    assert_int_equal(read_counters(c, path, "{"), GLT_EFORMAT);
    /* counters, but no moments */
    data_check(read_changed(c, path, "scored", NULL));
    assert_int_equal(checkpoint_moments(trainer, c, path), GLT_EMODEL);
    data_check(model_save(model, path, false, NULL, 0, NULL));
    struct model *m = NULL;
    assert_int_equal(checkpoint_read(&m, c, path), GLT_EMODEL); /* a model alone */
    assert_error("CHECKPOINT");
    memory_free(c);
}

/* Moments that no step of Adam makes. */
static void moments_that_lie_are_refused(void **state)
{
    (void)state;
    static const struct {
        bool squares;
        float value;
        int code;
    } lies[] = {{false, NAN, GLT_ENUMERIC},
                {false, INFINITY, GLT_ENUMERIC},
                {true, NAN, GLT_ENUMERIC},
                {true, -1, GLT_ENUMERIC},
                {true, INFINITY, 0}};
    char folder[DATA_PATH], path[2 * DATA_PATH];
    struct checkpoint c = {.steps = 1};
    snprintf(path, sizeof path, "%s/step-00000001.safetensors", folder_of(folder, "moments"));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        struct trainer *t;
        float *block = lies[i].squares ? trainer->v : trainer->m, old = block[0];
        block[0] = lies[i].value;
        save(folder, 1);
        block[0] = old;
        data_check(trainer_create(&t, model, 1, 16));
        assert_int_equal(checkpoint_moments(t, &c, path), lies[i].code);
        trainer_free(t);
    }
}

/* What is called nearly as a checkpoint is left alone, and a folder without one says so. */
static void only_checkpoints_are_looked_at(void **state)
{
    (void)state;
    static const char *const names[] = {"step-.safetensors", "step-00000001.safetensorz",
                                        "stop-00000001.safetensors"};
    char folder[DATA_PATH], path[2 * DATA_PATH], found[CHECKPOINT_PATH];
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    struct model *m = NULL;
    bool any = true;
    folder_of(folder, "names");
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        write_bytes(path, "x", 1);
    }
    data_check(checkpoint_any(&any, folder));
    assert_false(any);
    assert_int_equal(checkpoint_find(found, &m, c, folder), GLT_EIO);
    assert_error("CHECKPOINT");
    data_check(checkpoint_clear(folder));
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_true(file_exists(path));
    }
    save(folder, 1);
    data_check(checkpoint_any(&any, folder));
    assert_true(any);
    memory_free(c);
}

static int save_again(void *user)
{
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    if (!c)
        return GLT_ENOMEM;
    *c = state_of(1);
    int code = checkpoint_save(trainer, c, user);
    memory_free(c);
    return code;
}

static int find_again(void *user)
{
    char path[CHECKPOINT_PATH];
    struct model *m = NULL;
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    int code = c ? checkpoint_find(path, &m, c, user) : GLT_ENOMEM;
    if (code == 0)
        model_free(m);
    memory_free(c);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    char folder[DATA_PATH];
    folder_of(folder, "memory");
    assert_true(faults_memory(save_again, folder) > 2);
    assert_true(faults_memory(find_again, folder) > 2);
}

int main(void)
{
    faults_step = tier_pick(173, 13, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pruning_does_not_follow_links),
        cmocka_unit_test(a_kill_loses_two_minutes_at_most),
        cmocka_unit_test(three_checkpoints_are_kept),
        cmocka_unit_test(any_cut_and_any_flipped_bit_is_found),
        cmocka_unit_test(damaged_checkpoints_are_passed_over),
        cmocka_unit_test(a_failed_save_leaves_the_older_checkpoints),
        cmocka_unit_test(counters_that_lie_are_refused),
        cmocka_unit_test(moments_that_lie_are_refused),
        cmocka_unit_test(only_checkpoints_are_looked_at),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
