/* labels: quick
 * Files when things go wrong: every system call and every allocation of a read, a write, a walk, an
 * append and a lock fails in turn, once and for ever; calls come short; a signal interrupts; a
 * process is killed, or ended by a signal, while it writes. The old target is always whole. */
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_syscall.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "errors.h"
#include "faults.h"
#include "own_folder.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { BIG = 600000 }; /* larger than the buffer */

static char folder[300], target[400], source[400], log_path[300];
static unsigned char *content; /* (BIG) */

static void store(const char *path, const void *bytes, size_t len)
{
    struct file *f;
    assert_int_equal(file_create(&f, path), 0);
    assert_int_equal(file_write(f, bytes, len), 0);
    assert_int_equal(file_commit(f), 0);
}

static bool has(const char *path, const char *wanted)
{
    char *text;
    size_t len;
    assert_int_equal(file_read_all(&text, &len, path, 2 * BIG), 0);
    bool same = strcmp(text, wanted) == 0;
    memory_free(text);
    return same;
}

static int read_parts(struct file *f)
{
    char *line, got[1000];
    size_t len;
    const unsigned char *window;
    TRY(file_line(f, &line, &len, BIG));
    TRY(file_read(f, got, sizeof got));
    TRY(file_peek(f, &window, &len, BIG / 2));
    if (len < BIG / 2 || memcmp(window, content + file_offset(f), len))
        return GLT_EDATA;
    TRY(file_skip(f, 5));
    unsigned char *rest = memory_alloc(BIG, 1);
    if (!rest)
        return GLT_ENOMEM;
    int64_t at = file_offset(f);
    int code = file_read(f, rest, (size_t)file_left(f));
    if (code == 0 && memcmp(rest, content + at, (size_t)(BIG - at)))
        code = GLT_EDATA;
    memory_free(rest);
    return code;
}

static int read_all_ways(void *user)
{
    struct file *f;
    (void)user;
    TRY(file_open(&f, source));
    int code = read_parts(f);
    file_close(f);
    TRY(code);
    char *text;
    size_t len;
    TRY(file_read_all(&text, &len, source, BIG));
    code = len == BIG && memcmp(text, content, len) == 0 ? 0 : GLT_EDATA;
    memory_free(text);
    return code;
}

static void every_call_of_a_read_may_fail(void **state)
{
    (void)state;
    assert_int_equal(read_all_ways(NULL), 0);
    assert_true(faults_file(read_all_ways, NULL) >= 8);
    assert_true(faults_memory(read_all_ways, NULL) >= 6);
}

/* A read that several threads share: whole, short, failing, and shrunk while it is read. */
static void a_read_by_several_threads_is_whole_or_fails(void **state)
{
    (void)state;
    enum { LONG = 21 << 20, HOLE = 13 << 20 };
    unsigned char *bytes = memory_alloc(LONG, 1), *got = memory_alloc(LONG, 1);
    for (int i = 0; i < LONG; i++)
        bytes[i] = (unsigned char)((uint32_t)i * 2654435761u >> 24);
    store(log_path, bytes, LONG);
    struct file *f;
    assert_int_equal(glt_threads_set(3), 0);
    assert_int_equal(file_open(&f, log_path), 0);
    assert_int_equal(file_skip(f, 11), 0);
    parallel_witnesses();
    assert_int_equal(file_read(f, got, LONG - 11), 0);
    assert_true(parallel_witnesses() >= 1);
    assert_memory_equal(got, bytes + 11, LONG - 11);
    memset(got, 0, LONG);
    assert_int_equal(file_seek(f, 0), 0);
    file_fault(FILE_CALL_READ, 1, true, FILE_FAULT_SHORT, 0);
    assert_int_equal(file_read(f, got, LONG), 0);
    assert_memory_equal(got, bytes, LONG);
    assert_int_equal(file_seek(f, 0), 0);
    file_fault(FILE_CALL_READ, 3, true, FILE_FAULT_ERROR, 0);
    assert_int_equal(file_read(f, got, LONG), GLT_EIO);
    assert_int_equal(file_offset(f), 0);
    file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
    assert_int_equal(truncate(log_path, HOLE), 0);
    assert_int_equal(file_read(f, got, LONG), GLT_EIO);
    assert_error("TRUNCATED byte 13631488");
    file_close(f);
    memory_free(bytes);
    memory_free(got);
    assert_int_equal(glt_threads_set(0), 0);
    assert_int_equal(file_remove(log_path), 0);
}

