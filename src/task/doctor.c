/* Describes this build and the abilities of this machine, for bug reports. Kernels with wrong
 * products are an error: no result can be trusted then. */
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/print.h"
#include "kernels/gemm.h"
#include "kernels/gemm_block.h"
#include "kernels/gemm_plain.h"
#include "kernels/kernels.h"
#include "version.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { ROWS = 1000, COLUMNS = 50, TERMS = 300 }; /* not multiples of a tile, enough for threads */

struct report {
    glt_finding_fn *fn;
    void *user;
    int errors;
};

__attribute__((format(printf, 4, 5))) static void find(struct report *r, const char *topic,
                                                       int error, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    print_list(text, sizeof text, format, list);
    va_end(list);
    r->errors += error;
    r->fn(r->user, &(struct glt_finding){topic, text, "", "", error});
}

static void report_build(struct report *r)
{
    find(r, "version", 0, "gelatto %s, commit %s", glt_version(), glt_commit());
#if defined(__clang__)
    find(r, "compiler", 0, "%s, %s build", __VERSION__, GELATTO_BUILD);
#else
    find(r, "compiler", 0, "gcc %s, %s build", __VERSION__, GELATTO_BUILD);
#endif
    find(r, "optional parts", 0, "%s", GELATTO_PARTS);
    find(r, "hardening", 0, "%s", GELATTO_HARDENING);
}

/* The name that the processor reports. */
static void cpu_name(char *name, size_t size)
{
#if defined(__x86_64__)
    unsigned words[12] = {0};
    for (unsigned i = 0; i < 3; i++)
        __get_cpuid(0x80000002u + i, words + 4 * i, words + 4 * i + 1, words + 4 * i + 2,
                    words + 4 * i + 3);
    char text[sizeof words + 1];
    memcpy(text, words, sizeof words);
    text[sizeof words] = 0;
    const char *first = text + strspn(text, " ");
    snprintf(name, size, "%s (x86-64)", *first ? first : "unnamed");
#elif defined(__aarch64__)
    snprintf(name, size, "aarch64");
#else
    snprintf(name, size, "unknown");
#endif
}

static void report_kernels(struct report *r)
{
    char name[96];
    cpu_name(name, sizeof name);
    find(r, "cpu", 0, "%s, %ld processors online", name, sysconf(_SC_NPROCESSORS_ONLN));
    const struct kernels *table, *chosen = kernels();
    int can_run;
    for (int i = 0; (table = kernels_at(i, &can_run)); i++)
        find(r, "kernels", 0, "%s: %s", table->name,
             table == chosen ? "chosen"
             : can_run       ? "can run here (GELATTO_CPU forces it)"
                             : "compiled, untested: this CPU cannot run it");
    const char *wanted = getenv("GELATTO_CPU");
    if (wanted && *wanted && strcmp(wanted, chosen->name) != 0) {
        kernels_list(name, sizeof name);
        find(r, "kernels", 0, "GELATTO_CPU=%.40s cannot run here: there are %s", wanted, name);
    }
    find(r, "threads", 0, "%d", parallel_threads());
}

/* Computes a product with the chosen kernels on all threads, and again in plain loops. The terms
 * are small integers, so both are exact and must be equal. */
static int report_products(struct report *r)
{
    size_t na = ROWS * TERMS, nb = TERMS * COLUMNS, nc = ROWS * COLUMNS;
    real *all = memory_alloc(na + nb + 2 * nc, sizeof *all);
    if (!all)
        return GLT_ENOMEM;
    real *a = all, *b = a + na, *c = b + nb, *plain = c + nc;
    for (size_t i = 0; i < na + nb; i++)
        all[i] = (real)((int)(i * 7 % 31) - 15);
    gemm(c, COLUMNS, a, TERMS, 0, b, COLUMNS, 0, ROWS, COLUMNS, TERMS, 0, NULL);
    gemm_plain(&(struct gemm_block){.c = plain,
                                    .a = a,
                                    .b = b,
                                    .ldc = COLUMNS,
                                    .lda = TERMS,
                                    .ldb = COLUMNS,
                                    .m = ROWS,
                                    .n = COLUMNS,
                                    .k = TERMS});
    size_t wrong = 0;
    for (size_t i = 0; i < nc; i++)
        wrong += c[i] != plain[i];
    memory_free(all);
    find(r, "products", wrong > 0, "%zu of %zu elements of a product wrong", wrong, nc);
    return 0;
}

static void report_limits(struct report *r)
{
    find(r, "memory", 0, "%.1f GiB", memory_machine() / 0x1p30);
    static const struct {
        int resource;
        const char *name;
    } rows[] = {{RLIMIT_AS, "address space"}, {RLIMIT_FSIZE, "file size"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct rlimit limit;
        if (getrlimit((__typeof__(RLIMIT_AS))rows[i].resource, &limit) == 0 &&
            limit.rlim_cur != RLIM_INFINITY)
            find(r, "limits", 0, "%s of this process: %.3f GiB", rows[i].name,
                 (double)limit.rlim_cur / 0x1p30);
    }
    find(r, "limits", 0, "2,147,483,647 points in a cloud, 1,024 threads");
}

int glt_doctor(glt_finding_fn *fn, void *user)
{
    REQUIRE(fn);
    struct report r = {fn, user, 0};
    report_build(&r);
    report_kernels(&r);
    TRY(report_products(&r));
    report_limits(&r);
    if (r.errors)
        return error_topic(error_set(GLT_EUNSUPPORTED,
                                     "the kernels \"%s\" multiply wrong on this machine: expected "
                                     "the product of plain loops; try GELATTO_CPU=ref",
                                     kernels()->name),
                           GLT_TOPIC_FORMAT, "products");
    return 0;
}
