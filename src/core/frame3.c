/* Rigid frames: see frame3.h. */
#include "core/frame3.h"

#include "core/angle.h"

struct frame3 frame3_at(struct vec3 o, double yaw, double pitch, double roll)
{
    double sy, cy, sp, cp, sr, cr;
    angle_sincos(yaw, &sy, &cy);
    angle_sincos(pitch, &sp, &cp);
    angle_sincos(roll, &sr, &cr);
    struct frame3 turn = {{cy, sy, 0}, {-sy, cy, 0}, {0, 0, 1}, o};
    struct frame3 tip = {{1, 0, 0}, {0, cp, sp}, {0, -sp, cp}, {0, 0, 0}};
    struct frame3 lean = {{cr, 0, -sr}, {0, 1, 0}, {sr, 0, cr}, {0, 0, 0}};
    struct frame3 both = frame3_then(&turn, &tip);
    return frame3_then(&both, &lean);
}
