/* The option `inputs`: which channels a network takes, and their positions. */
#ifndef CONFIG_INPUTS_H
#define CONFIG_INPUTS_H

#include "config/settings.h"

#include <stdbool.h>
#include <stdint.h>

enum { INPUTS_MAX = 16 };
#define INPUTS_GREY 0.5f /* red, green and blue of a cloud without colours */

/* The position of each input among the channels after xyz. */
struct inputs {
    int32_t extra;        /* channels after xyz */
    int32_t rgb, normals; /* first channel of each among them, -1 if absent */
    bool rgb_optional;    /* clouds without colours become INPUTS_GREY */
    bool rgb_hidden;      /* colours of all clouds are ignored */
    bool hidden;          /* the other optional inputs of all clouds are ignored */
    int32_t n;
    struct {
        char name[32];
        int32_t first;
        bool optional;  /* clouds may lack it: rgb is then INPUTS_GREY, others are 0 */
    } list[INPUTS_MAX]; /* all but xyz, in order */
};

/* "xyz", then names: rgb and normals are three channels each, any other attribute one. Names that
 * end in ? may be missing. */
int inputs_parse(struct inputs *out, const char *inputs);
/* The same, then applies the options `colours` and `attributes`. */
int inputs_read(struct inputs *out, const struct data_settings *s);
static inline int32_t inputs_width(const struct inputs *x, int32_t i) /* channels of list[i] */
{
    return (i + 1 < x->n ? x->list[i + 1].first : x->extra) - x->list[i].first;
}

#endif
