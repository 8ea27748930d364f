/* The inference driver: every point once, items in their order, the first of several failures,
 * stops and limits, tiles of a world grid that know nothing of each other; all that with any
 * threads. labels: quick threads */
#include "data_folder.h"
#include "errors.h"

#include "core/context.h"
#include "core/memory.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "task/inference.h"

#include <math.h>
#include <pthread.h>

enum { ITEMS_MAX = 24, CLASSES = 5 };

/* Items in memory, and what the driver says of them. */
struct clouds {
    struct item item[ITEMS_MAX];
    int32_t n;
    float *sum[ITEMS_MAX];     /* (points, classes) */
    int32_t *votes[ITEMS_MAX]; /* (points) */
    _Atomic int64_t puts;      /* points */
    int32_t taken, begun, finished, refused_take, refused_put;
    _Atomic int32_t given, ended;
    int64_t samples;
};

/* --- source --- */

static int take(const struct item **out, void *user, int32_t i)
{
    struct clouds *c = user;
    assert_int_equal(i, c->taken++);
    if (i == c->refused_take)
        return error_place(error_set(GLT_EDATA, "cannot be read"), GLT_PLACE_POINT, i);
    *out = &c->item[i];
    return 0;
}

static void give(void *user, int32_t i)
{
    struct clouds *c = user;
    c->given += i >= 0;
}

static int64_t points(void *user, int32_t i)
{
    return ((struct clouds *)user)->item[i].n;
}

static const char *name(void *user, int32_t i)
{
    (void)user;
    (void)i;
    return "cloud";
}

/* --- sink --- */

static int begin(void *user, struct inference_item *x)
{
    struct clouds *c = user;
    assert_int_equal(x->number, c->begun++);
    x->user = c;
    return 0;
}

static void end(void *user, struct inference_item *x)
{
    struct clouds *c = user;
    c->ended += x->user == c;
}

static int put(void *user, const struct inference_item *x, const struct inference_result *r)
{
    struct clouds *c = user;
    if (x->number == c->refused_put)
        return error_place(error_set(GLT_ENUMERIC, "refused"), GLT_PLACE_POINT, x->number);
    c->puts += r->n;
    for (int64_t i = 0; i < r->n; i++) {
        int64_t row = r->rows ? r->rows[i] : i;
        assert_int_equal(c->votes[x->number][row], 0);
        c->votes[x->number][row] = r->votes ? r->votes[i] : 1;
        memcpy(c->sum[x->number] + row * CLASSES, r->sum + i * CLASSES, CLASSES * sizeof(float));
    }
    return 0;
}

static int finish(void *user, const struct inference_item *x)
{
    struct clouds *c = user;
    assert_int_equal(x->number, c->finished++);
    c->samples += x->samples;
    return 0;
}

static const struct inference_sink sink = {begin, put, finish, end};

static void reset(struct clouds *c)
{
    for (int32_t i = 0; i < c->n; i++) {
        memset(c->sum[i], 0, (size_t)c->item[i].n * CLASSES * sizeof(float));
        memset(c->votes[i], 0, (size_t)c->item[i].n * sizeof(int32_t));
    }
    c->taken = c->begun = c->finished = 0;
    c->samples = 0;
    c->puts = 0;
    c->given = 0;
    c->ended = 0;
    c->refused_take = c->refused_put = -1;
}

static void add_cloud(struct clouds *c, int32_t n, double w, double d, bool scene)
{
    struct glt_cloud *cloud;
    struct inputs inputs;
    struct item *x = &c->item[c->n];
    data_room(&cloud, n, w, d, (uint32_t)c->n + 1);
    data_check(inputs_parse(&inputs, "xyz,rgb"));
    data_check(item_from_cloud(x, cloud, &inputs, "room"));
    data_check(item_finish(x, !scene));
    cloud_free(cloud);
    c->sum[c->n] = memory_alloc((size_t)n * CLASSES, sizeof(float));
    c->votes[c->n++] = memory_alloc((size_t)n, sizeof(int32_t));
}

