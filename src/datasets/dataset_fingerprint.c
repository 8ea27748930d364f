/* The digest of a dataset: see dataset_fingerprint.h. */
#include "datasets/dataset_fingerprint.h"

#include "cloud/classes.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* The packing that was read last. */
struct source {
    const char *path;
    char hex[DIGEST_SIZE];
};

/* Adds a file; a packing shared by consecutive entries is read once. */
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
    if (!d->type->made && file_exists(e->path))
        TRY(add_source(x, &last[e->pack], e->path));
    else
        digest_text(x, d->path); /* the clouds are generated from these options */
    return e->labels ? add_source(x, &last[0], e->labels) : 0;
}

static int add_entries(struct digest *x, const struct dataset *d)
{
    struct source *last = memory_alloc((size_t)count_packs(d), sizeof *last);
    int code = last ? 0 : GLT_ENOMEM;
    for (int s = 0; code == 0 && s < SPLITS; s++) {
        digest_text(x, dataset_split_name((enum split)s));
        for (int32_t i = 0; code == 0 && i < d->split[s].n; i++)
            code = add_entry(x, d, &d->split[s].list[i], last);
    }
    memory_free(last);
    return code;
}

/* Adds what a YAML file may change for the same files; a benchmark has nothing to add. */
static void add_shapes(struct digest *x, const struct dataset *d)
{
    if (!d->type->described || d->task == TASK_SEGMENT)
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

void dataset_fingerprint_labels(struct digest *x, const struct dataset *d, const struct classes *c)
{
    for (int32_t i = 0; i < c->n; i++)
        digest_text(x, c->names[i]);
    for (int32_t i = 0; i < c->n_labels; i++) {
        const struct label *label = &c->labels[i];
        char number[16];
        snprintf(number, sizeof number, "%d", label->number);
        digest_text(x, label->name ? label->name : number);
        digest_add(x, &label->class, sizeof label->class);
    }
    if (c->origin != LABELS_ARE_PLACES)
        digest_text(x, "numbered");
    if (d->columns)
        digest_text(x, d->columns);
    if (d->reviewed)
        digest_text(x, "reviewed");
    if (dataset_label_attribute(d))
        digest_text(x, dataset_label_attribute(d));
}

static void add_rules(struct digest *x, const struct dataset *d)
{
    for (int32_t i = 0; i < d->n_rules; i++) {
        digest_text(x, d->rules[i].pattern);
        digest_add(x, &d->rules[i].weight, sizeof d->rules[i].weight);
        dataset_fingerprint_labels(x, d, &d->rules[i].classes);
    }
}

int dataset_fingerprint(char hex[DIGEST_SIZE], const struct dataset *d)
{
    struct digest *x = NULL;
    TRY(digest_begin(&x));
    digest_text(x, d->type->name);
    dataset_fingerprint_labels(x, d, &d->classes);
    add_rules(x, d);
    add_shapes(x, d);
    int code = add_entries(x, d);
    char made[DIGEST_SIZE];
    digest_end(made, x);
    if (code == 0)
        memcpy(hex, made, sizeof made);
    return code;
}
