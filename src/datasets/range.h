/* The range a model was trained on: density, extent, height and colours of its clouds, kept in the
 * model's card under "range", so that a prediction can warn where it leaves it. */
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
};

void range_add(struct range *r, const struct item *x, const struct inputs *inputs, bool scene);
/* Of all clouds of a split that is to be learned: loads each of them once; GLT_EDATA names one
 * without labels. */
int range_of_split(struct range *r, struct dataset *d, enum split s);
int range_to_json(struct json **out, const struct range *r); /* {"density": [low, high], ...} */

/* That of a card, as if it were one item; false, and r stays, if the card has none. */
bool range_from_card(struct range *r, const char *card);
/* Where warnings go, and what they need to know. */
struct range_log {
    const char *name;     /* stands before each in the log */
    struct string *lines; /* NULL, or gets "warning TEXT" lines without that name */
    bool metres;          /* the file says that its unit is the metre: feet are no question */
};
/* Warns of everything in which the item is far outside the card's range. */
int range_guard(const char *card, const struct item *x, const struct inputs *inputs, bool scene,
                const struct range_log *log);

/* Warns of a shape on which `axis` seems to point up, while the model takes `up` for it (0 to 2).
 */
int range_ask_up(int axis, int up, const struct range_log *log);

/* How far a scene is outside of the card's range in density, extent and height: 0 within, else the
 * sum of the logarithms of the factors; INFINITY without a range. */
double range_distance(const char *card, const struct item *x);

#endif