static void clouds_free(struct clouds *c)
{
    for (int32_t i = 0; i < c->n; i++) {
        item_clear(&c->item[i]);
        memory_free(c->sum[i]);
        memory_free(c->votes[i]);
    }
    *c = (struct clouds){0};
}

static void make_rooms(struct clouds *c)
{
    *c = (struct clouds){0};
    add_cloud(c, 900, 3, 2, true);
    add_cloud(c, 40, 1, 1, true);
    add_cloud(c, 2500, 7, 5, true);
    reset(c);
}

static void make_shapes(struct clouds *c)
{
    *c = (struct clouds){0};
    for (int32_t i = 0; i < ITEMS_MAX; i++)
        add_cloud(c, 20 + 37 * i % 200, 1, 1, false);
    reset(c);
}

static struct model *make_model(const char *settings)
{
    return settings_model("points=64 levels=32,16,8,4 width=8 stem=8 k=4 block=1 head_hidden=8 "
                          "decoder=8,8,8,8,8,8,8,8 cls_hidden=8",
                          settings, CLASSES);
}

static struct inference options_of(struct model *m, struct clouds *c)
{
    return (struct inference){.model = m,
                              .sampling = m->config.sampling,
                              .seed = 7,
                              .tilings = 1,
                              .items = {c, c->n, take, give, points, name, NULL},
                              .sink = &sink,
                              .user = c,
                              .activity = "test"};
}

static int64_t all_points(const struct clouds *c)
{
    int64_t n = 0;
    for (int32_t i = 0; i < c->n; i++)
        n += c->item[i].n;
    return n;
}

/* A copy of all sums and votes, to be compared with those of another run. */
struct bits {
    float *sum;
    int32_t *votes;
    int64_t n, samples;
};

static struct bits bits_of(const struct clouds *c)
{
    struct bits b = {.n = all_points(c), .samples = c->samples};
    b.sum = memory_alloc((size_t)b.n * CLASSES, sizeof *b.sum);
    b.votes = memory_alloc((size_t)b.n, sizeof *b.votes);
    int64_t at = 0;
    for (int32_t i = 0; i < c->n; at += c->item[i++].n) {
        memcpy(b.sum + at * CLASSES, c->sum[i], (size_t)c->item[i].n * CLASSES * sizeof *b.sum);
        memcpy(b.votes + at, c->votes[i], (size_t)c->item[i].n * sizeof *b.votes);
    }
    return b;
}

static void bits_free(struct bits *b)
{
    memory_free(b->sum);
    memory_free(b->votes);
}

static void assert_same_bits(const struct clouds *c, const struct bits *want)
{
    struct bits b = bits_of(c);
    assert_int_equal(b.n, want->n);
    assert_int_equal(b.samples, want->samples);
    assert_memory_equal(b.votes, want->votes, (size_t)b.n * sizeof *b.votes);
    assert_memory_equal(b.sum, want->sum, (size_t)b.n * CLASSES * sizeof *b.sum);
    bits_free(&b);
}

/* Runs with one thread and with more. */
static void run_all_ways(struct inference *o, struct clouds *c, bool each)
{
    static const int threads[] = {1, 2, 3, 8};
    struct bits want = {0};
    for (size_t t = 0; t < sizeof threads / sizeof *threads; t++) {
        assert_int_equal(glt_threads_set(threads[t]), 0);
        reset(c);
        data_check(inference_run(o));
        assert_int_equal(c->finished, c->n);
        assert_int_equal(c->given, c->n);
        assert_int_equal(c->ended, c->n);
        assert_int_equal(c->puts, each ? all_points(c) : c->n);
        if (t == 0)
            want = bits_of(c);
        assert_same_bits(c, &want);
    }
    bits_free(&want);
    glt_threads_set(0);
}

