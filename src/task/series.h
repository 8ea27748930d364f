/* Series of runs that belong together: the folds of a cross-validation, the rows of an ablation.
 *
 * Each run has a folder of its own with asked.json (what was asked for), the run's own records, and
 * at the end score.json. A run that has its score is not touched again; one that was interrupted
 * resumes from its checkpoint; different settings in the same folder are refused by name. So the
 * same command, given again, finishes a series, and its table is the same to the byte.
 *
 * Several processes may work at one series: each takes runs that no other has, and waits at the end
 * for what the others still do. */
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
    bool wait; /* for another process that is at this run; else it is left to it */
};

/* Of the best model of a run on the test split; on the validation split where there is no other. */
struct series_score {
    struct json *record; /* score.json */
    struct confusion confusion;
    struct scores scores; /* of the matrix */
};

/* Trains, resumes, or finds the score already there; the caller frees it. Returns 1 if another
 * process is at it and the job does not wait. */
int series_run(struct series_score *out, const struct series_job *job);
/* 1 if the score is there already, 0 if not. */
int series_look(struct series_score *out, const struct series_job *job);
void series_free(struct series_score *s);                           /* accepts an empty one */
double series_value(const struct series_score *s, const char *key); /* NaN: not there */

/* Ranks take whole runs, as processes do that know nothing of each other: within the calls between
 * the two there are no ranks. Begins with what ranks must have in common. Ends with the same error
 * on all of them. */
struct series_ranks {
    struct ranks *ranks;
    struct context own, *before;
};
int series_part(struct series_ranks *s, const struct config *c, const char *data,
                const struct glt_series_options *o);
int series_meet(struct series_ranks *s, int code);
bool series_writes(const struct series_ranks *s); /* the tables: rank 0 */

/* The digest of the model that the runs start from; "" for none. */
int series_init(char hex[DIGEST_SIZE], const struct glt_series_options *o);
/* <runs>/<name>, made. */
int series_folder(char dst[SERIES_PATH], const struct glt_series_options *o, const char *name);

#endif
