/* Writing text, see text_write.h: the shortest numbers that read back the same. A cloud read from
 * text keeps its delimiter and header; otherwise CSV gets a first line of names, PTS a count, and
 * the others a comment of names, which most programs skip, in the first line, where the rest look
 * for it. CSV has no comments: its readers would take them for values. A file without names gets
 * them if a reader would not guess the same names; PTS cannot hold names and loses all other
 * columns. */
#include "formats/text_write.h"

#include "cloud/classes.h"
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/number_print.h"
#include "core/string.h"
#include "formats/columns.h"
#include "formats/scan.h"
#include "formats/view.h"

#include <inttypes.h>
#include <string.h>

enum { NAME_BYTES_MAX = 240 }; /* bytes of a name; with a number appended, a reader's limit */

static bool ends_with(const char *name, const char *end)
{
    size_t n = strlen(name), m = strlen(end);
    return n >= m && string_compare_nocase(name + n - m, end) == 0;
}

static struct text_style choose_style(const struct glt_cloud *c, const struct file *f)
{
    const struct note *came = cloud_note(c, "text.style");
    struct text_style style = {' ', 'c', 0};
    if (came && came->len == sizeof style)
        memcpy(&style, came->bytes, sizeof style);
    if (ends_with(file_name(f), ".csv"))
        style = (struct text_style){came && strchr(",;", style.delimiter) ? style.delimiter : ',',
                                    'h', 0};
    if (ends_with(file_name(f), ".pts"))
        style = (struct text_style){' ', 'n', 0};
    return style;
}

/* Names the columns of c, a copy of the view without names, as a reader would by itself. */
static int guess_names(struct glt_cloud *c, const struct view *v, bool counted)
{
    for (int32_t k = 0; k < v->n; k++) {
        c->columns[k] = v->columns[k];
        c->columns[k].name = memory_string(k < 3 ? names_xyz[k] : "");
        if (!c->columns[k].name)
            return GLT_ENOMEM;
        c->n_columns = k + 1;
    }
    return columns_guess_text(c, counted, NULL);
}

/* Whether a reader would give the columns these names by itself. */
static int names_come_back(struct call *call, bool *out, const struct view *v, bool counted)
{
    struct glt_cloud c = {.n = v->rows};
    *out = v->n >= 3;
    for (int32_t k = 0; k < v->n; k++)
        *out = *out && v->columns[k].width == 1;
    if (!*out)
        return 0;
    c.columns = call_alloc(call, (size_t)v->n, sizeof *c.columns);
    int code = c.columns ? guess_names(&c, v, counted) : GLT_ENOMEM;
    for (int32_t k = 0; k < c.n_columns; k++) {
        *out = *out && !strcmp(c.columns[k].name, names_canonical(v->columns[k].name));
        memory_free(c.columns[k].name);
    }
    return code;
}

static int32_t find_column(const struct view *v, const char *name)
{
    for (int32_t k = 0; k < v->n; k++)
        if (v->columns[k].width == 1 && !strcmp(names_canonical(v->columns[k].name), name))
            return k;
    return -1;
}

/* Keeps the columns of PTS, in its order; a warning names the others. */
static void keep_pts(struct view *v)
{
    static const char *const known[] = {"x", "y", "z", "intensity", "red", "green", "blue"};
    bool colours =
        find_column(v, "red") >= 0 && find_column(v, "green") >= 0 && find_column(v, "blue") >= 0;
    int32_t n = 0;
    for (int i = 0; i < (colours ? 7 : 4); i++) {
        int32_t k = find_column(v, known[i]);
        if (k < 0)
            continue;
        struct column x = v->columns[k];
        v->columns[k] = v->columns[n];
        v->columns[n++] = x;
    }
    for (; v->n > n; v->n--)
        log_warning(GLT_TOPIC_ATTRIBUTE, v->columns[v->n - 1].name,
                    "pts has no place for %s: it is left out", v->columns[v->n - 1].name);
}

