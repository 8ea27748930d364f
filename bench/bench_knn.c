/* How much of the synthetic rooms colour and height give away: a 5-nearest-neighbour classifier on
 * (z, r, g, b), fitted on Area_1-4 and scored on Area_5. Rooms are no toy while it stays under an
 * mIoU of 0.40. Features: z over the lowest point in metres, colours in 0..1; and once more with
 * every feature scaled to unit deviation. usage: bench_knn [rooms per area] [seed] */
#include "cloud/cloud.h"
#include "core/memory.h"
#include "core/random.h"
#include "synth/synth_rooms.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { F = 4, K = 5, PER_ROOM = 6000, TEST_PER_ROOM = 2000 };

struct sample {
    float x[F];
    int label;
};

struct set {
    struct sample *items;
    int n;
};

static double seconds_making;

static void fail(void)
{
    fprintf(stderr, "bench_knn: %s\n", glt_error_message());
    exit(1);
}

static void add_room(struct set *set, const struct synth_rooms *o, int area, int index, int take)
{
    struct glt_cloud *c;
    struct timespec a, b;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &a);
    if (synth_rooms_cloud(&c, o, area, index) < 0)
        fail();
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &b);
    seconds_making += (double)(b.tv_sec - a.tv_sec) + 1e-9 * (double)(b.tv_nsec - a.tv_nsec);
    const float *z = cloud_attribute(c, "z")->data;
    const uint8_t *red = cloud_attribute(c, "red")->data;
    const uint8_t *green = cloud_attribute(c, "green")->data;
    const uint8_t *blue = cloud_attribute(c, "blue")->data;
    const uint8_t *label = cloud_attribute(c, "label")->data;
    float low = z[0];
    for (int64_t i = 0; i < c->n; i++)
        low = z[i] < low ? z[i] : low;
    struct random r =
        random_start(random_stream(7, (uint32_t)area, (uint32_t)index, RANDOM_TEST), 0);
    set->items = memory_resize(set->items, (size_t)(set->n + take), sizeof *set->items);
    if (!set->items)
        fail();
    for (int i = 0; i < take; i++) {
        uint32_t k = random_below(&r, (uint32_t)c->n);
        set->items[set->n++] = (struct sample){
            {z[k] - low, (float)red[k] / 255, (float)green[k] / 255, (float)blue[k] / 255},
            label[k]};
    }
    glt_cloud_free(c);
}

/* A k-d tree in place: the median of [low, high) in the middle, split along depth % F. */
static int axis_now;
static int compare_axis(const void *a, const void *b)
{
    float x = ((const struct sample *)a)->x[axis_now], y = ((const struct sample *)b)->x[axis_now];
    return x < y ? -1 : x > y;
}

static void build(struct sample *s, int low, int high, int depth)
{
    if (high - low < 2)
        return;
    axis_now = depth % F;
    qsort(s + low, (size_t)(high - low), sizeof *s, compare_axis);
    int middle = (low + high) / 2;
    build(s, low, middle, depth + 1);
    build(s, middle + 1, high, depth + 1);
}

struct best {
    float d[K];
    int label[K];
};

static void find(const struct sample *s, int low, int high, int depth, const float *x,
                 struct best *best)
{
    if (low >= high)
        return;
    int middle = (low + high) / 2, axis = depth % F;
    float d = 0;
    for (int f = 0; f < F; f++)
        d += (s[middle].x[f] - x[f]) * (s[middle].x[f] - x[f]);
    int at = K;
    while (at > 0 && d < best->d[at - 1])
        at--;
    if (at < K) {
        memmove(best->d + at + 1, best->d + at, (size_t)(K - 1 - at) * sizeof *best->d);
        memmove(best->label + at + 1, best->label + at, (size_t)(K - 1 - at) * sizeof(int));
        best->d[at] = d;
        best->label[at] = s[middle].label;
    }
    float way = x[axis] - s[middle].x[axis];
    if (way < 0)
        find(s, low, middle, depth + 1, x, best);
    else
        find(s, middle + 1, high, depth + 1, x, best);
    if (way * way >= best->d[K - 1])
        return;
    if (way < 0)
        find(s, middle + 1, high, depth + 1, x, best);
    else
        find(s, low, middle, depth + 1, x, best);
}

static int vote(const struct best *b)
{
    int count[SYNTH_CLASSES] = {0}, majority = b->label[0];
    for (int i = 0; i < K; i++)
        count[b->label[i]]++;
    for (int i = 0; i < K; i++) /* ties go to the nearer one */
        if (count[b->label[i]] > count[majority])
            majority = b->label[i];
    return majority;
}

static void unit_deviation(struct set *fit, struct set *test)
{
    for (int f = 0; f < F; f++) {
        double sum = 0, square = 0;
        for (int i = 0; i < fit->n; i++) {
            sum += fit->items[i].x[f];
            square += (double)fit->items[i].x[f] * fit->items[i].x[f];
        }
        double mean = sum / fit->n, dev = sqrt(square / fit->n - mean * mean);
        for (int i = 0; i < fit->n; i++)
            fit->items[i].x[f] /= (float)dev;
        for (int i = 0; i < test->n; i++)
            test->items[i].x[f] /= (float)dev;
    }
}

static double score(struct set *fit, const struct set *test, bool print)
{
    int64_t hit[SYNTH_CLASSES] = {0}, said[SYNTH_CLASSES] = {0}, is[SYNTH_CLASSES] = {0};
    build(fit->items, 0, fit->n, 0);
    for (int i = 0; i < test->n; i++) {
        struct best b;
        for (int k = 0; k < K; k++)
            b.d[k] = INFINITY;
        find(fit->items, 0, fit->n, 0, test->items[i].x, &b);
        int guess = vote(&b);
        said[guess]++;
        is[test->items[i].label]++;
        hit[guess] += guess == test->items[i].label;
    }
    double sum = 0;
    for (int c = 0; c < SYNTH_CLASSES; c++) {
        int64_t all = said[c] + is[c] - hit[c];
        double iou = all ? (double)hit[c] / (double)all : 0;
        sum += iou;
        if (print)
            printf("  %-9s share %.3f  IoU %.3f\n", synth_rooms_class_names[c],
                   (double)is[c] / test->n, iou);
    }
    return sum / SYNTH_CLASSES;
}

int main(int argc, char **argv)
{
    struct synth_rooms o = synth_rooms_default();
    o.rooms = argc > 1 ? atoi(argv[1]) : 10;
    o.seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
    struct set fit = {0}, test = {0};
    for (int area = 1; area <= 5; area++)
        for (int room = 0; room < o.rooms; room++)
            add_room(area < 5 ? &fit : &test, &o, area, room, area < 5 ? PER_ROOM : TEST_PER_ROOM);
    printf("%d rooms of %lld points: %.2f s of processor time each\n", 5 * o.rooms,
           (long long)o.points, seconds_making / (5 * o.rooms));
    double plain = score(&fit, &test, true);
    unit_deviation(&fit, &test);
    double scaled = score(&fit, &test, false);
    printf("5-NN on (z, r, g, b), %d points of Area_1-4 -> %d of Area_5: mIoU %.3f, with unit "
           "deviations %.3f (limit 0.40)\n",
           fit.n, test.n, plain, scaled);
    memory_free(fit.items);
    memory_free(test.items);
    return plain < 0.4 && scaled < 0.4 ? 0 : 1;
}
