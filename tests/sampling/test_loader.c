/* The loader: the same batches for any number of threads, resumes, errors.
 * labels: quick threads */
#include "data_folder.h"
#include "data_loader.h"
#include "errors.h"

#include "core/error.h"
#include "core/memory.h"
#include "core/parallel.h"
#include "core/random.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "faults.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

static struct config config; /* of the dataset that is open */

static struct loader_options options_of(const struct dataset *d, int threads)
{
    struct loader_options o = data_loader_options(&config, d);
    o.batch = 3;
    o.threads = threads;
    return o;
}

static uint64_t mix(uint64_t h, const void *bytes, size_t len)
{
    return XXH3_64bits_withSeed(bytes, len, h);
}

static uint64_t digest(const struct batch *b)
{
    const struct pyramid *p = &b->pyramid;
    size_t n = (size_t)p->n[0], clouds = (size_t)b->clouds;
    uint64_t h = (uint64_t)b->number;
    h = mix(h, b->features, n * (size_t)b->channels * 4);
    h = mix(h, b->row, n * 4);
    h = mix(h, b->item, clouds * 4);
    h = mix(h, b->category, clouds * 4);
    for (int l = 0; l <= PYRAMID_LEVELS && b->labels[0]; l++)
        h = mix(h, b->labels[l], (size_t)p->n[l] * 4);
    for (int l = 0; l < PYRAMID_LEVELS; l++) {
        for (int k = 0; k < 2; k++)
            h = mix(h, p->block[l][k].index,
                    (size_t)p->block[l][k].start[p->block[l][k].centres] * 4);
        if (p->up[l].index)
            h = mix(h, p->up[l].weight, (size_t)p->up[l].fine * 12);
    }
    return h;
}

/* Digests of an epoch from batch `first` on; returns how many. */
static int64_t epoch_digests(uint64_t *out, struct dataset *d, const struct loader_options *o,
                             uint32_t epoch, int64_t first)
{
    struct loader *l;
    const struct batch *b;
    int64_t n = 0;
    data_check(data_loader_open(&l, d, SPLIT_TRAIN, o));
    data_check(loader_start(l, epoch, first));
    for (;;) {
        data_check(loader_next(l, &b));
        if (!b)
            break;
        assert_int_equal(b->number, first + n);
        out[n++] = digest(b);
    }
    assert_int_equal(n, loader_batches(l) - first);
    loader_close(l);
    return n;
}

static struct dataset *open_rooms(const char *pairs)
{
    char path[DATA_PATH];
    struct dataset *d;
    data_config(&config, pairs);
    data_check(dataset_open(&d, data_file(path, "rooms"), &config.data, config.seed));
    return d;
}

static int setup(void **state)
{
    (void)state;
    parallel_serial(true); /* the loader has threads of its own */
    data_write_room("rooms/Area_1/office_1.ply", 3000, 4, 3, 1);
    data_write_room("rooms/Area_2/office_1.ply", 2000, 3, 5, 2);
    data_write_room("rooms/Area_3/hallway_1.ply", 1500, 6, 2, 3);
    data_write_room("rooms/Area_5/office_7.ply", 2500, 5, 4, 4);
    return 0;
}

static void batches_are_the_same_for_any_number_of_threads(void **state)
{
    (void)state;
    uint64_t want[64], got[64];
    struct dataset *d = open_rooms("");
    struct loader_options o = options_of(d, 0);
    int64_t n = epoch_digests(want, d, &o, 4, 0);
    assert_in_range(n, 3, 64);
    for (int threads = 1; threads <= 4; threads += 3) {
        for (int ahead = 1; ahead <= 5; ahead += 4) {
            o.threads = threads;
            o.ahead = ahead;
            assert_int_equal(epoch_digests(got, d, &o, 4, 0), n);
            assert_memory_equal(got, want, (size_t)n * sizeof *got);
        }
    }
    assert_int_equal(epoch_digests(got, d, &o, 4, 2), n - 2);
    assert_memory_equal(got, want + 2, (size_t)(n - 2) * sizeof *got);
    epoch_digests(got, d, &o, 5, 0);
    assert_memory_not_equal(got, want, (size_t)n * sizeof *got);
    dataset_close(d);
}

