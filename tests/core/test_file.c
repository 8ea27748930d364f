/* labels: quick
 * Files: bounded reads, lines of every kind, memory as a file, atomic commit, folders, locks. */
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_syscall.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "errors.h"
#include "own_folder.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char folder[300];

static char *in_folder(const char *name)
{
    static char path[4][512];
    static int turn;
    char *p = path[turn++ % 4];
    assert_int_equal(file_join(p, sizeof path[0], folder, name), 0);
    return p;
}

static void store(const char *path, const void *bytes, size_t len)
{
    struct file *f;
    assert_int_equal(file_create(&f, path), 0);
    assert_int_equal(file_write(f, bytes, len), 0);
    assert_int_equal(file_commit(f), 0);
}

static size_t count_files(void)
{
    char **names;
    size_t n;
    assert_int_equal(file_list(&names, &n, folder), 0);
    file_free_names(names, n);
    return n;
}

static void a_read_is_bounded_by_the_file(void **state)
{
    (void)state;
    char *path = in_folder("eight");
    store(path, "\1\2\3\4\5\6\7\10", 8);
    struct file *f;
    assert_int_equal(file_open(&f, path), 0);
    assert_int_equal(file_size(f), 8);
    uint32_t u32;
    assert_int_equal(file_skip(f, 2), 0);
    assert_int_equal(file_read_u32le(f, &u32), 0);
    assert_int_equal(u32, 0x06050403);
    u32 = 77;
    assert_int_equal(file_read_u32le(f, &u32), GLT_EFORMAT);
    assert_int_equal(u32, 77);
    assert_int_equal(file_offset(f), 6); /* a failed read consumes nothing */
    assert_error("TRUNCATED byte 6");
    assert_int_equal(file_seek(f, 9), GLT_EFORMAT);
    assert_int_equal(file_seek(f, -1), GLT_EFORMAT);
    assert_int_equal(file_skip(f, 3), GLT_EFORMAT);
    assert_int_equal(file_skip(f, -1), GLT_EFORMAT);
    assert_int_equal(file_skip(f, INT64_MAX), GLT_EFORMAT);
    assert_int_equal(file_read(f, &u32, SIZE_MAX), GLT_EFORMAT);
    assert_int_equal(file_skip(f, 2), 0);
    assert_int_equal(file_left(f), 0);
    assert_int_equal(file_seek(f, 0), 0);
    uint64_t u64;
    assert_int_equal(file_read_u64le(f, &u64), 0);
    assert_true(u64 == 0x0807060504030201u);
    file_close(f);
}

static void numbers_are_read_in_both_byte_orders(void **state)
{
    (void)state;
    const unsigned char byte = 200;
    struct file *f;
    assert_int_equal(file_open_memory(&f, "bytes", &byte, 1), 0);
    uint8_t u8;
    assert_int_equal(file_read_u8(f, &u8), 0);
    assert_true(u8 == 200);
    file_close(f);
    for (size_t width = 1; width <= 8; width *= 2) {
        unsigned char items[16], swapped[16];
        for (int i = 0; i < 16; i++)
            items[i] = swapped[i] = (unsigned char)i;
        file_swap(swapped, 16 / width, width);
        for (size_t i = 0; i < 16; i++)
            assert_int_equal(swapped[i], items[i / width * width + width - 1 - i % width]);
    }
    assert_false(file_host_is_big_endian());
}

/* Pieces of every size around the buffer's, straight and through it, after seeks back and forth. */
static void reads_of_any_size_give_the_bytes_of_the_file(void **state)
{
    (void)state;
    enum { LEN = 1500000 };
    unsigned char *bytes = memory_alloc(LEN, 1), *got = memory_alloc(LEN, 1);
    for (int i = 0; i < LEN; i++)
        bytes[i] = (unsigned char)(i * 2654435761u >> 24);
    char *path = in_folder("large");
    store(path, bytes, LEN);
    struct file *f;
    assert_int_equal(file_open(&f, path), 0);
    const size_t piece[] = {1, 3, 1000, 70000, 131071, 131072, 262143, 262144, 262145, 400000};
    size_t at = 0;
    for (int round = 0; round < 30; round++) {
        size_t len = piece[round % 10];
        if (at + len > LEN) {
            at = (size_t)round * 1001;
            assert_int_equal(file_seek(f, (int64_t)at), 0);
        }
        assert_int_equal(file_read(f, got, len), 0);
        assert_memory_equal(got, bytes + at, len);
        at += len;
        const unsigned char *window;
        size_t have, want = round % 3 ? 10 : 300000;
        assert_int_equal(file_peek(f, &window, &have, want), 0);
        assert_true(have >= (want < LEN - at ? want : LEN - at));
        assert_memory_equal(window, bytes + at, have);
        assert_int_equal(file_offset(f), at);
    }
    file_close(f);
    memory_free(bytes);
    memory_free(got);
}

