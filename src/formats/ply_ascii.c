/* The body of ascii PLY: one record per line, numbers separated by blanks. Empty lines are skipped;
 * a line with too few or too many numbers is an error with its number. */
#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/number_print.h"
#include "formats/ply.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <string.h>

static int bad_line(const struct scan *s, const struct element *e, const char *what,
                    const char *name)
{
    if (!s)
        return GLT_EFORMAT; /* said when the line is read alone */
    return error_set(GLT_EFORMAT, "%s: line %" PRId64 ": %s: %s %s", file_name(s->f), s->line,
                     e->name, what, name);
}

/* The items of one list, appended. */
static const char *read_list(struct column *x, int64_t i, const char *at, const char *end,
                             int *code)
{
    uint64_t bits; /* of the length, in its own type: it must fit when it is written back */
    struct column length = {.type = x->counter, .width = 1, .scale = 1, .data = &bits};
    size_t size = type_size(x->type);
    at = scan_value(&bits, x->counter, at, end);
    double len = at ? column_value(&length, 0) : -1;
    /* each item is at least a blank and a digit */
    if (len < 0 || len > (double)((end - at) / 2))
        return NULL;
    int64_t last = x->start[i] + (int64_t)len;
    if ((*code = array_reserve(&x->data, x->start[i], (int64_t)len, size)) < 0)
        return NULL;
    for (int64_t j = x->start[i]; j < last && at; j++)
        at = scan_value((unsigned char *)x->data + (size_t)j * size, x->type, scan_blanks(at, end),
                        end);
    x->start[i + 1] = last;
    return at;
}

static int read_record(struct element *e, const struct scan *s, int64_t i, const char *at,
                       const char *end)
{
    for (int32_t k = 0; k < e->n_columns; k++) {
        struct column *x = &e->columns[k];
        size_t size = type_size(x->type);
        int code = 0;
        at = scan_blanks(at, end);
        if (x->width == 0)
            at = read_list(x, i, at, end, &code);
        else
            at = scan_value((unsigned char *)x->data + (size_t)i * size, x->type, at, end);
        if (code < 0)
            return code;
        if (!at || (at < end && !scan_is_blank(*at)))
            return bad_line(s, e, "no value that fits property", x->name);
    }
    at = scan_blanks(at, end);
    return at == end ? 0
                     : bad_line(s, e, "more values than there are properties, behind",
                                e->columns[e->n_columns - 1].name);
}

static enum scan_kind kind(const char *line, const char *end)
{
    return scan_blanks(line, end) == end ? SCAN_EMPTY : SCAN_ROW;
}

static int read_row(void *user, const struct scan *s, int64_t i, const char *line, const char *end)
{
    return read_record(user, s, i, line, end);
}

static int read_records(struct element *e, struct scan *s)
{
    struct scan_rows rows = {kind, read_row, e};
    bool lists = false;
    for (int32_t k = 0; k < e->n_columns; k++)
        lists = lists || e->columns[k].width == 0;
    for (int64_t i = 0; i < e->n; i++) {
        const char *line, *end;
        if (!lists) /* where a list begins depends on all before it */
            TRY(scan_many(s, &rows, &i, e->n));
        if (i == e->n)
            break;
        do {
            TRY(scan_line(s, &line, &end));
            if (!line)
                return error_set(GLT_EFORMAT,
                                 "%s: the file ends after %" PRId64 " of %" PRId64
                                 " records of element %s: it is cut short or damaged",
                                 file_name(s->f), i, e->n, e->name);
        } while (scan_blanks(line, end) == end);
        TRY(read_record(e, s, i, line, end));
    }
    return 0;
}

static int allocate(struct element *e)
{
    for (int32_t k = 0; k < e->n_columns; k++) {
        struct column *x = &e->columns[k];
        if (x->width == 0 && !(x->start = memory_alloc((size_t)e->n + 1, sizeof *x->start)))
            return GLT_ENOMEM;
        x->data = memory_alloc(x->width ? (size_t)e->n : 0, type_size(x->type));
        if (!x->data)
            return GLT_ENOMEM;
    }
    return 0;
}

int ply_read_ascii(struct element *e, struct file *f, int64_t *line)
{
    if (e->n == 0)
        return allocate(e);
    /* a value is at least a digit and what ends it; the last line may lack its end */
    uint64_t least = 2 * (uint64_t)e->n_columns;
    if ((uint64_t)e->n > ((uint64_t)file_left(f) + 1) / least)
        return error_set(GLT_EFORMAT,
                         "%s: the header declares %" PRId64 " of element %s with %d values each, "
                         "but only %" PRId64 " bytes follow: the file is cut short or damaged",
                         file_name(f), e->n, e->name, e->n_columns, file_left(f));
    TRY(allocate(e));
    struct scan s;
    int code = scan_start(&s, f, *line);
    if (code == 0)
        code = read_records(e, &s);
    if (code == 0)
        code = scan_stop(&s);
    *line = s.line;
    return code;
}

/* Items of one column, each with a blank before it unless it opens the line. */
static int write_items(struct file *f, const struct column *x, int64_t first, int64_t n, bool opens)
{
    char text[NUMBER_PRINT_MOST + 1] = " ";
    size_t size = type_size(x->type);
    for (int64_t j = first; j < first + n; j++, opens = false) {
        const unsigned char *item = (const unsigned char *)x->data + (size_t)j * size;
        size_t len = scan_print(text + 1, x->type, item);
        TRY(file_write(f, text + opens, len + 1 - opens));
    }
    return 0;
}

int ply_write_ascii(const struct element *e, struct file *f)
{
    for (int64_t i = 0; i < e->n; i++) {
        for (int32_t k = 0; k < e->n_columns; k++) {
            const struct column *x = &e->columns[k];
            int64_t first = x->start ? x->start[i] : i;
            int64_t n = x->start ? x->start[i + 1] - first : 1;
            if (x->start)
                TRY(file_print(f, k ? " %" PRId64 : "%" PRId64, n));
            TRY(write_items(f, x, first, n, k == 0 && !x->start));
        }
        TRY(file_write(f, "\n", 1));
    }
    return 0;
}
