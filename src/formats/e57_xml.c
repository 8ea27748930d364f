/* XML of E57: see e57_xml.h.
 *
 * Reference: ASTM E2807-11, 8.4 and table 13 on. expat reads the section piece by piece; an element
 * is known by its path, and only those of a table are read. A file with a document type is refused,
 * so there are no entities but the five of XML. Depth, length of the path, scans and fields are
 * bounded, and expat uses our allocator. */
#include "formats/e57_xml.h"

#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/number.h"
#include "formats/e57_pages.h"
#include "formats/scan.h"

#include <expat.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { PATH = 512, DEPTH_MAX = 32, PIECE = 1 << 15, XML_MAX = 1 << 26 };

static const char root[] = "/e57Root", scan_path[] = "/e57Root/data3D/vectorChild";

struct reader {
    XML_Parser parser;
    const struct e57_pages *pages;
    struct e57_scan *scans;
    int32_t n;
    char path[PATH]; /* "/e57Root/data3D/..." of the open element */
    size_t path_len;
    int depth;
    char text[E57_TEXT]; /* of that element, as far as it fits */
    size_t text_len;
    int code;
};

/* --- numbers of a scan --- */

/* Elements below a scan that hold one number, and its target. */
static const struct {
    const char *path;
    size_t at;
} numbers[] = {
    {"pose/rotation/w", offsetof(struct e57_scan, rotation[0])},
    {"pose/rotation/x", offsetof(struct e57_scan, rotation[1])},
    {"pose/rotation/y", offsetof(struct e57_scan, rotation[2])},
    {"pose/rotation/z", offsetof(struct e57_scan, rotation[3])},
    {"pose/translation/x", offsetof(struct e57_scan, translation[0])},
    {"pose/translation/y", offsetof(struct e57_scan, translation[1])},
    {"pose/translation/z", offsetof(struct e57_scan, translation[2])},
    {"colorLimits/colorRedMinimum", offsetof(struct e57_scan, limits[E57_RED][0])},
    {"colorLimits/colorRedMaximum", offsetof(struct e57_scan, limits[E57_RED][1])},
    {"colorLimits/colorGreenMinimum", offsetof(struct e57_scan, limits[E57_GREEN][0])},
    {"colorLimits/colorGreenMaximum", offsetof(struct e57_scan, limits[E57_GREEN][1])},
    {"colorLimits/colorBlueMinimum", offsetof(struct e57_scan, limits[E57_BLUE][0])},
    {"colorLimits/colorBlueMaximum", offsetof(struct e57_scan, limits[E57_BLUE][1])},
    {"intensityLimits/intensityMinimum", offsetof(struct e57_scan, limits[E57_BRIGHTNESS][0])},
    {"intensityLimits/intensityMaximum", offsetof(struct e57_scan, limits[E57_BRIGHTNESS][1])},
};

/* The error, with the position of expat. */
static int bad(struct reader *r, int code)
{
    int64_t at = XML_GetCurrentByteIndex(r->parser);
    int64_t last = r->pages->xml_len ? r->pages->xml_len - 1 : 0;
    at = r->pages->xml_at + (at < 0 ? 0 : at > last ? last : at);
    error_prefix(code, "XML line %lu: ", (unsigned long)XML_GetCurrentLineNumber(r->parser));
    error_place(code, GLT_PLACE_LINE, (int64_t)XML_GetCurrentLineNumber(r->parser));
    return e57_pages_place(code, r->pages, at);
}

/* Stops with an error that was stored. */
static void stop(struct reader *r, int code, enum glt_topic topic)
{
    error_topic(code, topic, NULL);
    r->code = bad(r, code);
    XML_StopParser(r->parser, XML_FALSE);
}