static void expect_lines(struct file *f, const char *const *lines, int n)
{
    char *line;
    size_t len;
    for (int i = 0; i < n; i++) {
        assert_int_equal(file_line(f, &line, &len, 1000), 0);
        assert_non_null(line);
        assert_string_equal(line, lines[i]);
        assert_int_equal(len, strlen(lines[i]));
        assert_int_equal(file_line_number(f), i + 1);
    }
    assert_int_equal(file_line(f, &line, &len, 1000), 0);
    assert_null(line);
}

static void lines_are_read_without_their_ends(void **state)
{
    (void)state;
    const char text[] = "unix\nwindows\r\nmac\r\r\n\n\rlast without end";
    const char *const lines[] = {"unix", "windows", "mac", "", "", "", "last without end"};
    struct file *f;
    assert_int_equal(file_open_memory(&f, "text", text, sizeof text - 1), 0);
    expect_lines(f, lines, 7);
    file_close(f);
    char *path = in_folder("text");
    store(path, text, sizeof text - 1);
    assert_int_equal(file_open(&f, path), 0);
    expect_lines(f, lines, 7);
    file_close(f);
    assert_int_equal(file_open_memory(&f, "empty", NULL, 0), 0);
    expect_lines(f, NULL, 0);
    file_close(f);
    assert_int_equal(file_open_memory(&f, "end", "a\r\n", 3), 0);
    expect_lines(f, (const char *const[]){"a"}, 1);
    file_close(f);
}

/* An end of line at every place around the end of the buffer, and lines longer than it. */
static void lines_cross_the_end_of_the_buffer(void **state)
{
    (void)state;
    enum { EDGE = 1 << 18, LEN = EDGE + 1000 };
    static const char *const ends[] = {"\n", "\r\n", "\r"};
    char *text = memory_alloc(LEN, 1), *path = in_folder("edge"), *line;
    size_t len;
    for (int end = 0; end < 3; end++) {
        for (int at = EDGE - 3; at <= EDGE + 2; at++) {
            memset(text, 'x', LEN);
            memcpy(text + at, ends[end], strlen(ends[end]));
            store(path, text, LEN);
            struct file *f;
            assert_int_equal(file_open(&f, path), 0);
            assert_int_equal(file_line(f, &line, &len, LEN), 0);
            assert_int_equal(len, at);
            assert_int_equal(file_line(f, &line, &len, LEN), 0);
            assert_int_equal(len, LEN - at - strlen(ends[end]));
            assert_int_equal(file_line(f, &line, &len, LEN), 0);
            assert_null(line);
            assert_int_equal(file_seek(f, 0), 0);
            assert_int_equal(file_line(f, &line, &len, EDGE - 4), GLT_EFORMAT);
            file_close(f);
        }
    }
    memory_free(text);
}

static void read_all_takes_the_whole_file_or_refuses(void **state)
{
    (void)state;
    char *path = in_folder("all"), *text = NULL;
    size_t len = 7;
    store(path, "hello", 5);
    assert_int_equal(file_read_all(&text, &len, path, 4), GLT_ELIMIT);
    assert_null(text);
    assert_int_equal(file_read_all(&text, &len, path, 5), 0);
    assert_string_equal(text, "hello");
    assert_int_equal(len, 5);
    memory_free(text);
    assert_int_equal(file_put_text(folder, "all", "bye\n"), 0);
    assert_int_equal(file_read_all(&text, &len, path, 5), 0);
    assert_string_equal(text, "bye\n");
    memory_free(text);
    assert_int_equal(file_put_text(in_folder("nowhere"), "all", "text"), GLT_EIO);
    store(path, "", 0);
    assert_int_equal(file_read_all(&text, &len, path, 5), 0);
    assert_int_equal(len, 0);
    assert_string_equal(text, "");
    memory_free(text);
}

