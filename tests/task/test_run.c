/* The folder of a run: its configuration is read back as it was, a torn record loses its last line,
 * what a kill left half written goes without anything else going, and links are not followed; its
 * validation cloud keeps the labels of epochs.
 * labels: quick */
#include "config/config_yaml.h"
#include "config/options.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "errors.h"
#include "io_cloud.h"
#include "task/checkpoint.h"
#include "task/run.h"
#include "task/run_cloud.h"

#include <sys/stat.h>
#include <unistd.h>

static struct run folder_of_run(void)
{
    struct run r = {.lock = NULL};
    snprintf(r.folder, sizeof r.folder, "%s", scratch("run"));
    assert_int_equal(file_make_folder(r.folder), 0);
    return r;
}

static void put(const struct run *r, const char *name, const char *text)
{
    assert_int_equal(file_put_text(r->folder, name, text), 0);
}

static void expect(const struct run *r, const char *name, const char *wanted)
{
    char path[RUN_PATH], *text = NULL;
    size_t len;
    assert_int_equal(run_path(path, r, name), 0);
    assert_int_equal(file_read_all(&text, &len, path, 1 << 20), 0);
    assert_string_equal(text, wanted);
    memory_free(text);
}

static void the_configuration_of_a_run_is_read_back(void **state)
{
    (void)state;
    static const char *const odd[] = {
        "/tmp/ca: che #1", "a, b", "- a", "\"q\" \\n\\", "tab\there", "ä",    "'single'", "*x",
        "{a: b}",          " a ",  "a:",  "\x01\x7f",    "%TAG",      "null", "",         "[1,2]"};
    char path[RUN_PATH], found[256];
    struct run r = folder_of_run();
    assert_int_equal(run_path(path, &r, "config.yaml"), 0);
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        struct config c, back;
        config_default(&c);
        config_default(&back);
        assert_int_equal(config_set(&c, "cache", odd[i]), 0);
        assert_int_equal(config_set(&c, "inputs", "xyz,normals"), 0);
        assert_int_equal(config_set(&c, "levels", "40,30,20,10"), 0);
        assert_int_equal(run_write_config(&r, &c), 0);
        if (config_read(&back, path) < 0)
            fail_msg("'%s': %s", odd[i], glt_error_message());
        for (int k = 0; k < options_count; k++) {
            char wanted[256];
            assert_int_equal(config_get(&c, options[k].key, wanted, sizeof wanted), 0);
            assert_int_equal(config_get(&back, options[k].key, found, sizeof found), 0);
            assert_string_equal(found, wanted);
        }
    }
}

#define HEAD  "step,epoch,loss,metric,miou,macc,oa,lr,seconds\n"
#define FIRST "2,1,3,0.25,0.25,0.3,0.5,0.001,60\n"

static void a_torn_record_loses_its_last_line_alone(void **state)
{
    (void)state;
    static const struct {
        const char *text, *kept;
    } rows[] = {
        {HEAD FIRST, HEAD FIRST},
        {HEAD FIRST "4,2,1.5,,,,,0.001,12", HEAD FIRST}, /* of 120 seconds, perhaps */
        {HEAD FIRST "4,2,1.", HEAD FIRST},
        {HEAD FIRST "4", HEAD FIRST},
        {HEAD FIRST "4,2,1.\n", HEAD FIRST},
        {HEAD FIRST "4,2,1.4,2,1.5,,,,,0.001,120\n", HEAD FIRST},
        {HEAD FIRST "4,2,1.5,,,,,0.001,120\n", HEAD FIRST "4,2,1.5,,,,,0.001,120\n"},
        {HEAD FIRST "8,4,1.5,,,,,0.001,120\n", HEAD FIRST},
        {"step,epo", HEAD},
    };
    struct run r = folder_of_run();
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        put(&r, "results.csv", rows[i].text);
        assert_int_equal(run_rewind(&r, 6, true), 0);
        expect(&r, "results.csv", rows[i].kept);
    }
    put(&r, "metrics.jsonl", "{\"step\":1,\"loss\":2}\n{\"step\":2,\"lo\n{\"step\":3,\"loss\":2}");
    assert_int_equal(run_rewind(&r, 6, true), 0);
    expect(&r, "metrics.jsonl", "{\"step\":1,\"loss\":2}\n");
}

