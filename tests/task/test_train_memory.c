/* The memory that a training run announces is the memory it takes, and it does not grow with the
 * steps. Each measurement is a process of its own, so that its peak is its own. labels: quick
 * nightly */
#include "core/memory.h"
#include "data_folder.h"
#include "tier.h"

#include <sys/resource.h>
#include <sys/wait.h>

/* A sanitizer has memory of its own: what the process holds says nothing there. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
enum { SANITIZED = 1 };
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
enum { SANITIZED = 1 };
#else
enum { SANITIZED = 0 };
#endif
#else
enum { SANITIZED = 0 };
#endif

static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)level;
    double *announced = user;
    const char *found = strstr(message, "memory: about ");
    if (found)
        sscanf(found, "memory: about %lf MB", announced);
}

/* Bytes of this process in memory now. */
static double resident(void)
{
    long pages = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%*s %ld", &pages) != 1)
        pages = 0;
    if (f)
        fclose(f);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

struct watch {
    int64_t early;
    double resident;
    int64_t alive;
};

static int on_step(void *user, const struct glt_train_status *s)
{
    struct watch *w = user;
    if (s->step == w->early) {
        w->resident = resident();
        w->alive = memory_stats().bytes;
    }
    if (s->step == s->steps && w->early) {
        double grown = resident() - w->resident;
        int64_t more = memory_stats().bytes - w->alive;
        print_message("from step %lld to %lld: %.0f kB resident, %lld kB allocated more\n",
                      (long long)w->early, (long long)s->steps, grown / 1e3,
                      (long long)more / 1000);
        if ((grown > 2e6 && !SANITIZED) || more > 500000)
            _exit(4);
    }
    return 0;
}

static int train(const char *settings, const char *data, int64_t steps, struct watch *w)
{
    char runs[DATA_PATH];
    struct glt_config *c = settings_config(settings, "");
    struct glt_train_options o = {
        .size = sizeof o, .runs = data_file(runs, "runs"), .steps = steps};
    int code = glt_train(c, data, &o, on_step, w);
    glt_config_free(c);
    return code;
}

/* Runs in a child; its exit code is 0 when all is well. */
static int in_child(int (*fn)(void))
{
    int status = -1;
    data_folder();
    fflush(stdout);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(fn());
    assert_int_equal(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 100;
}

static int compare(const char *settings, const char *data)
{
    double announced = 0;
    struct watch w = {0};
    struct rusage use;
    glt_log_set(listen, &announced);
    if (train(settings, data, 3, &w) < 0 || getrusage(RUSAGE_SELF, &use)) {
        print_message("%s\n", glt_error_message());
        return 2;
    }
    double peak = 1024e-6 * (double)use.ru_maxrss;
    print_message("announced %.0f MB, peak %.0f MB\n", announced, peak);
    return peak > 1.1 * announced || peak < 0.9 * announced ? 3 : 0;
}

static int compare_tiny(void)
{
    return compare("preset=tiny points=2048 k=8 batch=4 subset=2 threads=1",
                   "synth:rooms rooms=1 points=16000");
}

static int compare_small(void)
{
    return compare("preset=small subset=2", "synth:rooms rooms=1");
}

static int compare_paper(void)
{
    return compare("preset=paper", "synth:rooms");
}

static void the_memory_taken_is_the_memory_announced(void **state)
{
    (void)state;
    if (SANITIZED) {
        print_message("a sanitizer has memory of its own\n");
        skip();
    }
    assert_int_equal(in_child(compare_tiny), 0);
    if (tier() < TIER_NIGHTLY)
        return;
    assert_int_equal(in_child(compare_small), 0);
    assert_int_equal(in_child(compare_paper), 0);
}

static int many_steps(void)
{
    bool night = tier() == TIER_NIGHTLY;
    struct watch w = {.early = night ? 200 : 40};
    glt_threads_set(night ? 0 : 1);
    return train("points=256 block_min=64 levels=64,32,16,8 radius=0.3 stem=8 width=8,8,8,8 "
                 "decoder=8 head_hidden=8 lr=1e-3 batch=2 epochs=1000",
                 "synth:rooms rooms=1 points=2000", night ? 1000 : 80, &w) < 0;
}

static void memory_does_not_grow_with_the_steps(void **state)
{
    (void)state;
    assert_int_equal(in_child(many_steps), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_memory_taken_is_the_memory_announced),
        cmocka_unit_test(memory_does_not_grow_with_the_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
