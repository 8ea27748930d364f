/* The compressed points of a LAZ file: its chunks, and their records as columns. */
#ifndef FORMATS_LAZ_H
#define FORMATS_LAZ_H

#include "formats/laz_chunk.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct call;
struct field;
struct file;
struct las_vlr;

/* Records are at most LAZ_RATIO times as long as the file, plus LAZ_BASE, so that a small file of
 * equal points can be read. */
#ifdef FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
enum { LAZ_RATIO = 16, LAZ_BASE = 1 << 16 }; /* more executions in the same time */
#else
enum { LAZ_RATIO = 1000, LAZ_BASE = 4 << 20 };
#endif

/* A chunk in the file. */
struct laz_span {
    int64_t offset, bytes; /* bytes: 0 if known only by decoding */
    int64_t first, n;      /* points */
    bool lost;             /* salvaging: it is damaged */
};

struct laz {
    struct laz_layout layout;
    int64_t points_at, n;   /* from the LAS header */
    uint32_t compressor;    /* 1: one chunk, 2: chunks, 3: chunks in layers */
    uint32_t chunk_points;  /* per chunk; 0: they differ */
    struct laz_span *spans; /* (n_spans), of the call */
    int64_t n_spans;
    int64_t table_at; /* offset of the chunk table, even if damaged; 0: there is none */
    int64_t end;      /* of chunks and table: what follows is LAS again */
    bool salvage;     /* damage is not an error: it makes chunks lost */
};

bool laz_is_record(const struct las_vlr *v); /* describes how the points are compressed */
/* Reads from the record v how points of a format are compressed, into z->layout. */
int laz_read_record(struct laz *z, const struct las_vlr *v, int format, size_t record,
                    const char *name);
/* GLT_ELIMIT if z->n points are more than we unpack from a file of this size. */
int laz_check_count(const struct laz *z, const struct file *f);
/* Finds the chunks of z->n points from byte z->points_at on. */
int laz_find_chunks(struct call *call, struct laz *z, struct file *f);
/* Splits the points of all chunks into fields, on all threads. Salvaging: points of lost chunks are
 * undefined. */
int laz_read(struct laz *z, const struct file *f, const struct field *fields, int32_t n_fields);
/* Salvaging, after laz_read: removes lost points from a column with items of `size` bytes, and
 * returns how many are left. */
int64_t laz_close_gaps(const struct laz *z, unsigned char *data, size_t size);
/* Warns if points were lost: `left` of z->n points are kept. */
void laz_report_lost(const struct laz *z, int64_t left, const struct file *f);

#endif