/* A decimal that fills the text except for blanks; an empty text is 0. */
static bool parse_double(double *out, const char *text, size_t len)
{
    const char *end = text + len, *at = scan_blanks(text, end);
    while (end > at && (scan_is_blank(end[-1]) || end[-1] == '\n'))
        end--;
    while (at < end && *at == '\n')
        at = scan_blanks(at + 1, end);
    *out = 0;
    return at == end || number_parse_double(out, at, end) == end;
}

/* The path of the open element below a scan; NULL if it is not below one. */
static const char *below_scan(const struct reader *r)
{
    size_t len = sizeof scan_path - 1;
    return r->n > 0 && strncmp(r->path, scan_path, len) == 0 && r->path[len] == '/'
               ? r->path + len + 1
               : NULL;
}

/* --- fields of the records --- */

static const char *attribute(const char *const *pairs, const char *name)
{
    for (; *pairs; pairs += 2)
        if (strcmp(pairs[0], name) == 0)
            return pairs[1];
    return NULL;
}

/* An attribute that is a number; *out stays if it is missing. */
static bool read_int(int64_t *out, const char *const *pairs, const char *name)
{
    const char *text = attribute(pairs, name);
    return !text || number_is_int(out, text);
}

static bool read_double(double *out, const char *const *pairs, const char *name)
{
    const char *text = attribute(pairs, name);
    return !text || number_is_double(out, text);
}

/* Bits that hold 0 .. range. */
static int bits_of(uint64_t range)
{
    int bits = 0;
    for (; range; range >>= 1)
        bits++;
    return bits;
}

static bool read_integer(struct e57_field *x, const char *const *pairs)
{
    int64_t min = INT64_MIN, max = INT64_MAX;
    if (!read_int(&min, pairs, "minimum") || !read_int(&max, pairs, "maximum") || min > max)
        return false;
    x->min = min;
    x->bits = bits_of((uint64_t)max - (uint64_t)min);
    x->low = (double)min * x->scale + x->offset;
    x->high = (double)max * x->scale + x->offset;
    return true;
}

/* Reads the attributes. Returns NULL, or what is wrong with them. */
static const char *read_field(struct e57_field *x, const char *const *pairs, const char *type)
{
    const char *precision = attribute(pairs, "precision");
    bool single = precision && strcmp(precision, "single") == 0;
    x->low = 1;
    if (strcmp(type, "String") == 0) {
        x->kind = E57_STRING;
    } else if (strcmp(type, "Float") == 0) {
        x->kind = single ? E57_SINGLE : E57_DOUBLE;
        x->bits = single ? 32 : 64;
        if (attribute(pairs, "minimum") && attribute(pairs, "maximum") &&
            (!read_double(&x->low, pairs, "minimum") || !read_double(&x->high, pairs, "maximum")))
            return "its limits are not numbers";
    } else if (strcmp(type, "Integer") == 0 || strcmp(type, "ScaledInteger") == 0) {
        if (type[0] == 'S' &&
            (!read_double(&x->scale, pairs, "scale") || !read_double(&x->offset, pairs, "offset")))
            return "its scale or offset is not a number";
        if (!read_integer(x, pairs))
            return "its limits are not two whole numbers in order";
    } else {
        return "its type is not Integer, ScaledInteger, Float or String";
    }
    return NULL;
}

static void add_field(struct reader *r, const char *name, const char *const *pairs)
{
    struct e57_scan *s = &r->scans[r->n - 1];
    const char *type = attribute(pairs, "type");
    if (type && (strcmp(type, "Structure") == 0 || strcmp(type, "Vector") == 0))
        return; /* its children are fields */
    if (s->n_fields == E57_FIELDS_MAX) {
        stop(r, error_set(GLT_ELIMIT, "a scan has more than %d fields", E57_FIELDS_MAX),
             GLT_TOPIC_SIZE_LIMIT);
        return;
    }
    r->code = array_reserve(&s->fields, s->n_fields, 1, sizeof *s->fields);
    if (r->code < 0) {
        XML_StopParser(r->parser, XML_FALSE);
        return;
    }
    struct e57_field *x = &s->fields[s->n_fields++];
    *x = (struct e57_field){.scale = 1};
    snprintf(x->name, sizeof x->name, "%s", name);
    const char *problem = read_field(x, pairs, type ? type : "");
    if (problem)
        stop(r, error_set(GLT_EFORMAT, "field %s: %s", x->name, problem), GLT_TOPIC_VALUE);
}

