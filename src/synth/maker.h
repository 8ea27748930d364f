/* Building blocks of the furniture catalogue: a maker holds where things go and how the next part
 * looks, so that an object reads as a list of parts.
 *
 * Objects stand at the frame's origin on the floor: x is their width, their back is +y, z is up.
 * C leaves the order of evaluation inside one expression open; draws therefore stand alone in their
 * statements (or come from maker_roll), or two compilers would build two rooms. */
#ifndef SYNTH_MAKER_H
#define SYNTH_MAKER_H

#include "core/random.h"
#include "synth/paint.h"
#include "synth/scene.h"
#include "synth/solid.h"

enum synth_label {
    LABEL_CEILING,
    LABEL_FLOOR,
    LABEL_WALL,
    LABEL_BEAM,
    LABEL_COLUMN,
    LABEL_WINDOW,
    LABEL_DOOR,
    LABEL_TABLE,
    LABEL_CHAIR,
    LABEL_SOFA,
    LABEL_BOOKCASE,
    LABEL_BOARD,
    LABEL_CLUTTER,
    LABELS
};

struct maker {
    struct scene *scene;
    struct random *random;
    struct frame3 frame;
    uint16_t paint, instance, instances;
    uint8_t label;
};

/* The next object: its label and a fresh instance. */
void maker_begin(struct maker *m, int label);
/* Parts, in the current frame, by centre and full size. */
void maker_box(struct maker *m, struct vec3 centre, struct vec3 size);
void maker_round(struct maker *m, struct vec3 centre, struct vec3 size, double round);
/* Standing on its base: radius r0 below, r1 above. */
void maker_cone(struct maker *m, struct vec3 base, double r0, double r1, double height);
void maker_cylinder(struct maker *m, struct vec3 base, double r, double height);
void maker_ball(struct maker *m, struct vec3 centre, struct vec3 size);
void maker_ring(struct maker *m, struct vec3 centre, double ring, double tube);
/* A bar between two points. */
void maker_bar(struct maker *m, struct vec3 a, struct vec3 b, double r);
/* A roof on the rectangle size.x, size.y around `base`: planes of these slopes up to size.z. */
void maker_roof(struct maker *m, struct vec3 base, struct vec3 size,
                const double slope[ROOF_SIDES]);
/* Moves into a frame inside the current one; returns the old one, to be put back. */
struct frame3 maker_enter(struct maker *m, struct vec3 at, double yaw, double pitch, double roll);

/* --- chance --- */
double maker_between(struct maker *m, double low, double high);
bool maker_chance(struct maker *m, double share);
int maker_count(struct maker *m, int low, int high); /* both included */
void maker_roll(struct maker *m, double *u, int n);  /* uniform in [0, 1) */

/* --- looks: sets the paint of the parts that follow --- */
enum look {
    LOOK_WHITE,
    LOOK_GREY,
    LOOK_DARK,
    LOOK_WOOD,
    LOOK_WOOD_DARK,
    LOOK_CREAM,
    LOOK_VIVID,
    LOOK_METAL,
    LOOK_CARDBOARD,
    LOOK_GREEN,
    LOOK_PAPER,
    LOOK_PRINT,
    LOOK_SCREEN,
    LOOK_BRICK,
    LOOK_CONCRETE,
    LOOK_FABRIC,
    LOOKS
};
void maker_look(struct maker *m, enum look look);
/* Draws one of the looks, listed by their chances; chances need not sum to 1. */
void maker_look_of(struct maker *m, const double chance[LOOKS]);
void maker_paint(struct maker *m, const struct paint *paint);
/* The colour of a look, with its natural variety. */
struct vec3 maker_look_colour(struct maker *m, enum look look);

/* One thing of the catalogue (clutter, items, seats, storage, tables); size: width, depth, height.
 */
typedef void maker_fn(struct maker *m, struct vec3 size);

#endif
