/* Series of runs that belong together: the folds of a cross-validation, the rows of an ablation.
 *
 * Each run has its own folder with asked.json (the request), the run's records, and at the end
 * score.json. A run with a score is not touched again; an interrupted one resumes from its
 * checkpoint; different settings in the same folder are refused by name. So repeating a command
 * completes a series, and its table is the same to the byte.
 *
 * Several processes may work on one series: each takes runs that no other has, and waits at the end
 * for those that others still run. */
#ifndef TASK_SERIES_H
#define TASK_SERIES_H

#include "config/config.h"
#include "core/context.h"
#include "core/json.h"
#include "core/ranks.h"
#include "datasets/digest.h"
#include "gelatto.h"
#include "sampling/confusion.h"
#include "sampling/scores.h"

enum { SERIES_PATH = 4096 };

struct series_job {
    const char *folder, *data;
    const char *fingerprint; /* of the data, as the whole series sees it */
    const char *init;        /* digest of the model that runs start from; "": none */
    const struct config *config;
    const struct glt_series_options *options;
    glt_train_fn *fn; /* called after each step; may be NULL */
    void *user;
    bool wait; /* wait for another process that has this run; else skip it */
};

/* The score of a run's best model on the test split, or if there is none on the validation
 * split. */
struct series_score {
    struct json *record; /* score.json */
    struct confusion confusion;
    struct scores scores; /* of the matrix */
};

/* Trains, resumes, or finds an existing score; the caller frees it. Returns 1 if another process
 * has the run and the job does not wait. */
int series_run(struct series_score *out, const struct series_job *job);
/* 1 if there is a score, 0 if not. */
int series_look(struct series_score *out, const struct series_job *job);
void series_free(struct series_score *s);                           /* accepts an empty one */
double series_value(const struct series_score *s, const char *key); /* NaN: missing */

/* Each rank takes whole runs, like independent processes: between these two calls there are no
 * ranks. begin checks what ranks must have in common; end gives all ranks the same error. */
struct series_ranks {
    struct ranks *ranks;
    struct context own, *before;
};
int series_part(struct series_ranks *s, const struct config *c, const char *data,
                const struct glt_series_options *o);
int series_meet(struct series_ranks *s, int code);
bool series_writes(const struct series_ranks *s); /* whether it writes the tables: rank 0 */

/* The digest of the model that the runs start from; "" for none. */
int series_init(char hex[DIGEST_SIZE], const struct glt_series_options *o);
/* <runs>/<name>, made. */
int series_folder(char dst[SERIES_PATH], const struct glt_series_options *o, const char *name);

#endif