static void open_refuses_what_is_no_file(void **state)
{
    (void)state;
    struct file *f = NULL;
    assert_int_equal(file_open(&f, in_folder("nothing")), GLT_EIO);
    assert_error("NOT_FOUND");
    assert_error("NOT_FOUND");
    assert_int_equal(file_open(&f, folder), GLT_EIO);
    assert_error("KIND");
    assert_int_equal(file_open(&f, "/dev/null"), GLT_EIO);
    char *fifo = in_folder("fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(file_open(&f, fifo), GLT_EIO);
    assert_int_equal(file_create(&f, fifo), GLT_EIO);
    assert_int_equal(file_remove(fifo), 0);
    assert_int_equal(file_create(&f, folder), GLT_EIO);
    assert_int_equal(file_create(&f, "/dev/null"), GLT_EIO);
    assert_int_equal(file_create(&f, in_folder("no/such/folder")), GLT_EIO);
    assert_null(f);
}

/* A pipe that this process has open is read to its end; one by another name is not waited for. */
static void a_pipe_that_was_given_is_read_into_memory(void **state)
{
    (void)state;
    enum { BYTES = 50000 }; /* fits into a pipe: nobody reads while it is filled */
    static unsigned char bytes[BYTES], back[BYTES];
    char path[32];
    for (int i = 0; i < BYTES; i++)
        bytes[i] = (unsigned char)(i * 7 % 251);
    for (int fault = 0; fault < 2; fault++) {
        struct file *f = NULL;
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        assert_int_equal(write(ends[1], bytes, BYTES), BYTES);
        close(ends[1]);
        snprintf(path, sizeof path, "/dev/fd/%d", ends[0]);
        if (fault)
            file_fault(FILE_CALL_READ, 2, false, FILE_FAULT_ERROR, 0);
        int code = file_open_input(&f, path);
        file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
        close(ends[0]);
        assert_int_equal(code, fault ? GLT_EIO : 0);
        if (fault)
            continue;
        assert_true(file_is_memory(f));
        assert_int_equal(file_size(f), BYTES);
        assert_int_equal(file_read(f, back, BYTES), 0);
        assert_memory_equal(back, bytes, BYTES);
        file_close(f);
    }
}

static void descriptors_that_are_not_open_are_refused(void **state)
{
    (void)state;
    struct file *f = NULL;
    static const char *const paths[] = {"/dev/fd/99999", "/dev/fd/", "/dev/fd/x", "/dev/fd/123456"};
    for (int i = 0; i < 4; i++)
        assert_int_equal(file_open_input(&f, paths[i]), GLT_EIO);
}

static void a_file_that_shrinks_while_it_is_read_is_an_error(void **state)
{
    (void)state;
    char *path = in_folder("shrunk"), got[100];
    store(path, got, sizeof got);
    struct file *f;
    assert_int_equal(file_open(&f, path), 0);
    assert_int_equal(truncate(path, 50), 0);
    assert_int_equal(file_read(f, got, 100), GLT_EIO);
    assert_error("TRUNCATED byte 50");
    file_close(f);
}

static void commit_is_atomic(void **state)
{
    (void)state;
    char *path = in_folder("target"), *text;
    size_t len, before;
    store(path, "old", 3);
    before = count_files();
    struct file *f;
    assert_int_equal(file_create(&f, path), 0);
    assert_int_equal(file_print(f, "%s %d", "new", 5), 0);
    assert_int_equal(count_files(), before + 1);
    assert_int_equal(file_read_all(&text, &len, path, 10), 0);
    assert_string_equal(text, "old");
    memory_free(text);
    file_close(f); /* not committed: nothing happened */
    assert_int_equal(count_files(), before);
    assert_int_equal(file_create(&f, path), 0);
    assert_int_equal(file_print(f, "%2000d", 5), 0); /* longer than the stack buffer */
    assert_int_equal(file_patch(f, 0, "head", 4), 0);
    assert_int_equal(file_write(f, "!", 1), 0);
    assert_int_equal(file_offset(f), 2001);
    assert_int_equal(file_commit(f), 0);
    assert_int_equal(count_files(), before);
    assert_int_equal(file_read_all(&text, &len, path, 3000), 0);
    assert_int_equal(len, 2001);
    assert_memory_equal(text, "head ", 5);
    assert_memory_equal(text + 1998, " 5!", 3);
    memory_free(text);
}

static void mode_and_links_of_the_target_stay(void **state)
{
    (void)state;
    mode_t old = umask(027);
    char *path = in_folder("mode"), *link = in_folder("link");
    store(path, "1", 1);
    umask(old);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0640);
    assert_int_equal(symlink("mode", link), 0);
    store(link, "22", 2); /* through the link, which stays */
    assert_int_equal(lstat(link, &info), 0);
    assert_true(S_ISLNK(info.st_mode));
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_size, 2);
    assert_int_equal(chmod(path, 0600), 0); /* what was private stays so */
    store(path, "333", 3);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    char name[256] = {0};
    memset(name, 'n', 255);
    store(in_folder(name), "long name", 9);
    assert_int_equal(file_remove(in_folder(name)), 0);
}

