/* Presets: see presets.h. */
#include "config/presets.h"

#include <stddef.h>
#include <string.h>

/* maps=bn: the interpretation with the best support in the paper, and ahead at equal time in all
 * experiments (docs/network.md section 5, results/maps.md). The option's own default, linear,
 * stays: networks without a preset have always used it. */
#define PAPER_SEGMENT                                                                              \
    "task=segment inputs=xyz,rgb maps=bn stem=64 width=128,256,512,1024 "                          \
    "decoder=1024,512,512,256,256,128,128,128 head_hidden=128 levels=4096,2048,512,128 "           \
    "k=32,32,32,16 radius=0.1 radius2_factor=2 points=6144 batch=2 lr=1e-4 cls_hidden=512"
#define PAPER_CLASSIFY                                                                             \
    "task=classify inputs=xyz maps=bn stem=64 width=128,256,512,1024 cls_hidden=512 cls_norm=bn "  \
    "k=32,32,32,16 radius=0.1 radius2_factor=2 points=7168 batch=2 lr=1e-4 "
#define OWN_CLASSIFY                                                                               \
    "task=classify inputs=xyz maps=bn cls_norm=bias levels=1024,512,256,64 k=32,32,32,16 "         \
    "radius=0.1 "                                                                                  \
    "radius2_factor=2 points=1024 batch=16 lr=1e-3 "

static const struct preset presets[] = {
    {"paper", "the paper's segmentation network, 15.3 M parameters", PAPER_SEGMENT},
    {"paper-cls", "the paper's classification network", PAPER_CLASSIFY "levels=4096,2048,512,128"},
    {"paper-cls-tuned", "the same with the levels the paper found better",
     PAPER_CLASSIFY "levels=1024,512,256,64"},
    {"paper-parts", "the paper's network for parts, on 4,096 points",
     PAPER_SEGMENT " task=parts inputs=xyz points=4096"},
    {"small", "half the widths, 3.8 M parameters",
     PAPER_SEGMENT " stem=32 width=64 decoder=512,256,256,128,128,64,64,64 head_hidden=64 "
                   "cls_hidden=256"},
    {"small-cls", "half the widths, for whole shapes",
     OWN_CLASSIFY "stem=32 width=64 cls_hidden=256"},
    {"shapes", "tiny-cls with levels, balls and a recipe for 1,024 points on the unit sphere",
     OWN_CLASSIFY "stem=16 width=32 cls_hidden=128 levels=512,256,64,16 k=16 "
                  "radius=0.2,0.28,0.43,0.65 lr=1.5e-3 schedule=onecycle epochs=80 dropout=0.2 "
                  "label_smoothing=0.2 augment.shift=0.1"},
    {"tiny", "a quarter of the widths, 1.0 M parameters",
     PAPER_SEGMENT " stem=16 width=32 decoder=256,128,128,64,64,32,32,32 head_hidden=32 "
                   "cls_hidden=128"},
    {"tiny-cls", "a quarter of the widths, for whole shapes",
     OWN_CLASSIFY "stem=16 width=32 cls_hidden=128"},
};
enum { PRESETS = sizeof presets / sizeof presets[0] };

const struct preset *presets_at(int i)
{
    return i >= 0 && i < PRESETS ? &presets[i] : NULL;
}

const struct preset *presets_find(const char *name)
{
    for (int i = 0; i < PRESETS; i++)
        if (!strcmp(presets[i].name, name))
            return &presets[i];
    return NULL;
}