/* Nine shapes of one category and one of another: with balance=sqrt that one comes three times. */
static void rare_shapes_come_more_often(void **state)
{
    (void)state;
    char path[DATA_PATH], name[32];
    for (int i = 0; i < 10; i++) {
        snprintf(name, sizeof name, "shapes/%s/%d.xyz", i < 9 ? "common" : "rare", i);
        data_text(name, "0 0 0\n1 0 0\n0 1 0\n0 0 1\n");
    }
    data_text("shapes/set.yaml", "task: classify\ntrain: .\nnames: [common, rare]\n");
    for (int balanced = 0; balanced < 2; balanced++) {
        struct dataset *d;
        struct loader *l;
        const struct batch *b;
        int64_t seen[2] = {0};
        data_config(&config, balanced ? "inputs=xyz validation=off points=4 balance=sqrt"
                                      : "inputs=xyz validation=off points=4");
        data_check(dataset_open(&d, data_file(path, "shapes/set.yaml"), &config.data, config.seed));
        struct loader_options o = options_of(d, 0);
        data_check(data_loader_open(&l, d, SPLIT_TRAIN, &o));
        data_check(loader_start(l, 0, 0));
        for (;;) {
            data_check(loader_next(l, &b));
            if (!b)
                break;
            for (int32_t i = 0; i < b->clouds; i++)
                seen[b->category[i]]++;
        }
        assert_int_equal(seen[0], 9);
        assert_int_equal(seen[1], balanced ? 3 : 1);
        loader_close(l);
        dataset_close(d);
    }
}

/* Of every five batches those from first to end - 1, and the rest of the epoch. */
static void shares_of_an_epoch_are_the_whole(void **state)
{
    (void)state;
    static const int32_t ends[] = {0, 2, 3, 5};
    uint64_t want[64];
    struct dataset *d = open_rooms("");
    struct loader_options o = options_of(d, 0);
    struct loader *l;
    const struct batch *b;
    o.batch = 1;
    int64_t n = epoch_digests(want, d, &o, 4, 0), found = 0;
    assert_in_range(n, 8, 64);
    o.group = 5;
    for (int share = 0; share < 6; share++) {
        int64_t begin = share < 3 ? 0 : 5; /* from the first group on, and from the second */
        o.threads = share % 3;
        o.first = ends[share % 3];
        o.end = ends[share % 3 + 1];
        data_check(data_loader_open(&l, d, SPLIT_TRAIN, &o));
        assert_int_equal(loader_batches(l), n);
        data_check(loader_start(l, 4, begin));
        for (int64_t last = -1;; last = b->number, found++) {
            data_check(loader_next(l, &b));
            if (!b)
                break;
            assert_true(b->number > last && b->number >= begin);
            assert_in_range(b->number % 5, o.first, o.end - 1);
            assert_true(digest(b) == want[b->number]);
        }
        loader_close(l);
    }
    assert_int_equal(found, 2 * n - 5);
    o.first = o.end;
    assert_int_equal(loader_open(&l, &o), GLT_EARGUMENT);
    dataset_close(d);
}

static void a_loader_restarts_and_closes_in_mid_epoch(void **state)
{
    (void)state;
    uint64_t want[64];
    struct dataset *d = open_rooms("");
    struct loader_options o = options_of(d, 3);
    struct loader *l;
    const struct batch *b;
    epoch_digests(want, d, &o, 2, 0);
    data_check(data_loader_open(&l, d, SPLIT_TRAIN, &o));
    for (uint32_t epoch = 1; epoch <= 2; epoch++) {
        data_check(loader_start(l, epoch, 0));
        data_check(loader_next(l, &b));
    }
    assert_true(digest(b) == want[0]);
    loader_close(l); /* with batches still being made */
    dataset_close(d);
}