static int write_new(void)
{
    struct file *f;
    TRY(file_create(&f, target));
    int code = file_write(f, "new", 3);
    if (code == 0)
        code = file_print(f, "%1500d", 7);
    if (code == 0)
        code = file_write(f, content, BIG);
    if (code == 0)
        code = file_patch(f, 0, "NEW", 3);
    if (code == 0)
        code = file_commit(f);
    if (code < 0)
        file_close(f);
    return code;
}

/* Either the old file or the new one, whole; nothing else in the folder. */
static int write_and_look(void *user)
{
    const int *names_expected = user;
    int code = write_new();
    struct error failed;
    error_save(&failed);
    int64_t alive = memory_stats().bytes;
    file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
    memory_fail(0, false);
    char *text, **names;
    size_t len, n;
    assert_int_equal(file_read_all(&text, &len, target, 2 * BIG), 0);
    bool is_new =
        len == BIG + 1503 && memcmp(text, "NEW ", 4) == 0 && memcmp(text + 1503, content, BIG) == 0;
    assert_true(is_new || (code < 0 && strcmp(text, "old") == 0));
    memory_free(text);
    assert_int_equal(file_list(&names, &n, folder), 0);
    assert_int_equal(n, *names_expected);
    file_free_names(names, n);
    store(target, "old", 3);
    assert_int_equal(memory_stats().bytes, alive);
    return code < 0 ? error_restore(&failed) : code;
}

/* faults_file counts calls; here the check itself makes some, so the end is where the work succeeds
 * although an injected fault is waiting. */
static void a_write_that_fails_leaves_the_old_file(void **state)
{
    (void)state;
    int names = 2; /* source and target */
    store(target, "old", 3);
    int64_t before = file_calls();
    assert_int_equal(write_new(), 0);
    int64_t calls = file_calls() - before;
    assert_true(calls >= 10);
    int failures = 0;
    for (int forever = 0; forever < 2; forever++) {
        for (int64_t nth = 1; nth <= calls; nth++) {
            store(target, "old", 3);
            file_fault(FILE_CALLS, nth, forever, FILE_FAULT_ERROR, 0);
            int code = write_and_look(&names);
            assert_int_equal(code, GLT_EIO);
            assert_string_equal(glt_error_file(), target);
            failures++;
            file_fault(FILE_CALLS, nth, forever, FILE_FAULT_SHORT, 0);
            assert_int_equal(write_and_look(&names), 0);
        }
    }
    assert_int_equal(failures, 2 * calls);
    for (int64_t nth = 1; nth <= 6; nth++) {
        memory_fail(nth, nth % 2);
        int code = write_and_look(&names);
        assert_true(code == GLT_ENOMEM || (code == 0 && nth == 6));
    }
}

static void messages_say_what_to_do(void **state)
{
    (void)state;
    file_fault(FILE_CALL_WRITE, 1, false, FILE_FAULT_ERROR, 0);
    assert_int_equal(write_new(), GLT_EIO);
    assert_error("SPACE");
    file_fault(FILE_CALL_READ, 1, false, FILE_FAULT_ERROR, 0);
    assert_int_equal(read_all_ways(NULL), GLT_EIO);
    assert_error("NONE");
    assert_int_equal(read_all_ways(NULL), 0); /* once is once */
}

