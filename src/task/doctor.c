/* What this build is and what this machine can do with it: the first thing to ask for in a bug
 * report. A BLAS that gives wrong products when several threads call it is an error: nothing
 * computed with it can be trusted. */
#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "kernels/blas_check.h"
#include "kernels/gemm.h"
#include "kernels/kernels.h"
#include "version.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

enum { STRESS_THREADS = 4, STRESS_PRODUCTS = 16000 };

struct report {
    glt_finding_fn *fn;
    void *user;
    int faults;
};

__attribute__((format(printf, 4, 5))) static void find(struct report *r, const char *topic,
                                                       int fault, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    vsnprintf(text, sizeof text, format, list);
    va_end(list);
    r->faults += fault;
    r->fn(r->user, topic, text, fault);
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

/* The name the processor gives itself. */
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
    find(r, "cpu", 0, "%s, %ld cores online", name, sysconf(_SC_NPROCESSORS_ONLN));
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

/* OpenBLAS reports how it was built: 0 without locks, 1 with threads of its own, 2 over OpenMP.
 * Only the second can be called from our threads and give the same bits every time. */
static void report_openblas(struct report *r)
{
    void *symbol = dlsym(RTLD_DEFAULT, "openblas_get_parallel");
    int (*get_parallel)(void);
    if (!symbol)
        return;
    memcpy(&get_parallel, &symbol, sizeof symbol); /* ISO C has no cast from object to function */
    int kind = get_parallel();
    if (kind != 1)
        find(r, "blas", 1, "this OpenBLAS was built %s: use its pthread build, or BLIS",
             kind == 0 ? "without locks" : "over OpenMP");
}

static int report_blas(struct report *r)
{
    Dl_info info;
    void *symbol = dlsym(RTLD_DEFAULT, "cblas_sgemm");
    const char *path = symbol && dladdr(symbol, &info) ? info.dli_fname : "linked in";
    find(r, "blas", 0, "%s: %s", gemm_library(), path);
    report_openblas(r);
    int64_t wrong = 0;
    TRY(blas_check(&wrong, STRESS_THREADS, STRESS_PRODUCTS));
    find(r, "blas", wrong > 0, "%lld of %d products wrong when %d threads call it together%s",
         (long long)wrong, STRESS_PRODUCTS, STRESS_THREADS,
         wrong ? ": do not use this build; link libblis-serial-dev" : "");
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
    TRY(report_blas(&r));
    report_limits(&r);
    if (r.faults)
        return error_topic(
            error_set(GLT_EUNSUPPORTED,
                      "the BLAS (%s) cannot be called from several threads: build with "
                      "-DGELATTO_BLAS=blis and libblis-serial-dev",
                      gemm_library()),
            GLT_TOPIC_FORMAT, "blas");
    return 0;
}
