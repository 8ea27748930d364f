/* The plug-in for many machines: ranks that exchange messages through MPI. It knows the public
 * header only, and the library knows nothing of it; the program loads it when mpirun has started
 * it (src/cli/ranks.c).
 *
 * MPI is called by one thread at a time, under a lock: by the one that exchanges, and by one that
 * sends a heartbeat to every rank each second, also while this rank computes. A rank of which
 * nothing was heard for LIMIT seconds is lost: it has ended, or the network between the two is cut.
 * MPI itself would wait for it without end. An exchange that fails leaves messages under way whose
 * memory belongs to the caller: MPI is not called any more after it. */
#include "gelatto_tool.h"

#include <mpi.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    TAG = 1,
    BEAT = 2,
    PIECE = 1 << 30, /* bytes of a message at most: MPI counts in int */
    LIMIT = 30,      /* seconds */
    EAGER_TRIES = 100
};

static struct {
    MPI_Comm messages, beats;
    int rank, count;
    char (*hosts)[MPI_MAX_PROCESSOR_NAME];
    MPI_Request *requests; /* (capacity) of an exchange */
    int capacity;
    double limit;

    pthread_mutex_t lock; /* of all calls of MPI, and of what follows */
    pthread_cond_t ending;
    pthread_t pulse;
    bool beating, end;
    bool failed;       /* an exchange */
    MPI_Request *sent; /* (count) heartbeats under way */
    double *heard;     /* (count) when */
    char mark;         /* the content of a heartbeat */
    _Atomic int lost;  /* 1 + a rank; 0: none */
} own = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double seconds_now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(char *error, size_t size, const char *what, int code)
{
    char text[MPI_MAX_ERROR_STRING] = "";
    int len;
    MPI_Error_string(code, text, &len);
    snprintf(error, size, "MPI: %s: %.150s", what, text);
    return -1;
}

/* --- heartbeats --- */

static void receive_beats(void)
{
    int there = 1;
    char mark;
    MPI_Status s;
    while (MPI_Iprobe(MPI_ANY_SOURCE, BEAT, own.beats, &there, &s) == MPI_SUCCESS && there) {
        if (MPI_Recv(&mark, 1, MPI_CHAR, s.MPI_SOURCE, BEAT, own.beats, MPI_STATUS_IGNORE) !=
            MPI_SUCCESS)
            return;
        own.heard[s.MPI_SOURCE] = seconds_now();
    }
}

/* One under way is not followed by another: a rank that takes none has no use for more. */
static void send_beats(void)
{
    for (int i = 0; i < own.count; i++) {
        int done = 1;
        if (i == own.rank)
            continue;
        if (own.sent[i] != MPI_REQUEST_NULL)
            MPI_Test(&own.sent[i], &done, MPI_STATUS_IGNORE);
        if (done)
            MPI_Isend(&own.mark, 1, MPI_CHAR, i, BEAT, own.beats, &own.sent[i]);
    }
}

static void find_lost(void)
{
    double now = seconds_now();
    for (int i = 0; i < own.count; i++)
        if (i != own.rank && now - own.heard[i] > own.limit && !atomic_load(&own.lost))
            atomic_store(&own.lost, 1 + i);
}

static void *beat(void *user)
{
    (void)user;
    pthread_mutex_lock(&own.lock);
    while (!own.end && !own.failed) {
        struct timespec next;
        send_beats();
        receive_beats();
        find_lost();
        clock_gettime(CLOCK_MONOTONIC, &next);
        next.tv_sec++;
        pthread_cond_timedwait(&own.ending, &own.lock, &next);
    }
    pthread_mutex_unlock(&own.lock);
    return NULL;
}

/* --- messages --- */

static int reserve(int n)
{
    if (n <= own.capacity)
        return 0;
    MPI_Request *more = realloc(own.requests, (size_t)n * sizeof *more);
    if (!more)
        return -1;
    own.requests = more;
    own.capacity = n;
    return 0;
}

/* A message in pieces; *n requests are under way. */
static int start(const struct glt_message *m, int *n)
{
    for (size_t done = 0; done < m->bytes; done += PIECE) {
        int bytes = m->bytes - done < PIECE ? (int)(m->bytes - done) : PIECE;
        char *data = (char *)m->data + done;
        int code =
            m->send
                ? MPI_Isend(data, bytes, MPI_BYTE, m->peer, TAG, own.messages, &own.requests[*n])
                : MPI_Irecv(data, bytes, MPI_BYTE, m->peer, TAG, own.messages, &own.requests[*n]);
        if (code != MPI_SUCCESS)
            return code;
        ++*n;
    }
    return MPI_SUCCESS;
}

static int start_all(const struct glt_message *list, int n, int *started)
{
    for (int way = 0; way < 2; way++) /* receives first: what arrives finds its place */
        for (int i = 0; i < n; i++) {
            int code = !list[i].send == !way ? start(&list[i], started) : MPI_SUCCESS;
            if (code != MPI_SUCCESS)
                return code;
        }
    return MPI_SUCCESS;
}

/* Other ranks may share the processor: who waits long lets them have it. */
static void pause_after(int64_t tries)
{
    long pause = 20000 * (1 + (long)(tries / EAGER_TRIES));
    if (tries < EAGER_TRIES)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = pause < 500000 ? pause : 500000}, NULL);
}

