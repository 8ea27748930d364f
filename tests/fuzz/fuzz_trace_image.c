/* Images and films of traces: of every trace that opens, an image of each kind or an error. The
 * first byte chooses the kind, the second the point, the rest is the trace.
 * covers: draw/trace_image.c draw/trace_film.c draw/trace_view.c draw/trace_colours.c
 * covers: draw/components.c draw/trace_cells.c draw/trace_scores.c draw/trace_pair.c
 * but: glt_trace_image glt_trace_film frame_path clear_rest write_folder write_png write_film
 * but: add_frame is_png trace_view_channels read_channel is_word */
#define FUZZ_LEAD 3
#include "core/error.h"
#include "core/memory.h"
#include "draw/trace_film.h"
#include "draw/trace_image.h"
#include "fuzz_sign.h"

enum { SIDE = 16 };

static int take_frame(void *user, const struct image *im, int frame, int frames)
{
    int *last = user;
    PROPERTY(frame < frames);
    PROPERTY(im->rgb && im->width >= 2 * SIDE && im->height >= SIDE && frame == *last);
    ++*last;
    return 0;
}

static int draw(struct trace_view *view, unsigned kind, int64_t point)
{
    /* the first five and the film keep their numbers: the corpus names them */
    static const char *const kinds[] = {"attention", "grouping", "outputs", "panels",
                                        "levels",    NULL,       "scores",  "graph"};
    struct trace_subject s = {
        .point = point, .other = point % 3 - 1, .level = 1 + point % 4, .block = 1 + point / 4 % 2};
    int frames, last = 0;
    if (kinds[kind])
        return trace_image_draw(view, kinds[kind], &s);
    int code = trace_film_draw(&frames, view, 1, point, take_frame, &last);
    PROPERTY(frames == last);
    return code;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct trace_view view = {.width = SIDE, .height = SIDE, .azimuth = -60, .cut = -1};
    uint8_t *bytes;
    if (size < 3)
        return 0;
    for (int l = 0; l < TRACE_LEVELS; l++)
        view.channel[l] = data[2] % 4 - 1;
    if (data[2] >= 128)
        view.channel[1] = TRACE_RANDOM;
    if (trace_file_take(&view.trace, fuzz_signed(&bytes, data + 3, size - 3)) == 0) {
        int code = trace_view_prepare(&view, data[2] & 64 ? "x" : "z");
        if (code == 0)
            code = draw(&view, data[0] % 8, data[1]);
        PROPERTY(code == 0 || (code < 0 && glt_error_message()[0] != 0));
    }
    image_free(&view.image);
    trace_file_close(&view.trace);
    call_free(&view.call);
    free(bytes);
    return 0;
}
