/* Images of clouds: whatever the coordinates, colours, labels and names are, an image or an error.
 * covers: draw/render.c draw/render_cloud.c draw/image.c draw/palette.c
 * but: glt_cloud_render draw_to frame_path read_options image_line image_disc image_frame */
#include "core/error.h"
#include "draw/image.h"
#include "draw/render_cloud.h"
#include "fuzz_bytes.h"

static double within(struct fuzz_bytes *b, double low, double high)
{
    return low + (high - low) * fuzz_byte(b) / 255;
}

static struct render_options options(struct fuzz_bytes *b)
{
    static const char *const panels[] = {NULL,     "rgb",    "label",      "truth",
                                         "error",  "height", "confidence", "label,truth,error",
                                         "x,y,rgb"};
    struct render_options o = render_cloud_options();
    o.width = 16 + (int)fuzz_byte(b) % 17;
    o.height = 16 + (int)fuzz_byte(b) % 17;
    o.view = (struct render_view){within(b, -3600, 3600), within(b, -90, 90), within(b, 0, 150),
                                  within(b, 0.02, 500)};
    o.up = (int)fuzz_byte(b) % 3;
    o.cut = within(b, -0.5, 1);
    o.radius = within(b, 0, 200);
    o.shading = within(b, 0, 4);
    o.colours = panels[fuzz_byte(b) % (sizeof panels / sizeof *panels)];
    unsigned flags = fuzz_byte(b);
    o.dark = flags & 1;
    o.no_legend = flags & 2;
    o.title = flags & 4 ? "a title" : NULL;
    if (flags & 8) /* what a user gets who says nothing */
        o.view = render_cloud_options().view;
    if (flags & 16)
        o.radius = 0;
    return o;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct fuzz_bytes b = {data, size};
    struct render_options o = options(&b);
    bool compare = fuzz_byte(&b) % 4 == 0;
    struct glt_cloud *c = fuzz_make_cloud(&b), *against = compare ? fuzz_make_cloud(&b) : NULL;
    struct image im = {0};
    int code = render_cloud(&im, c, against, &o);
    if (code == 0)
        PROPERTY(im.rgb && im.width >= o.width && im.height >= o.height);
    else
        PROPERTY(code < 0 && !im.rgb && glt_error_message()[0] != 0);
    image_free(&im);
    cloud_free(against);
    cloud_free(c);
    return 0;
}
