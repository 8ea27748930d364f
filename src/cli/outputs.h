/* Where the results of several inputs go: a file for each, none of them twice, and none over an
 * input that may still be read. */
#ifndef CLI_OUTPUTS_H
#define CLI_OUTPUTS_H

#include "args.h"

struct output {
    char *in;
    char *out; /* "" if nothing is written */
};

struct outputs {
    struct output *list;
    int n, room;
    bool folder; /* they lie in one, which may have to be made */
};

/* Labelled clouds: all files that the operands from `first` on mean; `to` is a file or, for several
 * inputs, a folder (NULL: nothing is written). With `overwrite` an output may be its own input. 0,
 * or the exit code after saying what is wrong. Free it in any case. */
int outputs_plan(struct outputs *o, const struct args *args, int first, const char *to,
                 bool overwrite);
void outputs_free(struct outputs *o);

/* Whether the output is this input: a file, or the name of an installed model. */
bool outputs_is(const char *out, const char *in);
/* Whether two outputs are one file, which need not be there yet. */
bool outputs_same(const char *a, const char *b);
/* 0 if `out` (NULL: none) is no operand; else 2 after saying that it would be overwritten. */
int outputs_spare(const struct args *args, const char *out);

bool outputs_is_png(const char *path); /* by its name */
/* 0 for the name of a PNG, the only kind of image that is written; else 2 after saying so. */
int outputs_png(const struct args *args, const char *path);
/* 0 for the name of an HTML file that is no operand (NULL: none); else 2 after saying so. */
int outputs_html(const struct args *args, const char *path);

#endif
