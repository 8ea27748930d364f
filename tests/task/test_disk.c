/* Disks as they fail: full, read-only, a limit on file sizes, a failed fsync. Each time the
 * training run stops with a message that says what to do, every checkpoint that was there is whole,
 * and the resumed run ends as if nothing had happened.
 *
 * Full and read-only are real: a small tmpfs and a read-only mount in a mount name space of our
 * own, which takes root or user name spaces; without either the two are skipped.
 * labels: quick */
#include "data_folder.h"

#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_syscall.h"
#include "core/memory.h"
#include "model/model.h"
#include "task/checkpoint.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>

static const char DATA[] = "synth:rooms rooms=1 points=700 seed=3";
static bool may_mount;
static char disk[DATA_PATH]; /* where the tmpfs is */

enum { STEPS = 6, BAD_STEP = 3 };

static struct glt_config *settings(void)
{
    static const char *const pairs[] = {"points=256", "block_min=64",  "levels=64,32,16,8",
                                        "radius=0.3", "stem=8",        "width=8,8,8,8",
                                        "decoder=8",  "head_hidden=8", "epochs=3",
                                        "lr=1e-3",    "subset=2",      "batch=1",
                                        "k=6"};
    struct glt_config *c;
    data_check(glt_config_create(&c));
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        data_check(config_set_pair((struct config *)c, pairs[i]));
    return c;
}

/* What goes wrong after a step. */
typedef void trouble_fn(const char *folder);

static int on_step(void *user, const struct glt_train_status *s)
{
    trouble_fn *trouble = *(trouble_fn **)user;
    if (trouble && s->step == BAD_STEP)
        trouble(s->folder);
    return 0;
}

static int train(const char *folder, trouble_fn *trouble)
{
    struct glt_config *c = settings();
    struct glt_train_options o = {.size = sizeof o, .folder = folder, .steps = STEPS, .save = 1};
    int code = glt_train(c, DATA, &o, on_step, &trouble);
    glt_config_free(c);
    return code;
}

static void count_damaged(void *user, enum glt_log_level level, const char *message)
{
    (void)message;
    if (level == GLT_LOG_WARNING && glt_log_topic() == GLT_TOPIC_CHECKPOINT)
        ++*(int *)user;
}

/* Every checkpoint verifies; the newest is that of the step before the trouble. */
static void assert_whole(const char *folder)
{
    char path[DATA_PATH], **names;
    size_t n, found = 0;
    int64_t newest = 0;
    struct checkpoint *c = memory_alloc(1, sizeof *c);
    snprintf(path, sizeof path, "%s/checkpoints", folder);
    data_check(file_list(&names, &n, path));
    for (size_t i = 0; i < n; i++) {
        char file[2 * DATA_PATH];
        struct model *m = NULL;
        if (strncmp(names[i], "step-", 5) || strstr(names[i], ".tmp-"))
            continue;
        snprintf(file, sizeof file, "%s/%s", path, names[i]);
        data_check(checkpoint_read(&m, c, file));
        newest = c->steps > newest ? c->steps : newest;
        model_free(m);
        found++;
    }
    file_free_names(names, n);
    memory_free(c);
    assert_true(found >= 2);
    assert_true(newest == BAD_STEP - 1 || newest == BAD_STEP);
}

static char whole[DATA_PATH];

static void assert_same_model(const char *folder)
{
    char a[2 * DATA_PATH], b[2 * DATA_PATH], *x, *y;
    size_t la, lb;
    snprintf(a, sizeof a, "%s/last.safetensors", whole);
    snprintf(b, sizeof b, "%s/last.safetensors", folder);
    data_check(file_read_all(&x, &la, a, 1 << 28));
    data_check(file_read_all(&y, &lb, b, 1 << 28));
    assert_int_equal(la, lb);
    assert_memory_equal(x, y, la);
    memory_free(x);
    memory_free(y);
}

/* Fails as wanted, leaves whole files, and resumes after `repair`. */
static void check_trouble(const char *folder, trouble_fn *trouble, trouble_fn *repair)
{
    int damaged = 0;
    int code = train(folder, trouble);
    struct error failed;
    error_save(&failed);
    repair(folder);
    print_message("%s\n", failed.message);
    assert_int_equal(code, GLT_EIO);
    assert_int_equal(failed.topic, GLT_TOPIC_CHECKPOINT);
    assert_true(*failed.name); /* the run can be resumed */
    assert_whole(folder);
    glt_log_set(count_damaged, &damaged);
    data_check(train(folder, NULL));
    glt_log_set(NULL, NULL);
    assert_int_equal(damaged, 0);
    assert_same_model(folder);
}