static void read_points(struct reader *r, const char *const *pairs)
{
    struct e57_scan *s = &r->scans[r->n - 1];
    int64_t at = 0, n = 0;
    const char *type = attribute(pairs, "type");
    if (!type || strcmp(type, "CompressedVector") != 0 || !read_int(&at, pairs, "fileOffset") ||
        !read_int(&n, pairs, "recordCount") || at < 0 || n < 0)
        stop(r,
             error_set(GLT_EFORMAT,
                       "the points of a scan are not a compressed vector with an offset "
                       "and a number of records"),
             GLT_TOPIC_VALUE);
    s->offset = (uint64_t)at;
    s->n = (uint64_t)n;
}

static void add_scan(struct reader *r)
{
    if (r->n == E57_SCANS_MAX) {
        stop(r, error_set(GLT_ELIMIT, "the file has more than %d scans", E57_SCANS_MAX),
             GLT_TOPIC_SIZE_LIMIT);
        return;
    }
    r->code = array_reserve(&r->scans, r->n, 1, sizeof *r->scans);
    if (r->code < 0) {
        XML_StopParser(r->parser, XML_FALSE);
        return;
    }
    struct e57_scan *s = &r->scans[r->n++];
    *s = (struct e57_scan){.rotation = {1}};
    for (int k = 0; k < E57_LIMITS; k++)
        s->limits[k][0] = 1;
}

/* --- handlers for expat --- */

static void look_at(struct reader *r, const char *name, const char *const *pairs)
{
    static const char prototype[] = "points/prototype/", codecs[] = "points/codecs/vectorChild/";
    const char *path = below_scan(r);
    if (strcmp(r->path, scan_path) == 0)
        add_scan(r);
    if (!path)
        return;
    if (strcmp(path, "points") == 0)
        read_points(r, pairs);
    else if (strncmp(path, prototype, sizeof prototype - 1) == 0)
        add_field(r, name, pairs);
    else if (strncmp(path, codecs, sizeof codecs - 1) == 0 &&
             !strchr(path + sizeof codecs - 1, '/') && strcmp(name, "inputs") != 0 &&
             strcmp(name, "bitPackCodec") != 0)
        stop(r, error_set(GLT_EUNSUPPORTED, "records packed by %s are not read", name),
             GLT_TOPIC_FORMAT);
}

static void start_element(void *user, const char *name, const char **pairs)
{
    struct reader *r = user;
    size_t len = strlen(name);
    if (r->code < 0)
        return; /* expat may call once more after it was stopped */
    if (r->depth == DEPTH_MAX || r->path_len + len + 2 > PATH) {
        stop(r, error_set(GLT_ELIMIT, "elements are nested too deeply"), GLT_TOPIC_SIZE_LIMIT);
        return;
    }
    r->path[r->path_len++] = '/';
    memcpy(r->path + r->path_len, name, len + 1);
    r->path_len += len;
    r->text_len = 0;
    if (r->depth++ == 0 && strcmp(r->path, root) != 0)
        stop(r, error_set(GLT_EFORMAT, "the first element is %s, expected e57Root", name),
             GLT_TOPIC_SYNTAX);
    else
        look_at(r, name, (const char *const *)pairs);
}

static void take_text(void *user, const char *text, int len)
{
    struct reader *r = user;
    size_t left = sizeof r->text - 1 - r->text_len, now = (size_t)len < left ? (size_t)len : left;
    memcpy(r->text + r->text_len, text, now);
    r->text_len += now;
}