/* What a file system may leave of lines that were not synced: they end the record. */
static void zeros_of_a_power_cut_end_a_record(void **state)
{
    (void)state;
    static const char line[] = "{\"step\":1,\"loss\":2}\n";
    static char text[20000];
    struct run r = folder_of_run();
    char path[RUN_PATH];
    assert_int_equal(run_path(path, &r, "metrics.jsonl"), 0);
    for (size_t zeros = 100; zeros < sizeof text; zeros += 9000) {
        memset(text, 0, sizeof text);
        memcpy(text, line, sizeof line - 1);
        memcpy(text + zeros, line, sizeof line - 1);
        assert_int_equal(file_put(path, text, zeros + sizeof line - 1), 0);
        assert_int_equal(run_sync(&r), 0);
        assert_int_equal(run_rewind(&r, 6, true), 0);
        expect(&r, "metrics.jsonl", line);
    }
}

static void temporary_files_are_swept_away(void **state)
{
    (void)state;
    static const char *const ours[] = {"results.csv.tmp-12", "best.safetensors.tmp-0",
                                       "dump-step-00000001.safetensors.tmp-1", "score.json.tmp-7"};
    static const char *const others[] = {
        "notes.tmp-1",      "notes.tmp-12-0",   "results.csv.tmp-old",  "results.csv.tmp-1-",
        "results.csv.tmp-", "my.tmp-folder.md", "results.csv.tmp-12.gz"};
    char path[RUN_PATH];
    struct run r = folder_of_run();
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        put(&r, ours[i], "x");
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        put(&r, others[i], "x");
    put(&r, "step-00000001.safetensors.tmp-1", "x");
    assert_int_equal(run_sweep(&r), 0);
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++) {
        assert_int_equal(run_path(path, &r, ours[i]), 0);
        assert_false(file_exists(path));
    }
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        expect(&r, others[i], "x");
    expect(&r, "step-00000001.safetensors.tmp-1", "x");
    assert_int_equal(checkpoint_sweep(r.folder), 0);
    assert_int_equal(run_path(path, &r, "step-00000001.safetensors.tmp-1"), 0);
    assert_false(file_exists(path));
    expect(&r, others[0], "x");
}

/* A run that somebody else has packed: records that lead elsewhere are refused, untouched. */
static void records_that_lead_elsewhere_are_refused(void **state)
{
    (void)state;
    static const char *const records[] = {"metrics.jsonl", "log.txt", "config.yaml",
                                          "best.safetensors"};
    char path[RUN_PATH];
    struct run r = folder_of_run(), again;
    put(&r, "somebody's", "important");
    for (size_t i = 0; i < sizeof records / sizeof *records; i++)
        for (int pipe = 0; pipe < 2; pipe++) {
            assert_int_equal(run_path(path, &r, records[i]), 0);
            remove(path);
            assert_int_equal(pipe ? mkfifo(path, 0600) : symlink("somebody's", path), 0);
            assert_int_equal(run_open(&again, r.folder), GLT_EIO);
            assert_error("KIND");
            assert_error_file(records[i]);
            assert_int_equal(remove(path), 0);
        }
    expect(&r, "somebody's", "important");
    assert_int_equal(run_open(&again, r.folder), 0);
    run_close(&again);
    assert_int_equal(run_path(path, &r, "checkpoints"), 0);
    assert_int_equal(rmdir(path), 0);
}

/* --- the validation cloud --- */

static void make_item(struct item *x)
{
    assert_int_equal(item_new(x, 50, 0, true), 0);
    for (int i = 0; i < 50; i++) {
        x->xyz[3 * i] = (float)i;
        x->labels[i] = i % 3 - 1; /* -1: none */
    }
    x->origin[0] = 500000.25;
}