static void samples_are_what_the_protocol_says(void **state)
{
    (void)state;
    struct dataset *d = open_rooms("validation=off");
    struct loader_options o = options_of(d, 2);
    struct loader *l;
    const struct batch *b;
    int64_t samples = 0;
    data_check(data_loader_open(&l, d, SPLIT_TRAIN, &o));
    assert_int_equal(loader_samples(l), 3000 / 256 + 2000 / 256 + 1500 / 256);
    assert_int_equal(loader_points(l), 256);
    data_check(loader_start(l, 1, 0));
    for (;;) {
        data_check(loader_next(l, &b));
        if (!b)
            break;
        samples += b->clouds;
        assert_int_equal(b->channels, 6);
        for (int32_t i = 0; i < b->pyramid.n[0]; i++) {
            const float *f = b->features + 6 * (int64_t)i;
            assert_memory_equal(f, b->pyramid.xyz + 3 * (int64_t)i, 12);
            for (int k = 3; k < 6; k++)
                assert_true(f[k] >= 0 && f[k] <= 1);
            assert_in_range(b->labels[0][i], 0, 12);
        }
        for (int l2 = 0; l2 <= PYRAMID_LEVELS; l2++) /* a level is a prefix of each cloud */
            for (int32_t c = 0; c < b->clouds; c++)
                assert_memory_equal(
                    b->labels[l2] + b->pyramid.first[l2][c], b->labels[0] + b->pyramid.first[0][c],
                    (size_t)(b->pyramid.first[l2][c + 1] - b->pyramid.first[l2][c]) * 4);
        for (int32_t c = 0; c < b->clouds; c++) {
            assert_int_equal(b->class_first[c], 0);
            assert_int_equal(b->class_count[c], 13);
        }
    }
    assert_int_equal(samples, loader_samples(l));
    loader_close(l);
    dataset_close(d);
}

/* --- what is drawn anew in each epoch (the paper's L467) --- */

enum { SHAPE = 400 };

/* Without augmentation: what differs between two epochs is what was drawn. */
static struct loader_options plain_options(const struct item *x, const char *rule, int points)
{
    data_config(&config, "levels=200,100,50,25 k=6 radius=0.3 augment.scale=0 augment.flip_x=0 "
                         "augment.rotate=0 augment.jitter=0 augment.rgb_permute=0 "
                         "augment.rgb_noise=0 inputs=xyz");
    data_check(config_set(&config, "neighbours", rule));
    config.sampling.points = points;
    struct loader_options o = {
        .samples = {.task = TASK_CLASSIFY, .sampling = config.sampling, .augment = config.augment},
        .items = item_alone(x),
        .batch = 1,
        .pyramid = sampler_pyramid(&config.network, TASK_CLASSIFY, 0)};
    data_check(inputs_parse(&o.samples.inputs, "xyz"));
    return o;
}

static void make_shape(struct item *x)
{
    struct random r = random_start(random_stream(3, 0, 0, RANDOM_TEST), 0);
    data_check(item_new(x, SHAPE, 0, false));
    x->category = 0;
    for (int i = 0; i < 3 * SHAPE; i++)
        x->xyz[i] = (float)random_uniform(&r);
}

/* All neighbour lists of a sample of the whole shape. */
static void shape_lists(int32_t *index, int32_t *edges, const struct item *x, uint32_t epoch,
                        const char *rule)
{
    struct loader *l;
    const struct batch *b;
    struct loader_options o = plain_options(x, rule, SHAPE);
    data_check(loader_open(&l, &o));
    data_check(loader_start(l, epoch, 0));
    data_check(loader_next(l, &b));
    assert_int_equal(b->pyramid.n[0], SHAPE);
    *edges = 0;
    for (int k = 0; k < 2 * PYRAMID_LEVELS; k++) {
        const struct neighbours *e = &b->pyramid.block[k / 2][k % 2];
        for (int32_t i = 0; i < e->start[e->centres]; i++)
            index[(*edges)++] = e->index[i];
    }
    loader_close(l);
}

static void neighbours_are_drawn_anew_in_each_epoch(void **state)
{
    (void)state;
    static const char *const rules[] = {"random", "nearest"};
    static int32_t first[2 * 6 * SHAPE], again[2 * 6 * SHAPE], next[2 * 6 * SHAPE];
    struct item x;
    int32_t n, m;
    make_shape(&x);
    for (int k = 0; k < 2; k++) {
        shape_lists(first, &n, &x, 0, rules[k]);
        if (k == 0) /* every block has draws of its own, the same for ever */
            assert_true(XXH3_64bits(first, (size_t)n * sizeof *first) == 0xe05b49ba0e896498);
        shape_lists(again, &m, &x, 0, rules[k]);
        assert_int_equal(n, m);
        assert_memory_equal(first, again, (size_t)n * sizeof *first);
        shape_lists(next, &m, &x, 1, rules[k]);
        assert_int_equal(n, m); /* balls hold what they hold */
        int same = memcmp(first, next, (size_t)n * sizeof *first) == 0;
        assert_int_equal(same, k); /* only the random rule differs */
    }
    item_clear(&x);
}