static void end_element(void *user, const char *name)
{
    struct reader *r = user;
    if (r->code < 0)
        return;
    const char *path = below_scan(r);
    struct e57_scan *s = path ? &r->scans[r->n - 1] : NULL;
    for (size_t i = 0; path && i < sizeof numbers / sizeof *numbers; i++)
        if (strcmp(path, numbers[i].path) == 0 &&
            !parse_double((double *)((char *)s + numbers[i].at), r->text, r->text_len))
            stop(r, error_set(GLT_EFORMAT, "%s is not a number", path), GLT_TOPIC_VALUE);
    if (path && strcmp(path, "name") == 0) {
        memcpy(s->name, r->text, r->text_len);
        s->name[r->text_len] = 0;
    }
    r->path_len -= strlen(name) + 1;
    r->path[r->path_len] = 0;
    r->text_len = 0;
    r->depth--;
}

static void refuse_doctype(void *user, const char *name, const char *system, const char *public,
                           int internal)
{
    (void)system, (void)public, (void)internal;
    stop(user,
         error_set(GLT_EFORMAT, "a document type (%s) is declared, which E57 does not have", name),
         GLT_TOPIC_SYNTAX);
}

/* --- the whole section --- */

static void *take_memory(size_t size)
{
    return memory_alloc_raw(size, 1);
}

static void *change_memory(void *block, size_t size)
{
    void *to = memory_alloc_raw(size, 1);
    size_t len = memory_size(block) < size ? memory_size(block) : size;
    if (!to)
        return NULL;
    if (len)
        memcpy(to, block, len);
    memory_free(block);
    return to;
}

/* The error that expat found, unless a handler has stopped it. */
static int parse_error(struct reader *r)
{
    enum XML_Error error = XML_GetErrorCode(r->parser);
    if (r->code < 0)
        return r->code;
    if (error == XML_ERROR_NO_MEMORY)
        return GLT_ENOMEM;
    int code = error_set(GLT_EFORMAT, "%s", XML_ErrorString(error));
    return bad(r, error_topic(code, GLT_TOPIC_SYNTAX, NULL));
}

static int parse(struct reader *r, struct e57_pages *p, char *piece)
{
    int64_t left = p->xml_len;
    do {
        size_t now = left < PIECE ? (size_t)left : PIECE;
        TRY(e57_pages_read(p, piece, p->xml_at + p->xml_len - left, now));
        left -= (int64_t)now;
        if (XML_Parse(r->parser, piece, (int)now, left == 0) != XML_STATUS_OK)
            return parse_error(r);
    } while (left > 0);
    return 0;
}

int e57_xml_read(struct call *call, struct e57_scan **scans, int32_t *n, struct e57_pages *p)
{
    static const XML_Memory_Handling_Suite memory = {take_memory, change_memory, memory_free};
    struct reader r = {.pages = p};
    char *piece = call_alloc(call, PIECE, 1);
    if (!piece)
        return GLT_ENOMEM;
    if (p->xml_len > XML_MAX)
        return error_topic(error_in(GLT_ELIMIT, file_name(p->f),
                                    "the XML section has %" PRId64 " bytes, more than %d",
                                    p->xml_len, XML_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    r.parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    if (!r.parser)
        return GLT_ENOMEM;
    XML_SetUserData(r.parser, &r);
    XML_SetElementHandler(r.parser, start_element, end_element);
    XML_SetCharacterDataHandler(r.parser, take_text);
    XML_SetStartDoctypeDeclHandler(r.parser, refuse_doctype);
    int code = parse(&r, p, piece);
    XML_ParserFree(r.parser);
    for (int32_t i = 0; i < r.n; i++)
        if (r.scans[i].fields && !(r.scans[i].fields = call_keep(call, r.scans[i].fields)))
            code = GLT_ENOMEM;
    *n = r.n;
    *scans = call_keep(call, r.scans);
    return code < 0 ? code : r.n && !*scans ? GLT_ENOMEM : 0;
}
