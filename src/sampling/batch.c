/* Making batches: see batch.h. */
#include "sampling/batch.h"

#include "core/arena.h"
#include "core/error.h"
#include "core/memory.h"

#include <string.h>

static void free_arrays(struct batch_scratch *s)
{
    memory_free(s->items);
    memory_free(s->coverages);
    memory_free(s->samples);
    memory_free(s->pyramids);
    memory_free(s->pointers);
}

void batch_scratch_free(struct batch_scratch *s)
{
    free_arrays(s);
    sample_scratch_free(&s->sample);
    arena_free(&s->parts);
    *s = (struct batch_scratch){0};
}

static int make_room(struct batch_scratch *s, int32_t clouds)
{
    if (clouds <= s->room)
        return 0;
    free_arrays(s);
    s->room = 0;
    s->items = memory_alloc((size_t)clouds, sizeof *s->items);
    s->coverages = memory_alloc((size_t)clouds, sizeof *s->coverages);
    s->samples = memory_alloc((size_t)clouds, sizeof *s->samples);
    s->pyramids = memory_alloc((size_t)clouds, sizeof *s->pyramids);
    s->pointers = memory_alloc((size_t)clouds, sizeof *s->pointers);
    if (!s->items || !s->coverages || !s->samples || !s->pyramids || !s->pointers)
        return GLT_ENOMEM;
    s->room = clouds;
    return 0;
}

static int take_items(struct batch_scratch *s, const struct batch_source *from,
                      const struct batch_job *jobs, int32_t clouds)
{
    for (int32_t b = 0; b < clouds; b++) {
        s->items[b] = NULL;
        s->coverages[b] = NULL;
    }
    for (int32_t b = 0; b < clouds; b++) {
        TRY(dataset_take(&s->items[b], from->data, from->split, jobs[b].item));
        if (!from->train && from->covers)
            TRY(covers_take(&s->coverages[b], from->covers, jobs[b].item, s->items[b],
                            jobs[b].sample));
    }
    return 0;
}

static void give_items(struct batch_scratch *s, const struct batch_source *from,
                       const struct batch_job *jobs, int32_t clouds)
{
    for (int32_t b = 0; b < clouds; b++) {
        if (s->coverages[b])
            covers_give(from->covers, jobs[b].item, jobs[b].sample);
        if (s->items[b])
            dataset_give(from->data, from->split, jobs[b].item);
    }
}

static int32_t most_points(const struct batch_scratch *s, const struct batch_source *from,
                           int32_t b, const struct batch_job *job)
{
    if (s->coverages[b])
        return coverage_size(s->coverages[b], job->sample);
    return sample_most(from->data, s->items[b], from->train);
}

static int reserve_parts(struct batch_scratch *s, const struct batch_source *from,
                         const struct batch_job *jobs, int32_t clouds)
{
    size_t bytes = 0, one;
    for (int32_t b = 0; b < clouds; b++) {
        int32_t most = most_points(s, from, b, &jobs[b]);
        TRY(pyramid_bytes(&one, &from->pyramid, most));
        bytes += one + sample_bytes(most, from->data->inputs.extra);
    }
    return sample_reserve(&s->parts, bytes);
}

static int make_parts(struct batch_scratch *s, const struct batch_source *from,
                      const struct batch_job *jobs, int32_t clouds)
{
    for (int32_t b = 0; b < clouds; b++) {
        struct sample *x = &s->samples[b];
        struct pyramid_options o = from->pyramid;
        o.seed = (uint64_t)from->data->config.seed;
        o.epoch = from->train ? from->epoch : 0;
        o.sample = (uint32_t)jobs[b].sample;
        if (s->coverages[b]) { /* the draws of `gelatto predict` */
            o.epoch = (uint32_t)s->coverages[b]->cut;
            o.sample -= (uint32_t)s->coverages[b]->before;
        }
        if (from->train)
            TRY(sample_train(x, &s->parts, &s->sample, from->data, s->items[b], o.epoch, o.sample));
        else
            TRY(sample_test(x, &s->parts, &s->sample, s->items[b], s->coverages[b],
                            jobs[b].sample));
        int code = pyramid_build(&s->pyramids[b], &s->parts, &o, x->xyz, x->n);
        if (code < 0)
            return error_prefix(code,
                                "%s: ", from->data->split[from->split].list[jobs[b].item].path);
        s->pointers[b] = &s->pyramids[b];
    }
    return 0;
}

