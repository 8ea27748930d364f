/* Findings as doctor and check print them: a table on the terminal, or a JSON list. */
#ifndef CLI_FINDINGS_H
#define CLI_FINDINGS_H

#include "gelatto.h"

#include <stdbool.h>

struct findings {
    bool json;
    int width; /* of the column of topics */
    int n;
    char topic[32]; /* of the line before */
};

void findings_print(void *user, const struct glt_finding *finding);

#endif