static void add_epoch(const struct run *r, const struct item *x, int64_t epoch)
{
    char first[] = "floor", second[] = "wall", *names[] = {first, second};
    struct classes classes = {.n = 2, .names = names};
    int32_t labels[50];
    for (int i = 0; i < 50; i++)
        labels[i] = (i + (int)epoch) % 2;
    assert_int_equal(run_cloud_add(r, x, labels, &classes, epoch), 0);
}

static int32_t count_epochs(const struct glt_cloud *c)
{
    int32_t n = 0;
    for (int32_t i = 0; i < c->n_columns; i++)
        n += run_cloud_epoch(&c->columns[i]) >= 0;
    return n;
}

static void assert_label(const struct glt_cloud *c, const char *name, int64_t i, int wanted)
{
    assert_int_equal((int)column_value(cloud_attribute(c, name), i), wanted);
}

static void the_validation_cloud_keeps_the_labels_of_epochs(void **state)
{
    (void)state;
    struct run r = folder_of_run();
    struct item x;
    struct glt_cloud *c;
    make_item(&x);
    for (int64_t epoch = 1; epoch <= 5; epoch++)
        add_epoch(&r, &x, epoch);
    add_epoch(&r, &x, 3); /* a resumed run comes here again: 4 and 5 were lost */
    assert_int_equal(run_cloud_read(&c, &r), 0);
    assert_int_equal(count_epochs(c), 3);
    for (int64_t i = 0; i < 50; i++) {
        assert_true(column_value(cloud_attribute(c, "x"), i) == 500000.25 + (double)i);
        assert_label(c, "truth", i, i % 3 ? (int)i % 3 - 1 : 255);
        assert_label(c, "label", i, (int)(i + 3) % 2);
        assert_label(c, "epoch_2", i, (int)i % 2);
    }
    glt_cloud_free(c);
    for (int64_t epoch = 4; epoch <= 150; epoch++)
        add_epoch(&r, &x, epoch);
    assert_int_equal(run_cloud_read(&c, &r), 0);
    assert_true(count_epochs(c) > 32 && count_epochs(c) <= 64);
    assert_non_null(cloud_attribute(c, "epoch_1"));
    assert_non_null(cloud_attribute(c, "epoch_150"));
    glt_cloud_free(c);
    put(&r, "validation.ply", "ply\nno more");
    add_epoch(&r, &x, 151); /* begun anew */
    assert_int_equal(run_cloud_read(&c, &r), 0);
    assert_int_equal(count_epochs(c), 1);
    glt_cloud_free(c);
    item_clear(&x);
}

static void the_validation_cloud_is_no_link(void **state)
{
    (void)state;
    char path[RUN_PATH];
    struct run r = folder_of_run();
    struct glt_cloud *c = NULL;
    assert_int_equal(run_path(path, &r, "validation.ply"), 0);
    remove(path);
    assert_int_equal(run_cloud_read(&c, &r), GLT_EDATA);
    assert_error("MISSING validation.ply");
    put(&r, "elsewhere.ply",
        "ply\nformat ascii 1.0\nelement vertex 0\nproperty float x\n"
        "property float y\nproperty float z\nend_header\n");
    assert_int_equal(symlink("elsewhere.ply", path), 0);
    assert_int_equal(run_cloud_read(&c, &r), GLT_EDATA);
    assert_error("MISSING validation.ply");
    assert_int_equal(remove(path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_configuration_of_a_run_is_read_back),
        cmocka_unit_test(a_torn_record_loses_its_last_line_alone),
        cmocka_unit_test(zeros_of_a_power_cut_end_a_record),
        cmocka_unit_test(temporary_files_are_swept_away),
        cmocka_unit_test(records_that_lead_elsewhere_are_refused),
        cmocka_unit_test(the_validation_cloud_keeps_the_labels_of_epochs),
        cmocka_unit_test(the_validation_cloud_is_no_link),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