/* --- the limit on file sizes --- */

static struct rlimit limit_before;

static void limit_files(const char *folder)
{
    (void)folder;
    struct rlimit small = {.rlim_cur = 4096, .rlim_max = limit_before.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
}

static void lift_limit(const char *folder)
{
    (void)folder;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit_before), 0);
}

static void a_limit_on_file_sizes_loses_nothing(void **state)
{
    (void)state;
    char folder[DATA_PATH];
    signal(SIGXFSZ, SIG_IGN); /* as the program does */
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit_before), 0);
    check_trouble(data_file(folder, "limit"), limit_files, lift_limit);
}

/* --- a failed fsync --- */

static void fail_sync(const char *folder)
{
    (void)folder;
    file_fault(FILE_CALL_SYNC, 1, true, FILE_FAULT_ERROR, 0);
}

static void repair_sync(const char *folder)
{
    (void)folder;
    file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
}

static void a_failed_fsync_loses_nothing(void **state)
{
    (void)state;
    char folder[DATA_PATH];
    check_trouble(data_file(folder, "sync"), fail_sync, repair_sync);
}

/* --- a full disk --- */

static void ballast_path(char path[DATA_PATH])
{
    snprintf(path, DATA_PATH, "%.480s/ballast", disk);
}

static void fill_disk(const char *folder)
{
    char path[DATA_PATH], block[4096] = {0};
    (void)folder;
    ballast_path(path);
    int fd = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(fd >= 0);
    while (write(fd, block, sizeof block) > 0) {
    }
    assert_int_equal(errno, ENOSPC);
    close(fd);
}

static void free_disk(const char *folder)
{
    char path[DATA_PATH];
    (void)folder;
    ballast_path(path);
    assert_int_equal(unlink(path), 0);
}

static void need_mounts(void)
{
    if (may_mount)
        return;
    print_message("neither root nor user name spaces, so no mount of our own\n");
    skip();
}

static void a_full_disk_loses_nothing(void **state)
{
    (void)state;
    char folder[2 * DATA_PATH];
    need_mounts();
    snprintf(folder, sizeof folder, "%.480s/full", disk);
    check_trouble(folder, fill_disk, free_disk);
}

/* --- a read-only folder --- */

/* A second mount over the folder: the lock, open behind it, would keep the first from changing. */
static void make_read_only(const char *folder)
{
    assert_int_equal(mount(folder, folder, NULL, MS_BIND, NULL), 0);
    assert_int_equal(mount(NULL, folder, NULL, MS_BIND | MS_REMOUNT | MS_RDONLY, NULL), 0);
}

static void make_writable(const char *folder)
{
    assert_int_equal(umount(folder), 0);
}

static void a_read_only_folder_loses_nothing(void **state)
{
    (void)state;
    char folder[2 * DATA_PATH], inside[3 * DATA_PATH];
    need_mounts();
    snprintf(folder, sizeof folder, "%.480s/readonly", disk);
    check_trouble(folder, make_read_only, make_writable);
    /* nor does one begin there */
    snprintf(inside, sizeof inside, "%s/new", folder);
    make_read_only(folder);
    int code = train(inside, NULL);
    char file[3 * DATA_PATH];
    snprintf(file, sizeof file, "%s", glt_error_file());
    make_writable(folder);
    assert_int_equal(code, GLT_EIO);
    assert_memory_equal(file, inside, strlen(inside));
}

/* --- */

/* Mounts that nobody else sees. */
static bool own_mounts(void)
{
    if (unshare(CLONE_NEWNS) && unshare(CLONE_NEWUSER | CLONE_NEWNS))
        return false;
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL))
        return false;
    return mount("tmpfs", disk, "tmpfs", 0, "size=4m") == 0;
}

static int setup(void **state)
{
    char inside[DATA_PATH];
    (void)state;
    data_file(inside, "disk/x");
    snprintf(disk, sizeof disk, "%s/disk", data_folder());
    may_mount = own_mounts();
    glt_threads_set(2);
    data_check(train(data_file(whole, "whole"), NULL));
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    if (may_mount)
        umount(disk);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_limit_on_file_sizes_loses_nothing),
        cmocka_unit_test(a_failed_fsync_loses_nothing),
        cmocka_unit_test(a_full_disk_loses_nothing),
        cmocka_unit_test(a_read_only_folder_loses_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
