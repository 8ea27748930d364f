/* The folder of one training run (docs/reference/run-folder.md): configuration, environment,
 * records of every step, and the resulting models. It is locked: one trainer at a time. */
#ifndef TASK_RUN_H
#define TASK_RUN_H

#include "config/config.h"
#include "gelatto.h"

#include <stdbool.h>
#include <stdint.h>

enum { RUN_PATH = 4096 };

struct run {
    char folder[RUN_PATH];
    struct file_lock *lock;
    bool silent; /* another rank writes: no log and no records */
};

/* parent/nameN with the first N that is free. */
int run_create(struct run *r, const char *parent, const char *name);
int run_open(struct run *r, const char *folder); /* GLT_EEXISTS if another process trains there */
void run_close(struct run *r);                   /* accepts an empty one */

int run_path(char dst[RUN_PATH], const struct run *r, const char *name);
/* Writes to log.txt and the log callback. */
void run_say(const struct run *r, enum glt_log_level level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int run_write_config(const struct run *r, const struct config *c);
int run_write_environment(const struct run *r, const char *data, const char *fingerprint);

/* One line of metrics.jsonl. */
struct run_step {
    int64_t epoch, step;
    double loss, losses[5], rate, seconds;
};
int run_add_step(const struct run *r, const struct run_step *s);
/* One line of results.csv; NaN leaves a cell empty. A validation also adds a line to metrics.jsonl,
 * with statistics of attention. */
struct run_epoch {
    int64_t epoch, step;
    double loss, metric, miou, macc, oa, rate, seconds;
    const struct glt_attention *attention; /* (GLT_ATTENTION_ROWS); NULL: not measured */
};
int run_add_epoch(const struct run *r, const struct run_epoch *e);
/* Whether the run has this file. A link might lead out of the folder, so it is not followed, with a
 * warning. */
bool run_has(const char *path);
bool run_writes(const char *name); /* whether it is a file of a run */
/* Removes temporary files that a killed process left. */
int run_sweep(const struct run *r);
/* Syncs the records, before a checkpoint refers to them. */
int run_sync(const struct run *r);
struct file;
/* The next line of a record; NULL at its end, or at zeros left by a power cut. */
int run_line(char **line, size_t *len, struct file *f);
/* Drops records after a step: a killed run has logged more than its checkpoint covers. scored: the
 * checkpoint includes the score at this step. */
int run_rewind(const struct run *r, int64_t step, bool scored);

#endif