static void store_model(const char *path, const char *key)
{
    char text[64];
    int len = snprintf(text, sizeof text, "{\"__metadata__\":{\"%s\":\"1\"}}", key);
    struct file *f;
    assert_int_equal(file_create_as(&f, path, FILE_MODEL), 0);
    unsigned char length[8] = {(unsigned char)len};
    assert_int_equal(file_write(f, length, 8), 0);
    assert_int_equal(file_write(f, text, (size_t)len), 0);
    assert_int_equal(file_commit(f), 0);
}

/* Whatever it is called; a trace is no model, a model may take the place of one. */
static void a_model_is_never_replaced_by_another_output(void **state)
{
    (void)state;
    char *path = in_folder("model.html");
    struct file *f = NULL;
    store_model(path, "gelatto.format");
    assert_int_equal(file_create(&f, path), GLT_EEXISTS);
    assert_null(f);
    assert_error("EXISTS model");
    assert_error_file("model.html");
    store_model(path, "gelatto.trace");
    store(path, "text", 4);
    store(path, "{not a model, though it is a brace}", 35);
    store(path, "12345678{", 9);
    store(path, "text", 4);
    assert_int_equal(file_remove(path), 0);
}

static void a_read_only_file_is_not_replaced(void **state)
{
    (void)state;
    char *path = in_folder("readonly"), *text;
    size_t len;
    struct file *f = NULL;
    store(path, "kept", 4);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(file_create(&f, path), GLT_EIO);
    assert_null(f);
    assert_error("PERMISSION");
    assert_error_file("readonly");
    assert_int_equal(file_read_all(&text, &len, path, 100), 0);
    assert_string_equal(text, "kept");
    memory_free(text);
    assert_int_equal(file_remove(path), 0);
}