/* A real full disk: the limit on file sizes gives EFBIG after SIGXFSZ is ignored. */
static void a_full_disk_leaves_the_old_file(void **state)
{
    (void)state;
    store(target, "old", 3);
    struct rlimit old, small;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small = (struct rlimit){300000, old.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    int names = 2, code = write_and_look(&names);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    assert_int_equal(code, GLT_EIO);
    assert_error("SPACE");
}

static int count_path(void *user, const char *path)
{
    (void)path;
    ++*(int *)user;
    return 0;
}

static int walk(void *user)
{
    (void)user;
    int n = 0;
    TRY(file_walk(folder, count_path, &n));
    return n == 2 ? 0 : GLT_EDATA;
}

static int lock(void *user)
{
    (void)user;
    struct file_lock *held;
    TRY(file_lock(&held, source));
    file_unlock(held);
    return 0;
}

static int append(void *user)
{
    (void)user;
    return file_append(log_path, "line\n", 5);
}

static int sync_log(void *user)
{
    (void)user;
    return file_sync(log_path);
}

static int make(void *user)
{
    (void)user;
    char path[600];
    TRY(file_join(path, sizeof path, folder, "x/y/z"));
    int code = file_make_folder(path);
    file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
    for (int i = 0; i < 3; i++) {
        rmdir(path);
        *strrchr(path, '/') = 0;
    }
    return code == GLT_EEXISTS ? GLT_EIO : code; /* the last question failed: not known a folder */
}

static void every_call_of_walk_lock_append_and_make_may_fail(void **state)
{
    (void)state;
    assert_int_equal(walk(NULL), 0);
    assert_true(faults_file(walk, NULL) >= 5);
    assert_true(faults_memory(walk, NULL) >= 4);
    assert_true(faults_file(lock, NULL) >= 3);
    assert_true(faults_memory(lock, NULL) >= 1);
    assert_true(faults_file(append, NULL) >= 3);
    assert_true(faults_file(sync_log, NULL) >= 6);
    assert_true(faults_file(make, NULL) >= 4);
    assert_int_equal(file_remove(log_path), 0);
    file_fault(FILE_CALL_RENAME, 1, false, FILE_FAULT_ERROR, 0);
    assert_int_equal(file_remove(source), GLT_EIO);
    file_fault(FILE_CALL_STAT, 1, false, FILE_FAULT_ERROR, 0);
    assert_false(file_exists(source));
    assert_true(file_exists(source));
}

/* Waits until a child has slept for a while: it is in its pause, however busy the machine. */
static void await_pause(pid_t child)
{
    char path[64], text[256];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)child);
    for (int asleep = 0, tries = 0; asleep < 4 && tries < 6000; tries++) {
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        FILE *f = fopen(path, "r");
        size_t len = f ? fread(text, 1, sizeof text - 1, f) : 0;
        if (f)
            fclose(f);
        text[len] = 0;
        const char *end = strrchr(text, ')');
        asleep = end && end[1] && end[2] == 'S' ? asleep + 1 : 0;
    }
}

static size_t count_names(void)
{
    char **names;
    size_t n;
    assert_int_equal(file_list(&names, &n, folder), 0);
    file_free_names(names, n);
    return n;
}

/* Killed in the middle of every step: the target is the old one or the new one, never a mixture.
 * What the killed process has left goes with the next write. */
static void a_killed_write_leaves_the_old_file_or_the_new_one(void **state)
{
    (void)state;
    store(target, "old", 3);
    int64_t before = file_calls();
    assert_int_equal(write_new(), 0);
    int64_t calls = file_calls() - before;
    store(target, "old", 3);
    int old_seen = 0, new_seen = 0, left = 0;
    for (int64_t nth = 1; nth <= calls; nth++) {
        pid_t child = fork();
        if (child == 0) {
            file_fault(FILE_CALLS, nth, false, FILE_FAULT_PAUSE, 60000);
            _exit(write_new() < 0);
        }
        await_pause(child);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        char *text;
        size_t len;
        assert_int_equal(file_read_all(&text, &len, target, 2 * BIG), 0);
        bool is_old = strcmp(text, "old") == 0, is_new = len == BIG + 1503;
        assert_true(is_old || is_new);
        old_seen += is_old;
        new_seen += is_new;
        memory_free(text);
        left += count_names() > 2; /* source, target */
        store(target, "old", 3);
        assert_int_equal(count_names(), 2);
    }
    assert_true(old_seen > 0 && new_seen > 0 && left > 0);
}

/* Two writers of one target do not take each other's temporary for a stale one; what both leave
 * when they are killed goes with the next write. Files of the same form that are no temporary of
 * ours stay. */