static void every_point_of_a_scene_comes_once(void **state)
{
    (void)state;
    struct clouds c;
    struct model *m = make_model("");
    make_rooms(&c);
    for (int32_t tilings = 1; tilings <= 3; tilings++) {
        struct inference o = options_of(m, &c);
        o.tilings = tilings;
        o.grid = tilings == 2 ? TILE_GRID_WORLD : TILE_GRID_CLOUD;
        run_all_ways(&o, &c, true);
        for (int32_t i = 0; i < c.n; i++)
            for (int64_t k = 0; k < c.item[i].n; k++) {
                float sum = 0;
                for (int j = 0; j < CLASSES; j++)
                    sum += c.sum[i][k * CLASSES + j];
                assert_true(c.votes[i][k] >= tilings);
                assert_true(fabsf(sum - (float)c.votes[i][k]) < 1e-4f * (float)c.votes[i][k]);
            }
    }
    clouds_free(&c);
    model_free(m);
}

/* Rooms, and a meadow of few points. */
static void the_product_asks_about_every_point_once(void **state)
{
    (void)state;
    struct clouds c;
    struct model *m = make_model("");
    make_rooms(&c);
    add_cloud(&c, 300, 40, 30, true);
    reset(&c);
    struct inference o = options_of(m, &c);
    data_check(inference_run(&o));
    int64_t paper = c.samples;
    o.protocol = INFERENCE_PRODUCT;
    for (int32_t tilings = 1; tilings <= 3; tilings++) {
        o.tilings = tilings;
        o.grid = tilings == 2 ? TILE_GRID_WORLD : TILE_GRID_CLOUD;
        run_all_ways(&o, &c, true);
        assert_true(4 * c.samples < tilings * paper);
        for (int32_t i = 0; i < c.n; i++)
            for (int64_t k = 0; k < c.item[i].n; k++)
                assert_int_equal(c.votes[i][k], tilings);
    }
    clouds_free(&c);
    model_free(m);
}

static void every_shape_comes_once(void **state)
{
    (void)state;
    struct clouds c;
    struct model *parts = make_model("task=parts"), *whole = make_model("task=classify");
    make_shapes(&c);
    struct inference o = options_of(parts, &c);
    run_all_ways(&o, &c, true);
    o = options_of(whole, &c);
    run_all_ways(&o, &c, false);
    clouds_free(&c);
    model_free(parts);
    model_free(whole);
}

static void the_first_failure_counts(void **state)
{
    (void)state;
    struct clouds c;
    struct model *m = make_model("task=parts");
    make_shapes(&c);
    struct inference o = options_of(m, &c);
    for (int threads = 1; threads <= 4; threads++) {
        assert_int_equal(glt_threads_set(threads), 0);
        reset(&c);
        c.refused_take = 9;
        c.refused_put = 7;
        assert_int_equal(inference_run(&o), GLT_ENUMERIC);
        assert_error("NONE point 7");
        assert_error_file("cloud");
        assert_int_equal(c.finished, 7);
        reset(&c);
        c.refused_take = 9;
        c.refused_put = 12;
        assert_int_equal(inference_run(&o), GLT_EDATA);
        assert_error("NONE point 9");
        assert_int_equal(c.finished, 9);
        assert_int_equal(c.given, 9);
        assert_int_equal(c.ended, 9);
    }
    glt_threads_set(0);
    clouds_free(&c);
    model_free(m);
}

static int stop_at_three(void *user, const char *activity, int64_t done, int64_t total)
{
    assert_string_equal(activity, "test");
    assert_true(done <= total);
    return ++*(int *)user == 3;
}

static void who_asks_to_stop_is_not_asked_again(void **state)
{
    (void)state;
    struct clouds c;
    struct model *m = make_model("");
    make_rooms(&c);
    struct inference o = options_of(m, &c);
    for (int threads = 1; threads <= 3; threads++) {
        int calls_made = 0;
        assert_int_equal(glt_threads_set(threads), 0);
        reset(&c);
        glt_progress_set(stop_at_three, &calls_made);
        assert_int_equal(inference_run(&o), GLT_EINTERRUPTED);
        glt_progress_set(NULL, NULL);
        assert_int_equal(calls_made, 3);
        assert_int_equal(c.given, c.taken);
    }
    glt_threads_set(0);
    clouds_free(&c);
    model_free(m);
}