static void a_private_file_is_nobody_elses(void **state)
{
    (void)state;
    char *path = in_folder("private");
    struct file *f;
    struct stat info;
    store(path, "1", 1);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(file_create_as(&f, path, FILE_PRIVATE), 0);
    assert_int_equal(file_commit(f), 0);
    assert_int_equal(stat(path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    assert_int_equal(file_remove(path), 0);
}

static void append_adds_to_the_end(void **state)
{
    (void)state;
    char *path = in_folder("log"), *text;
    size_t len;
    assert_int_equal(file_append(path, "one\n", 4), 0);
    assert_int_equal(file_append(path, "two\n", 4), 0);
    assert_int_equal(file_read_all(&text, &len, path, 100), 0);
    assert_string_equal(text, "one\ntwo\n");
    memory_free(text);
}

struct walked {
    char text[1000];
    int stop_after;
};

static int note_path(void *user, const char *path)
{
    struct walked *w = user;
    strcat(w->text, path + strlen(folder));
    strcat(w->text, " ");
    return --w->stop_after == 0 ? GLT_EINTERRUPTED : 0;
}

/* The parent that cannot be written is the cause, not the folder that is missing in it. */
static void a_folder_that_cannot_be_made_reports_the_cause(void **state)
{
    (void)state;
    char locked[512];
    strcpy(locked, in_folder("locked"));
    assert_int_equal(mkdir(locked, 0555), 0);
    assert_int_equal(chmod(folder, 0755), 0); /* another user may look into it */
    bool root = geteuid() == 0;
    assert_true(!root || seteuid(65534) == 0);
    int code = file_make_folder(in_folder("locked/a/b/c"));
    assert_true(!root || seteuid(0) == 0);
    assert_int_equal(code, GLT_EIO);
    assert_error("PERMISSION");
    assert_int_equal(rmdir(locked), 0);
}

static void folders_are_made_listed_and_walked(void **state)
{
    (void)state;
    char root[512];
    strcpy(root, in_folder("tree"));
    assert_false(file_exists(root));
    assert_int_equal(file_make_folder(in_folder("tree/b/deep")), 0);
    assert_int_equal(file_make_folder(in_folder("tree/b/deep/")), 0);
    assert_int_equal(file_make_folder(in_folder("tree/empty")), 0);
    assert_true(file_is_folder(root));
    store(in_folder("tree/c"), "", 0);
    store(in_folder("tree/a"), "", 0);
    store(in_folder("tree/b/deep/z"), "", 0);
    store(in_folder("tree/B"), "", 0);
    assert_int_equal(symlink("b", in_folder("tree/again")), 0);
    assert_int_equal(symlink("a", in_folder("tree/alias")), 0);
    assert_int_equal(symlink("gone", in_folder("tree/dangling")), 0);
    struct walked all = {.text = ""}, two = {.text = "", .stop_after = 2};
    assert_int_equal(file_walk(root, note_path, &all), 0);
    assert_string_equal(all.text, "/tree/B /tree/a /tree/alias /tree/b/deep/z /tree/c ");
    assert_int_equal(file_walk(root, note_path, &two), GLT_EINTERRUPTED);
    assert_string_equal(two.text, "/tree/B /tree/a ");
    assert_int_equal(file_make_folder(in_folder("tree/a")), GLT_EEXISTS);
    assert_int_equal(file_make_folder(in_folder("tree/a/b")), GLT_EIO);
    char **names;
    size_t n;
    assert_int_equal(file_list(&names, &n, in_folder("tree/a")), GLT_EIO);
    char path[8];
    assert_int_equal(file_join(path, sizeof path, "abc", "def"), 0);
    assert_string_equal(path, "abc/def");
    assert_int_equal(file_join(path, sizeof path, "abc/", "def"), 0);
    assert_string_equal(path, "abc/def");
    assert_int_equal(file_join(path, sizeof path, "", "def"), 0);
    assert_string_equal(path, "def");
    assert_int_equal(file_join(path, sizeof path, "abc", "defg"), GLT_ELIMIT);
}

static void a_lock_keeps_others_out(void **state)
{
    (void)state;
    struct file_lock *lock, *second = NULL;
    char *path = in_folder("lock");
    assert_int_equal(file_lock(&lock, path), 0);
    assert_int_equal(file_lock(&second, path), GLT_EEXISTS);
    assert_null(second);
    pid_t child = fork();
    if (child == 0)
        _exit(file_lock(&second, path) == GLT_EEXISTS ? 0 : 1);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    file_unlock(lock);
    assert_int_equal(file_lock(&lock, path), 0);
    file_unlock(lock);
    file_unlock(NULL);
}

/* Whoever starts other programs does not lock the file for as long as they live. */
static void a_child_does_not_keep_a_lock(void **state)
{
    (void)state;
    struct file_lock *lock = NULL;
    char *path = in_folder("lock");
    int end[2];
    assert_int_equal(file_lock(&lock, path), 0);
    assert_int_equal(pipe(end), 0);
    pid_t child = fork();
    if (child == 0) {
        close(end[1]);
        _exit((int)read(end[0], &(char){0}, 1)); /* until the parent closes its end */
    }
    close(end[0]);
    file_unlock(lock);
    assert_int_equal(file_lock(&lock, path), 0);
    close(end[1]);
    assert_int_equal(waitpid(child, NULL, 0), child);
    file_unlock(lock);
}

static void count_warning(void *user, enum glt_log_level level, const char *text)
{
    (void)text;
    *(int *)user += level == GLT_LOG_WARNING && glt_log_topic() == GLT_TOPIC_LOCKED;
}

static void a_disk_without_locks_is_a_warning(void **state)
{
    (void)state;
    struct file_lock *lock = NULL;
    int warnings = 0;
    glt_log_set(count_warning, &warnings);
    file_fault(FILE_CALL_OPEN, 2, false, FILE_FAULT_UNSUPPORTED, 0);
    assert_int_equal(file_lock(&lock, in_folder("lock")), 0);
    glt_log_set(NULL, NULL);
    assert_int_equal(warnings, 1);
    file_unlock(lock);
    file_fault(FILE_CALL_OPEN, 2, false, FILE_FAULT_UNSUPPORTED, 0);
    store(in_folder("output"), "1", 1);
    file_fault(FILE_CALLS, 0, false, FILE_FAULT_NONE, 0);
    assert_int_equal(file_remove(in_folder("output")), 0);
}

/* A folder that may be written but not listed takes a file, which cannot be synced with it. */
static void a_folder_that_cannot_be_listed_takes_files(void **state)
{
    (void)state;
    char drop[512];
    strcpy(drop, in_folder("drop"));
    assert_int_equal(mkdir(drop, 0700), 0);
    bool root = geteuid() == 0;
    assert_true(!root || chown(drop, 65534, (gid_t)-1) == 0);
    assert_int_equal(chmod(drop, 0300), 0);
    pid_t child = fork();
    if (child == 0)
        _exit(chdir(drop) || (root && seteuid(65534)) || file_put("file", "1", 1) < 0);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(file_remove(in_folder("drop/file")), 0);
    assert_int_equal(rmdir(drop), 0);
}

static int make_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "%s/files", own_folder());
    return file_make_folder(folder);
}

