/* The option table: a new option needs one row here, and no change elsewhere. */
#include "config/options.h"

#include <string.h>

#define AT(field) offsetof(struct config, field)
#define INT(key, group, field, value, min, max, help)                                              \
    {                                                                                              \
        key, OPTION_INT, group, AT(field), 1, value, min, max, 0, EXPAND_SAME, help                \
    }
#define REAL(key, group, field, value, min, max, help)                                             \
    {                                                                                              \
        key, OPTION_REAL, group, AT(field), 1, value, min, max, 0, EXPAND_SAME, help               \
    }
#define CHOICE(key, group, field, value, choices, help)                                            \
    {                                                                                              \
        key, OPTION_CHOICE, group, AT(field), 1, value, 0, 0, choices, EXPAND_SAME, help           \
    }

/* clang-format off */
const struct option options[] = {
    {"preset", OPTION_TEXT, GROUP_NETWORK, AT(preset), sizeof((struct config *)0)->preset, "", 0, 0, 0, EXPAND_SAME,
     "a named configuration; keys given beside it override it"},
    {"inputs", OPTION_TEXT, GROUP_NETWORK, AT(data.inputs), sizeof((struct config *)0)->data.inputs, "xyz,rgb", 0, 0, 0, EXPAND_SAME,
     "input channels: a comma list of xyz, rgb, normals, intensity or names of attributes; rgb?, intensity?: a cloud may lack it"},
    CHOICE("task", GROUP_NETWORK, task, "segment", "segment|parts|classify", "what the network predicts: a class per point, a part per point, a class per cloud"),
    CHOICE("path", GROUP_NETWORK, network.path, "auto", "auto|direct", "how the attention layer is computed; the results agree. direct: edge by edge, the slow reference"),
    CHOICE("maps", GROUP_NETWORK, network.maps, "linear", "linear|bn|value-relu|bn-relu|score-mlp", "the maps f of the attention layer: a name for the kinds of its three groups"),
    CHOICE("maps.inner", GROUP_NETWORK, network.map_kind[MAP_INNER], "auto", "auto|linear|bn|bn-relu", "kind of the maps of features and positions; auto: set by maps"),
    CHOICE("maps.value", GROUP_NETWORK, network.map_kind[MAP_VALUE], "auto", "auto|linear|bn|bn-relu", "kind of the value maps; auto: set by maps"),
    CHOICE("maps.score", GROUP_NETWORK, network.map_kind[MAP_SCORE], "auto", "auto|linear|bn|bn-relu|mlp", "kind of the score maps; mlp: one hidden layer; auto: set by maps"),
    CHOICE("maps.init", GROUP_NETWORK, network.map_init, "uniform", "uniform|kaiming", "first weights of the maps: uniform in +-1 / sqrt(inputs), or normal with deviation sqrt(2 / inputs)"),
    CHOICE("heads", GROUP_NETWORK, network.heads, "both", "both|geometric|latent|pool|mean|none", "the attention heads; pool, mean: maximum or mean of the values instead of attention; none: the maximum of one map of (x_j, p_j - p_i), as in PointNet++"),
    CHOICE("cross", GROUP_NETWORK, network.cross, "on", "off|on", "the maps f_hg and f_gh between the heads"),
    {"features_per_head", OPTION_INT, GROUP_NETWORK, AT(network.features_per_head), 1, "1", 0, 65536, "all", EXPAND_SAME,
     "neighbouring channels that share one attention score; all: one score for every channel"},
    {"k", OPTION_INT, GROUP_NETWORK, AT(network.k), CONFIG_LEVELS, "32,32,32,16", 1, 4096, 0, EXPAND_CAP16, "neighbours of a point, per level; one value means at most 16 at level 4"},
    {"k2", OPTION_INT, GROUP_NETWORK, AT(network.k2), CONFIG_LEVELS, "same", 0, 4096, "same", EXPAND_CAP16, "neighbours of a point in block 2, per level; same: as many as in block 1"},
    {"radius", OPTION_REAL, GROUP_NETWORK, AT(network.radius), CONFIG_LEVELS, "0.1,0.2,0.4,0.8", 1e-9, 1e9, 0, EXPAND_DOUBLE, "ball of block 1, per level; one value doubles per level"},
    REAL("radius2_factor", GROUP_NETWORK, network.radius2_factor, "2", 1e-3, 1e3, "ball of block 2 as a multiple of block 1's"),
    {"levels", OPTION_INT, GROUP_NETWORK, AT(network.levels), CONFIG_LEVELS, "4096,2048,512,128", 1, 1 << 24, 0, EXPAND_LADDER, "points kept per level; one value n means n, n/2, n/8, n/32"},
    INT("stem", GROUP_NETWORK, network.stem, "64", 1, 65536, "width of the stem"),
    {"width", OPTION_INT, GROUP_NETWORK, AT(network.width), CONFIG_LEVELS, "128,256,512,1024", 1, 65536, 0, EXPAND_DOUBLE, "width per encoder level; one value doubles per level"},
    REAL("inner", GROUP_NETWORK, network.inner, "0.5", 1e-3, 16, "inner width of a block as a share of its width"),
    {"decoder", OPTION_INT, GROUP_NETWORK, AT(network.decoder), CONFIG_DECODER, "1024,512,512,256,256,128,128,128", 1, 65536, 0, EXPAND_SAME, "widths of the decoder's layers, from the coarsest: two per stage"},
    INT("head_hidden", GROUP_NETWORK, network.head_hidden, "128", 1, 65536, "hidden width of the segmentation heads"),
    INT("cls_hidden", GROUP_NETWORK, network.cls_hidden, "512", 1, 65536, "hidden width of the classification head"),
    CHOICE("cls_norm", GROUP_NETWORK, network.cls_norm, "bias", "bn|bias", "what follows the classification head's hidden layer"),
    CHOICE("shortcut2", GROUP_NETWORK, network.shortcut2, "auto", "auto|project|identity", "shortcut of block 2; auto: identity where scores have a hidden layer, else project"),
    CHOICE("neighbours", GROUP_NETWORK, network.neighbours, "random", "random|first|nearest|knn", "which of the points in a ball are taken; knn: no ball"),
    CHOICE("underfull", GROUP_NETWORK, network.underfull, "mask", "mask|pad", "a ball with fewer than k points: attend to those alone, or repeat the first"),
    INT("fps_start", GROUP_NETWORK, network.fps_start, "0", 0, 1 << 30, "row, in canonical order, from which farthest point sampling starts"),
    REAL("bn_eps", GROUP_NETWORK, network.bn_eps, "1e-5", 1e-30, 1, "added to the variance of a batch norm"),

    INT("points", GROUP_DATA, sampling.points, "6144", 1, 1 << 24, "points of one sample"),
    REAL("block", GROUP_DATA, sampling.block, "2", 1e-6, 1e9, "edge length of the tiles a scene is split into"),
    INT("block_min", GROUP_DATA, sampling.block_min, "2500", 0, 1 << 24, "a training tile with fewer points is drawn again"),
    CHOICE("floor", GROUP_DATA, sampling.floor, "scene", "scene|tile|around", "what z is measured from: the lowest point of the scene; or the height below which 1 % of the points lie, of the tile or of the nine tiles around it"),
    CHOICE("normalise", GROUP_DATA, data.normalise, "unit-sphere", "unit-sphere|none", "shapes are centred and scaled to radius one"),
    INT("area", GROUP_DATA, data.area, "5", 0, 9999, "rooms: the area that is held out as test set"),
    INT("subset", GROUP_DATA, data.subset, "1", 1, 1 << 30, "take every n-th item of the training set"),
    CHOICE("validation", GROUP_DATA, data.validation, "on", "off|on", "hold items of the training set out to choose the epoch by; off: train on them too"),
    CHOICE("balance", GROUP_DATA, data.balance, "off", "off|sqrt", "how often a training shape comes in an epoch: once, or sqrt(n / shapes of its category) times, n the most of any"),
    CHOICE("colours", GROUP_DATA, data.colours, "on", "off|on", "off: treat clouds as if they had no colours, for inputs with rgb?"),
    CHOICE("attributes", GROUP_DATA, data.attributes, "on", "off|on", "off: treat clouds as if they had no inputs with ? except colours"),
    {"category", OPTION_TEXT, GROUP_DATA, AT(data.category), sizeof((struct config *)0)->data.category, "", 0, 0, 0, EXPAND_SAME, "parts: use only the shapes of this category"},
    {"label_attribute", OPTION_TEXT, GROUP_DATA, AT(data.label_attribute), sizeof((struct config *)0)->data.label_attribute, "", 0, 0, 0, EXPAND_SAME, "the attribute of clouds that holds the labels; by default label and its other names"},
    {"cache", OPTION_TEXT, GROUP_DATA, AT(data.cache), sizeof((struct config *)0)->data.cache, "", 0, 0, 0, EXPAND_SAME, "folder for preprocessed clouds, which are read faster the next time; empty: none"},

    REAL("label_smoothing", GROUP_TRAINING, training.label_smoothing, "0.1", 0, 0.999, "share of the target spread over all classes"),
    {"aux", OPTION_REAL, GROUP_TRAINING, AT(training.aux), CONFIG_LEVELS, "0.4,0.4,0.4,0.4", 0, 100, 0, EXPAND_SAME, "weights of the four auxiliary losses"},
    CHOICE("class_weights", GROUP_TRAINING, training.class_weights, "none", "none|sqrt", "weights of the classes in the loss; sqrt: 1 / sqrt(share)"),
    CHOICE("part_loss", GROUP_TRAINING, training.part_loss, "category", "category|all|mixed", "the parts a point's loss covers: those of its category, or all, which also teaches the category; mixed: all in every fourth batch"),
    REAL("clip", GROUP_TRAINING, training.clip, "0", 0, 1e9, "largest norm of a step's gradient; 0: no clipping"),
    REAL("lr", GROUP_TRAINING, training.lr, "1e-4", 0, 100, "learning rate"),
    REAL("beta1", GROUP_TRAINING, training.beta1, "0.9", 0, 0.999999, "Adam's first moment"),
    REAL("beta2", GROUP_TRAINING, training.beta2, "0.98", 0, 0.999999, "Adam's second moment"),
    REAL("eps", GROUP_TRAINING, training.eps, "1e-9", 1e-30, 1, "Adam's epsilon"),
    INT("batch", GROUP_TRAINING, training.batch, "2", 1, 65536, "samples of a mini-batch, which is normalised together"),
    INT("accumulate", GROUP_TRAINING, training.accumulate, "1", 1, 4096, "mini-batches of a step; their gradients are averaged. With several machines: the maximum number of ranks that can share a step"),
    REAL("dropout", GROUP_TRAINING, training.dropout, "0.5", 0, 0.999, "share of hidden units dropped in the heads"),
    REAL("bn_momentum", GROUP_TRAINING, training.bn_momentum, "0.1", 0, 1, "the new batch's share in the running statistics"),
    CHOICE("schedule", GROUP_TRAINING, training.schedule, "constant", "constant|cosine|onecycle", "schedule of the learning rate"),
    REAL("warmup", GROUP_TRAINING, training.warmup, "0", 0, 1e6, "epochs over which the learning rate rises from 0"),
    INT("epochs", GROUP_TRAINING, training.epochs, "100", 1, 1000000, "epochs of training"),

    REAL("augment.scale", GROUP_AUGMENT, augment.scale, "0.1", 0, 0.99, "size changes by a factor of 1 - s to 1 + s"),
    CHOICE("augment.scale_axes", GROUP_AUGMENT, augment.scale_axes, "off", "off|on", "each axis gets its own factor"),
    REAL("augment.flip_x", GROUP_AUGMENT, augment.flip_x, "0.5", 0, 1, "chance of mirroring x"),
    REAL("augment.flip_y", GROUP_AUGMENT, augment.flip_y, "0", 0, 1, "chance of mirroring y"),
    REAL("augment.flip_z", GROUP_AUGMENT, augment.flip_z, "0", 0, 1, "chance of mirroring z"),
    REAL("augment.rotate", GROUP_AUGMENT, augment.rotate, "180", 0, 180, "largest turn about the up axis, in degrees either way"),
    REAL("augment.shift", GROUP_AUGMENT, augment.shift, "0", 0, 1e6, "largest move along each axis, either way"),
    REAL("augment.slope", GROUP_AUGMENT, augment.slope, "0", 0, 10, "largest slope that a sample is set on, as rise per length; upright things stay upright"),
    REAL("augment.lift", GROUP_AUGMENT, augment.lift, "0", 0, 1e6, "largest height that three in ten samples are raised by, as if their floor lay below the ground"),
    REAL("augment.drop", GROUP_AUGMENT, augment.drop, "0", 0, 0.99, "largest share of a sample's points left out; the share is drawn anew for each"),
    INT("augment.least", GROUP_AUGMENT, augment.least, "0", 0, 1 << 24, "minimum number of points that augment.drop leaves in a sample"),
    REAL("augment.input_drop", GROUP_AUGMENT, augment.input_drop, "0", 0, 1, "chance of leaving out all inputs with ? of a sample, except colours"),
    CHOICE("augment.up", GROUP_AUGMENT, augment.up, "z", "x|y|z", "the up axis"),
    REAL("augment.jitter", GROUP_AUGMENT, augment.jitter, "0.001", 0, 1e6, "noise on coordinates (sigma)"),
    REAL("augment.jitter_clip", GROUP_AUGMENT, augment.jitter_clip, "5", 0, 100, "where the noise is cut, in sigmas"),
    REAL("augment.rgb_permute", GROUP_AUGMENT, augment.rgb_permute, "0.5", 0, 1, "chance of permuting the colour channels"),
    REAL("augment.rgb_noise", GROUP_AUGMENT, augment.rgb_noise, "0.005", 0, 1, "noise on colours, on the scale 0..1 (sigma)"),
    REAL("augment.rgb_drop", GROUP_AUGMENT, augment.rgb_drop, "0", 0, 1, "chance of leaving out all colours of a sample, for inputs with rgb?"),

    {"seed", OPTION_INT64, GROUP_RUN, AT(seed), 1, "0", 0, 9e15, 0, EXPAND_SAME, "seed of every random choice"},
    INT("threads", GROUP_RUN, threads, "0", 0, 1024, "threads; 0: all cores. Results never depend on it"),
};
/* clang-format on */
const int options_count = sizeof options / sizeof options[0];

bool options_decide(const struct option *o)
{
    return strcmp(o->key, "threads") && strcmp(o->key, "cache");
}

const struct option *options_find(const char *key)
{
    for (int i = 0; i < options_count; i++)
        if (!strcmp(options[i].key, key))
            return &options[i];
    return NULL;
}
