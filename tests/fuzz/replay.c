/* Runs a fuzz target without libFuzzer: replay [--mutate N] FILE-OR-FOLDER...
 *
 * Every input is run as it is, then N damaged copies (bits flipped, cut, bytes changed, pieces
 * repeated, two inputs spliced), the same ones every time. The input in hand is announced when the
 * target crashes, so that it can be run alone. */
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "core/random.h"
#include "fuzz.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

enum { INPUT_MAX = 64 << 20 };

struct inputs {
    char **bytes;
    size_t *len;
    size_t n, room;
};

static char now[4200]; /* what is being run */

static void announce(int number)
{
    ssize_t put = write(2, now, strlen(now));
    (void)put;
    signal(number, SIG_DFL);
    raise(number);
}

static void run(const char *bytes, size_t len)
{
    uint8_t *copy = malloc(len ? len : 1); /* of the exact size: asan sees every overrun */
    if (!copy)
        abort();
    if (len)
        memcpy(copy, bytes, len);
    int64_t alive = memory_stats().bytes;
    LLVMFuzzerTestOneInput(copy, len);
    PROPERTY(memory_stats().bytes == alive);
    free(copy);
}

static int add(void *user, const char *path)
{
    struct inputs *in = user;
    if (in->n == in->room) {
        in->room = in->room ? 2 * in->room : 64;
        in->bytes = realloc(in->bytes, in->room * sizeof *in->bytes);
        in->len = realloc(in->len, in->room * sizeof *in->len);
        if (!in->bytes || !in->len)
            abort();
    }
    TRY(file_read_all(&in->bytes[in->n], &in->len[in->n], path, INPUT_MAX));
    snprintf(now, sizeof now, "while running %s\n", path);
    run(in->bytes[in->n], in->len[in->n]);
    in->n++;
    return 0;
}

static size_t damage(char *to, size_t room, const struct inputs *in, struct random *r)
{
    size_t pick = random_below(r, (uint32_t)in->n), len = in->len[pick];
    memcpy(to, in->bytes[pick], len);
    for (uint32_t times = 1 + random_below(r, 4); times > 0 && len > 0; times--) {
        size_t at = random_below(r, (uint32_t)len), other;
        switch (random_below(r, 6)) {
        case 0:
            to[at] ^= (char)(1 << random_below(r, 8));
            break;
        case 1:
            to[at] = (char)random_u32(r);
            break;
        case 2:
            len = at; /* cut */
            break;
        case 3: /* leave a piece out */
            other = at + random_below(r, (uint32_t)(len - at));
            memmove(to + at, to + other, len - other);
            len -= other - at;
            break;
        case 4: /* repeat a piece */
            other = random_below(r, (uint32_t)(len - at)) + 1;
            if (len + other <= room) {
                memmove(to + at + other, to + at, len - at);
                len += other;
            }
            break;
        default: /* the rest of another input */
            other = random_below(r, (uint32_t)in->n);
            if (at < in->len[other] && in->len[other] <= room) {
                memcpy(to + at, in->bytes[other] + at, in->len[other] - at);
                len = in->len[other];
            }
        }
    }
    return len;
}

static void mutate(const struct inputs *in, long executions)
{
    size_t room = 64;
    for (size_t i = 0; i < in->n; i++)
        room = in->len[i] > room ? in->len[i] : room;
    room *= 2;
    char *bytes = malloc(room);
    if (!bytes)
        abort();
    struct random_stream stream = random_stream(1, 0, 0, RANDOM_TEST);
    for (long i = 0; i < executions; i++) {
        struct random r = random_start(stream, (uint32_t)i);
        size_t len = damage(bytes, room, in, &r);
        snprintf(now, sizeof now, "while running mutation %ld\n", i);
        run(bytes, len);
    }
    free(bytes);
}

int main(int argc, char **argv)
{
    static const int signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE};
    for (int i = 0; i < 4; i++)
        signal(signals[i], announce);
    long executions = 0;
    struct inputs in = {0};
    int code = 0;
    for (int i = 1; i < argc && code >= 0; i++) {
        if (strcmp(argv[i], "--mutate") == 0 && i + 1 < argc)
            executions = atol(argv[++i]);
        else if (file_is_folder(argv[i]))
            code = file_walk(argv[i], add, &in);
        else
            code = add(&in, argv[i]);
    }
    if (code < 0 || in.n == 0) {
        fprintf(stderr, "%s\n",
                code < 0 ? glt_error_message() : "no inputs: name files or folders");
        return 1;
    }
    mutate(&in, executions);
    printf("%zu inputs and %ld mutations of them\n", in.n, executions);
    for (size_t i = 0; i < in.n; i++)
        memory_free(in.bytes[i]);
    free(in.bytes);
    free(in.len);
    return 0;
}
