/* LAS records, see las_layout.h: the offsets of fields in the eleven point formats, the descriptors
 * of extra bytes, the sequence of variable length records. */
#include "formats/las_layout.h"

#include "cloud/names.h"
#include "cloud/type.h"
#include "formats/little.h"

#include <string.h>

static const struct las_field old_fields[] = {
    {"x", GLT_I32, 0, 0, 0, 1},
    {"y", GLT_I32, 4, 0, 0, 1},
    {"z", GLT_I32, 8, 0, 0, 1},
    {"intensity", GLT_U16, 12, 0, 0, 1},
    {"return_number", GLT_U8, 14, 0, 7, 1},
    {"number_of_returns", GLT_U8, 14, 3, 7, 1},
    {"scan_direction", GLT_U8, 14, 6, 1, 1},
    {"edge_of_flight_line", GLT_U8, 14, 7, 1, 1},
    {"classification", GLT_U8, 15, 0, 31, 1},
    {"class_flags", GLT_U8, 15, 5, 7, 1},
    {"scan_angle", GLT_I8, 16, 0, 0, 1},
    {"user_data", GLT_U8, 17, 0, 0, 1},
    {"point_source_id", GLT_U16, 18, 0, 0, 1},
};

static const struct las_field new_fields[] = {
    {"x", GLT_I32, 0, 0, 0, 1},
    {"y", GLT_I32, 4, 0, 0, 1},
    {"z", GLT_I32, 8, 0, 0, 1},
    {"intensity", GLT_U16, 12, 0, 0, 1},
    {"return_number", GLT_U8, 14, 0, 15, 1},
    {"number_of_returns", GLT_U8, 14, 4, 15, 1},
    {"class_flags", GLT_U8, 15, 0, 15, 1},
    {"scanner_channel", GLT_U8, 15, 4, 3, 1},
    {"scan_direction", GLT_U8, 15, 6, 1, 1},
    {"edge_of_flight_line", GLT_U8, 15, 7, 1, 1},
    {"classification", GLT_U8, 16, 0, 0, 1},
    {"user_data", GLT_U8, 17, 0, 0, 1},
    {"scan_angle", GLT_I16, 18, 0, 0, 1},
    {"point_source_id", GLT_U16, 20, 0, 0, 1},
};

/* what follows the common fields: gps time, colours, near infrared, waveform packet */
static const struct {
    bool gps, rgb, nir, wave;
} tail[LAS_FORMATS] = {
    {0, 0, 0, 0}, {1, 0, 0, 0}, {0, 1, 0, 0}, {1, 1, 0, 0}, {1, 0, 0, 1}, {1, 1, 0, 1},
    {1, 0, 0, 0}, {1, 1, 0, 0}, {1, 1, 1, 0}, {1, 0, 0, 1}, {1, 1, 1, 1},
};

size_t las_layout_header_size(int minor)
{
    return minor == 4 ? LAS_HEADER_14 : minor == 3 ? LAS_HEADER_13 : LAS_HEADER_12;
}

int32_t las_layout_fields(struct las_field dst[LAS_FIELDS], int format, size_t *size)
{
    int32_t n = 0;
    size_t at = format < 6 ? 20 : 22;
    if (format < 6) {
        memcpy(dst, old_fields, sizeof old_fields);
        n = sizeof old_fields / sizeof *old_fields;
    } else {
        memcpy(dst, new_fields, sizeof new_fields);
        n = sizeof new_fields / sizeof *new_fields;
    }
    if (tail[format].gps) {
        dst[n++] = (struct las_field){"gps_time", GLT_F64, at, 0, 0, 1};
        at += 8;
    }
    for (int k = 0; tail[format].rgb && k < 3; k++, at += 2)
        dst[n++] = (struct las_field){names_rgb[k], GLT_U16, at, 0, 0, 1};
    if (tail[format].nir) {
        dst[n++] = (struct las_field){"nir", GLT_U16, at, 0, 0, 1};
        at += 2;
    }
    if (tail[format].wave) {
        dst[n++] = (struct las_field){"waveform", GLT_U8, at, 0, 0, LAS_WAVEFORM};
        at += LAS_WAVEFORM;
    }
    *size = at;
    return n;
}