/* Everything but the pyramid; with a measuring arena, tells its size. */
static void bind(struct batch *x, struct arena *a, const struct batch_scratch *s, int32_t clouds)
{
    int64_t n[PYRAMID_LEVELS + 1] = {0};
    bool labels = s->items[0]->labels != NULL;
    for (int32_t b = 0; b < clouds; b++) {
        labels &= s->items[b]->labels != NULL;
        for (int l = 0; l <= PYRAMID_LEVELS; l++)
            n[l] += s->pyramids[b].n[l];
    }
    x->features = arena_take(a, (size_t)n[0], (size_t)x->channels * sizeof *x->features);
    x->row = arena_take(a, (size_t)n[0], sizeof *x->row);
    for (int l = 0; l <= PYRAMID_LEVELS; l++)
        x->labels[l] = labels ? arena_take(a, (size_t)n[l], sizeof *x->labels[l]) : NULL;
    int32_t **per_cloud[] = {&x->category, &x->range_first, &x->range_count, &x->item, &x->sample};
    for (size_t i = 0; i < sizeof per_cloud / sizeof *per_cloud; i++)
        *per_cloud[i] = arena_take(a, (size_t)clouds, sizeof(int32_t));
}

static void fill_cloud(struct batch *x, const struct batch_scratch *s, int32_t b)
{
    const struct item *item = s->items[b];
    const struct sample *from = &s->samples[b];
    const int32_t *order = s->pyramids[b].order;
    int64_t first = x->pyramid.first[0][b];
    int32_t extra = x->channels - 3;
    for (int64_t i = 0; i < from->n; i++) {
        float *dst = x->features + (first + i) * x->channels;
        memcpy(dst, from->xyz + 3 * (int64_t)order[i], 3 * sizeof *dst);
        if (extra)
            memcpy(dst + 3, from->features + (int64_t)order[i] * extra,
                   (size_t)extra * sizeof *dst);
        x->row[first + i] = from->row[order[i]];
    }
    for (int l = 0; l <= PYRAMID_LEVELS && x->labels[0]; l++) {
        int32_t begin = x->pyramid.first[l][b], n = x->pyramid.first[l][b + 1] - begin;
        for (int64_t i = 0; i < n; i++)
            x->labels[l][begin + i] = item->labels[x->row[first + i]];
    }
}

static int join(struct batch *out, struct arena *slot, const struct batch_scratch *s,
                const struct batch_source *from, const struct batch_job *jobs, int32_t clouds)
{
    struct batch x = {
        .number = out->number, .clouds = clouds, .channels = 3 + from->data->inputs.extra};
    struct arena measure = arena_measuring();
    bind(&x, &measure, s, clouds);
    TRY(sample_reserve(slot, measure.peak + pyramid_join_bytes(s->pointers, clouds)));
    bind(&x, slot, s, clouds);
    pyramid_join(&x.pyramid, slot, s->pointers, clouds);
    for (int32_t b = 0; b < clouds; b++) {
        x.item[b] = jobs[b].item;
        x.sample[b] = jobs[b].sample;
        x.category[b] = s->items[b]->category;
        classes_range(&x.range_first[b], &x.range_count[b], &from->data->classes, x.category[b]);
        fill_cloud(&x, s, b);
    }
    *out = x;
    return 0;
}

int batch_make(struct batch *out, struct arena *slot, struct batch_scratch *s,
               const struct batch_source *from, const struct batch_job *jobs, int32_t clouds)
{
    TRY(make_room(s, clouds));
    int code = take_items(s, from, jobs, clouds);
    if (code == 0)
        code = reserve_parts(s, from, jobs, clouds);
    if (code == 0)
        code = make_parts(s, from, jobs, clouds);
    if (code == 0)
        code = join(out, slot, s, from, jobs, clouds);
    give_items(s, from, jobs, clouds);
    return code;
}