/* --- contexts --- */

enum { CALLERS = 3 };

struct caller {
    struct model *model;
    struct context context;
    pthread_mutex_t lock;
    _Atomic bool cancelled;
    struct clouds clouds;
    int code;
};

static int cancel_own(void *user, const char *activity, int64_t done, int64_t total)
{
    struct caller *x = user;
    (void)activity;
    if (done > total / 3)
        x->cancelled = true;
    return 0;
}

static void *call(void *user)
{
    struct caller *x = user;
    struct inference o = options_of(x->model, &x->clouds);
    o.context = &x->context;
    x->code = inference_run(&o);
    return NULL;
}

static void one_of_several_calls_is_cancelled_alone(void **state)
{
    (void)state;
    static struct caller callers[CALLERS];
    pthread_t threads[CALLERS];
    struct clouds c;
    struct model *m = make_model("");
    make_rooms(&c);
    struct inference o = options_of(m, &c);
    data_check(inference_run(&o));
    struct bits want = bits_of(&c);
    for (int i = 0; i < CALLERS; i++) {
        struct caller *x = &callers[i];
        *x = (struct caller){.model = m};
        pthread_mutex_init(&x->lock, NULL);
        x->context.threads = 2;
        x->context.lock = &x->lock;
        x->context.cancelled = &x->cancelled;
        x->context.progress = i == 1 ? cancel_own : NULL;
        x->context.progress_user = x;
        make_rooms(&x->clouds);
    }
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, call, &callers[i]), 0);
    for (int i = 0; i < CALLERS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_int_equal(callers[i].code, i == 1 ? GLT_EINTERRUPTED : 0);
        if (i != 1)
            assert_same_bits(&callers[i].clouds, &want);
        clouds_free(&callers[i].clouds);
        pthread_mutex_destroy(&callers[i].lock);
    }
    bits_free(&want);
    clouds_free(&c);
    model_free(m);
}

static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)level;
    snprintf(user, 256, "%s", message);
}

static void a_memory_limit_leaves_fewer_workers(void **state)
{
    (void)state;
    char heard[256] = "";
    struct clouds c;
    struct context limited;
    struct model *m = make_model("");
    make_rooms(&c);
    struct inference o = options_of(m, &c);
    assert_int_equal(glt_threads_set(3), 0);
    data_check(inference_run(&o));
    struct bits want = bits_of(&c);
    int32_t tiles, largest;
    int64_t bytes;
    data_check(inference_measure(&tiles, &largest, &o, &c.item[0]));
    data_check(inference_bytes(&bytes, &o, tiles, largest));
    context_copy(&limited, context_default());
    limited.log = listen;
    limited.log_user = heard;
    o.context = &limited;
    int64_t program = 48 << 20, one = bytes / 3; /* half of one for the item that is open */
    limited.memory_budget = memory_stats().bytes + program + 2 * one + one / 2;
    reset(&c);
    data_check(inference_run(&o));
    assert_string_equal(heard, "2 of 3 workers fit the memory limit");
    assert_same_bits(&c, &want);
    limited.memory_budget = memory_stats().bytes + program + one / 2;
    o.advice = "stay at home";
    reset(&c);
    assert_int_equal(inference_run(&o), GLT_ELIMIT);
    assert_error("MEMORY");
    glt_threads_set(0);
    bits_free(&want);
    clouds_free(&c);
    model_free(m);
}