bool las_layout_is_field(const char *name)
{
    /* of other formats, and in laspy */
    static const char *const more[] = {"gps_time",
                                       "red",
                                       "green",
                                       "blue",
                                       "nir",
                                       "waveform",
                                       "X",
                                       "Y",
                                       "Z",
                                       "scan_angle_rank",
                                       "scan_direction_flag",
                                       "raw_classification",
                                       "bit_fields",
                                       "classification_flags",
                                       "synthetic",
                                       "key_point",
                                       "withheld",
                                       "overlap"};
    for (size_t i = 0; i < sizeof old_fields / sizeof *old_fields; i++)
        if (!strcmp(name, old_fields[i].name))
            return true;
    for (size_t i = 0; i < sizeof more / sizeof *more; i++)
        if (!strcmp(name, more[i]))
            return true;
    return !strcmp(name, "scanner_channel");
}

double las_layout_get_double(const unsigned char *bytes)
{
    uint64_t bits = little_get(bytes, 8);
    double v;
    memcpy(&v, &bits, 8);
    return v;
}

void las_layout_put_double(unsigned char *bytes, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, 8);
    little_put(bytes, bits, 8);
}

/* LAS counts types from 1, unsigned first; 11.. are pairs, 21.. triples of them. */
static const enum glt_type extra_types[] = {GLT_U8,  GLT_I8,  GLT_U16, GLT_I16, GLT_U32,
                                            GLT_I32, GLT_U64, GLT_I64, GLT_F32, GLT_F64};

void las_layout_read_descriptor(struct las_extra *x, const unsigned char bytes[LAS_DESCRIPTOR])
{
    unsigned type = bytes[2], options = bytes[3];
    *x = (struct las_extra){.type = GLT_U8, .scale = 1};
    memcpy(x->name, bytes + 4, 32);
    if (type == 0 || type > 30) {
        x->width = (int32_t)options; /* undocumented: the number of bytes */
        x->size = options;
        return;
    }
    x->type = extra_types[(type - 1) % 10];
    x->width = (int32_t)((type - 1) / 10) + 1;
    x->size = type_size(x->type) * (size_t)x->width;
    if (options & 0x08)
        x->scale = las_layout_get_double(bytes + 112);
    if (options & 0x10)
        x->offset = las_layout_get_double(bytes + 136);
}

bool las_layout_is_uneven(const unsigned char bytes[LAS_DESCRIPTOR])
{
    struct las_extra x;
    las_layout_read_descriptor(&x, bytes);
    if (bytes[2] == 0 || bytes[2] > 30) /* bytes without a type */
        return false;
    for (int k = 1; k < x.width; k++)
        if (((bytes[3] & 0x08) && memcmp(bytes + 112, bytes + 112 + 8 * k, 8)) ||
            ((bytes[3] & 0x10) && memcmp(bytes + 136, bytes + 136 + 8 * k, 8)))
            return true;
    return bytes[3] & 0x01;
}

void las_layout_write_descriptor(unsigned char bytes[LAS_DESCRIPTOR], const struct las_extra *x)
{
    memset(bytes, 0, LAS_DESCRIPTOR);
    memcpy(bytes + 4, x->name, 32);
    if (x->width > 3) {
        bytes[3] = (unsigned char)x->size;
        return;
    }
    for (unsigned i = 0; i < 10; i++)
        if (extra_types[i] == x->type)
            bytes[2] = (unsigned char)(i + 1 + 10 * (unsigned)(x->width - 1));
    if (x->scale != 1 || x->offset != 0) {
        bytes[3] = 0x18;
        for (int k = 0; k < x->width; k++) {
            las_layout_put_double(bytes + 112 + 8 * k, x->scale);
            las_layout_put_double(bytes + 136 + 8 * k, x->offset);
        }
    }
}

