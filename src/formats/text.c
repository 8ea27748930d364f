/* Text clouds: XYZ, TXT, CSV, PTS, ASC. One point per line.
 *
 * The first lines decide the style: comments (# // % ! ;) are kept unless one names the columns, a
 * line of one number before wider ones is a count (PTS), a line of words names the columns, commas
 * or semicolons may separate values. All lines must have as many values as the first. The lines are
 * counted first, so memory is allocated once. Columns of whole numbers become integers of the
 * smallest fitting type. */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/number.h"
#include "formats/columns.h"
#include "formats/format.h"
#include "formats/scan.h"
#include "formats/text_write.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* --- lines --- */

/* A stray control byte (as in some editions of S3DIS) separates like a blank. */
static bool is_gap(char c, char delimiter)
{
    return (unsigned char)c <= ' ' || c == delimiter;
}

static const char *skip_gap(const char *at, const char *end, char delimiter)
{
    while (at < end && (unsigned char)*at <= ' ')
        at++;
    if (at < end && *at == delimiter && delimiter != ' ') {
        at++;
        while (at < end && (unsigned char)*at <= ' ')
            at++;
    }
    return at;
}

static const char *trim(const char *at, const char *end)
{
    while (end > at && (unsigned char)end[-1] <= ' ')
        end--;
    return end;
}

static bool is_comment(const char *at, const char *end)
{
    if (at == end)
        return false;
    return *at == '#' || *at == '%' || *at == '!' || *at == ';' ||
           (*at == '/' && end - at > 1 && at[1] == '/');
}

/* The number of values in a line, or -1 if it has anything else. */
static int32_t count_values(const char *at, const char *end, char delimiter)
{
    int32_t n = 0;
    double v;
    for (at = skip_gap(at, end, ' '); at < end; at = skip_gap(at, end, delimiter), n++) {
        at = number_parse_double(&v, at, end);
        if (!at || (at < end && !is_gap(*at, delimiter)) || n == COLUMNS_MAX)
            return -1;
    }
    return n;
}

static char find_delimiter(const char *line, const char *end)
{
    char found = ' ';
    for (; line < end && found != ';'; line++)
        found = *line == ';' || *line == ',' ? *line : found;
    return found;
}

/* --- names in a header ---
 *
 * Words between delimiters, quoted or not. A blank inside a name becomes "_", because names are
 * written as words of a line. */

/* Whether a word of a header ends here: at its quote or at a delimiter. Blanks delimit words only
 * if there is no other delimiter ("scan angle,label"). */
static bool ends_word(char c, char quote, char delimiter)
{
    if (quote)
        return c == quote;
    return delimiter == ' ' ? is_gap(c, ' ') : c == delimiter;
}

/* The words of a header line, unquoted, each followed by a blank, and their number; NULL and 0 if
 * there are more than a cloud can have attributes. */
static int split_names(struct call *call, char **out, int32_t *n, const char *at, const char *end,
                       char delimiter)
{
    enum { NAME_BYTES_MAX = 255 };
    /* every byte may be a word, but this is enough for the maximum number of them */
    size_t max = (size_t)COLUMNS_MAX * (NAME_BYTES_MAX + 1), len = 0;
    size_t capacity = 2 * (size_t)(end - at) + 2;
    capacity = capacity < max ? capacity : max;
    char *names = call_alloc(call, capacity + 2, 1);
    if (!names)
        return GLT_ENOMEM;
    *n = 0;
    for (at = skip_gap(at, end, ' '); at < end; at = skip_gap(at, end, delimiter)) {
        char quote = *at == '"' || *at == '\'' ? *at : 0;
        const char *word = at += quote != 0;
        while (at < end && !ends_word(*at, quote, delimiter))
            at++;
        const char *stop = quote ? at : trim(word, at);
        if (*n == COLUMNS_MAX || len + (size_t)(stop - word) + 2 > capacity) {
            *out = NULL;
            *n = 0;
            return 0;
        }
        if (stop == word)
            names[len++] = '-'; /* a column without a name is skipped, as with the option */
        for (; word < stop; word++)
            names[len++] = (unsigned char)*word <= ' ' ? '_' : *word;
        names[len++] = ' ';
        at += quote && at < end;
        ++*n;
    }
    names[len] = 0;
    *out = names;
    return 0;
}

/* Whether the names can only be a header: x, y and z are among them. */
static bool names_have_xyz(const char *names)
{
    int found = 0;
    while (*names) {
        char word[64];
        size_t len = strcspn(names, " ");
        snprintf(word, sizeof word, "%.*s", (int)len, names);
        const char *name = names_canonical(word);
        found |= !strcmp(name, "x") ? 1 : !strcmp(name, "y") ? 2 : !strcmp(name, "z") ? 4 : 0;
        names += len + (names[len] == ' ');
    }
    return found == 7;
}

