/* LAS records, shared by the reader and the writer of LAS: fields, extra bytes, variable length
 * records.
 *
 * Reference: ASPRS LAS 1.0 to 1.4-R15. A record is a list of fields at fixed offsets, some of them
 * bits of a byte, followed by extra bytes that a VLR describes. */
#ifndef FORMATS_LAS_LAYOUT_H
#define FORMATS_LAS_LAYOUT_H

#include "gelatto.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    LAS_FORMATS = 11,
    LAS_FIELDS = 24,                          /* at most in one format */
    LAS_HEADER_12 = 227,                      /* bytes of the header up to 1.2, */
    LAS_HEADER_13 = 235,                      /* of 1.3 */
    LAS_HEADER_14 = 375,                      /* and of 1.4 */
    LAS_VLR = 54,                             /* header of a variable length record */
    LAS_DESCRIPTOR = 192,                     /* of one extra attribute */
    LAS_EXTRAS = UINT16_MAX / LAS_DESCRIPTOR, /* maximum number of descriptors in one record */
    LAS_EVLR = 60,                            /* header of an extended one, after the points */
    LAS_WAVEFORM = 29,
    LAS_PACKED = 0xc0,    /* bits of the point format that LAZ may set, */
    LAS_PACKED_BIT = 0x80 /* and the one it sets */
};

struct las_field {
    const char *name;
    enum glt_type type;
    size_t offset;
    unsigned char shift, mask; /* of bits within a byte; mask 0 = the whole field */
    int32_t width;
};

size_t las_layout_header_size(int minor); /* bytes of the header of LAS 1.minor */
/* Fields of a point format; returns how many, *size = bytes before the extra ones. */
int32_t las_layout_fields(struct las_field dst[LAS_FIELDS], int format, size_t *size);

/* Units of the scan angle in point formats 6 and up; in the others it is in whole degrees. */
#define LAS_ANGLE 0.006 /* degrees */

/* laspy refuses a file whose extra bytes have the name of a field, so values that do not fit the
 * field are called field_extra. */
#define LAS_EXTRA_ENDING "_extra"
bool las_layout_is_field(const char *name); /* of any point format, or as other programs call one */

/* An extra attribute, from its descriptor. */
struct las_extra {
    char name[33];
    enum glt_type type;
    int32_t width;
    double scale, offset;
    size_t size;
};
void las_layout_read_descriptor(struct las_extra *x, const unsigned char bytes[LAS_DESCRIPTOR]);
/* Whether its values have scales or offsets that differ, or numbers that stand for none. */
bool las_layout_is_uneven(const unsigned char bytes[LAS_DESCRIPTOR]);
void las_layout_write_descriptor(unsigned char bytes[LAS_DESCRIPTOR], const struct las_extra *x);

/* A variable length record. */
struct las_vlr {
    const unsigned char *bytes; /* with its header */
    size_t len;                 /* with its header */
    const char *user;           /* 16 bytes */
    unsigned record;
};
/* The next record at *at of n bytes; false at the end, or if the bytes are not a record. */
bool las_layout_next_vlr(struct las_vlr *out, const unsigned char *bytes, size_t len, size_t *at);
bool las_layout_is_extra(const struct las_vlr *v);      /* describes the extra bytes */
bool las_layout_is_classes(const struct las_vlr *v);    /* names the classes */
bool las_layout_is_provenance(const struct las_vlr *v); /* ours: lines of cloud/provenance.h */

/* Whether the coordinate system is in GeoTIFF keys only, which point formats 6 and up do not have.
 */
bool las_layout_lacks_wkt(const unsigned char *vlrs, size_t len);

/* The unit of lengths, "m" or "ft", if the records of the coordinate system agree; else "". */
const char *las_layout_unit(const unsigned char *vlrs, size_t len);

double las_layout_get_double(const unsigned char *bytes);
void las_layout_put_double(unsigned char *bytes, double v);

#endif