static int expect_no_leak(void **state)
{
    (void)state;
    assert_int_equal(memory_stats().bytes, 0);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_read_is_bounded_by_the_file, expect_no_leak),
        cmocka_unit_test_teardown(numbers_are_read_in_both_byte_orders, expect_no_leak),
        cmocka_unit_test_teardown(reads_of_any_size_give_the_bytes_of_the_file, expect_no_leak),
        cmocka_unit_test_teardown(lines_are_read_without_their_ends, expect_no_leak),
        cmocka_unit_test_teardown(lines_cross_the_end_of_the_buffer, expect_no_leak),
        cmocka_unit_test_teardown(read_all_takes_the_whole_file_or_refuses, expect_no_leak),
        cmocka_unit_test_teardown(open_refuses_what_is_no_file, expect_no_leak),
        cmocka_unit_test_teardown(a_pipe_that_was_given_is_read_into_memory, expect_no_leak),
        cmocka_unit_test_teardown(descriptors_that_are_not_open_are_refused, expect_no_leak),
        cmocka_unit_test_teardown(a_file_that_shrinks_while_it_is_read_is_an_error, expect_no_leak),
        cmocka_unit_test_teardown(commit_is_atomic, expect_no_leak),
        cmocka_unit_test_teardown(mode_and_links_of_the_target_stay, expect_no_leak),
        cmocka_unit_test_teardown(a_model_is_never_replaced_by_another_output, expect_no_leak),
        cmocka_unit_test_teardown(a_read_only_file_is_not_replaced, expect_no_leak),
        cmocka_unit_test_teardown(a_private_file_is_nobody_elses, expect_no_leak),
        cmocka_unit_test_teardown(append_adds_to_the_end, expect_no_leak),
        cmocka_unit_test_teardown(a_folder_that_cannot_be_made_reports_the_cause, expect_no_leak),
        cmocka_unit_test_teardown(folders_are_made_listed_and_walked, expect_no_leak),
        cmocka_unit_test_teardown(a_lock_keeps_others_out, expect_no_leak),
        cmocka_unit_test_teardown(a_child_does_not_keep_a_lock, expect_no_leak),
        cmocka_unit_test_teardown(a_disk_without_locks_is_a_warning, expect_no_leak),
        cmocka_unit_test_teardown(a_folder_that_cannot_be_listed_takes_files, expect_no_leak),
    };
    return cmocka_run_group_tests(tests, make_folder, NULL);
}