/* --- opening --- */

struct opening {
    struct text_style style;
    char *names; /* separated by blanks; NULL without a header */
    int32_t n_names, n_columns;
    int64_t offset, line; /* of the first point */
    int64_t declared;     /* -1 without a count */
};

static int take_comment(struct glt_cloud *c, const char *at, const char *end)
{
    while (at < end && strchr("#%!;/", *at))
        at++;
    at = skip_gap(at, end, ' ');
    char *copy = memory_alloc((size_t)(end - at) + 1, 1);
    if (!copy)
        return GLT_ENOMEM;
    memcpy(copy, at, (size_t)(end - at));
    int code = cloud_add_comment(c, copy);
    memory_free(copy);
    return code;
}

/* A comment with a word for every column, x, y and z among them, is no comment but their names
 * ("//X Y Z R G B"). */
static int find_names(struct call *call, struct opening *o, struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_comments && !o->names; i++) {
        const char *at = c->comments[i], *end = at + strlen(at);
        char *names;
        const char *class;
        int32_t n, number;
        TRY(split_names(call, &names, &n, at, end, find_delimiter(at, end)));
        /* in a file without points any such comment names the columns */
        if ((o->n_columns && n != o->n_columns) || !names || !names_have_xyz(names)) {
            o->style.before += o->style.before < UINT8_MAX && !classes_comment(&number, &class, at);
            continue;
        }
        o->names = names;
        o->n_names = n;
        o->style.header = 'c';
        cloud_remove_comment(c, i);
        TRY(cloud_read_classes(c));
    }
    return 0;
}

static int not_text(const struct scan *s, const char *at, const char *end)
{
    return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line,
                                "\"%.*s\" is neither a line of numbers nor a header "
                                "that names x, y and z",
                                (int)(end - at < 40 ? end - at : 40), at),
                       GLT_TOPIC_SYNTAX, NULL);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* "1,5 2,5 3,5" or "1,5;2,5;3,5": commas inside values, something else between them. */
static bool has_decimal_commas(const char *at, const char *end)
{
    bool inside = false, between = false;
    for (const char *p = at + 1; p + 1 < end; p++) {
        inside = inside || (*p == ',' && is_digit(p[-1]) && is_digit(p[1]));
        if (is_digit(p[-1]) && is_gap(*p, ';')) {
            const char *next = skip_gap(p, end, ' ');
            between = between || (next < end && *next != ',');
        }
    }
    return inside && between;
}

static bool is_one_word(const char *at, const char *end)
{
    while (at < end && !is_gap(*at, ',') && *at != ';')
        at++;
    return at == end;
}

/* Examines the first line that is neither empty nor a comment. */
static int take_first(struct call *call, struct opening *o, struct scan *s, const char *at,
                      const char *end, bool *begun)
{
    char delimiter = find_delimiter(at, end);
    int32_t n = count_values(at, end, delimiter);
    if ((n >= 3 || (delimiter == ';' && strchr("+-0123456789", *at))) &&
        has_decimal_commas(at, end))
        return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line,
                                    "\"%.*s\" has commas inside its values: write "
                                    "decimals with points (1.5), or commas between all values",
                                    (int)(end - at < 40 ? end - at : 40), at),
                           GLT_TOPIC_SYNTAX, NULL);
    if (n >= 3) {
        bool tabs = delimiter == ' ' && memchr(at, '\t', (size_t)(end - at));
        o->style.delimiter = tabs ? '\t' : delimiter;
        o->n_columns = n;
        *begun = true;
        return 0;
    }
    uint64_t count;
    if (o->declared < 0 && !o->names && number_parse_unsigned(&count, at, end) &&
        (n == 1 || (n < 0 && is_one_word(at, end))) && count < INT64_MAX) {
        o->declared = (int64_t)count;
        o->style.header = 'n';
        return 0;
    }
    if (o->names || n >= 0)
        return not_text(s, at, end);
    TRY(split_names(call, &o->names, &o->n_names, at, end, delimiter));
    if (!o->names || !names_have_xyz(o->names))
        return not_text(s, at, end);
    o->style.header = 'h';
    return 0;
}