/* Which points of a shape are in a sample: their rows, in the order of the network. */
static void points_are_drawn_anew_in_each_epoch(void **state)
{
    (void)state;
    enum { DRAWN = 250 };
    int32_t row[3][DRAWN];
    struct item x;
    make_shape(&x);
    for (uint32_t i = 0; i < 3; i++) {
        struct loader *l;
        const struct batch *b;
        struct loader_options o = plain_options(&x, "nearest", DRAWN);
        data_check(loader_open(&l, &o));
        data_check(loader_start(l, i / 2, 0));
        data_check(loader_next(l, &b));
        memcpy(row[i], b->row, sizeof row[i]);
        loader_close(l);
    }
    assert_memory_equal(row[0], row[1], sizeof row[0]);
    assert_memory_not_equal(row[0], row[2], sizeof row[0]);
    item_clear(&x);
}

/* The clouds of an epoch, in the order in which they come. */
static void clouds_are_shuffled_anew_in_each_epoch(void **state)
{
    (void)state;
    int32_t item[3][64] = {{0}};
    struct dataset *d = open_rooms("validation=off");
    struct loader_options o = options_of(d, 0);
    o.batch = 1;
    for (uint32_t i = 0; i < 3; i++) {
        struct loader *l;
        const struct batch *b;
        int n = 0;
        data_check(data_loader_open(&l, d, SPLIT_TRAIN, &o));
        data_check(loader_start(l, i / 2, 0));
        data_check(loader_next(l, &b));
        for (; b && n < 64; n++) {
            item[i][n] = b->item[0];
            data_check(loader_next(l, &b));
        }
        loader_close(l);
    }
    assert_memory_equal(item[0], item[1], sizeof item[0]);
    assert_memory_not_equal(item[0], item[2], sizeof item[0]);
    dataset_close(d);
}

static void errors_reach_the_consumer(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct dataset *d = open_rooms("validation=off");
    struct loader_options o = options_of(d, 2);
    o.pyramid.k[2] = 0;
    struct loader *l;
    const struct batch *b;
    data_check(data_loader_open(&l, d, SPLIT_TRAIN, &o));
    data_check(loader_start(l, 1, 0));
    assert_int_equal(loader_next(l, &b), GLT_EARGUMENT);
    assert_error("OPTION k");
    loader_close(l);
    dataset_close(d);
    data_text("rooms/Area_4/broken.ply", "ply\nformat ascii 1.0\nelement vertex 3\nend_header\n");
    d = open_rooms("validation=off");
    o = options_of(d, 2);
    assert_true(data_loader_open(&l, d, SPLIT_TRAIN, &o) < 0);
    assert_error_file("broken.ply");
    dataset_close(d);
    own_folder_remove(data_file(path, "rooms/Area_4"));
}

/* Items of a dataset, one of which cannot be taken while `broken` is set. */
struct breaking {
    struct item_source items;
    int32_t bad;
    bool broken;
};

static int take(const struct item **out, void *user, int32_t i)
{
    struct breaking *x = user;
    if (x->broken && i == x->bad)
        return error_topic(error_in(GLT_EDATA, "cloud", "it is gone"), GLT_TOPIC_COORDINATES, "z");
    return x->items.take(out, x->items.user, i);
}

static void give(void *user, int32_t i)
{
    struct breaking *x = user;
    x->items.give(x->items.user, i);
}

static int64_t points(void *user, int32_t i)
{
    struct breaking *x = user;
    return x->items.points(x->items.user, i);
}

static const char *name(void *user, int32_t i)
{
    struct breaking *x = user;
    return x->items.name(x->items.user, i);
}

/* Batches before that of a broken item arrive, then the error with all that is known about it. The
 * loader can be started again, and closed with errors nobody read. */
