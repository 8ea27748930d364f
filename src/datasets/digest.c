/* Digests: see digest.h. */
#include "datasets/digest.h"

#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/memory.h"
#include "datasets/types.h"

#include <stdio.h>
#include <string.h>
#include <xxhash.h>

enum { CHUNK = 1 << 20 };

/* the library allocates its state with malloc, whatever we do */
struct digest {
    XXH3_state_t *state;
};

int digest_begin(struct digest **out)
{
    struct digest *x = memory_alloc(1, sizeof *x);
    if (!x)
        return GLT_ENOMEM;
    x->state = XXH3_createState();
    if (!x->state) {
        memory_free(x);
        return error_set(GLT_ENOMEM, "no memory for a digest");
    }
    XXH3_128bits_reset(x->state);
    *out = x;
    return 0;
}

void digest_add(struct digest *x, const void *bytes, size_t len)
{
    unsigned char count[8];
    for (int i = 0; i < 8; i++)
        count[i] = (unsigned char)((uint64_t)len >> (8 * i));
    XXH3_128bits_update(x->state, count, sizeof count);
    XXH3_128bits_update(x->state, bytes, len);
}

void digest_text(struct digest *x, const char *text)
{
    digest_add(x, text, strlen(text));
}

void digest_end(char hex[DIGEST_SIZE], struct digest *x)
{
    XXH128_hash_t h = XXH3_128bits_digest(x->state);
    snprintf(hex, DIGEST_SIZE, "%016llx%016llx", (unsigned long long)h.high64,
             (unsigned long long)h.low64);
    XXH3_freeState(x->state);
    memory_free(x);
}

static int add_file(struct digest *x, int64_t *bytes, const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    int code = 0;
    *bytes += file_size(f);
    while (code == 0 && file_left(f) > 0) {
        const unsigned char *window;
        size_t len = 0;
        code = file_peek(f, &window, &len, CHUNK);
        if (code == 0 && len == 0)
            code = error_set(GLT_EIO, "%s: ended while it was read", path);
        if (code == 0) {
            XXH3_128bits_update(x->state, window, len);
            code = file_skip(f, (int64_t)len);
        }
    }
    file_close(f);
    return code;
}

struct walk {
    struct digest *x;
    int64_t bytes;
    size_t root;
};

static int add_walked(void *user, const char *path)
{
    struct walk *w = user;
    int64_t bytes = 0;
    char hex[DIGEST_SIZE];
    TRY(digest_path(hex, &bytes, path));
    w->bytes += bytes;
    digest_text(w->x, path + w->root);
    digest_text(w->x, hex);
    return 0;
}

int digest_path(char hex[DIGEST_SIZE], int64_t *bytes, const char *path)
{
    struct walk w = {.x = NULL, .root = strlen(path)};
    TRY(digest_begin(&w.x));
    int code =
        file_is_folder(path) ? file_walk(path, add_walked, &w) : add_file(w.x, &w.bytes, path);
    digest_end(hex, w.x);
    if (code == 0 && bytes)
        *bytes = w.bytes;
    return code;
}

/* What was read last of a packing. */
struct source {
    const char *path;
    char hex[DIGEST_SIZE];
};

/* One file after the other; packings stand behind many entries in a row and are read once. */
static int add_source(struct digest *x, struct source *last, const char *path)
{
    int64_t bytes = 0;
    if (!last->path || strcmp(path, last->path)) {
        TRY(digest_path(last->hex, &bytes, path));
        last->path = path;
        digest_add(x, &bytes, sizeof bytes);
    }
    digest_text(x, last->hex);
    return 0;
}

static int32_t count_packs(const struct dataset *d)
{
    int32_t n = 1;
    for (int s = 0; s < SPLITS; s++)
        for (int32_t i = 0; i < d->split[s].n; i++)
            n = d->split[s].list[i].pack >= n ? d->split[s].list[i].pack + 1 : n;
    return n;
}

static int add_entry(struct digest *x, const struct dataset *d, const struct entry *e,
                     struct source *last)
{
    digest_text(x, e->name);
    if (d->type != &dataset_synth && file_exists(e->path))
        TRY(add_source(x, &last[e->pack], e->path));
    else
        digest_text(x, d->path); /* made in memory from these words */
    return e->labels ? add_source(x, &last[0], e->labels) : 0;
}

static int add_entries(struct digest *x, const struct dataset *d)
{
    struct source *last = memory_alloc((size_t)count_packs(d), sizeof *last);
    int code = last ? 0 : GLT_ENOMEM;
    for (int s = 0; code == 0 && s < SPLITS; s++) {
        digest_text(x, split_name((enum split)s));
        for (int32_t i = 0; code == 0 && i < d->split[s].n; i++)
            code = add_entry(x, d, &d->split[s].list[i], last);
    }
    memory_free(last);
    return code;
}

/* What a YAML file may say otherwise of the same files; a benchmark is what it is. */
static void add_shapes(struct digest *x, const struct dataset *d)
{
    if (d->type != &dataset_folder || d->task == TASK_SEGMENT)
        return;
    digest_add(x, &d->task, sizeof d->task);
    for (int32_t i = 0; i < d->classes.n_categories; i++) {
        const struct category *k = &d->classes.categories[i];
        digest_text(x, k->name);
        digest_add(x, &k->count, sizeof k->count);
    }
    for (int s = 0; s < SPLITS; s++)
        for (int32_t i = 0; i < d->split[s].n; i++)
            digest_add(x, &d->split[s].list[i].category, sizeof(int32_t));
}

void digest_labels(struct digest *x, const struct dataset *d)
{
    for (int32_t i = 0; i < d->classes.n; i++)
        digest_text(x, d->classes.names[i]);
    for (int32_t i = 0; i < d->classes.n_labels; i++) {
        const struct label *label = &d->classes.labels[i];
        char number[16];
        snprintf(number, sizeof number, "%d", label->number);
        digest_text(x, label->name ? label->name : number);
        digest_add(x, &label->class, sizeof label->class);
    }
    if (d->classes.origin != LABELS_ARE_PLACES)
        digest_text(x, "numbered");
    if (d->columns)
        digest_text(x, d->columns);
}

int dataset_fingerprint(char hex[DIGEST_SIZE], const struct dataset *d)
{
    struct digest *x = NULL;
    TRY(digest_begin(&x));
    digest_text(x, d->type->name);
    digest_labels(x, d);
    add_shapes(x, d);
    int code = add_entries(x, d);
    char made[DIGEST_SIZE];
    digest_end(made, x);
    if (code == 0)
        memcpy(hex, made, sizeof made);
    return code;
}
