/* The XML section of an E57 file, which describes the scans. */
#ifndef FORMATS_E57_XML_H
#define FORMATS_E57_XML_H

#include <stdbool.h>
#include <stdint.h>

struct call;
struct e57_pages;

enum { E57_NAME = 64, E57_TEXT = 256, E57_FIELDS_MAX = 256, E57_SCANS_MAX = 65535 };

enum e57_kind { E57_INTEGER, E57_SINGLE, E57_DOUBLE, E57_STRING };

/* A field of the records, in the order of the byte streams. Integers are min + an unsigned number
 * of `bits` bits, and mean integer * scale + offset. */
struct e57_field {
    char name[E57_NAME];
    enum e57_kind kind;
    int64_t min;
    int bits;
    double low, high; /* the limits of its values; low > high: there are none */
    double scale, offset;
};

/* Limits of red, green, blue and intensity, as pairs. */
enum { E57_RED, E57_GREEN, E57_BLUE, E57_BRIGHTNESS, E57_LIMITS };

struct e57_scan {
    char name[E57_TEXT];
    double rotation[4], translation[3]; /* the pose; the quaternion is w, x, y, z */
    double limits[E57_LIMITS][2];       /* low > high: there are none */
    uint64_t offset;                    /* of the section with its records, physical */
    uint64_t n;                         /* records */
    struct e57_field *fields;
    int32_t n_fields;
};

/* All scans, in memory of the call. */
int e57_xml_read(struct call *call, struct e57_scan **scans, int32_t *n, struct e57_pages *p);

#endif
