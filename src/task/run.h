/* The folder of one training run (docs/reference/run-folder.md): what was asked, where it ran, what
 * happened, step by step, and the models that came out. One trainer at a time: it is locked. */
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
    bool silent; /* another rank writes: nothing is said or recorded */
};

/* parent/nameN with the first N that is free. */
int run_create(struct run *r, const char *parent, const char *name);
int run_open(struct run *r, const char *folder); /* GLT_EEXISTS if another process trains there */
void run_close(struct run *r);                   /* accepts an empty one */

int run_path(char dst[RUN_PATH], const struct run *r, const char *name);
/* To log.txt and the log callback. */
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
/* One line of results.csv; numbers that are not there are NaN and leave their cell empty. A
 * validation is a line of metrics.jsonl too, with what was seen of attention. */
struct run_epoch {
    int64_t epoch, step;
    double loss, metric, miou, macc, oa, rate, seconds;
    const struct glt_attention *attention; /* (GLT_ATTENTION_ROWS); NULL: not looked at */
};
int run_add_epoch(const struct run *r, const struct run_epoch *e);
/* Whether the run has this file itself. A link might lead out of its folder: it is not followed,
 * and the log says so. */
bool run_has(const char *path);
bool run_writes(const char *name); /* whether it is one of the files above or a model */
/* Removes what a killed process left half written of them. */
int run_sweep(const struct run *r);
/* Records onto the disk, before a checkpoint says how far they reach. */
int run_sync(const struct run *r);
struct file;
/* The next line of a record; NULL at its end, or where a power cut has left zeros. */
int run_line(char **line, size_t *len, struct file *f);
/* Drops what was recorded after a step: a killed run has logged more than its checkpoint holds.
 * scored: the checkpoint has the score at this very step too. */
int run_rewind(const struct run *r, int64_t step, bool scored);

#endif