/* An error for values that would keep a reader from recognising text. */
static int check_values(const struct view *v)
{
    int64_t values = 0;
    for (int32_t k = 0; k < v->n; k++)
        values += v->columns[k].width;
    if (values > COLUMNS_MAX)
        return error_topic(error_set(GLT_ELIMIT,
                                     "text holds %d values per point at most, these are %" PRId64
                                     ": leave "
                                     "some attributes out, or write npz",
                                     COLUMNS_MAX, values),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    return 0;
}

/* Writes each name as one word: a blank or delimiter inside would make it two, and a spreadsheet
 * would evaluate a name that begins like a formula. */
static int write_names(struct file *f, const struct view *v, struct text_style style)
{
    bool first = true;
    char delimiter = style.delimiter;
    for (int32_t k = 0; k < v->n; k++)
        for (int32_t j = 0; j < v->columns[k].width; j++, first = false) {
            if (!first)
                TRY(file_write(f, &delimiter, 1));
            const char *name = *v->columns[k].name ? v->columns[k].name : "_";
            const char *end = name + strnlen(name, NAME_BYTES_MAX);
            for (const char *s = name; s < end; s++) {
                bool gap = (unsigned char)*s <= ' ' || *s == delimiter || strchr(",;\"'", *s) ||
                           (s == name && style.header == 'h' && strchr("=+-@", *s));
                TRY(file_write(f, gap ? "_" : s, 1));
            }
            if (v->columns[k].width > 1)
                TRY(file_print(f, "_%d", j));
        }
    return file_write(f, "\n", 1);
}

static int write_comment(struct file *f, const char *text)
{
    do {
        size_t len = strcspn(text, "\r\n");
        TRY(file_print(f, "# %.*s\n", (int)len, text));
        text += len + (text[len] != 0);
    } while (*text);
    return 0;
}

/* Writes the comments that were before the names, or the others. */
static int write_comments(const struct glt_cloud *c, struct file *f, int32_t before, bool others)
{
    for (int32_t i = 0, plain = 0; i < c->n_comments; i++) {
        int32_t number;
        const char *name;
        bool early = !classes_comment(&number, &name, c->comments[i]) && plain++ < before;
        if (early != others)
            TRY(write_comment(f, c->comments[i]));
    }
    return 0;
}

static int write_opening(const struct glt_cloud *c, struct file *f, const struct view *v,
                         struct text_style style)
{
    if (style.header == 'n')
        return file_print(f, "%" PRId64 "\n", c->n);
    int32_t before = style.header == 'c' ? style.before : 0;
    TRY(write_comments(c, f, before, false));
    if (style.header == 'c')
        TRY(file_print(f, "# "));
    if (style.header != '0')
        TRY(write_names(f, v, style));
    return ends_with(file_name(f), ".csv") ? 0 : write_comments(c, f, before, true);
}

static int write_point(struct file *f, const struct view *v, int64_t i, char delimiter)
{
    char line[4096];
    size_t at = 0;
    for (int32_t k = 0; k < v->n; k++) {
        const struct column *x = &v->columns[k];
        size_t size = type_size(x->type);
        const unsigned char *items = x->data;
        for (int64_t j = 0; j < x->width; j++) {
            if (at > sizeof line - NUMBER_PRINT_MAX - 2) {
                TRY(file_write(f, line, at));
                at = 0;
            }
            if (k || j)
                line[at++] = delimiter;
            at += scan_print(line + at, x->type, items + (size_t)(i * x->width + j) * size);
        }
    }
    line[at++] = '\n';
    return file_write(f, line, at);
}

int text_write(struct call *call, const struct glt_cloud *c, struct file *f,
               const struct format_options *o)
{
    struct view v;
    struct text_style style = choose_style(c, f);
    bool named = true, csv = ends_with(file_name(f), ".csv");
    (void)o;
    TRY(view_make(call, &v, c, "text", false));
    TRY(check_values(&v));
    if (style.header != 'c' && style.header != 'h')
        TRY(names_come_back(call, &named, &v, style.header == 'n'));
    named = named && (c->n > 0 || style.header != '0'); /* else the file would be empty */
    if ((csv || style.header == 'n') && c->classes.n)
        log_warning(GLT_TOPIC_CLASSES, NULL,
                    "%s has no place for names of classes: they are left out (ply, las, npz, pcd "
                    "and txt keep them)",
                    csv ? "csv" : "pts");
    if (!named && ends_with(file_name(f), ".pts"))
        keep_pts(&v);
    else if (!named)
        style.header = 'c';
    TRY(write_opening(c, f, &v, style));
    for (int64_t i = 0; i < c->n; i++)
        TRY(write_point(f, &v, i, style.delimiter));
    return 0;
}
