/* Settings: the values of the options, in one narrow struct for each reader. options.h has the
 * table that fills them; modules below the tasks take only the struct they need. */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include <stdint.h>

enum { CONFIG_LEVELS = 4, CONFIG_DECODER = 8 };

enum config_task { TASK_SEGMENT, TASK_PARTS, TASK_CLASSIFY, TASKS };
enum config_path { PATH_AUTO, PATH_DIRECT };
enum config_maps { MAPS_LINEAR, MAPS_BN, MAPS_VALUE_RELU, MAPS_BN_RELU, MAPS_SCORE_MLP };
enum config_map_group { MAP_INNER, MAP_VALUE, MAP_SCORE, MAP_GROUPS };
enum config_map_kind { MAP_AUTO, MAP_LINEAR, MAP_BN, MAP_BN_RELU, MAP_MLP };
enum config_map_init { MAP_INIT_UNIFORM, MAP_INIT_KAIMING };
enum config_heads { HEADS_BOTH, HEADS_GEOMETRIC, HEADS_LATENT, HEADS_POOL, HEADS_MEAN, HEADS_NONE };
enum config_neighbours { CONFIG_RANDOM, CONFIG_FIRST, CONFIG_NEAREST, CONFIG_KNN };
enum config_underfull { UNDERFULL_MASK, UNDERFULL_PAD };
enum config_shortcut { SHORTCUT_AUTO, SHORTCUT_PROJECT, SHORTCUT_IDENTITY };
enum config_cls_norm { CLS_NORM_BN, CLS_NORM_BIAS };
enum config_normalise { NORMALISE_SPHERE, NORMALISE_NONE };
enum config_weights { WEIGHTS_NONE, WEIGHTS_SQRT };
enum config_part_loss { PART_LOSS_CATEGORY, PART_LOSS_ALL, PART_LOSS_MIXED };
enum config_floor { FLOOR_SCENE, FLOOR_TILE, FLOOR_AROUND };
enum config_balance { BALANCE_OFF, BALANCE_SQRT };
enum config_schedule { SCHEDULE_CONSTANT, SCHEDULE_COSINE, SCHEDULE_ONECYCLE };

/* The network's shape. Fields that hold one of several words are numbered by the enums above. */
struct network_settings {
    int32_t path, maps, heads, cross, features_per_head; /* 0: all channels share one score */
    int32_t map_kind[MAP_GROUPS], map_init;
    int32_t levels[CONFIG_LEVELS], k[CONFIG_LEVELS], k2[CONFIG_LEVELS]; /* k2 = 0: as k */
    double radius[CONFIG_LEVELS], radius2_factor;
    int32_t stem, width[CONFIG_LEVELS];
    double inner;
    int32_t decoder[CONFIG_DECODER]; /* dec4.0 dec4.1 dec3.0 .. dec1.1 */
    int32_t head_hidden, cls_hidden, cls_norm, shortcut2, neighbours, underfull, fps_start;
    double bn_eps;
};

/* Which clouds there are, and which of their attributes are read. */
struct data_settings {
    char inputs[64]; /* comma list of xyz, rgb, normals, intensity or attribute names */
    int32_t normalise, area, subset, validation;
    int32_t balance;             /* enum config_balance */
    int32_t colours, attributes; /* 0: taken for missing, if inputs say that they may be */
    char category[32], cache[256];
    char label_attribute[64]; /* attribute with the labels; empty: by name */
};

/* How a scene becomes samples. */
struct sampling_settings {
    int32_t points, block_min;
    double block;
    int32_t floor; /* enum config_floor: what z is measured from */
};

/* How training samples are varied; 0 or off switches one kind off. */
struct augment_settings {
    double scale;                  /* factor in 1 - s .. 1 + s */
    int32_t scale_axes;            /* each axis its own factor */
    double flip_x, flip_y, flip_z; /* chance */
    double rotate;                 /* largest angle about the up axis, degrees */
    int32_t up;                    /* 0 x, 1 y, 2 z */
    double jitter, jitter_clip;    /* sigma in units of xyz; clip in sigmas */
    double shift, drop;            /* units of xyz; a share of the points */
    int32_t least;                 /* points that drop leaves */
    double input_drop;             /* chance of leaving out optional attributes */
    double slope;                  /* largest rise per length */
    double lift;                   /* largest height added to a sample */
    double rgb_permute, rgb_noise, rgb_drop;
};

struct training_settings {
    double label_smoothing, aux[CONFIG_LEVELS];
    int32_t class_weights, part_loss;
    double clip, lr, beta1, beta2, eps, dropout, bn_momentum, warmup;
    int32_t batch, accumulate, epochs, schedule;
};

#endif
