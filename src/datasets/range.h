/* The range a model was trained on: density, extent, height and colours of its clouds, kept in the
 * model's card under "range", so that a prediction can warn of clouds outside it. */
#ifndef DATASETS_RANGE_H
#define DATASETS_RANGE_H

#include "core/json.h"
#include "core/string.h"
#include "datasets/dataset.h"

enum { RANGE_DENSITY, RANGE_EXTENT, RANGE_HEIGHT, RANGE_BRIGHTNESS, RANGE_SATURATION, RANGES };

/* Scenes: points per square unit of their bounds, the longer side, the height. Shapes: points; the
 * other two are 0. Colours: means over the points; NaN without colours. */
struct range {
    double low[RANGES], high[RANGES];
    int64_t items;
    int64_t labelled; /* points with a label, of the clouds of a split */
};

void range_add(struct range *r, const struct item *x, const struct inputs *inputs, bool scene);
/* The range of all clouds of a training split: loads each of them once; GLT_EDATA names one without
 * labels. */
int range_of_split(struct range *r, struct dataset *d, enum split s);
int range_to_json(struct json **out, const struct range *r); /* {"density": [low, high], ...} */

/* The range in a card, as if of one item; false, with r unchanged, if the card has none. */
bool range_from_card(struct range *r, const char *card);
/* The target of warnings, and facts they depend on. */
struct range_log {
    const char *name;     /* precedes each of them in the log */
    struct string *lines; /* NULL, or gets lines "warning TEXT" without that name */
    bool metres;          /* the file names metres as its unit: do not suggest feet */
};
/* Warns of every value that is far outside the card's range. */
int range_guard(const char *card, const struct item *x, const struct inputs *inputs, bool scene,
                const struct range_log *log);

/* Warns of a shape in which `axis` seems to point up, while the model expects `up` (0 to 2). */
int range_ask_up(int axis, int up, const struct range_log *log);

/* How far a scene is outside the card's range in density, extent and height: 0 within, else the sum
 * of the logarithms of the factors; INFINITY without a range. */
double range_distance(const char *card, const struct item *x);

#endif
