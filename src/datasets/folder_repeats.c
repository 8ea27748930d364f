/* Files that the patterns of a folder data set name more than once. A cloud counts once in a split;
 * one that is in two splits stays in both, as somebody may want it so, but is told of: a score on
 * what was learned says nothing. */
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"
#include "datasets/dataset.h"
#include "datasets/folder_files.h"
#include "datasets/types.h"

#include <stdlib.h>
#include <string.h>

struct place {
    struct entry *entry;
    enum split split;
};

/* By path, those of one path by split and then as they came. */
static int compare_places(const void *a, const void *b)
{
    const struct place *x = a, *y = b;
    int order = strcmp(x->entry->path, y->entry->path);
    if (order == 0)
        order = (int)x->split - (int)y->split;
    return order ? order : (x->entry > y->entry) - (x->entry < y->entry);
}

static int list_places(struct place **out, size_t *n, const struct dataset *d)
{
    size_t all = 0, at = 0;
    for (int s = 0; s < SPLITS; s++)
        all += (size_t)d->split[s].n;
    struct place *list = memory_alloc(all + 1, sizeof *list);
    if (!list)
        return GLT_ENOMEM;
    for (int s = 0; s < SPLITS; s++)
        for (int32_t i = 0; i < d->split[s].n; i++)
            list[at++] = (struct place){&d->split[s].list[i], (enum split)s};
    qsort(list, all, sizeof *list, compare_places);
    *out = list;
    *n = all;
    return 0;
}

static void close_gaps(struct entries *e)
{
    int32_t kept = 0;
    for (int32_t i = 0; i < e->n; i++)
        if (e->list[i].path)
            e->list[kept++] = e->list[i];
    e->n = kept;
}

int folder_drop_repeats(struct dataset *d)
{
    struct place *list, *last = NULL, *shared = NULL;
    size_t n;
    int32_t both = 0;
    TRY(list_places(&list, &n, d));
    for (size_t i = 0; i < n; i++) {
        bool again = last && !strcmp(last->entry->path, list[i].entry->path);
        if (again && last->split == list[i].split) {
            entry_clear(list[i].entry);
            continue;
        }
        if (again && both++ == 0)
            shared = &list[i];
        last = &list[i];
    }
    if (shared)
        log_message(GLT_LOG_WARNING,
                    "%s: %d files are in two splits, the first is %s in %s: a score on what was "
                    "learned says nothing",
                    d->path, both, shared->entry->path, split_name(shared->split));
    for (int s = 0; s < SPLITS; s++)
        close_gaps(&d->split[s]);
    memory_free(list);
    return 0;
}
