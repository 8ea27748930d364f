/* Times LAZ: bench_laz [FILE]: reads a LAZ file from memory, then writes it to memory. Prints the
 * seconds of both, and the points. Without a file one of 2,000,000 points is made. bench/laz
 * compares with lazrs. */
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/random.h"
#include "formats/format.h"

#include <stdio.h>
#include <time.h>

enum { POINTS = 2000000 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Lines of a scanner over a hilly ground. */
static int make(void **bytes, size_t *len)
{
    static const char *const names[] = {"x", "y", "z"};
    struct format_options o = {.format = "laz"};
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    struct glt_cloud *c;
    TRY(cloud_new(&c, POINTS));
    int code = 0;
    for (int k = 0; k < 3 && code == 0; k++) {
        struct column *x;
        code = cloud_add_attribute(&x, c, names[k], GLT_I32);
        for (int32_t i = 0; i < POINTS && code == 0; i++) {
            int32_t noise = (int32_t)(random_u32(&r) % 32);
            ((int32_t *)x->data)[i] = (k == 0   ? i % 1000 * 60
                                       : k == 1 ? i / 1000 * 70
                                                : i % 1000 / 7 * (i / 1000 % 90)) +
                                      noise;
        }
        if (code == 0)
            x->scale = 0.01;
    }
    if (code == 0)
        code = format_write_memory(bytes, len, c, &o);
    cloud_free(c);
    return code;
}

static int run(const char *name, const void *bytes, size_t len)
{
    struct format_options o = {.format = "laz"};
    struct glt_cloud *c;
    struct file *f;
    void *out;
    size_t out_len;
    TRY(file_open_memory(&f, name, bytes, len));
    double begin = seconds();
    int code = format_read_file(&c, f, &o);
    double middle = seconds();
    file_close(f);
    TRY(code);
    code = format_write_memory(&out, &out_len, c, &o);
    double end = seconds();
    if (code == 0) {
        printf("read %.6f s, write %.6f s, %lld points\n", middle - begin, end - middle,
               (long long)c->n);
        memory_free(out);
    }
    cloud_free(c);
    return code;
}

int main(int argc, char **argv)
{
    void *bytes = NULL;
    size_t len;
    int code = argc > 1 ? file_read_all((char **)&bytes, &len, argv[1], (size_t)4 << 30)
                        : make(&bytes, &len);
    if (code == 0)
        code = run(argc > 1 ? argv[1] : "made", bytes, len);
    memory_free(bytes);
    if (code < 0)
        fprintf(stderr, "bench_laz: %s\n", glt_error_message());
    return code < 0;
}
