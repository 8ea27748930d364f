/* Reports. An input that begins with "@" is a run's folder: lines "@ NAME" begin its files. Any
 * other is a predicted cloud. Whatever they say, an HTML report or an error.
 * covers: task/report_cloud.c task/report_run.c task/run_curves.c task/confusion_file.c
 * but: glt_cloud_report glt_run_report check_place run_write_curves */
#include "cloud/labels.h"
#include "core/error.h"
#include "core/memory.h"
#include "fuzz_bytes.h"
#include "task/report_cloud.h"
#include "task/report_run.h"

#include <fcntl.h>
#include <sys/stat.h>

static const char *const names[] = {
    "config.yaml",      "results.csv",    "metrics.jsonl",      "confusion.csv", "log.txt",
    "environment.json", "eval/card.json", "eval/confusion.csv", "image.png"};
enum { NAMES = sizeof names / sizeof *names };

static void put_file(int folder, const char *name, const uint8_t *bytes, size_t len)
{
    int fd = openat(folder, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    PROPERTY(fd >= 0 && write(fd, bytes, len) == (ssize_t)len);
    close(fd);
}

/* The file that a line "@ NAME" begins; -1: it is no such line. */
static int begins(const uint8_t *line, size_t len)
{
    for (int i = 0; i < NAMES; i++) {
        size_t n = strlen(names[i]);
        if (len >= n + 3 && !memcmp(line, "@ ", 2) && !memcmp(line + 2, names[i], n) &&
            line[n + 2] == '\n')
            return i;
    }
    return -1;
}

static void put_run(int folder, const uint8_t *data, size_t size)
{
    const uint8_t *from[NAMES] = {NULL}, *end[NAMES];
    int now = -1;
    for (size_t at = 0; at < size;) {
        const uint8_t *line_end = memchr(data + at, '\n', size - at);
        int next = begins(data + at, size - at);
        size_t after = line_end ? (size_t)(line_end - data) + 1 : size;
        if (next >= 0) {
            if (now >= 0)
                end[now] = data + at;
            now = next;
            from[now] = data + after;
        }
        at = after;
    }
    if (now >= 0)
        end[now] = data + size;
    for (int i = 0; i < NAMES; i++) {
        if (from[i])
            put_file(folder, names[i], from[i], (size_t)(end[i] - from[i]));
        else
            unlinkat(folder, names[i], 0);
    }
}

static void report_run(const uint8_t *data, size_t size)
{
    const char *above = getenv("TMPDIR");
    char path[512];
    struct file *f = fuzz_output();
    snprintf(path, sizeof path, "%s/fuzz-run-%ld", above ? above : "/tmp", (long)getpid());
    mkdir(path, 0700);
    int folder = open(path, O_RDONLY | O_DIRECTORY);
    PROPERTY(folder >= 0);
    mkdirat(folder, "eval", 0700);
    put_run(folder, data, size);
    int code = report_run_print(f, path, "<script>");
    PROPERTY(code == 0 || (code < 0 && glt_error_message()[0] != 0));
    put_run(folder, NULL, 0);
    unlinkat(folder, "eval", AT_REMOVEDIR);
    close(folder);
    rmdir(path);
    file_close(f);
}

static void report_cloud(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = {data, size};
    struct glt_cloud *c = fuzz_make_cloud(&b);
    struct file *f = fuzz_output();
    if (labels_given(c)) {
        int code = report_cloud_print(f, c, "<script>", 16, 16);
        PROPERTY(code == 0 || (code < 0 && glt_error_message()[0] != 0));
    }
    file_close(f);
    cloud_free(c);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    if (size && data[0] == '@')
        report_run(data, size);
    else
        report_cloud(data, size);
    return 0;
}
