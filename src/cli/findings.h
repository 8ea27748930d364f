/* Findings of doctor and check: a table on the terminal, or a JSON list. */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "gelatto.h"

#include <stdbool.h>

struct findings {
    bool json;
    int width; /* of the column of topics */
    int n;
    char topic[32]; /* of the previous line */
};

void findings_print(void *user, const struct glt_finding *finding);

#endif