static void only_what_nobody_writes_is_stale(void **state)
{
    (void)state;
    struct file *a, *b;
    char name[500];
    assert_int_equal(file_create(&a, target), 0);
    assert_int_equal(file_create(&b, target), 0);
    assert_int_equal(count_names(), 4);
    assert_int_equal(file_write(a, "a", 1), 0);
    assert_int_equal(file_write(b, "bb", 2), 0);
    pid_t child = fork();
    if (child == 0) {
        struct file *c, *d;
        file_fault(FILE_CALL_WRITE, 1, false, FILE_FAULT_PAUSE, 60000);
        _exit(file_create(&c, target) < 0 || file_create(&d, target) < 0 ||
              file_write(c, content, BIG) < 0);
    }
    await_pause(child);
    assert_int_equal(count_names(), 6);
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(file_commit(a), 0);
    assert_int_equal(file_commit(b), 0);
    assert_int_equal(count_names(), 4);
    snprintf(name, sizeof name, "%s.tmp-x", target);
    store(name, "mine", 4);
    snprintf(name, sizeof name, "%s.tmp-0", target);
    assert_int_equal(symlink("source", name), 0);
    store(target, "old", 3);
    assert_int_equal(count_names(), 4); /* the link is none of ours, and stays in the way */
    snprintf(name, sizeof name, "%s.tmp-x", target);
    assert_true(file_exists(name));
}

/* A process that has opened a stale file and pauses before it locks it, while another removes the
 * file and makes one of the same name, does not remove that one. */
static void a_new_temporary_is_not_taken_for_a_stale_one(void **state)
{
    (void)state;
    char name[500];
    snprintf(name, sizeof name, "%s.tmp-0", target);
    store(name, "left", 4);
    pid_t child = fork();
    if (child == 0) {
        struct file *f;
        file_fault(FILE_CALL_OPEN, 4, false, FILE_FAULT_PAUSE, 1000); /* before its lock */
        _exit(file_create(&f, target) < 0);
    }
    await_pause(child);
    struct file *f;
    int status;
    assert_int_equal(file_create(&f, target), 0);
    assert_int_equal(file_write(f, "new", 3), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(file_commit(f), 0);
    assert_true(has(target, "new")); /* and not the file of the child */
}

/* --- forks --- */

static void a_child_leaves_the_temporaries_of_its_parent_alone(void **state)
{
    (void)state;
    struct file *f;
    assert_int_equal(file_create(&f, target), 0);
    assert_int_equal(file_write(f, "new", 3), 0);
    pid_t child = fork();
    if (child == 0) {
        glt_outputs_discard();
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(file_commit(f), 0);
}

static void *commit(void *user)
{
    return file_commit(user) < 0 ? user : NULL;
}

static void a_child_of_a_fork_during_a_write_can_write(void **state)
{
    (void)state;
    struct file *f;
    pthread_t thread;
    void *failed;
    assert_int_equal(file_create(&f, target), 0);
    file_fault(FILE_CALL_RENAME, 1, false, FILE_FAULT_PAUSE, 1000); /* inside the list's lock */
    int64_t before = file_calls();
    assert_int_equal(pthread_create(&thread, NULL, commit, f), 0);
    while (file_calls() < before + 2) /* sync, rename */
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    pid_t child = fork();
    if (child == 0)
        _exit(file_put(source, "child", 5) < 0);
    int status = -1, ended = 0;
    for (int tries = 0; !ended && tries < 6000; tries++) {
        nanosleep(&(struct timespec){0, 5000000}, NULL);
        ended = waitpid(child, &status, WNOHANG);
    }
    if (!ended) {
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
    }
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    assert_int_equal(ended, child);
    assert_int_equal(status, 0);
}

/* --- signals --- */

static void *take(void *user, size_t bytes)
{
    (void)user;
    return malloc(bytes);
}

static void release(void *user, void *block)
{
    sigset_t blocked;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    *(int *)user += sigismember(&blocked, SIGTERM);
    free(block);
}

/* The handler waits for the list's lock, and may have interrupted a thread inside malloc. */
static void nothing_is_freed_while_signals_are_blocked(void **state)
{
    (void)state;
    int blocked = 0;
    const struct glt_allocator a = {
        .size = sizeof a, .allocate = take, .release = release, .user = &blocked};
    assert_int_equal(glt_allocator_set(&a), 0);
    store(target, "new", 3);
    struct file *f;
    assert_int_equal(file_create(&f, target), 0);
    file_close(f);
    assert_int_equal(glt_allocator_set(NULL), 0);
    assert_int_equal(blocked, 0);
}

/* What a program does that a signal ends (src/cli/signals.c). */
static void end_at_once(int number)
{
    glt_outputs_discard();
    _exit(128 + number);
}

static void a_signal_leaves_no_temporary(void **state)
{
    (void)state;
    int64_t before = file_calls();
    assert_int_equal(write_new(), 0);
    int64_t calls = file_calls() - before;
    int old_seen = 0, new_seen = 0;
    for (int64_t nth = 1; nth <= calls; nth++) {
        store(target, "old", 3);
        pid_t child = fork();
        if (child == 0) {
            signal(SIGTERM, end_at_once);
            file_fault(FILE_CALLS, nth, false, FILE_FAULT_PAUSE, 200);
            write_new();
            _exit(0);
        }
        await_pause(child);
        kill(child, SIGTERM);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) &&
                    (WEXITSTATUS(status) == 128 + SIGTERM || WEXITSTATUS(status) == 0));
        assert_int_equal(count_names(), 2);
        char *text;
        size_t len;
        assert_int_equal(file_read_all(&text, &len, target, 2 * BIG), 0);
        bool is_old = strcmp(text, "old") == 0, is_new = len == BIG + 1503;
        assert_true(is_old || is_new);
        old_seen += is_old;
        new_seen += is_new;
        memory_free(text);
    }
    assert_true(old_seen > 0 && new_seen > 0);
}