/* The same ones for any threads, and not more points than the paper's if need be. */
static void a_memory_limit_leaves_fewer_points_a_pass(void **state)
{
    (void)state;
    char heard[256] = "";
    struct clouds c = {0};
    struct context limited;
    struct model *m = make_model("levels=512,256,128,64 block=4");
    add_cloud(&c, 3000, 4, 4, true);
    struct inference o = options_of(m, &c);
    int64_t paper, product;
    glt_threads_set(1);
    data_check(inference_bytes(&paper, &o, 1, 3000));
    o.protocol = INFERENCE_PRODUCT;
    data_check(inference_bytes(&product, &o, 1, 3000));
    assert_true(product > paper);
    context_copy(&limited, context_default());
    limited.log = listen;
    limited.log_user = heard;
    o.context = &limited;
    for (int threads = 1; threads <= 3; threads += 2) {
        glt_threads_set(threads);
        limited.threads = threads;
        limited.memory_budget = memory_stats().bytes + (48 << 20) + product - 1;
        reset(&c);
        heard[0] = 0;
        data_check(inference_run(&o));
        if (threads == 1)
            assert_string_equal(heard, "256 points a pass fit the memory limit");
        assert_int_equal(c.puts, 3000);
        assert_int_equal(c.samples, 12); /* 3000 / 256 */
    }
    glt_threads_set(0);
    clouds_free(&c);
    model_free(m);
}

/* --- grids --- */

/* The points of x right of a line. */
static void cut(struct item *out, const struct item *x, double line)
{
    int32_t n = 0;
    for (int32_t i = 0; i < x->n; i++)
        n += (double)x->xyz[3 * (int64_t)i] + x->origin[0] >= line;
    data_check(item_new(out, n, x->extra, false));
    n = 0;
    for (int64_t i = 0; i < x->n; i++) {
        if ((double)x->xyz[3 * i] + x->origin[0] < line)
            continue;
        memcpy(out->xyz + 3 * (int64_t)n, x->xyz + 3 * i, 3 * sizeof *x->xyz);
        memcpy(out->features + (int64_t)n * x->extra, x->features + i * x->extra,
               (size_t)x->extra * sizeof *x->features);
        out->row[n++] = (int32_t)i; /* of x */
    }
    memcpy(out->origin, x->origin, sizeof out->origin);
    item_find_low(out);
}

/* The rows of `part` got the bits that they have in the whole, or not. */
static bool same_in_part(enum tile_grid grid, int32_t tilings)
{
    struct clouds whole = {0}, part = {0};
    struct model *m = make_model("");
    add_cloud(&whole, 2500, 7, 5, true);
    whole.item[0].xyz[2] -= 3; /* a low point in the first tile is not everybody's floor */
    whole.item[0].origin[0] += 100.3;
    item_find_low(&whole.item[0]);
    cut(&part.item[0], &whole.item[0], 104);
    part.n = 1;
    size_t n = (size_t)part.item[0].n;
    part.sum[0] = memory_alloc(n * CLASSES, sizeof(float));
    part.votes[0] = memory_alloc(n, sizeof(int32_t));
    struct clouds *both[] = {&whole, &part};
    for (int i = 0; i < 2; i++) {
        reset(both[i]);
        struct inference o = options_of(m, both[i]);
        o.grid = grid;
        o.tilings = tilings;
        data_check(inference_run(&o));
    }
    bool same = true;
    for (size_t i = 0; i < n; i++) {
        int64_t row = part.item[0].row[i];
        same &= !memcmp(part.sum[0] + i * CLASSES, whole.sum[0] + row * CLASSES,
                        CLASSES * sizeof(float));
        same &= part.votes[0][i] == whole.votes[0][row];
    }
    clouds_free(&whole);
    clouds_free(&part);
    model_free(m);
    return same;
}

static void tiles_of_the_world_know_nothing_of_each_other(void **state)
{
    (void)state;
    assert_true(same_in_part(TILE_GRID_WORLD, 1));
    assert_false(same_in_part(TILE_GRID_CLOUD, 1));
    assert_false(same_in_part(TILE_GRID_WORLD, 2)); /* whose second tiling the cut goes through */
}

/* --- datasets --- */

