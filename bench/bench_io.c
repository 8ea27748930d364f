/* Times the readers: bench_io [folder for temporary files] [points]
 *   NPY, binary PLY and LAS of 10,000,000 points against `cat FILE > /dev/null` in the same run;
 *   ascii PLY and text of 1,000,000 points against Open3D and PCL, where the Debian packages
 *   python3-open3d and pcl-tools are installed.
 * Prints name, ours, peer, ratio, unit; a ratio above 1 means ours is faster. */
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/random.h"
#include "formats/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ROUNDS = 5, SMALL = 1000000 };

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* A scan with colours and labels, as rooms have. */
static int make(struct glt_cloud **out, int64_t n)
{
    static const char *const names[] = {"x", "y", "z", "red", "green", "blue", "label"};
    struct random r = random_start(random_stream(1, 0, 0, RANDOM_TEST), 0);
    struct glt_cloud *c;
    TRY(cloud_new(&c, n));
    for (int k = 0; k < 7; k++) {
        struct column *x;
        int code = cloud_add_attribute(&x, c, names[k], k < 3 ? GLT_F32 : GLT_U8);
        if (code < 0) {
            cloud_free(c);
            return code;
        }
        for (int64_t i = 0; i < n; i++) {
            if (k < 3)
                ((float *)x->data)[i] = (float)(random_u32(&r) % 2000000) * 1e-5f;
            else
                ((uint8_t *)x->data)[i] = (uint8_t)random_below(&r, k == 6 ? 13 : 256);
        }
    }
    *out = c;
    return 0;
}

static double best_read(const char *path)
{
    double best = 1e9;
    for (int i = 0; i < ROUNDS; i++) {
        struct glt_cloud *c = NULL;
        double begin = seconds();
        if (format_read(&c, path, NULL) < 0) {
            fprintf(stderr, "%s\n", glt_error_message());
            exit(1);
        }
        double time = seconds() - begin;
        best = time < best ? time : best;
        cloud_free(c);
    }
    return best;
}

static double best_cat(const char *path)
{
    char command[600];
    double best = 1e9;
    snprintf(command, sizeof command, "cat '%s' > /dev/null", path);
    for (int i = 0; i < ROUNDS; i++) {
        double begin = seconds();
        if (system(command) != 0)
            return -1;
        double time = seconds() - begin;
        best = time < best ? time : best;
    }
    return best;
}

/* The smallest number a command prints behind `mark`; -1 if it prints none. */
static double ask(const char *command, const char *mark)
{
    char line[1024];
    double best = -1, found;
    FILE *p = popen(command, "r");
    if (!p)
        return -1;
    while (fgets(line, sizeof line, p)) {
        const char *at = strstr(line, mark);
        if (at && sscanf(at + strlen(mark), "%lf", &found) == 1)
            best = best < 0 || found < best ? found : best;
    }
    pclose(p);
    return best;
}

/* Seconds Open3D takes, or -1 without it. Debian's package belongs to Debian's Python. */
static double open3d_read(const char *path)
{
    char command[1200];
    snprintf(command, sizeof command,
             "/usr/bin/python3 -c 'import open3d as o,time\n"
             "for i in range(3):\n"
             " t=time.time();c=o.io.read_point_cloud(\"%.400s\");t=time.time()-t\n"
             " assert len(c.points) == %d\n"
             " print(\"read\", t)' 2>/dev/null",
             path, SMALL);
    return ask(command, "read");
}

/* Seconds a command takes at best, or -1 if it fails. */
static double best_command(const char *command)
{
    double best = -1;
    for (int i = 0; i < 3; i++) {
        double begin = seconds();
        if (system(command) != 0)
            return -1;
        double time = seconds() - begin;
        best = best < 0 || time < best ? time : best;
    }
    return best;
}

/* The same for PCL's converters. That of PLY prints how long loading took; that of text does not:
 * it is timed as a whole, less its time for one point, which leaves reading and a quick binary
 * save.
 */
static double pcl_read(const char *path)
{
    char command[2000];
    if (strstr(path, ".ply")) {
        snprintf(command, sizeof command,
                 "for i in 1 2 3; do pcl_ply2pcd -format 1 '%.400s' '%.400s.pcd'; done 2>&1 | "
                 "grep Loading; rm -f '%.400s.pcd'",
                 path, path, path);
        double milliseconds = ask(command, "done, ");
        return milliseconds < 0 ? -1 : milliseconds / 1000;
    }
    snprintf(command, sizeof command,
             "head -n 1 '%.400s' > '%.400s.one.xyz' && "
             "pcl_xyz2pcd '%.400s.one.xyz' '%.400s.pcd' > /dev/null 2>&1",
             path, path, path, path);
    double start = best_command(command);
    snprintf(command, sizeof command, "pcl_xyz2pcd '%.400s' '%.400s.pcd' > /dev/null 2>&1", path,
             path);
    double whole = best_command(command);
    snprintf(command, sizeof command, "rm -f '%.400s.pcd' '%.400s.one.xyz'", path, path);
    return system(command) != 0 || start < 0 || whole < 0 ? -1 : whole - start;
}

static void print_row(const char *name, double ours, double peer)
{
    if (peer > 0)
        printf("%s\t%.4f\t%.4f\t%.2f\ts\n", name, ours, peer, peer / ours);
    else
        printf("%s\t%.4f\t-\t-\ts\n", name, ours);
    fflush(stdout);
}

static int run(const char *folder, int64_t n)
{
    static const char *const big[] = {"npy", "ply", "las"}, *const small[] = {"ply", "xyz"};
    char path[512], name[64];
    struct glt_cloud *c = NULL;
    TRY(make(&c, n));
    int code = 0;
    for (int i = 0; i < 3 && code == 0; i++) {
        snprintf(path, sizeof path, "%.400s/gelatto-bench.%s", folder, big[i]);
        code = format_write(c, path, NULL);
        if (code < 0)
            break;
        snprintf(name, sizeof name, "read %s %lld against cat", big[i], (long long)n);
        print_row(name, best_read(path), best_cat(path));
        file_remove(path);
    }
    cloud_free(c);
    if (code == 0)
        code = make(&c, SMALL);
    if (code < 0)
        return code;
    for (int k = 3; k < 7; k++) /* as the peers' figures: coordinates alone */
        cloud_remove_attribute(c, c->columns[3].name);
    for (int i = 0; i < 2 && code == 0; i++) {
        struct format_options o = {.encoding = "ascii"};
        snprintf(path, sizeof path, "%.400s/gelatto-bench-text.%s", folder, small[i]);
        code = format_write(c, path, &o);
        if (code < 0)
            break;
        double ours = best_read(path);
        snprintf(name, sizeof name, "read ascii %s %d against Open3D", small[i], SMALL);
        print_row(name, ours, open3d_read(path));
        snprintf(name, sizeof name, "read ascii %s %d against PCL", small[i], SMALL);
        print_row(name, ours, pcl_read(path));
        file_remove(path);
    }
    cloud_free(c);
    return code;
}

int main(int argc, char **argv)
{
    int64_t n = argc > 2 ? atoll(argv[2]) : 10000000;
    if (run(argc > 1 ? argv[1] : "/tmp", n > 0 ? n : 10000000) < 0) {
        fprintf(stderr, "%s\n", glt_error_message());
        return 1;
    }
    return 0;
}