/* A pair: killed at any moment it is the old one, the new one, or known to be torn. */
static int write_pair(void)
{
    struct file *f, *beside;
    TRY(file_create(&f, target));
    int code = file_create(&beside, source);
    if (code == 0) {
        file_join_output(f, beside);
        code = file_write(f, "new", 3);
    }
    if (code == 0)
        code = file_write(beside, "new", 3);
    return file_finish(f, code);
}

static void reset_pair(void)
{
    own_folder_remove(folder);
    assert_int_equal(file_make_folder(folder), 0);
    store(target, "old", 3);
    store(source, "old", 3);
}

static void a_pair_is_old_new_or_known_to_be_torn(void **state)
{
    (void)state;
    reset_pair();
    int64_t before = file_calls();
    assert_int_equal(write_pair(), 0);
    int64_t calls = file_calls() - before;
    int torn = 0;
    for (int64_t nth = 1; nth <= calls; nth++) {
        reset_pair();
        pid_t child = fork();
        if (child == 0) {
            file_fault(FILE_CALLS, nth, false, FILE_FAULT_PAUSE, 60000);
            _exit(write_pair() < 0);
        }
        await_pause(child);
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, NULL, 0), child);
        bool same = has(target, "old") == has(source, "old");
        bool known = file_check_pair(target, source) == GLT_EFORMAT;
        assert_true(same || known);
        torn += !same;
        assert_int_equal(write_pair(), 0);
        assert_int_equal(file_check_pair(target, source), 0);
    }
    assert_true(torn > 0);
    for (int64_t nth = 1; nth <= calls; nth++) { /* calls that fail */
        reset_pair();
        file_fault(FILE_CALLS, nth, false, FILE_FAULT_ERROR, 0);
        assert_int_equal(write_pair(), GLT_EIO);
        bool replaced = glt_error_topic() == GLT_TOPIC_UNSYNCED || /* both, or one of the two */
                        glt_error_topic() == GLT_TOPIC_MISSING;
        file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
        assert_int_equal(has(target, "new"), replaced);
        bool same = has(target, "old") == has(source, "old");
        assert_int_equal(file_check_pair(target, source), same ? 0 : GLT_EFORMAT);
    }
}

/* The second file waits beside the target of a link. */
static void a_torn_pair_is_known_through_a_link(void **state)
{
    (void)state;
    char link[400], other[400], waiting[500];
    snprintf(other, sizeof other, "%s/other", folder);
    snprintf(link, sizeof link, "%s/link", folder);
    snprintf(waiting, sizeof waiting, "%s/other/file.new", folder);
    assert_int_equal(file_make_folder(other), 0);
    assert_int_equal(symlink("other/file", link), 0);
    assert_int_equal(file_put_text(other, "file", "old"), 0);
    assert_int_equal(file_check_pair(target, link), 0);
    store(waiting, "new", 3);
    assert_int_equal(file_check_pair(target, link), GLT_EFORMAT);
}

