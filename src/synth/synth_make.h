/* Building blocks of the furniture catalogue: a maker holds where things go and how the next part
 * looks, so that an object reads as a list of parts.
 *
 * Objects stand at the frame's origin on the floor: x is their width, their back is +y, z is up.
 * C leaves the order of evaluation inside one expression open; draws therefore stand alone in their
 * statements (or come from maker_roll), or two compilers would build two rooms. */
#ifndef SYNTH_SYNTH_MAKE_H
#define SYNTH_SYNTH_MAKE_H

#include "core/random.h"
#include "synth/synth_scene.h"

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
void make_box(struct maker *m, struct vec3 centre, struct vec3 size);
void make_round(struct maker *m, struct vec3 centre, struct vec3 size, double round);
/* Standing on its base: radius r0 below, r1 above. */
void make_cone(struct maker *m, struct vec3 base, double r0, double r1, double height);
void make_cylinder(struct maker *m, struct vec3 base, double r, double height);
void make_ball(struct maker *m, struct vec3 centre, struct vec3 size);
void make_ring(struct maker *m, struct vec3 centre, double ring, double tube);
/* A bar between two points. */
void make_bar(struct maker *m, struct vec3 a, struct vec3 b, double r);
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
struct vec3 look_colour(struct maker *m, enum look look);

/* --- catalogue: sizes are width, depth, height --- */
typedef void make_fn(struct maker *m, struct vec3 size);
make_fn make_desk, make_table_conference, make_table_round, make_table_coffee, make_table_folding;
make_fn make_chair_office, make_chair_plain, make_chair_cantilever, make_stool;
make_fn make_sofa, make_armchair, make_bench_sofa;
make_fn make_bookcase, make_bookcase_low, make_shelving, make_shelf_wall;
make_fn make_cabinet, make_filing, make_printer, make_fridge, make_cooler, make_counter;
make_fn make_bin, make_boxes, make_bag, make_plant, make_lamp_floor, make_coat_rack, make_ladder;
make_fn make_radiator, make_television, make_trolley, make_extinguisher, make_bucket, make_rolls;
make_fn make_heap, make_pedestal;
/* Items for a table top of the given width and depth, at height size.z. */
void make_desk_items(struct maker *m, struct vec3 size);
void make_table_items(struct maker *m, struct vec3 size, int n);
/* A garment over a chair's back, something small anywhere, a flat thing on a wall. */
void make_jacket(struct maker *m, double seat_width, double back_height);
void make_small_item(struct maker *m);
void make_books(struct maker *m, double width, double depth, double height);

#endif
