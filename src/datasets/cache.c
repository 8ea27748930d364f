/* Items on disk: see cache.h. The file is a header of 64-bit words, the arrays as in memory (the
 * header names the byte order), and a digest of 32 digits with a NUL. */
#include "datasets/cache.h"

#include "cloud/classes.h"
#include "config/inputs.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_write.h"
#include "core/log.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/digest.h"
#include "sampling/item.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* VERSION counts changes of the file, MEANING changes of the items in it */
enum { VERSION = 2, MEANING = 6, PATH_SIZE = 4096 };

static const char magic[8] = "GLTITEM";

struct header {
    char magic[8];
    uint32_t version, order; /* order = 1 in the byte order of the writer */
    int64_t n, rows;
    int32_t extra, labels, category, grey;
    float low[3], step;
    double origin[3];
};

int cache_key(char key[CACHE_KEY], const struct dataset *d, const struct entry *e)
{
    struct digest *x = NULL;
    char hex[DIGEST_SIZE];
    int32_t first, count;
    classes_range(&first, &count, &d->classes, e->category);
    int32_t shape[] = {MEANING, d->task, d->settings.normalise, d->classes.n, e->category,
                       first,   count};
    TRY(digest_begin(&x));
    int code = digest_path(hex, NULL, e->path);
    digest_text(x, hex);
    if (code == 0 && e->labels)
        code = digest_path(hex, NULL, e->labels);
    digest_text(x, e->labels ? hex : "");
    digest_text(x, d->type->name);
    digest_text(x, d->settings.inputs);
    if (d->inputs.rgb_hidden)
        digest_text(x, "without colours");
    if (d->inputs.hidden)
        digest_text(x, "without attributes");
    digest_add(x, shape, sizeof shape);
    dataset_fingerprint_labels(x, d, dataset_classes(d, e));
    /* readers use the extension if the content has no signature */
    const char *dot = strrchr(e->path, '.');
    digest_text(x, dot ? dot : "");
    char made[DIGEST_SIZE];
    digest_end(made, x);
    if (code == 0)
        memcpy(key, made, CACHE_KEY);
    return code;
}

static int cache_path(char path[PATH_SIZE], const char *folder, const char *key)
{
    char name[CACHE_KEY + 8];
    snprintf(name, sizeof name, "%s.item", key);
    return file_join(path, PATH_SIZE, folder, name);
}

struct piece {
    void *bytes;
    size_t len;
};

static int pieces_of(struct piece p[4], const struct item *x)
{
    size_t n = (size_t)x->n;
    p[0] = (struct piece){x->xyz, n * 3 * sizeof *x->xyz};
    p[1] = (struct piece){x->row, n * sizeof *x->row};
    p[2] = (struct piece){x->features, n * (size_t)x->extra * sizeof *x->features};
    p[3] = (struct piece){x->labels, x->labels ? n * sizeof *x->labels : 0};
    return 4;
}

static int digest_of(char hex[DIGEST_SIZE], const struct header *h, const struct item *x)
{
    struct digest *d = NULL;
    struct piece p[4];
    TRY(digest_begin(&d));
    digest_add(d, h, sizeof *h);
    for (int i = 0; i < pieces_of(p, x); i++)
        if (p[i].len)
            digest_add(d, p[i].bytes, p[i].len);
    digest_end(hex, d);
    return 0;
}

/* Whether the size of the file is exactly that of its header. */
static bool sizes_fit(const struct header *h, int64_t bytes)
{
    if (memcmp(h->magic, magic, sizeof magic) || h->version != VERSION || h->order != 1 ||
        h->n < 1 || h->n > INT32_MAX || h->extra < 0 || h->extra > 3 * INPUTS_MAX)
        return false;
    int64_t each = 16 + 4 * (int64_t)h->extra + (h->labels ? 4 : 0);
    return bytes == (int64_t)sizeof *h + h->n * each + DIGEST_SIZE;
}