/* A failure says whether the old file is still there. */
static void a_failure_after_the_rename_says_so(void **state)
{
    (void)state;
    int64_t before = file_calls();
    assert_int_equal(write_new(), 0);
    int64_t calls = file_calls() - before;
    int after = 0;
    for (int64_t nth = 1; nth <= calls; nth++) {
        store(target, "old", 3);
        file_fault(FILE_CALLS, nth, false, FILE_FAULT_ERROR, 0);
        assert_int_equal(write_new(), GLT_EIO);
        file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
        bool said = glt_error_topic() == GLT_TOPIC_UNSYNCED;
        assert_int_equal(said, !has(target, "old"));
        after += said;
    }
    assert_true(after >= 3); /* open, sync and close of the folder */
}

static void wake(int number)
{
    (void)number;
}

/* A signal that interrupts the pause (and the calls around it) changes nothing. */
static void a_signal_changes_nothing(void **state)
{
    (void)state;
    struct sigaction action = {.sa_handler = wake}; /* without SA_RESTART */
    sigaction(SIGUSR1, &action, NULL);
    pid_t parent = getpid(), child = fork();
    if (child == 0) {
        for (int i = 0; i < 200; i++) {
            kill(parent, SIGUSR1);
            nanosleep(&(struct timespec){0, 200000}, NULL);
        }
        _exit(0);
    }
    file_fault(FILE_CALL_READ, 1, true, FILE_FAULT_PAUSE, 1);
    for (int i = 0; i < 5; i++)
        assert_int_equal(read_all_ways(NULL), 0);
    file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
    for (int i = 0; i < 5; i++)
        assert_int_equal(write_new(), 0);
    while (waitpid(child, NULL, 0) != child) {
    }
}

static int make_files(void **state)
{
    (void)state;
    own_folder_remove(folder);
    assert_int_equal(file_make_folder(folder), 0);
    store(source, content, BIG);
    store(target, "old", 3);
    return 0;
}

static int set_up(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/files", own_folder());
    snprintf(target, sizeof target, "%s/target", folder);
    snprintf(source, sizeof source, "%s/source", folder);
    snprintf(log_path, sizeof log_path, "%s/log", own_folder());
    content = malloc(BIG);
    for (int i = 0; i < BIG; i++)
        content[i] = (unsigned char)((uint32_t)i * 2654435761u >> 24);
    memset(content, 'a', 1000); /* one line to begin with */
    content[1000] = '\n';
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    free(content);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(every_call_of_a_read_may_fail, make_files),
        cmocka_unit_test_setup(nothing_is_freed_while_signals_are_blocked, make_files),
        cmocka_unit_test_setup(a_read_by_several_threads_is_whole_or_fails, make_files),
        cmocka_unit_test_setup(a_write_that_fails_leaves_the_old_file, make_files),
        cmocka_unit_test_setup(messages_say_what_to_do, make_files),
        cmocka_unit_test_setup(a_full_disk_leaves_the_old_file, make_files),
        cmocka_unit_test_setup(every_call_of_walk_lock_append_and_make_may_fail, make_files),
        cmocka_unit_test_setup(a_signal_changes_nothing, make_files),
        cmocka_unit_test_setup(a_killed_write_leaves_the_old_file_or_the_new_one, make_files),
        cmocka_unit_test_setup(only_what_nobody_writes_is_stale, make_files),
        cmocka_unit_test_setup(a_new_temporary_is_not_taken_for_a_stale_one, make_files),
        cmocka_unit_test_setup(a_child_leaves_the_temporaries_of_its_parent_alone, make_files),
        cmocka_unit_test_setup(a_child_of_a_fork_during_a_write_can_write, make_files),
        cmocka_unit_test_setup(a_signal_leaves_no_temporary, make_files),
        cmocka_unit_test_setup(a_failure_after_the_rename_says_so, make_files),
        cmocka_unit_test_setup(a_pair_is_old_new_or_known_to_be_torn, make_files),
        cmocka_unit_test_setup(a_torn_pair_is_known_through_a_link, make_files),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