static int read_opening(struct call *call, struct opening *o, struct glt_cloud *c, struct file *f)
{
    struct scan s;
    TRY(scan_start(&s, f, 0));
    for (bool begun = false; !begun;) {
        const char *line, *end;
        o->offset = file_offset(f) + (int64_t)s.used;
        o->line = s.line;
        TRY(scan_line(&s, &line, &end));
        if (!line)
            break;
        if (memchr(line, 0, (size_t)(end - line)))
            return error_topic(
                error_place(error_in(GLT_EFORMAT, file_name(f),
                                     "line %" PRId64 " holds zero bytes: this is not text", s.line),
                            GLT_PLACE_LINE, s.line),
                GLT_TOPIC_SYNTAX, NULL);
        o->offset = file_offset(f) + (int64_t)s.used - (s.at - line);
        const char *at = skip_gap(line, end, ' ');
        end = trim(at, end);
        if (at == end)
            continue;
        if (is_comment(at, end))
            TRY(take_comment(c, at, end));
        else
            TRY(take_first(call, o, &s, at, end, &begun));
    }
    TRY(find_names(call, o, c));
    TRY(scan_stop(&s));
    return file_seek(f, o->offset);
}

/* --- points --- */

static enum scan_kind kind(const char *line, const char *end)
{
    const char *at = skip_gap(line, end, ' ');
    return at == end ? SCAN_EMPTY : is_comment(at, end) ? SCAN_OTHER : SCAN_ROW;
}

/* Counts lines with values from here to the end; the offset does not change. */
static int count_points(int64_t *out, struct file *f)
{
    struct scan s;
    struct scan_rows rows = {kind, NULL, NULL};
    int64_t begin = file_offset(f);
    TRY(scan_start(&s, f, 0));
    TRY(scan_count(&s, &rows, out));
    return file_seek(f, begin);
}

static bool is_stray(char c)
{
    return (unsigned char)c < ' ' && !scan_is_blank(c);
}

struct reading {
    struct glt_cloud *c;
    const struct opening *o;
    _Atomic bool
        *misfit; /* (n_columns) a column of integers has another value; NULL without such columns */
};

/* Reads one value of a column; if it does not fit an integer, the column is marked as real. */
static const char *take_value(const struct reading *r, int32_t k, int64_t i, const char *at,
                              const char *end)
{
    const struct column *x = &r->c->columns[k];
    if (x->type == GLT_F64)
        return number_parse_double((double *)x->data + i, at, end);
    const char *next = scan_value((int64_t *)x->data + i, x->type, at, end);
    if (next && (next == end || is_gap(*next, r->o->style.delimiter)))
        return next;
    double v;
    r->misfit[k] = true;
    return number_parse_double(&v, at, end);
}

static int read_point(void *user, const struct scan *s, int64_t i, const char *at, const char *end)
{
    const struct reading *r = user;
    struct glt_cloud *c = r->c;
    const struct opening *o = r->o;
    for (int32_t k = 0; k < c->n_columns; k++) {
        at = skip_gap(at, end, k ? o->style.delimiter : ' ');
        const char *next = take_value(r, k, i, at, end);
        if (!s &&
            (!next || (next < end && (!is_gap(*next, o->style.delimiter) || is_stray(*next)))))
            return GLT_EFORMAT; /* reported when the line is read alone */
        if (!next || (next < end && !is_gap(*next, o->style.delimiter)))
            return error_topic(error_at(GLT_EFORMAT, file_name(s->f), GLT_PLACE_LINE, s->line,
                                        "value %d of %d: found \"%.*s\", expected a "
                                        "number",
                                        k + 1, c->n_columns, (int)(end - at < 20 ? end - at : 20),
                                        at),
                               GLT_TOPIC_VALUE, NULL);
        if (next < end && is_stray(*next))
            log_warning(GLT_TOPIC_SYNTAX, NULL,
                        "%s: line %" PRId64 ": byte %d is taken for a blank", file_name(s->f),
                        s->line, *next);
        at = next;
    }
    at = skip_gap(at, end, o->style.delimiter); /* a delimiter may follow the last value too */
    if (at != end && !s)
        return GLT_EFORMAT;
    if (at != end)
        return error_topic(
            error_place(error_in(GLT_EFORMAT, file_name(s->f),
                                 "line %" PRId64 " has more than the %d values of the "
                                 "lines before",
                                 s->line, c->n_columns),
                        GLT_PLACE_LINE, s->line),
            GLT_TOPIC_SHAPE, NULL);
    return 0;
}

static int read_points(struct glt_cloud *c, struct file *f, const struct opening *o,
                       _Atomic bool *misfit, bool again)
{
    struct scan s;
    struct reading reading = {c, o, misfit};
    struct scan_rows rows = {kind, read_point, &reading};
    TRY(scan_start(&s, f, o->line));
    for (int64_t i = 0; i < c->n;) {
        const char *line, *end;
        TRY(scan_many(&s, &rows, &i, c->n));
        if (i == c->n)
            break;
        TRY(scan_line(&s, &line, &end));
        if (!line)
            break;
        const char *at = skip_gap(line, end, ' ');
        if (at == end)
            continue;
        if (is_comment(at, end)) {
            if (!again)
                TRY(take_comment(c, at, end));
            continue;
        }
        TRY(read_point(&reading, &s, i, at, end));
        i++;
    }
    return scan_stop(&s);
}

