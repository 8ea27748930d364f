/* The table of formats, and reading and writing through it.
 *
 * The content counts before the name: the probes of all formats see the first bytes. If none
 * recognises them, the extension decides, even for a format whose probe has just rejected the
 * content: its reader then says what is wrong. */
#include "formats/format.h"

#include "cloud/column.h"
#include "cloud/edit.h"
#include "cloud/labels.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "core/string.h"

#include <stdio.h>
#include <string.h>

extern const struct format format_ply, format_npy, format_npz, format_pcd, format_las, format_laz,
    format_kitti, format_off, format_obj, format_stl, format_ptx, format_h5, format_e57,
    format_text;

static const struct format *const formats[] = {
    &format_ply, &format_npy, &format_npz, &format_pcd, &format_las, &format_laz, &format_kitti,
    &format_off, &format_obj, &format_stl, &format_ptx, &format_h5,  &format_e57, &format_text,
};

enum { FORMATS = sizeof formats / sizeof *formats, PROBE_BYTES = 4096, EXTENSION_MAX = 16 };

const struct format *format_by_name(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (strcmp(formats[i]->name, name) == 0)
            return formats[i];
    return NULL;
}

static const char *extension(const char *path)
{
    const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
    const char *dot = strrchr(name, '.');
    return dot ? dot + 1 : "";
}

/* The extension in lower case, as in the tables. */
static const char *lower_extension(char dst[EXTENSION_MAX], const char *path)
{
    const char *ext = extension(path);
    size_t len = 0;
    for (; len < EXTENSION_MAX - 1 && ext[len]; len++)
        dst[len] = string_lower(ext[len]);
    dst[len] = 0;
    return dst;
}

/* Whether a list of words separated by blanks has this one. */
static bool has_word(const char *words, const char *word)
{
    size_t len;
    for (const char *item; (item = option_string_item(&words, &len, ' '));)
        if (len == strlen(word) && strncmp(item, word, len) == 0)
            return true;
    return false;
}

/* NULL if no format has that extension, which must be in lower case. */
static const struct format *with_extension(const char *lower)
{
    for (size_t i = 0; i < FORMATS; i++)
        if (has_word(formats[i]->extensions, lower))
            return formats[i];
    return NULL;
}

static bool lacks_labels(const struct format *f, const char *lower)
{
    return f->unlabelled && has_word(f->unlabelled, lower);
}

bool format_holds_labels(const char *path)
{
    char lower[EXTENSION_MAX];
    const struct format *f = with_extension(lower_extension(lower, path));
    return f && f->write && !lacks_labels(f, lower);
}

int format_by_extension(const struct format **out, const char *path)
{
    char lower[EXTENSION_MAX];
    const struct format *found = with_extension(lower_extension(lower, path));
    if (found) {
        *out = found;
        return 0;
    }
    char known[256] = "";
    for (size_t i = 0, at = 0; i < FORMATS && at < sizeof known; i++)
        at += (size_t)snprintf(known + at, sizeof known - at, " %s", formats[i]->extensions);
    return error_topic(error_in(GLT_EUNSUPPORTED, path,
                                *lower ? "no format has the extension \"%s\"; known are%s"
                                       : "the name has no extension%s; known are%s",
                                extension(path), known),
                       GLT_TOPIC_FORMAT, NULL);
}

/* A stream or buffer, which has no extension, is text if its first bytes are. */
static int nameless_format(const struct format **out, const struct file *f,
                           const unsigned char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        if (bytes[i] >= 127 || (bytes[i] < ' ' && !strchr("\t\r\n\f", bytes[i] ? bytes[i] : 1)))
            return error_topic(error_in(GLT_EUNSUPPORTED, file_name(f),
                                        "no format begins like this (byte %zu is %d): store it in "
                                        "a file with its extension",
                                        i, bytes[i]),
                               GLT_TOPIC_FORMAT, NULL);
    *out = &format_text;
    return 0;
}

