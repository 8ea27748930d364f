/* Coordinates that 32-bit floats have ruined.
 *
 * A float has 24 binary digits: near v its values are 2^(e - 24) apart, 2^e > |v|. A cloud around
 * its origin has steps of 1e-7 of its size, in any unit; one far from it (UTM metres: 0.5) has its
 * points on a lattice. The rule compares lengths of the cloud alone, so that neither millimetres
 * nor shapes of size one are told: steps are too coarse beyond a quarter of the typical spacing
 * (points spread over the two longer sides of the box), or beyond a thousandth of the longest. */
#include "cloud/cloud.h"

#include "core/error.h"

#include <math.h>

static double step_at(double value)
{
    int exponent = 0;
    (void)frexp(value, &exponent);
    return ldexp(1, exponent - 24);
}

static bool is_coarse(double step, const struct bounds *b)
{
    double side[3], longest = 0, area = 0;
    for (int d = 0; d < 3; d++)
        side[d] = b->max[d] - b->min[d];
    for (int d = 0; d < 3; d++) {
        longest = fmax(longest, side[d]);
        area = fmax(area, side[d] * side[(d + 1) % 3]);
    }
    double spacing = sqrt(area / (double)b->finite);
    return step > longest / 1000 || (area > 0 && step > spacing / 4);
}

int cloud_step(double *step, const struct glt_cloud *c)
{
    static const char *const axes[] = {"x", "y", "z"};
    struct bounds b;
    double most = 0;
    bool floats[3], any = false;
    for (int d = 0; d < 3; d++) {
        const struct column *x = cloud_attribute(c, axes[d]);
        floats[d] = x && x->type == GLT_F32;
        any = any || floats[d];
    }
    *step = 0;
    if (!any)
        return 0;
    TRY(cloud_bounds(&b, c));
    if (b.finite < 2)
        return 0;
    for (int d = 0; d < 3; d++)
        if (floats[d])
            most = fmax(most, step_at(fmax(fabs(b.min[d]), fabs(b.max[d]))));
    *step = is_coarse(most, &b) ? most : 0;
    return 0;
}
