/* Outputs for several inputs: a file for each, all different, and none that overwrites an input. */
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
    bool folder; /* they are in a folder, which may have to be created */
};

/* Labelled clouds: for all files of the operands from `first` on; `to` is a file or, for several
 * inputs, a folder (NULL: nothing is written). With `overwrite` an output may be its own input. 0,
 * or the exit code after a message. Free it in any case. */
int outputs_plan(struct outputs *o, const struct args *args, int first, const char *to,
                 bool overwrite);
void outputs_free(struct outputs *o);

/* Whether the output is this input: a file, or the name of an installed model. */
bool outputs_is(const char *out, const char *in);
/* Whether two outputs are the same file, which need not exist yet. */
bool outputs_same(const char *a, const char *b);
/* 0 if `out` (NULL: none) is not an operand; else 2 after a message that it would be
 * overwritten. */
int outputs_spare(const struct args *args, const char *out);

bool outputs_is_png(const char *path); /* by its name */
/* 0 for the name of a PNG, the only image format that is written; else 2 after a message. */
int outputs_png(const struct args *args, const char *path);
/* 0 for the name of an HTML file that is not an operand (NULL: none); else 2 after a message. */
int outputs_html(const struct args *args, const char *path);

#endif