static int see_rows(void *user, const struct inference_item *x, const struct inference_result *r)
{
    int32_t *seen = user; /* by row of the file */
    for (int32_t i = 0; i < r->n; i++)
        seen[x->cloud->row[r->rows[i]]]++;
    return 0;
}

static int finish_one(void *user, const struct inference_item *x)
{
    (void)user;
    assert_int_equal(x->number, 0);
    return 0;
}

/* Every point that is somewhere comes once. */
static void one_cloud_is_a_set(void **state)
{
    (void)state;
    enum { N = 900 };
    static const struct inference_sink seeing = {.put = see_rows, .finish = finish_one};
    struct glt_cloud *cloud;
    struct dataset *d;
    struct model *m = make_model("");
    int32_t seen[N] = {0};
    data_room(&cloud, N, 4, 3, 1);
    ((float *)cloud_attribute(cloud, "z")->data)[17] = INFINITY;
    cloud_remove_attribute(cloud, "label");
    data_check(
        dataset_open_cloud(&d, cloud, "cloud", &m->config.data, m->config.task, &m->classes));
    struct inference o = {.model = m,
                          .sampling = m->config.sampling,
                          .tilings = 1,
                          .sink = &seeing,
                          .user = seen,
                          .activity = "test"};
    data_check(dataset_items(&o.items, d, SPLIT_TEST));
    data_check(inference_run(&o));
    for (int i = 0; i < N; i++)
        assert_int_equal(seen[i], i != 17);
    dataset_close(d);
    cloud_free(cloud);
    model_free(m);
}

/* --- memory --- */

struct job {
    struct model *model;
    struct clouds *clouds;
    int32_t tilings;
};

static int run_job(struct job *j)
{
    struct inference o = options_of(j->model, j->clouds);
    o.tilings = j->tilings;
    reset(j->clouds);
    return inference_run(&o);
}

/* Not each one: an engine makes many alike. */
static void fail_allocations(struct job *j)
{
    int code = GLT_ENOMEM;
    int64_t alive = memory_stats().bytes;
    for (int64_t nth = 1; code < 0; nth += 1 + nth / 8) {
        memory_fail(nth, false);
        code = run_job(j);
        memory_fail(0, false);
        assert_true(code == 0 || code == GLT_ENOMEM);
        assert_int_equal(memory_stats().bytes, alive);
    }
}

static void allocations_may_fail(void **state)
{
    (void)state;
    struct clouds rooms = {0}, shapes = {0};
    struct model *m = make_model(""), *parts = make_model("task=parts");
    add_cloud(&rooms, 90, 2, 1, true);
    add_cloud(&rooms, 50, 1, 1, true);
    for (int i = 0; i < 4; i++)
        add_cloud(&shapes, 20 + 10 * i, 1, 1, false);
    for (int threads = 1; threads <= 2; threads++) {
        assert_int_equal(glt_threads_set(threads), 0);
        for (int32_t tilings = 1; tilings <= 2; tilings++)
            fail_allocations(&(struct job){m, &rooms, tilings});
        fail_allocations(&(struct job){parts, &shapes, 1});
    }
    glt_threads_set(0);
    clouds_free(&rooms);
    clouds_free(&shapes);
    model_free(m);
    model_free(parts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_of_a_scene_comes_once),
        cmocka_unit_test(the_product_asks_about_every_point_once),
        cmocka_unit_test(a_memory_limit_leaves_fewer_points_a_pass),
        cmocka_unit_test(every_shape_comes_once),
        cmocka_unit_test(the_first_failure_counts),
        cmocka_unit_test(who_asks_to_stop_is_not_asked_again),
        cmocka_unit_test(one_of_several_calls_is_cancelled_alone),
        cmocka_unit_test(a_memory_limit_leaves_fewer_workers),
        cmocka_unit_test(tiles_of_the_world_know_nothing_of_each_other),
        cmocka_unit_test(one_cloud_is_a_set),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
