/* What follows from the keys together, and the rules between them: see config.h. */
#include "config/config.h"
#include "config/inputs.h"
#include "core/error.h"

#include <math.h>

int config_channels(const struct config *c, int *channels)
{
    struct inputs inputs;
    TRY(inputs_parse(&inputs, c->data.inputs));
    *channels = 3 + inputs.extra;
    return 0;
}

int32_t config_inner(const struct config *c, int level)
{
    double inner = floor(c->network.width[level] * c->network.inner + 0.5);
    return inner < 1 ? 1 : (int32_t)inner;
}

int config_identity2(const struct config *c)
{
    if (c->network.shortcut2 == SHORTCUT_AUTO)
        return c->network.maps == MAPS_SCORE_MLP;
    return c->network.shortcut2 == SHORTCUT_IDENTITY;
}

int config_check(const struct config *c)
{
    int channels;
    TRY(config_channels(c, &channels));
    for (int l = 0; l < CONFIG_LEVELS; l++) {
        if (l > 0 && c->network.levels[l] > c->network.levels[l - 1])
            return error_set(GLT_EARGUMENT,
                             "levels: %d points at level %d are more than %d at level %d; "
                             "give descending sizes",
                             c->network.levels[l], l + 1, c->network.levels[l - 1], l);
        int32_t d = config_inner(c, l);
        int32_t shared = c->network.features_per_head ? c->network.features_per_head : d;
        if (d % shared)
            return error_set(GLT_EARGUMENT,
                             "features_per_head = %d does not divide the inner width %d of level "
                             "%d",
                             shared, d, l + 1);
    }
    bool affine = c->network.maps == MAPS_LINEAR || c->network.maps == MAPS_BN;
    if (c->network.path == PATH_COLLAPSED && !affine)
        return error_set(GLT_EARGUMENT,
                         "path = collapsed is exact for maps = linear and bn only; take fused, "
                         "direct or auto");
    if (c->network.path == PATH_FUSED && affine)
        return error_set(GLT_EARGUMENT,
                         "path = fused is for maps = value-relu, bn-relu and score-mlp; take "
                         "collapsed, direct or auto");
    return 0;
}
