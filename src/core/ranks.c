/* Ranks: see ranks.h. */
#include "core/ranks.h"

#include "core/clock.h"
#include "core/context.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* The message of a rank in ranks_agree. Its error is cut to the length of a line. */
struct ranks_status {
    int32_t code, topic;
    uint32_t flags;
    char name[128], file[256], message[640];
};

int ranks_open(struct ranks *r, const struct glt_ranks *face)
{
    size_t n = (size_t)face->count;
    struct ranks x = {.face = *face,
                      .all = memory_alloc(n, sizeof *x.all),
                      .list = memory_alloc(2 * n, sizeof *x.list)};
    if (!x.all || !x.list) {
        ranks_close(&x);
        return GLT_ENOMEM;
    }
    *r = x;
    return 0;
}

void ranks_close(struct ranks *r)
{
    memory_free(r->all);
    memory_free(r->list);
    *r = (struct ranks){0};
}

struct ranks *ranks_current(void)
{
    return context_current()->ranks;
}

int ranks_number(const struct ranks *r)
{
    return r ? r->face.rank : 0;
}

int ranks_count(const struct ranks *r)
{
    return r ? r->face.count : 1;
}

void ranks_begin(struct ranks *r)
{
    if (r)
        r->failed = false;
}

/* --- messages --- */

static int lose(struct ranks *r, const char *text)
{
    r->lost = true;
    return error_topic(error_set(GLT_EIO, "%s", text), GLT_TOPIC_RANKS, "lost");
}

int ranks_exchange(struct ranks *r, const struct glt_message *list, int n)
{
    char text[256] = "a rank was lost";
    if (r->lost)
        return lose(r, text);
    double began = clock_seconds();
    int code = r->face.exchange(r->face.user, list, n, text, sizeof text);
    r->seconds += clock_seconds() - began;
    for (int i = 0; i < n; i++) {
        r->messages += list[i].send;
        r->bytes += list[i].send ? (int64_t)list[i].bytes : 0;
    }
    return code < 0 ? lose(r, text) : 0;
}

/* Sends part `rank` of data of every rank to all ranks. */
static int gather(struct ranks *r, void *data, size_t bytes)
{
    unsigned char *parts = data;
    int n = 0, own = r->face.rank;
    for (int i = 0; i < r->face.count; i++)
        if (i != own) {
            r->list[n++] = (struct glt_message){i, 1, parts + (size_t)own * bytes, bytes};
            r->list[n++] = (struct glt_message){i, 0, parts + (size_t)i * bytes, bytes};
        }
    return ranks_exchange(r, r->list, n);
}

/* --- errors --- */

static void describe(struct ranks_status *s, int code, unsigned flags)
{
    *s = (struct ranks_status){.code = code, .flags = flags};
    if (code == 0)
        return;
    s->topic = glt_error_topic();
    snprintf(s->name, sizeof s->name, "%s", glt_error_name());
    snprintf(s->file, sizeof s->file, "%s", glt_error_file());
    snprintf(s->message, sizeof s->message, "%s", glt_error_message());
}

/* The rank whose error is reported; -1: none. */
static int first_error(const struct ranks *r)
{
    int found = -1;
    for (int i = r->face.count - 1; i >= 0; i--)
        if (r->all[i].code < 0 && (found < 0 || r->all[i].code != GLT_EINTERRUPTED ||
                                   r->all[found].code == GLT_EINTERRUPTED))
            found = i;
    return found;
}

static int take_error(struct ranks *r, int rank)
{
    struct ranks_status *s = &r->all[rank];
    r->failed = s->code != GLT_EINTERRUPTED;
    s->name[sizeof s->name - 1] = s->file[sizeof s->file - 1] = 0;
    s->message[sizeof s->message - 1] = 0;
    if (rank == r->face.rank)
        return s->code; /* its own, in full */
    error_set(s->code, "rank %d: %s", rank, s->message);
    error_topic(s->code, (enum glt_topic)s->topic, *s->name ? s->name : NULL);
    error_place(s->code, GLT_PLACE_RANK, rank);
    return *s->file ? error_file(s->code, s->file) : s->code;
}

int ranks_agree(struct ranks *r, int code, unsigned *flags)
{
    if (!r || r->lost)
        return code < 0 || !r ? code : lose(r, "a rank was lost");
    struct error own;
    describe(&r->all[r->face.rank], code, flags ? *flags : 0);
    if (code < 0)
        error_save(&own);
    TRY(gather(r, r->all, sizeof *r->all));
    for (int i = 0; flags && i < r->face.count; i++)
        *flags |= r->all[i].flags;
    int rank = first_error(r);
    if (code < 0)
        error_restore(&own);
    return rank < 0 ? 0 : take_error(r, rank);
}

int ranks_settle(struct ranks *r, int code)
{
    return !r || r->failed ? code : ranks_agree(r, code, NULL);
}

/* --- data --- */

/* A binomial tree: each round sends twice as far. */
int ranks_broadcast(struct ranks *r, void *data, size_t bytes)
{
    if (!r)
        return 0;
    for (int reach = 1; reach < r->face.count; reach *= 2) {
        int own = r->face.rank;
        struct glt_message m = {own + reach, 1, data, bytes};
        if (own >= reach && own < 2 * reach)
            m = (struct glt_message){own - reach, 0, data, bytes};
        else if (own >= 2 * reach || own + reach >= r->face.count)
            continue;
        TRY(ranks_exchange(r, &m, 1));
    }
    return 0;
}

/* All parts of 8 bytes an element, once every rank has the memory for them. */
static int gather_parts(void **out, struct ranks *r, const void *own, int64_t n)
{
    size_t bytes = (size_t)n * 8;
    unsigned char *parts = memory_alloc((size_t)r->face.count, bytes);
    int code = ranks_agree(r, parts ? 0 : GLT_ENOMEM, NULL);
    if (code == 0) {
        memcpy(parts + (size_t)r->face.rank * bytes, own, bytes);
        code = gather(r, parts, bytes);
    }
    if (code < 0)
        memory_free(parts);
    else
        *out = parts;
    return code;
}

int ranks_sum(struct ranks *r, int64_t *x, int64_t n)
{
    void *parts;
    if (!r)
        return 0;
    TRY(gather_parts(&parts, r, x, n));
    memset(x, 0, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < n * r->face.count; i++)
        x[i % n] += ((const int64_t *)parts)[i];
    memory_free(parts);
    return 0;
}

int ranks_sum_reals(struct ranks *r, double *x, int64_t n)
{
    void *parts;
    if (!r)
        return 0;
    TRY(gather_parts(&parts, r, x, n));
    memset(x, 0, (size_t)n * sizeof *x);
    for (int64_t i = 0; i < n * r->face.count; i++)
        x[i % n] += ((const double *)parts)[i];
    memory_free(parts);
    return 0;
}

/* --- the default context --- */

static struct ranks of_program;

int glt_ranks_set(const struct glt_ranks *face)
{
    if (face)
        TRY(error_size("glt_ranks", face->size, sizeof *face));
    if (face && (face->count < 1 || face->rank < 0 || face->rank >= face->count || !face->exchange))
        return error_topic(error_set(GLT_EARGUMENT,
                                     "rank %d of %d, or no function to exchange messages",
                                     face->rank, face->count),
                           GLT_TOPIC_ARGUMENT, "ranks");
    context_default()->ranks = NULL;
    ranks_close(&of_program);
    if (!face || face->count == 1)
        return 0;
    TRY(ranks_open(&of_program, face));
    context_default()->ranks = &of_program;
    return 0;
}