static bool is_signed(const struct column *x, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        if (((const uint64_t *)x->data)[i] > INT64_MAX)
            return false;
    return true;
}

/* Beyond 2^53 doubles lose digits: columns of such whole numbers are read again, as integers, and
 * those that turn out to hold other numbers a third time. */
static int read_large(struct call *call, struct glt_cloud *c, struct file *f,
                      const struct opening *o)
{
    bool found = false, misfits = false;
    for (int32_t k = 0; k < c->n_columns; k++) {
        c->columns[k].type = column_large_type(&c->columns[k], c->n);
        found = found || c->columns[k].type != GLT_F64;
    }
    if (!found)
        return 0;
    _Atomic bool *misfit = call_alloc(call, (size_t)c->n_columns, sizeof *misfit);
    if (!misfit)
        return GLT_ENOMEM;
    TRY(file_seek(f, o->offset));
    TRY(read_points(c, f, o, misfit, true));
    for (int32_t k = 0; k < c->n_columns; k++) {
        struct column *x = &c->columns[k];
        misfits = misfits || misfit[k];
        x->type = misfit[k]                                  ? GLT_F64
                  : x->type == GLT_U64 && is_signed(x, c->n) ? GLT_I64
                                                             : x->type;
    }
    if (!misfits)
        return 0;
    TRY(file_seek(f, o->offset));
    return read_points(c, f, o, misfit, true);
}

/* Names from the option, the header, or a guess. */
static int give_names(struct glt_cloud *c, struct opening *o, const char *columns, const char *file)
{
    if (columns)
        return columns_name(c, columns, file);
    size_t len = o->names ? strlen(o->names) : 0;
    if (len > 0 && o->n_names != c->n_columns)
        return error_topic(
            error_in(GLT_EFORMAT, file,
                     "the header names %d columns, the lines below have %d values: correct "
                     "it, or name the columns",
                     o->n_names, c->n_columns),
            GLT_TOPIC_SHAPE, NULL);
    if (len > 0) {
        o->names[len - 1] = 0;
        for (char *s = o->names; *s; s++)
            *s = *s == ',' ? '_' : *s == ' ' ? ',' : *s;
        return columns_name(c, o->names, file);
    }
    return columns_guess_text(c, o->declared >= 0, file);
}

/* Declares o->n_columns values for every point. */
static int declare(struct glt_cloud *c, struct file *f, const struct opening *o)
{
    struct column *x;
    TRY(count_points(&c->n, f));
    if (o->declared >= 0 && o->declared != c->n)
        log_warning(GLT_TOPIC_SHAPE, NULL, "%s declares %" PRId64 " points and holds %" PRId64,
                    file_name(f), o->declared, c->n);
    if (o->declared >= 0 && o->declared < c->n)
        c->n = o->declared;
    for (int32_t k = 0; k < o->n_columns; k++) {
        char name[16];
        snprintf(name, sizeof name, "c%d", k);
        TRY(cloud_declare(&x, c, k < 3 ? names_xyz[k] : name, GLT_F64, 1));
    }
    return cloud_allocate(c);
}

/* Coordinates and normals are real numbers even where all happen to be whole. */
static bool is_real(const struct column *x)
{
    const char *name = names_canonical(x->name);
    size_t len = strlen(name);
    return (len == 1 || (len == 2 && name[0] == 'n')) && strchr("xyz", name[len - 1]);
}

static int read(struct call *call, struct glt_cloud *c, struct file *f,
                const struct format_options *options)
{
    struct opening o = {.style = {' ', '0', 0}, .declared = -1};
    TRY(read_opening(call, &o, c, f));
    if (o.n_columns == 0) /* no points, but their columns are known */
        o.n_columns = o.names ? o.n_names : o.declared == 0 ? 3 : 0;
    if (o.n_columns == 0)
        return error_topic(
            error_file(
                error_set(GLT_EFORMAT, "%s holds no line of at least three numbers", file_name(f)),
                file_name(f)),
            GLT_TOPIC_MISSING, NULL);
    TRY(declare(c, f, &o));
    TRY(read_points(c, f, &o, NULL, false));
    TRY(read_large(call, c, f, &o));
    TRY(give_names(c, &o, options->columns, file_name(f)));
    for (int32_t k = 0; k < c->n_columns; k++)
        if (!is_real(&c->columns[k]))
            TRY(column_shrink(&c->columns[k], c->n));
    return cloud_set_note(c, "text.style", &o.style, sizeof o.style);
}

const struct format format_text = {.name = "text",
                                   .extensions = "xyz txt csv pts asc xyzn xyzrgb pwn",
                                   .read = read,
                                   .write = text_write,
                                   .encodings = "ascii",
                                   .unlabelled = "pts",
                                   .unnamed = true};
