/* Defaults of datasets: see defaults.h. A preset gives way to the dataset's own task, inputs and
 * augmentation (`tiny` on ModelNet is a tiny classification network), but overrides its sizes. */
#include "task/defaults.h"
#include "datasets/dataset.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "formats/format.h"

#include "cloud/cloud.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/log.h"

#include <string.h>

static int propose(struct config *c, const char *const (*pairs)[2])
{
    for (; (*pairs)[0]; pairs++)
        TRY(config_propose(c, (*pairs)[0], (*pairs)[1]));
    return 0;
}

/* Whole shapes: no colours, any rotation about the up axis; but categories of parts differ by
 * orientation, so these are turned only a little. */
static int propose_shapes(struct config *c, const struct dataset *d)
{
    static const char *const common[][2] = {
        {"inputs", "xyz"},          {"augment.jitter", "0.001"}, {"augment.rgb_permute", "0"},
        {"augment.rgb_noise", "0"}, {"augment.flip_x", "0.5"},   {NULL, NULL}};
    static const char *const parts[][2] = {
        {"augment.scale", "0.1"}, {"augment.rotate", "10"}, {NULL, NULL}};
    static const char *const classes[][2] = {{"augment.scale", "0.2"},
                                             {"augment.scale_axes", "on"},
                                             {"augment.rotate", "180"},
                                             {NULL, NULL}};
    static const char *const axes[] = {"x", "y", "z"};
    TRY(propose(c, common));
    TRY(config_propose(c, "augment.up", axes[d->up]));
    if (d->task == TASK_PARTS)
        return propose(c, parts);
    TRY(propose(c, classes));
    return config_propose(c, d->up == 1 ? "augment.flip_z" : "augment.flip_y", "0.5");
}

/* 1: the cloud has colours, 0: it has none; or an error. */
static int has_colours(struct dataset *d, enum split s, int32_t i)
{
    const struct item *x;
    struct glt_cloud *cloud = NULL;
    int code = dataset_take(&x, d, s, i);
    if (code == 0) {
        dataset_give(d, s, i);
        return 1;
    }
    if (code != GLT_EDATA)
        return code;
    /* if the cloud itself can be read, its colours are missing or its labels wrong */
    const struct format_options how = {.columns = d->columns};
    TRY(format_read(&cloud, d->split[s].list[i].path, &how));
    int yes = cloud_colour_scale(cloud) > 0;
    cloud_free(cloud);
    return yes;
}

/* Any folder of scenes may lack colours: its first readable cloud decides. */
static int propose_colours(struct config *c, struct dataset *d)
{
    if (config_given(c, "inputs") || strcmp(c->data.inputs, "xyz,rgb"))
        return 0;
    if (d->colourless)
        return config_propose(c, "inputs", "xyz");
    if (!d->type->described)
        return 0;
    for (int s = 0; s < SPLITS; s++) {
        for (int32_t i = 0; i < dataset_count(d, (enum split)s); i++) {
            int found = has_colours(d, (enum split)s, i);
            if (found < 0 && !dataset_is_fatal(found))
                continue;
            if (found != 0)
                return found < 0 ? found : 0;
            log_message(GLT_LOG_INFO, "inputs=xyz: %s has no colours", d->split[s].list[i].path);
            return config_propose(c, "inputs", "xyz");
        }
    }
    return 0;
}

static int complete(struct config *c, struct dataset *d)
{
    if (config_given(c, "task") && c->task != d->task)
        return error_topic(error_set(GLT_EARGUMENT, "task = %s, but %s is for task = %s",
                                     dataset_task_name(c->task), d->path,
                                     dataset_task_name(d->task)),
                           GLT_TOPIC_TASK, "task");
    if (!c->preset[0])
        TRY(config_propose(c, "preset",
                           d->task == TASK_CLASSIFY ? "paper-cls"
                           : d->task == TASK_PARTS  ? "paper-parts"
                                                    : "paper"));
    TRY(config_propose(c, "task", dataset_task_name(d->task)));
    return d->task == TASK_SEGMENT ? propose_colours(c, d) : propose_shapes(c, d);
}

int defaults_open(struct dataset **out, struct config *c, const char *path)
{
    struct dataset *d = NULL;
    struct config changed = *c;
    TRY(dataset_open(&d, path, &c->data, c->seed));
    int code = complete(&changed, d);
    if (code == 0)
        code = inputs_read(&d->inputs, &changed.data);
    if (code == 0)
        code = config_check(&changed);
    if (code < 0) {
        dataset_close(d);
        return code;
    }
    d->settings = changed.data; /* splits do not depend on the completed keys; an item loaded for
                                 * its colours has the same inputs */
    dataset_hold(d, changed.sampling.block);
    *c = changed;
    *out = d;
    return 0;
}
