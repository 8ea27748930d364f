/* One cloud as a data set of one test item, by the classes of a model. */
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/memory.h"
#include "datasets/dataset_labels.h"
#include "datasets/pool.h"

static int load(struct item *x, const struct dataset *d, const struct entry *e)
{
    const struct glt_cloud *c = d->inside;
    TRY(item_from_cloud(x, c, &d->inputs, e->name));
    x->category = e->category;
    return dataset_label(x, d, c, e->name);
}

static const struct dataset_type single = {.name = "cloud", .about = "one cloud", .load = load};

int dataset_of_cloud(struct dataset **out, const struct glt_cloud *c, const char *name,
                     const struct data_settings *settings, int32_t task,
                     const struct classes *classes)
{
    struct dataset *d = memory_alloc(1, sizeof *d);
    if (!d)
        return GLT_ENOMEM;
    struct entry e = {.name = (char *)name, .path = (char *)name, .category = -1};
    d->type = &single;
    d->settings = *settings;
    d->task = task;
    d->up = 2;
    d->inside = (void *)c;
    int code = inputs_parse(&d->inputs, settings->inputs);
    if (code == 0 && !(d->path = memory_string(name)))
        code = GLT_ENOMEM;
    if (code == 0)
        code = classes_copy(&d->classes, classes);
    if (code == 0)
        code = dataset_add(d, SPLIT_TEST, &e);
    if (code == 0)
        code = pool_create(d);
    if (code < 0)
        dataset_close(d);
    else
        *out = d;
    return code;
}
