/* Palettes: the colours everyone draws S3DIS in, those of the ASPRS, hues for other class counts,
 * viridis. */
#include "draw/palette.h"

#include "cloud/asprs.h"
#include "cloud/classes.h"

/* Hue in sixths of the circle, value and saturation 0..1. */
static struct colour from_hue(double hue, double saturation, double value)
{
    double six = hue * 6;
    int sector = (int)six;
    double f = six - sector, v = value * 255;
    double p = v * (1 - saturation), q = v * (1 - saturation * f);
    double t = v * (1 - saturation * (1 - f));
    switch (sector % 6) {
    case 0:
        return colour((int)v, (int)t, (int)p);
    case 1:
        return colour((int)q, (int)v, (int)p);
    case 2:
        return colour((int)p, (int)v, (int)t);
    case 3:
        return colour((int)p, (int)q, (int)v);
    case 4:
        return colour((int)t, (int)p, (int)v);
    default:
        return colour((int)v, (int)p, (int)q);
    }
}

void palette_classes(struct colour *dst, int n)
{
    for (int i = 0; i < n; i++) {
        if (n == 13) {
            uint8_t rgb[3];
            classes_colour(rgb, i);
            dst[i] = colour(rgb[0], rgb[1], rgb[2]);
            continue;
        }
        double hue = 0.58 + i * 0.61803398874989485;
        hue -= (int)hue;
        int ring = i / 3 % 3;
        dst[i] = from_hue(hue, ring == 1 ? 0.45 : 0.75, ring == 2 ? 0.62 : 0.92);
    }
}

struct colour palette_named(struct colour c, const char *name)
{
    uint8_t rgb[3];
    return asprs_colour(rgb, name) ? colour(rgb[0], rgb[1], rgb[2]) : c;
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