int cache_read_file(struct item *x, bool *found, struct file *f)
{
    struct header h;
    struct piece p[4];
    char stored[DIGEST_SIZE], hex[DIGEST_SIZE];
    *found = false;
    if (file_size(f) < (int64_t)sizeof h)
        return 0;
    TRY(file_read(f, &h, sizeof h));
    if (!sizes_fit(&h, file_size(f)))
        return 0;
    TRY(item_new(x, h.n, h.extra, h.labels != 0));
    for (int i = 0; i < pieces_of(p, x); i++)
        if (p[i].len)
            TRY(file_read(f, p[i].bytes, p[i].len));
    TRY(file_read(f, stored, sizeof stored));
    TRY(digest_of(hex, &h, x));
    x->rows = h.rows;
    x->category = h.category;
    x->step = h.step;
    x->grey = h.grey != 0;
    item_find_low(x); /* tiles are counted from it, and the header is not trusted */
    memcpy(x->origin, h.origin, sizeof x->origin);
    *found = !memcmp(hex, stored, sizeof hex) && !memcmp(x->low, h.low, sizeof h.low);
    return 0;
}

/* A digest does not prove who wrote the file, so every number that is used as an index or size is
 * checked. */
static bool is_item_of(const struct item *x, const struct dataset *d, const struct entry *e)
{
    int32_t first, count;
    classes_range(&first, &count, &d->classes, e->category);
    bool fits = x->extra == d->inputs.extra && x->category == e->category && x->rows >= x->n;
    for (int64_t i = 0; fits && i < x->n; i++)
        fits = x->row[i] >= 0 && x->row[i] < x->rows &&
               (!x->labels || x->labels[i] == -1 ||
                (x->labels[i] >= first && x->labels[i] < first + count));
    for (int64_t i = 0; fits && i < 3 * (int64_t)x->n; i++)
        fits = isfinite(x->xyz[i]);
    for (int64_t i = 0; fits && i < (int64_t)x->n * x->extra; i++)
        fits = isfinite(x->features[i]);
    for (int k = 0; fits && k < 3; k++)
        fits = isfinite(x->origin[k]);
    return fits;
}

/* A folder that others can write to is not used. */
static bool is_trusted(const char *folder)
{
    static _Atomic bool said;
    if (file_is_private_folder(folder))
        return true;
    if (!atomic_exchange(&said, true))
        log_warning(GLT_TOPIC_PERMISSION, "cache",
                    "%s: the cache is not used: the folder belongs to another user, or others can "
                    "write to it (chmod go-w)",
                    folder);
    return false;
}

int cache_read(struct item *x, bool *found, const struct dataset *d, const struct entry *e,
               const char *key)
{
    char path[PATH_SIZE];
    struct file *f;
    struct item y = {.category = -1};
    *found = false;
    TRY(cache_path(path, d->settings.cache, key));
    if (!file_exists(path) || !is_trusted(d->settings.cache))
        return 0;
    TRY(file_open(&f, path));
    bool private = file_is_private(f);
    int code = private ? cache_read_file(&y, found, f) : 0;
    file_close(f);
    *found = code == 0 && *found && is_item_of(&y, d, e);
    if (!*found)
        item_clear(&y);
    else
        *x = y;
    if (code == 0 && !*found)
        log_warning(GLT_TOPIC_DIGEST, "cache", "%s: the cache file %s and is made again", path,
                    private ? "is damaged" : "can be written by others");
    return code;
}

int cache_write(const struct item *x, const char *folder, const char *key)
{
    char path[PATH_SIZE], hex[DIGEST_SIZE];
    struct file *f;
    struct piece p[4];
    struct header h;
    memset(&h, 0, sizeof h); /* padding bytes must be defined */
    memcpy(h.magic, magic, sizeof magic);
    h.version = VERSION;
    h.order = 1;
    h.n = x->n;
    h.rows = x->rows;
    h.extra = x->extra;
    h.labels = x->labels != NULL;
    h.category = x->category;
    h.step = x->step;
    h.grey = x->grey;
    memcpy(h.low, x->low, sizeof h.low);
    memcpy(h.origin, x->origin, sizeof h.origin);
    TRY(file_make_private_folder(folder));
    if (!is_trusted(folder))
        return 0;
    TRY(cache_path(path, folder, key));
    TRY(digest_of(hex, &h, x));
    TRY(file_create_as(&f, path, FILE_PRIVATE));
    int code = file_write(f, &h, sizeof h);
    for (int i = 0; code == 0 && i < pieces_of(p, x); i++)
        if (p[i].len)
            code = file_write(f, p[i].bytes, p[i].len);
    if (code == 0)
        code = file_write(f, hex, sizeof hex);
    return file_finish(f, code);
}
