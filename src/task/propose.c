/* The installed model that suits a cloud: the cloud must have its inputs, and should be about as
 * dense, wide and high as its training clouds. */
#include "cloud/cloud.h"
#include "config/inputs.h"
#include "core/error.h"
#include "datasets/range.h"
#include "model/models.h"
#include "sampling/item.h"
#include "task/predict.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Maximum distance of a cloud from the range: the sum of the logarithms of all factors. */
static const double far_away = 2;

struct search {
    const struct glt_cloud *cloud;
    struct item item; /* coordinates alone */
    double best;
    int32_t inputs; /* of the best: of equally suitable models, that with most inputs */
    char name[256];
};

static int consider(void *user, const struct model_found *found)
{
    struct search *s = user;
    struct inputs inputs;
    if (strcmp(found->task, "segment") || !found->card ||
        inputs_parse(&inputs, found->inputs) < 0 || predict_missing_input(s->cloud, &inputs))
        return 0;
    double distance = range_distance(found->card, &s->item);
    bool better = distance < s->best || (distance == s->best && inputs.extra > s->inputs);
    if (distance <= far_away && better) {
        s->best = distance;
        s->inputs = inputs.extra;
        snprintf(s->name, sizeof s->name, "%s", found->name);
    }
    return 0;
}

int glt_model_propose(char *name, size_t size, const struct glt_cloud *c)
{
    REQUIRE(name, c);
    struct search s = {.cloud = c, .best = INFINITY, .inputs = -1};
    struct inputs inputs;
    TRY(inputs_parse(&inputs, "xyz"));
    TRY(item_from_cloud(&s.item, c, &inputs, cloud_name(c)));
    int code = models_each(consider, &s);
    item_clear(&s.item);
    TRY(code);
    if (strlen(s.name) >= size)
        return error_topic(error_set(GLT_EARGUMENT, "the name takes %zu bytes where %zu fit",
                                     strlen(s.name) + 1, size),
                           GLT_TOPIC_ARGUMENT, "size");
    memcpy(name, s.name, strlen(s.name) + 1);
    return 0;
}
