/* A trace read back: the input of images and correlations. Rows are network rows: every level
 * is a prefix of the points. docs/reference/model-files.md names the tensors. */
#ifndef MODEL_TRACE_FILE_H
#define MODEL_TRACE_FILE_H

#include "cloud/classes.h"
#include "model/safetensors.h"

#include <stdbool.h>

enum { TRACE_LEVELS = 4, TRACE_COLUMNS_MAX = 4096 };

struct trace_file {
    struct file *file;
    struct safetensors st;
    int32_t n[TRACE_LEVELS + 1];    /* points of each level */
    float *xyz;                     /* (n[0], 3) */
    int32_t *row;                   /* (n[0]) of the file */
    int32_t *order;                 /* (n[0]) rows of input/features */
    float *colours;                 /* (n[0], 3) in 0..1; NULL without */
    int32_t *truth;                 /* (n[0]) classes, -1 for none; NULL without */
    struct classes classes;         /* empty if the metadata has none */
    int32_t first, count;           /* the classes of the shape's category; else all of them */
    double radius[TRACE_LEVELS][2]; /* of the balls of each block; 0: unknown, or no balls */
};

/* Neighbours of one block, and the attention of a head to each of them. */
struct trace_block {
    int32_t centres;
    int32_t *start; /* (centres + 1) */
    int32_t *index; /* (start[centres]) network rows */
};

int trace_file_open(struct trace_file *out, const char *path);
int trace_file_take(struct trace_file *out,
                    struct file *f);         /* f is closed with the trace, or on failure */
void trace_file_close(struct trace_file *t); /* accepts a zeroed one */
int trace_block_read(struct trace_block *out, const struct trace_file *t, int level, int block);
void trace_block_free(struct trace_block *b);
/* All weights of a head ("geometric", "latent"): (*edges, *channels); release with memory_free.
 * NULL if the network has no such head. */
int trace_attention(float **out, int64_t *edges, int64_t *channels, const struct trace_file *t,
                    int level, int block, const char *head);
/* Scores of a head for each edge; 0 if the network has no such head. */
int64_t trace_channels(const struct trace_file *t, int level, int block, const char *head);
/* The means of n edges over their channels. */
void trace_mean(float *dst, const float *weight, int64_t n, int64_t channels);
/* The weights of the edges begin .. end - 1: one channel, or with channel < 0 the mean over all.
 * *found = false if the network has no such head. */
int trace_weights(float *dst, bool *found, const struct trace_file *t, int level, int block,
                  const char *head, int64_t begin, int64_t end, int channel);
/* Any tensor of rows and up to TRACE_COLUMNS_MAX columns, with no more rows than points; *rows = 0
 * and NULL if there is none of that name. Release with memory_free. */
int trace_features(float **out, int64_t *rows, int64_t *cols, const struct trace_file *t,
                   const char *name);
/* Arg-max of the output "main", "aux1", .. "aux4": labels (*n) of the first rows; release with
 * memory_free. *labels = NULL if there is no such output. */
int trace_labels(int32_t **labels, int64_t *n, const struct trace_file *t, const char *which);

#endif
