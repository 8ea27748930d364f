/* The exchange of a step: see exchange.h.
 *
 * If ranks have several partial sums (their leaves are not a power of two), a part is exchanged in
 * as many pieces, so that the inbox is never larger than the gradient. */
#include "model/exchange.h"

#include "core/clock.h"
#include "core/memory.h"

enum { LINE = 16 }; /* reals: parts begin on cache lines */

/* --- the share of each rank --- */

void exchange_share(int32_t *first, int32_t *end, const struct ranks *r, int32_t leaves)
{
    int32_t share = leaves / ranks_count(r);
    *first = ranks_number(r) * share;
    *end = *first + share;
}

/* The start of a rank's part; that of `count` is the end. */
static int64_t part_begin(const struct exchange *x, int rank)
{
    int64_t lines = (x->size + LINE - 1) / LINE, count = ranks_count(x->ranks);
    int64_t begin = lines * rank / count * LINE;
    return begin < x->size ? begin : x->size;
}

/* Piece number i of a part: its start in the gradient; returns its length. */
static int64_t piece(int64_t *begin, const struct exchange *x, int rank, int i)
{
    int64_t first = part_begin(x, rank), n = part_begin(x, rank + 1) - first;
    int64_t max = (n / x->nodes / LINE + 1) * LINE; /* the pieces cover the part */
    *begin = max * i < n ? max * i : n;
    int64_t end = *begin + max < n ? *begin + max : n;
    int64_t length = end - *begin;
    *begin += first;
    return length;
}

static int64_t largest_piece(const struct exchange *x)
{
    int64_t largest = 0, begin;
    for (int i = 0; i < ranks_count(x->ranks); i++)
        for (int k = 0; k < x->nodes; k++) {
            int64_t n = piece(&begin, x, i, k);
            largest = n > largest ? n : largest;
        }
    return largest;
}

/* The partial sums of a rank in a step of `leaves` leaves. */
static int list_nodes(struct accumulate_node *nodes, const struct exchange *x, int rank,
                      int32_t leaves)
{
    int32_t share = x->leaves / ranks_count(x->ranks), first = rank * share, end = first + share;
    return accumulate_list(nodes, first < leaves ? first : leaves, end < leaves ? end : leaves);
}

/* --- memory --- */

static int max_nodes(const struct exchange *x)
{
    struct accumulate_node nodes[ACCUMULATE_NODES + 1];
    int32_t share = x->leaves / ranks_count(x->ranks);
    int max = 1;
    for (int i = 0; i < ranks_count(x->ranks); i++)
        for (int32_t k = 1; k <= share; k++) { /* the last step of an epoch may have fewer */
            int n = list_nodes(nodes, x, i, i * share + k);
            max = n > max ? n : max;
        }
    return max;
}

int exchange_create(struct exchange *x, struct ranks *r, int64_t size, int32_t leaves)
{
    struct exchange e = {.ranks = r, .leaves = leaves, .size = size};
    size_t count = (size_t)ranks_count(r);
    e.nodes = max_nodes(&e);
    size_t nodes = (size_t)e.nodes, inbox = (size_t)largest_piece(&e) * nodes * (count - 1);
    e.inbox = memory_alloc(inbox, sizeof *e.inbox);
    e.all = memory_alloc(count * (nodes + 1), sizeof *e.all);
    e.list = memory_alloc(2 * count * (nodes + 1), sizeof *e.list);
    if (!e.inbox || !e.all || !e.list) {
        exchange_free(&e);
        return GLT_ENOMEM;
    }
    *x = e;
    return 0;
}

void exchange_free(struct exchange *x)
{
    memory_free(x->inbox);
    memory_free(x->all);
    memory_free(x->list);
    *x = (struct exchange){0};
}

size_t exchange_bytes(const struct ranks *r, int64_t size)
{
    return r ? (size_t)size * sizeof(real) : 0;
}

/* --- messages --- */

/* Sends partial sums of piece i of every part to its owner, and receives those of the own part in
 * the inbox. Lists all of the latter in x->all; returns how many. */
static int add_sums(int *messages, struct exchange *x, const struct accumulate *own, int32_t leaves,
                    int i)
{
    struct accumulate_node nodes[ACCUMULATE_NODES + 1];
    int me = ranks_number(x->ranks), n = 0;
    int64_t begin, length, mine = piece(&begin, x, me, i), from = begin;
    real *inbox = x->inbox;
    for (int peer = 0; peer < ranks_count(x->ranks); peer++) {
        int count = list_nodes(nodes, x, peer, leaves);
        length = piece(&begin, x, peer, i);
        for (int k = 0; k < own->n && peer != me && length; k++)
            x->list[(*messages)++] = (struct glt_message){peer, 1, own->nodes[k].sum + begin,
                                                          (size_t)length * sizeof(real)};
        for (int k = 0; k < count; k++) {
            nodes[k].sum = peer == me ? own->nodes[k].sum + from : inbox;
            x->all[n++] = nodes[k];
            if (peer == me || !mine)
                continue;
            x->list[(*messages)++] =
                (struct glt_message){peer, 0, inbox, (size_t)mine * sizeof(real)};
            inbox += mine;
        }
    }
    return n;
}

/* Sends the own rows of the records to all and receives theirs. */
static void add_records(int *messages, struct exchange *x, double *records, int64_t record,
                        int32_t leaves)
{
    int me = ranks_number(x->ranks), share = x->leaves / ranks_count(x->ranks);
    for (int peer = 0; peer < ranks_count(x->ranks); peer++)
        for (int way = 0; way < 2 && peer != me; way++) {
            int32_t first = (way ? me : peer) * share, end = first + share;
            end = end < leaves ? end : leaves;
            if (first < end)
                x->list[(*messages)++] =
                    (struct glt_message){peer, way, records + first * record,
                                         (size_t)((end - first) * record) * sizeof *records};
        }
}

static int spread_parts(struct exchange *x, real *gradient)
{
    int me = ranks_number(x->ranks), n = 0;
    for (int peer = 0; peer < ranks_count(x->ranks); peer++)
        for (int way = 0; way < 2 && peer != me; way++) {
            int owner = way ? me : peer;
            int64_t begin = part_begin(x, owner), end = part_begin(x, owner + 1);
            if (begin < end)
                x->list[n++] = (struct glt_message){peer, way, gradient + begin,
                                                    (size_t)(end - begin) * sizeof(real)};
        }
    return ranks_exchange(x->ranks, x->list, n);
}

static int run(struct exchange *x, real *gradient, const struct accumulate *own, int32_t leaves,
               double *records, int64_t record)
{
    for (int i = 0; i < x->nodes; i++) {
        int messages = 0;
        int64_t begin, length = piece(&begin, x, ranks_number(x->ranks), i);
        if (i == 0)
            add_records(&messages, x, records, record, leaves);
        int n = add_sums(&messages, x, own, leaves, i);
        TRY(ranks_exchange(x->ranks, x->list, messages));
        accumulate_fold(gradient + begin, x->all, n, length, 1.0 / leaves);
    }
    return spread_parts(x, gradient);
}

int exchange_run(struct exchange *x, real *gradient, const struct accumulate *own, int32_t leaves,
                 double *records, int64_t record)
{
    int64_t bytes = x->ranks->bytes, messages = x->ranks->messages;
    double began = clock_seconds();
    int code = run(x, gradient, own, leaves, records, record);
    x->seconds += clock_seconds() - began;
    x->bytes += x->ranks->bytes - bytes;
    x->messages += x->ranks->messages - messages;
    return code;
}
