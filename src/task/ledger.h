/* The ledger of a folder of labelled clouds that several processes fill at the same time:
 * FOLDER/.gelatto.
 *
 *     plan.jsonl       what the folder is to hold: a line about the job, one for each file
 *     files/NAME.json  for each finished file: what it was made of, its digest, its summary
 *
 * A file is finished if its record has the current input, neighbours, model, options and version,
 * all by digest, and if the output still has the recorded digest. An output is written before its
 * record, both atomically; all processes would write the same bytes, so none waits for another. The
 * location of the inputs does not matter. The folder is not trusted: links below .gelatto are
 * neither read nor written nor followed. */
#ifndef TASK_LEDGER_H
#define TASK_LEDGER_H

#include "core/call.h"
#include "core/json.h"
#include "datasets/digest.h"

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

/* The facts shared by all files of a job. */
struct ledger {
    const char *folder;
    const char *version; /* of the library */
    const char *model;   /* its digest */
    const char *options; /* of reading and predicting */
};

struct ledger_file {
    const char *input;
    const char *output; /* path under the folder */
    int64_t bytes;      /* of the input */
};

struct ledger_print {
    int64_t bytes;
    char digest[DIGEST_SIZE];
};

/* A file of the ledger: FOLDER/.gelatto, place, name. GLT_EIO, topic KIND, if it leads elsewhere.
 */
int ledger_path(char path[PATH_MAX], const struct ledger *l, const char *place, const char *name);
int ledger_put(const char *path, const void *bytes, size_t len); /* creates missing folders */

int ledger_print(struct ledger_print *out, const char *path);

/* Does not touch an identical plan. */
int ledger_write_plan(const struct ledger *l, const struct ledger_file *files, int32_t n);
/* In memory of the call; GLT_EDATA if the folder has none, GLT_EFORMAT if it is damaged. */
int ledger_read_plan(struct ledger *l, struct ledger_file **files, int32_t *n, struct call *call,
                     const char *folder);

/* The sources of an output; around (n): its neighbours, in any order. NULL without memory. */
struct json *ledger_sources(const struct ledger *l, const struct ledger_print *input,
                            struct ledger_print *around, int32_t n);
/* Writes the record of an output that is in place; takes sources and summary. */
int ledger_write(const struct ledger *l, const char *output, struct json *sources,
                 struct json *summary);
/* The record of an output, to be released with json_free; NULL if there is no readable one. */
int ledger_read(struct json **record, const struct ledger *l, const char *output);
/* Whether a record belongs to this job, whatever its input. */
bool ledger_is_current(const struct ledger *l, const struct json *record);
/* Whether the output matches its record; an error only if that cannot be determined. */
int ledger_check_output(bool *whole, const struct ledger *l, const char *output,
                        const struct json *record);

/* Removes temporary files that killed processes left in the folders of these outputs. */
int ledger_sweep(const struct ledger *l, const struct ledger_file *files, int32_t n);

#endif