static void an_item_that_breaks_in_mid_epoch_is_an_error(void **state)
{
    (void)state;
    static const int threads[] = {0, 1, 3};
    uint64_t whole[256], first[256];
    for (int k = 0; k < 3; k++) {
        struct dataset *d = open_rooms("validation=off");
        struct loader_options o = options_of(d, threads[k]);
        struct breaking x = {.broken = false};
        struct loader *l;
        const struct batch *b;
        int64_t n = epoch_digests(whole, d, &o, 1, 0), good = 0;
        data_check(dataset_items(&x.items, d, SPLIT_TRAIN));
        x.bad = x.items.count - 1;
        o.items = x.items;
        o.items.user = &x;
        o.items.take = take;
        o.items.give = give;
        o.items.points = points;
        o.items.name = name;
        o.items.weight = NULL;
        data_check(loader_open(&l, &o));
        for (int pass = 0; pass < 2; pass++) {
            x.broken = true;
            data_check(loader_start(l, 1, 0));
            int code;
            for (good = 0; (code = loader_next(l, &b)) == 0 && b; good++)
                first[good] = digest(b);
            assert_int_equal(code, GLT_EDATA);
            assert_error("COORDINATES z");
            assert_error_file("cloud");
            assert_true(good < n);
            assert_memory_equal(first, whole, (size_t)good * sizeof *whole);
            x.broken = false;
            data_check(loader_start(l, 1, 0));
            for (good = 0; loader_next(l, &b) == 0 && b; good++)
                first[good] = digest(b);
            assert_int_equal(good, n);
            assert_memory_equal(first, whole, (size_t)n * sizeof *whole);
        }
        x.broken = true;
        data_check(loader_start(l, 1, 0));
        loader_close(l);
        dataset_close(d);
    }
}

static void nothing_is_allocated_after_the_first_epoch(void **state)
{
    (void)state;
    struct dataset *d = open_rooms("validation=off");
    struct loader_options o = options_of(d, 0);
    struct loader *l;
    const struct batch *b;
    data_check(data_loader_open(&l, d, SPLIT_TRAIN, &o));
    int64_t requests = 0;
    for (uint32_t epoch = 1; epoch <= 8; epoch++) {
        requests = memory_stats().requests;
        data_check(loader_start(l, epoch, 0));
        do
            data_check(loader_next(l, &b));
        while (b);
    }
    assert_int_equal(memory_stats().requests, requests);
    loader_close(l);
    dataset_close(d);
}

/* One epoch from nothing: every allocation may fail, nothing leaks, the error is the right one. */
static int run_all(void *user)
{
    (void)user;
    char path[DATA_PATH];
    struct dataset *d;
    struct loader *l;
    const struct batch *b;
    data_config(&config, "points=64 levels=32,16,8,4 validation=off area=1");
    snprintf(path, sizeof path, "%s/few", data_folder());
    TRY(dataset_open(&d, path, &config.data, config.seed));
    struct loader_options o = options_of(d, 0);
    int code = data_loader_open(&l, d, SPLIT_TRAIN, &o);
    if (code == 0) {
        code = loader_start(l, 1, 0);
        do {
            if (code == 0)
                code = loader_next(l, &b);
        } while (code == 0 && b);
        loader_close(l);
    }
    dataset_close(d);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    data_write_room("few/Area_1/a.ply", 150, 2, 2, 1);
    data_write_room("few/Area_2/b.ply", 70, 2, 2, 2);
    assert_true(faults_memory(run_all, NULL) > 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_are_the_same_for_any_number_of_threads),
        cmocka_unit_test(rare_shapes_come_more_often),
        cmocka_unit_test(shares_of_an_epoch_are_the_whole),
        cmocka_unit_test(a_loader_restarts_and_closes_in_mid_epoch),
        cmocka_unit_test(samples_are_what_the_protocol_says),
        cmocka_unit_test(neighbours_are_drawn_anew_in_each_epoch),
        cmocka_unit_test(points_are_drawn_anew_in_each_epoch),
        cmocka_unit_test(clouds_are_shuffled_anew_in_each_epoch),
        cmocka_unit_test(errors_reach_the_consumer),
        cmocka_unit_test(an_item_that_breaks_in_mid_epoch_is_an_error),
        cmocka_unit_test(nothing_is_allocated_after_the_first_epoch),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
