/* Ranks within one process: see fake_ranks.h. */
#include "fake_ranks.h"

#include "core/context.h"
#include "core/error.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct letter {
    struct letter *next;
    size_t bytes;
    unsigned char data[];
};

struct office {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct letter *queue[FAKE_RANKS_MAX][FAKE_RANKS_MAX]; /* from, to */
    bool dead[FAKE_RANKS_MAX];
};

struct rank {
    struct office *office;
    int rank, count, threads;
    fake_rank_fn *fn;
    void *user;
    struct fake_result *result;
};

static _Thread_local struct rank *current;

static void post(struct office *o, int from, const struct glt_message *m)
{
    struct letter *l = malloc(sizeof *l + m->bytes), **end = &o->queue[from][m->peer];
    if (!l)
        abort();
    l->next = NULL;
    l->bytes = m->bytes;
    memcpy(l->data, m->data, m->bytes);
    while (*end)
        end = &(*end)->next;
    *end = l;
}

/* -1 once the sender is dead and its queue empty. */
static int take(struct office *o, int to, const struct glt_message *m)
{
    struct letter **first = &o->queue[m->peer][to];
    while (!*first && !o->dead[m->peer])
        pthread_cond_wait(&o->changed, &o->lock);
    struct letter *l = *first;
    if (!l)
        return -1;
    if (l->bytes != m->bytes) {
        fprintf(stderr, "rank %d expects %zu bytes of rank %d, which sent %zu\n", to, m->bytes,
                m->peer, l->bytes);
        abort();
    }
    memcpy(m->data, l->data, l->bytes);
    *first = l->next;
    free(l);
    return 0;
}

static int exchange(void *user, const struct glt_message *list, int n, char *error, size_t size)
{
    struct rank *r = user;
    struct office *o = r->office;
    pthread_mutex_lock(&o->lock);
    int lost = o->dead[r->rank] ? r->rank : -1; /* a dead rank sends nothing */
    for (int i = 0; i < n && lost < 0; i++)
        if (list[i].send)
            post(o, r->rank, &list[i]);
    pthread_cond_broadcast(&o->changed);
    for (int i = 0; i < n && lost < 0; i++)
        if (!list[i].send && take(o, r->rank, &list[i]) < 0)
            lost = list[i].peer;
    pthread_mutex_unlock(&o->lock);
    if (lost < 0)
        return 0;
    snprintf(error, size, "rank %d is gone", lost);
    return -1;
}

void fake_ranks_die(void)
{
    struct office *o = current->office;
    pthread_mutex_lock(&o->lock);
    o->dead[current->rank] = true;
    pthread_cond_broadcast(&o->changed);
    pthread_mutex_unlock(&o->lock);
}

static const char *topic_name(enum glt_topic topic)
{
    static const char *const names[] = {
#define X(name, value, text) [value] = #name,
        GLT_TOPICS(X)
#undef X
    };
    return names[topic] + strlen("GLT_TOPIC_");
}

static void describe(struct fake_result *out, int code)
{
    out->code = code;
    out->topic[0] = out->message[0] = 0;
    if (code == 0)
        return;
    int len = snprintf(out->topic, sizeof out->topic, "%s%s%.40s", topic_name(glt_error_topic()),
                       *glt_error_name() ? " " : "", glt_error_name());
    if (glt_error_place(GLT_PLACE_RANK) >= 0)
        snprintf(out->topic + len, sizeof out->topic - (size_t)len, " rank %d",
                 (int)glt_error_place(GLT_PLACE_RANK));
    snprintf(out->message, sizeof out->message, "%s", glt_error_message());
}

static void *work(void *user)
{
    struct rank *r = user;
    struct ranks ranks;
    struct context own;
    struct glt_ranks face = {
        .size = sizeof face, .rank = r->rank, .count = r->count, .user = r, .exchange = exchange};
    current = r;
    if (ranks_open(&ranks, &face) < 0)
        abort();
    context_copy(&own, context_default());
    own.ranks = r->count > 1 ? &ranks : NULL;
    atomic_store(&own.threads, r->threads);
    struct context *before = context_enter(&own);
    describe(r->result, r->fn(r->rank, r->user));
    r->result->bytes = ranks.bytes;
    r->result->messages = ranks.messages;
    context_enter(before);
    fake_ranks_die(); /* nobody must wait for a rank that has returned */
    ranks_close(&ranks);
    return NULL;
}

void fake_ranks_run(struct fake_result results[FAKE_RANKS_MAX], int count, int threads,
                    fake_rank_fn *fn, void *user)
{
    struct office o = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};
    struct rank ranks[FAKE_RANKS_MAX];
    pthread_t thread[FAKE_RANKS_MAX];
    for (int i = 0; i < count; i++) {
        ranks[i] = (struct rank){&o, i, count, threads, fn, user, &results[i]};
        if (pthread_create(&thread[i], NULL, work, &ranks[i]))
            abort();
    }
    for (int i = 0; i < count; i++)
        pthread_join(thread[i], NULL);
    for (int i = 0; i < count * FAKE_RANKS_MAX; i++)
        for (struct letter *l = o.queue[i / FAKE_RANKS_MAX][i % FAKE_RANKS_MAX], *next; l;
             l = next) {
            next = l->next;
            free(l);
        }
}
