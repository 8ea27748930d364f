/* Palettes: the colours of classes, and viridis. */
#include "draw/palette.h"

struct colour palette_class(const struct classes *c, int32_t i)
{
    return i >= 0 && i < c->n ? colour(c->colours[i][0], c->colours[i][1], c->colours[i][2])
                              : colour(150, 150, 150);
}

struct colour palette_mix(struct colour a, struct colour b, double t)
{
    return colour((int)(a.r + (b.r - a.r) * t + 0.5), (int)(a.g + (b.g - a.g) * t + 0.5),
                  (int)(a.b + (b.b - a.b) * t + 0.5));
}

struct colour palette_scale(double t)
{
    static const struct colour stops[9] = {{68, 1, 84},    {71, 44, 122},  {59, 81, 139},
                                           {44, 113, 142}, {33, 144, 141}, {39, 173, 129},
                                           {92, 200, 99},  {170, 220, 50}, {253, 231, 37}};
    if (!(t > 0))
        return stops[0];
    if (t >= 1)
        return stops[8];
    int i = (int)(t * 8);
    return palette_mix(stops[i], stops[i + 1], t * 8 - i);
}
