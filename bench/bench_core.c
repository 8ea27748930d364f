/* Times what readers are made of: bench_core [folder for temporary files]
 *   lines and numbers of a 1,000,000-line text "x y z", against strtof on the same lines;
 *   printing of floats, against snprintf("%.9g");
 *   a large file read into fresh memory, against `cat FILE > /dev/null` in the same run. */
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/number_print.h"
#include "core/random.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { LINES = 1000000, ROUNDS = 5 };

static double seconds_of(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static double cpu_seconds(void) /* of this process: one thread, so busy neighbours do not count */
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

static double smaller(double a, double b)
{
    return a < b ? a : b;
}

static int write_text(const char *path)
{
    struct file *f;
    TRY(file_create(&f, path));
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    int code = 0;
    for (int i = 0; i < LINES && code == 0; i++)
        code = file_print(f, "%.6f %.6f %.6f\n", 20 * random_uniform(&r), 20 * random_uniform(&r),
                          3 * random_uniform(&r));
    if (code == 0)
        code = file_commit(f);
    if (code < 0)
        file_close(f);
    return code;
}

static int sum_ours(double *sum, struct file *f)
{
    for (;;) {
        char *line;
        size_t len;
        TRY(file_line(f, &line, &len, 1000));
        if (!line)
            return 0;
        const char *at = line, *end = line + len;
        for (int i = 0; i < 3; i++) {
            float value;
            at = number_parse_float(&value, at, end);
            if (!at)
                return error_set(GLT_EFORMAT, "not a number: %s", line);
            *sum += (double)value;
            at += at < end;
        }
    }
}

static int sum_strtof(double *sum, struct file *f)
{
    for (;;) {
        char *line;
        size_t len;
        TRY(file_line(f, &line, &len, 1000));
        if (!line)
            return 0;
        for (int i = 0; i < 3; i++)
            *sum += (double)strtof(line, &line);
    }
}

static int time_text(const char *path)
{
    double best[2] = {1e9, 1e9}, sum[2] = {0, 0};
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < 2; way++) {
            struct file *f;
            double from = cpu_seconds();
            TRY(file_open(&f, path));
            sum[way] = 0;
            int code = way ? sum_strtof(&sum[way], f) : sum_ours(&sum[way], f);
            file_close(f);
            TRY(code);
            best[way] = smaller(best[way], cpu_seconds() - from);
        }
    }
    printf("text of %d lines: %.3f s of CPU, with strtof %.3f s (%.1fx), sums %s\n", LINES, best[0],
           best[1], best[1] / best[0], sum[0] == sum[1] ? "equal" : "DIFFER");
    return 0;
}

static void time_print(void)
{
    double best[2] = {1e9, 1e9};
    size_t bytes[2] = {0, 0};
    for (int round = 0; round < ROUNDS; round++) {
        for (int way = 0; way < 2; way++) {
            struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
            char text[64];
            double from = cpu_seconds();
            bytes[way] = 0;
            for (int i = 0; i < LINES; i++) {
                float value = (float)(20 * random_uniform(&r));
                bytes[way] += way ? (size_t)snprintf(text, sizeof text, "%.9g", (double)value)
                                  : number_print_float(text, value);
            }
            best[way] = smaller(best[way], cpu_seconds() - from);
        }
    }
    printf("printing %d floats: %.3f s of CPU (%zu bytes), %%.9g %.3f s (%zu bytes), %.1fx\n",
           LINES, best[0], bytes[0], best[1], bytes[1], best[1] / best[0]);
}

static int read_whole(const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    void *bytes = memory_alloc((size_t)file_size(f), 1);
    int code = bytes ? file_read(f, bytes, (size_t)file_size(f)) : GLT_ENOMEM;
    memory_free(bytes);
    file_close(f);
    return code;
}

static int time_raw(const char *path)
{
    enum { PIECE = 1 << 20, PIECES = 240 };
    struct file *f;
    char *piece = memory_alloc(PIECE, 1), command[600];
    if (!piece)
        return GLT_ENOMEM;
    TRY(file_create(&f, path));
    for (int i = 0; i < PIECES; i++)
        TRY(file_write(f, piece, PIECE));
    TRY(file_commit(f));
    memory_free(piece);
    snprintf(command, sizeof command, "cat '%s' > /dev/null", path);
    double best[2] = {1e9, 1e9};
    for (int round = 0; round < ROUNDS; round++) {
        double from = seconds();
        TRY(read_whole(path));
        best[0] = smaller(best[0], seconds() - from);
        from = seconds();
        if (system(command) != 0)
            return error_set(GLT_EIO, "%s failed", command);
        best[1] = smaller(best[1], seconds() - from);
    }
    printf("file of %d MiB into fresh memory: %.3f s, cat %.3f s (%.2f of its speed)\n", PIECES,
           best[0], best[1], best[1] / best[0]);
    return 0;
}

static int run(const char *folder)
{
    char text[512], raw[512];
    TRY(file_join(text, sizeof text, folder, "gelatto-bench.txt"));
    TRY(file_join(raw, sizeof raw, folder, "gelatto-bench.raw"));
    int code = write_text(text);
    if (code == 0)
        code = time_text(text);
    time_print();
    if (code == 0)
        code = time_raw(raw);
    remove(text);
    remove(raw);
    return code;
}

int main(int argc, char **argv)
{
    if (run(argc > 1 ? argv[1] : "/tmp") == 0)
        return 0;
    fprintf(stderr, "%s\n", glt_error_message());
    return 1;
}