int format_find(const struct format **out, struct file *f)
{
    const unsigned char *bytes;
    size_t len;
    if (file_size(f) == 0)
        return error_topic(
            error_file(error_set(GLT_EFORMAT, "%s is empty", file_name(f)), file_name(f)),
            GLT_TOPIC_TRUNCATED, NULL);
    TRY(file_peek(f, &bytes, &len, PROBE_BYTES));
    for (size_t i = 0; i < FORMATS; i++)
        if (formats[i]->probe && formats[i]->probe(bytes, len < PROBE_BYTES ? len : PROBE_BYTES)) {
            *out = formats[i];
            return 0;
        }
    return file_is_memory(f) && !*extension(file_name(f))
               ? nameless_format(out, f, bytes, len < PROBE_BYTES ? len : PROBE_BYTES)
               : format_by_extension(out, file_name(f));
}

static int named_format(const struct format **out, const char *name)
{
    *out = format_by_name(name);
    if (!*out)
        return error_topic(error_set(GLT_EARGUMENT, "there is no format %s", name),
                           GLT_TOPIC_OPTION, "format");
    return 0;
}

/* A file without coordinates is not a cloud, and neither is one with more attributes than can be
 * written. */
static int check_cloud(const struct glt_cloud *c, const struct file *f)
{
    if (c->n_columns > COLUMNS_MAX)
        return error_topic(error_in(GLT_ELIMIT, file_name(f),
                                    "%d attributes are more than %d: leave some out", c->n_columns,
                                    COLUMNS_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    bool whole = true;
    for (int d = 0; d < 3; d++)
        whole = whole && column_is_single(cloud_attribute(c, names_xyz[d]));
    if (whole)
        return 0;
    char names[256] = "";
    size_t at = 0;
    for (int32_t i = 0; i < c->n_columns && at < sizeof names; i++)
        at += (size_t)snprintf(names + at, sizeof names - at, " %s", c->columns[i].name);
    return error_topic(
        error_file(error_set(GLT_EDATA,
                             "%s has no coordinates x, y, z of one number each; its fields are%s",
                             file_name(f), at ? names : " none"),
                   file_name(f)),
        GLT_TOPIC_COORDINATES, NULL);
}

/* Whether the format supports the options. */
static int check_options(const struct format *format, const struct file *f,
                         const struct format_options *o)
{
    if (!format->read)
        return error_topic(
            error_in(GLT_EUNSUPPORTED, file_name(f), "%s files can be written only", format->name),
            GLT_TOPIC_FORMAT, NULL);
    if (o->sample && !format->mesh)
        return error_topic(
            error_in(
                GLT_EARGUMENT, file_name(f),
                "sample=%lld needs the surface of a mesh (OFF, OBJ, STL, PLY), and this is %s; "
                "use subsample to draw from the points of a cloud",
                (long long)o->sample, format->name),
            GLT_TOPIC_OPTION, "sample");
    if (o->columns && !format->unnamed)
        log_warning(GLT_TOPIC_OPTION, "columns",
                    "%s: columns \"%s\" are not used: %s names its fields itself", file_name(f),
                    o->columns, format->name);
    return 0;
}

static int read_with(struct glt_cloud *c, const struct format *format, struct file *f,
                     const struct format_options *o)
{
    struct call call = {0};
    c->format = format->name;
    c->path = memory_string(file_name(f));
    int code = c->path ? format->read(&call, c, f, o) : GLT_ENOMEM;
    call_free(&call);
    TRY(code);
    TRY(names_canonicalise(c->columns, c->n_columns));
    return check_cloud(c, f);
}

int format_read_file(struct glt_cloud **out, struct file *f, const struct format_options *o)
{
    static const struct format_options defaults = {0};
    const struct format *format = NULL;
    struct glt_cloud *c;
    o = o ? o : &defaults;
    TRY(o->format ? named_format(&format, o->format) : format_find(&format, f));
    TRY(check_options(format, f, o));
    TRY(cloud_new(&c, 0));
    int code = read_with(c, format, f, o);
    if (code == 0 && o->box)
        code = edit_box(&c, o->box);
    if (code == 0 && o->label_attribute && (code = labels_choose(c, o->label_attribute)) < 0)
        code = error_prefix_file(code, file_name(f));
    if (code < 0)
        cloud_free(c);
    else
        *out = c;
    return code;
}

int format_extent(double box[4], const char *path)
{
    const struct format *format;
    struct file *f;
    TRY(file_open(&f, path));
    int code = format_find(&format, f);
    if (code == 0)
        code = format->extent && format->extent(box, f);
    file_close(f);
    return code;
}

int format_read(struct glt_cloud **out, const char *path, const struct format_options *o)
{
    struct file *f;
    TRY(file_open_input(&f, path));
    int code = format_read_file(out, f, o);
    file_close(f);
    return code;
}

/* The format in which a file of that name is written. */
static int output_format(const struct format **out, const char *path,
                         const struct format_options *o)
{
    const struct format *format;
    char lower[EXTENSION_MAX];
    TRY(o->format ? named_format(&format, o->format) : format_by_extension(&format, path));
    if (!format->write)
        return error_topic(error_in(GLT_EUNSUPPORTED, path,
                                    "%s files are not written; write ply, las or pcd",
                                    format->name),
                           GLT_TOPIC_FORMAT, NULL);
    const char *ext = lower_extension(lower, path);
    if (o->labels && lacks_labels(format, ext))
        return error_topic(error_in(GLT_EUNSUPPORTED, path,
                                    "%s files have no place for labels; write ply, las or txt",
                                    ext),
                           GLT_TOPIC_LABELS, NULL);
    if (o->encoding && !has_word(format->encodings, o->encoding))
        return error_topic(error_in(GLT_EARGUMENT, path, "encoding %s: %s has %s", o->encoding,
                                    format->name, format->encodings),
                           GLT_TOPIC_OPTION, "encoding");
    *out = format;
    return 0;
}

/* Writers need packed columns: borrowed ones with a stride are copied for the time of the call. */
static int pack(struct call *call, struct glt_cloud *out, const struct glt_cloud *c)
{
    *out = *c;
    if (!cloud_is_strided(c))
        return 0;
    out->columns = call_alloc(call, (size_t)c->n_columns, sizeof *out->columns);
    if (!out->columns)
        return GLT_ENOMEM;
    memcpy(out->columns, c->columns, (size_t)c->n_columns * sizeof *out->columns);
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column *x = &out->columns[i];
        if (!x->stride)
            continue;
        x->data = call_alloc(call, (size_t)c->n, type_size(x->type));
        if (!x->data)
            return GLT_ENOMEM;
        x->stride = 0;
        column_convert(x->data, x->type, 0, &c->columns[i], 0, c->n);
    }
    return 0;
}

static int write_with(const struct glt_cloud *c, const struct format *format, struct file *f,
                      const struct format_options *o)
{
    struct call call = {0};
    struct glt_cloud packed;
    for (int32_t i = 0; !format->elements && i < c->n_elements; i++)
        log_warning(GLT_TOPIC_ATTRIBUTE, c->elements[i].name,
                    "%s has no place for the element %s (%lld of them): it is left "
                    "out (ply keeps it)",
                    format->name, c->elements[i].name, (long long)c->elements[i].n);
    int code = pack(&call, &packed, c);
    if (code == 0)
        code = format->write(&call, &packed, f, o);
    call_free(&call);
    return code < 0 ? code : file_commit(f);
}

/* An error for more columns than could be read again. */
static int check_columns(const struct glt_cloud *c, const char *name)
{
    if (c->n_columns <= COLUMNS_MAX)
        return 0;
    return error_topic(error_in(GLT_ELIMIT, name,
                                "%d attributes are more than the %d that are read: leave some out",
                                c->n_columns, COLUMNS_MAX),
                       GLT_TOPIC_SIZE_LIMIT, NULL);
}

int format_write(const struct glt_cloud *c, const char *path, const struct format_options *o)
{
    static const struct format_options defaults = {0};
    const struct format *format = NULL;
    struct file *f;
    o = o ? o : &defaults;
    TRY(output_format(&format, path, o));
    if (!c)
        return file_check_output(path);
    TRY(check_columns(c, path));
    TRY(file_create(&f, path));
    int code = write_with(c, format, f, o);
    if (code < 0)
        file_close(f);
    return code;
}

int format_write_memory(void **bytes, size_t *len, const struct glt_cloud *c,
                        const struct format_options *o)
{
    const struct format *format = NULL;
    struct file *f;
    char name[EXTENSION_MAX + 8];
    if (!o->format)
        return error_topic(
            error_set(GLT_EARGUMENT, "a buffer has no extension: name its format, as format=ply"),
            GLT_TOPIC_OPTION, "format");
    snprintf(name, sizeof name, "buffer.%s", o->format);
    TRY(output_format(&format, name, o));
    TRY(check_columns(c, name));
    TRY(file_create_memory(&f, name, bytes, len));
    int code = write_with(c, format, f, o);
    if (code < 0)
        file_close(f);
    return code;
}

/* --- the public interface --- */

/* "x,y,X,Y" */
static int read_box(struct call *call, struct format_options *o, const char *text)
{
    double *box = call_alloc(call, 4, sizeof *box);
    if (!box)
        return GLT_ENOMEM;
    if (option_string_numbers(box, 4, text) != 4 || !(box[0] <= box[2]) || !(box[1] <= box[3]))
        return error_topic(
            error_set(GLT_EARGUMENT, "box=%s: x,y,X,Y are needed, the smaller corner first", text),
            GLT_TOPIC_OPTION, "box");
    o->box = box;
    return 0;
}

static int read_options(struct call *call, struct format_options *o, const char *options)
{
    const char *box = NULL;
    const struct option_field table[] = {
        {"format", FIELD_TEXT, &o->format, 0, 0},
        {"columns", FIELD_TEXT, &o->columns, 0, 0},
        {"label_attribute", FIELD_TEXT, &o->label_attribute, 0, 0},
        {"encoding", FIELD_TEXT, &o->encoding, 0, 0},
        {"labels", FIELD_FLAG, &o->labels, 0, 0},
        {"vertices", FIELD_FLAG, &o->vertices, 0, 0},
        {"sample", FIELD_INT64, &o->sample, 0, 0x1p53},
        {"seed", FIELD_SEED, &o->seed, 0, 0},
        {"salvage", FIELD_FLAG, &o->salvage, 0, 0},
        {"box", FIELD_TEXT, &box, 0, 0},
    };
    TRY(option_string_read(call, options, table, sizeof table / sizeof *table));
    return box ? read_box(call, o, box) : 0;
}

int glt_cloud_read(struct glt_cloud **out, const char *path, const char *options)
{
    REQUIRE(out, path);
    struct call call = {0};
    struct format_options o = {0};
    int code = read_options(&call, &o, options);
    if (code == 0)
        code = format_read(out, path, &o);
    call_free(&call);
    return code;
}

int glt_cloud_read_buffer(struct glt_cloud **out, const void *bytes, size_t len,
                          const char *options)
{
    REQUIRE(out, bytes);
    struct call call = {0};
    struct format_options o = {0};
    struct file *f = NULL;
    int code = read_options(&call, &o, options);
    if (code == 0)
        code = file_open_memory(&f, "buffer", bytes, len);
    if (code == 0)
        code = format_read_file(out, f, &o);
    file_close(f);
    call_free(&call);
    return code;
}

int glt_cloud_write_buffer(void **bytes, size_t *len, const struct glt_cloud *c,
                           const char *options)
{
    REQUIRE(bytes, len, c);
    struct call call = {0};
    struct format_options o = {0};
    int code = read_options(&call, &o, options);
    if (code == 0)
        code = format_write_memory(bytes, len, c, &o);
    call_free(&call);
    return code;
}

int glt_cloud_write(const struct glt_cloud *c, const char *path, const char *options)
{
    REQUIRE(path);
    struct call call = {0};
    struct format_options o = {0};
    int code = read_options(&call, &o, options);
    if (code == 0)
        code = format_write(c, path, &o);
    call_free(&call);
    return code;
}
