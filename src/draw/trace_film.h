/* A film of one forward pass, frame by frame. */
#ifndef DRAW_TRACE_FILM_H
#define DRAW_TRACE_FILM_H

#include "draw/trace_view.h"

/* Takes frame number `frame`, from 0, of `frames`; a negative code ends the film. */
typedef int trace_film_frame(void *user, const struct image *im, int frame, int frames);
/* Draws view->trace around `point`, `each` frames per stage; *frames = how many were taken. */
int trace_film_draw(int *frames, struct trace_view *view, int each, int64_t point,
                    trace_film_frame *fn, void *user);

#endif