static int report_lost(char *error, size_t size)
{
    int rank = atomic_load(&own.lost) - 1;
    snprintf(error, size,
             "rank %d on %.60s was not heard of for %g s: it has ended, or the network is cut",
             rank, own.hosts[rank], own.limit);
    return -1;
}

static int wait_all(int n, char *error, size_t size)
{
    for (int64_t tries = 0;; tries++) {
        int done;
        pthread_mutex_lock(&own.lock);
        int code = MPI_Testall(n, own.requests, &done, MPI_STATUSES_IGNORE);
        pthread_mutex_unlock(&own.lock);
        if (code != MPI_SUCCESS)
            return fail(error, size, "a message was not delivered", code);
        if (done)
            return 0;
        if (atomic_load(&own.lost))
            return report_lost(error, size);
        pause_after(tries);
    }
}

static int exchange(void *user, const struct glt_message *list, int n, char *error, size_t size)
{
    int pieces = 0, started = 0;
    (void)user;
    for (int i = 0; i < n; i++)
        pieces += (int)((list[i].bytes + PIECE - 1) / PIECE);
    if (reserve(pieces) < 0) {
        snprintf(error, size, "out of memory");
        return -1;
    }
    pthread_mutex_lock(&own.lock);
    int code = start_all(list, n, &started);
    pthread_mutex_unlock(&own.lock);
    code = code == MPI_SUCCESS ? wait_all(started, error, size)
                               : fail(error, size, "a message was not sent", code);
    if (code < 0) {
        pthread_mutex_lock(&own.lock);
        own.failed = true;
        pthread_mutex_unlock(&own.lock);
    }
    return code;
}

/* --- beginning and end --- */

/* GELATTO_RANK_SECONDS: another limit, for slow or overloaded machines. */
static double read_limit(void)
{
    const char *text = getenv("GELATTO_RANK_SECONDS");
    double limit = text ? strtod(text, NULL) : LIMIT;
    return limit >= 2 && limit <= 86400 ? limit : LIMIT;
}

static int take_memory(void)
{
    size_t n = (size_t)own.count;
    own.sent = calloc(n, sizeof *own.sent);
    own.heard = calloc(n, sizeof *own.heard);
    own.hosts = calloc(n, sizeof *own.hosts);
    return own.sent && own.heard && own.hosts && reserve(4 * own.count) == 0 ? 0 : -1;
}

/* 0 or an error number. */
static int start_pulse(void)
{
    pthread_condattr_t clock;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&own.ending, &clock);
    pthread_condattr_destroy(&clock);
    for (int i = 0; i < own.count; i++) {
        own.sent[i] = MPI_REQUEST_NULL;
        own.heard[i] = seconds_now();
    }
    int code = pthread_create(&own.pulse, NULL, beat, NULL);
    own.beating = code == 0;
    return code;
}

static int open_ranks(struct glt_ranks *out, char *error, size_t size)
{
    int provided, len, code = MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &provided);
    if (code != MPI_SUCCESS || provided < MPI_THREAD_SERIALIZED) {
        snprintf(error, size, "this MPI cannot be called by several threads");
        return -1;
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_dup(MPI_COMM_WORLD, &own.messages);
    MPI_Comm_dup(MPI_COMM_WORLD, &own.beats);
    MPI_Comm_rank(MPI_COMM_WORLD, &own.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &own.count);
    own.limit = read_limit();
    if (take_memory() < 0) {
        snprintf(error, size, "out of memory");
        return -1;
    }
    MPI_Get_processor_name(own.hosts[own.rank], &len);
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, own.hosts, MPI_MAX_PROCESSOR_NAME, MPI_CHAR,
                  own.messages);
    code = start_pulse();
    if (code) {
        snprintf(error, size, "the thread of the heartbeats was not started: %s", strerror(code));
        return -1;
    }
    *out = (struct glt_ranks){
        .size = sizeof *out, .rank = own.rank, .count = own.count, .exchange = exchange};
    return 0;
}

/* After an exchange that failed MPI cannot be closed, and while mpirun ends the ranks it waits
 * without end: mpirun sees to what is left. */
static void close_ranks(int at_once)
{
    pthread_mutex_lock(&own.lock);
    own.end = true;
    pthread_cond_signal(&own.ending);
    pthread_mutex_unlock(&own.lock);
    if (own.beating)
        pthread_join(own.pulse, NULL);
    if (own.failed || atomic_load(&own.lost) || at_once)
        return;
    for (int i = 0; i < own.count; i++)
        if (own.sent[i] != MPI_REQUEST_NULL)
            MPI_Request_free(&own.sent[i]);
    MPI_Barrier(own.messages);
    receive_beats(); /* none is left behind */
    MPI_Comm_free(&own.messages);
    MPI_Comm_free(&own.beats);
    MPI_Finalize();
    free(own.sent);
    free(own.heard);
    free(own.hosts);
    free(own.requests);
}

__attribute__((visibility("default")))
const struct glt_ranks_plugin glt_ranks_plugin = {.size = sizeof glt_ranks_plugin,
                                                  .build = GLT_RANKS_BUILD,
                                                  .open = open_ranks,
                                                  .close = close_ranks};