bool las_layout_next_vlr(struct las_vlr *out, const unsigned char *bytes, size_t len, size_t *at)
{
    if (len - *at < LAS_VLR)
        return false;
    const unsigned char *p = bytes + *at;
    size_t size = (size_t)little_get(p + 20, 2);
    if (size > len - *at - LAS_VLR)
        return false;
    *out =
        (struct las_vlr){p, LAS_VLR + size, (const char *)p + 2, (unsigned)little_get(p + 18, 2)};
    *at += out->len;
    return true;
}

bool las_layout_is_extra(const struct las_vlr *v)
{
    return v->record == 4 && strncmp(v->user, "LASF_Spec", 16) == 0;
}

bool las_layout_is_classes(const struct las_vlr *v)
{
    return v->record == 0 && strncmp(v->user, "LASF_Spec", 16) == 0;
}

bool las_layout_is_provenance(const struct las_vlr *v)
{
    return v->record == 1 && strncmp(v->user, "gelatto", 16) == 0;
}

/* --- units ---
 *
 * GeoTIFF 1.1: keys of four numbers (key, location, count, value); 3076 and 4099 are the units of
 * horizontal and vertical lengths, 9001 metres, 9002 to 9005 kinds of feet. WKT says it in words.
 */

struct units {
    bool metre, foot;
};

static void units_of_keys(struct units *u, const unsigned char *bytes, size_t len)
{
    enum { KEY = 8, HORIZONTAL = 3076, VERTICAL = 4099, METRE = 9001, FOOT = 9002, LAST = 9005 };
    for (size_t at = KEY; at + KEY <= len; at += KEY) {
        uint64_t key = little_get(bytes + at, 2), value = little_get(bytes + at + 6, 2);
        if ((key != HORIZONTAL && key != VERTICAL) || little_get(bytes + at + 2, 2))
            continue;
        u->metre |= value == METRE;
        u->foot |= value >= FOOT && value <= LAST;
    }
}

static void units_of_text(struct units *u, const unsigned char *bytes, size_t len)
{
    static const char *const metres[] = {"metre", "meter", "Metre", "Meter"};
    static const char *const feet[] = {"foot", "Foot", "feet", "Feet"};
    for (int i = 0; i < 4; i++)
        for (size_t at = 0; at + 6 < len; at++) {
            bool quoted = bytes[at] == '"' || bytes[at] == ' ';
            u->metre |= quoted && !memcmp(bytes + at + 1, metres[i], 5);
            u->foot |= quoted && !memcmp(bytes + at + 1, feet[i], 4);
        }
}

enum { KEYS = 34735, WKT = 2112 };

bool las_layout_lacks_wkt(const unsigned char *vlrs, size_t len)
{
    bool keys = false, text = false;
    struct las_vlr v;
    size_t at = 0;
    while (las_layout_next_vlr(&v, vlrs, len, &at))
        if (!strncmp(v.user, "LASF_Projection", 16)) {
            keys |= v.record == KEYS;
            text |= v.record == WKT;
        }
    return keys && !text;
}

const char *las_layout_unit(const unsigned char *vlrs, size_t len)
{
    struct units u = {0};
    struct las_vlr v;
    size_t at = 0;
    while (las_layout_next_vlr(&v, vlrs, len, &at)) {
        if (strncmp(v.user, "LASF_Projection", 16) != 0)
            continue;
        if (v.record == KEYS)
            units_of_keys(&u, v.bytes + LAS_VLR, v.len - LAS_VLR);
        if (v.record == WKT)
            units_of_text(&u, v.bytes + LAS_VLR, v.len - LAS_VLR);
    }
    return u.metre == u.foot ? "" : u.metre ? "m" : "ft";
}
