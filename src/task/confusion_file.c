/* Confusion matrices as CSV (RFC 4180): see confusion_file.h. */
#include "task/confusion_file.h"

#include "core/csv.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "core/number.h"
#include "core/string.h"

#include <stdbool.h>
#include <string.h>

enum { CLASSES_MAX = 4096, LINE_BYTES = 1 << 20 };

static void add_all(struct string *s, const struct confusion *c, char *const *names)
{
    string_add(s, "truth\\predicted");
    for (int32_t i = 0; i < c->classes; i++) {
        string_add(s, ",");
        csv_add(s, names[i]);
    }
    for (int32_t i = 0; i < c->classes; i++) {
        string_add(s, "\n");
        csv_add(s, names[i]);
        for (int32_t k = 0; k < c->classes; k++)
            string_add(s, ",%lld", (long long)c->count[(int64_t)i * c->classes + k]);
    }
    string_add(s, "\n");
}

int confusion_file_write(const char *path, const struct confusion *c, char *const *names)
{
    struct string s = {0};
    char *text;
    add_all(&s, c, names);
    size_t len = (size_t)s.len;
    TRY(string_take(&text, &s));
    int code = file_put(path, text, len);
    memory_free(text);
    return code;
}

/* --- reading --- */

/* Cuts the next cell off a line, in place; NULL after the last. */
static char *next_cell(char **line)
{
    char *cell = *line, *to = cell, *from = cell;
    if (!cell)
        return NULL;
    if (*from == '"') {
        for (from++; *from && (*from != '"' || from[1] == '"'); from++) {
            from += *from == '"';
            *to++ = *from;
        }
        from += *from == '"';
    } else {
        from += strcspn(from, ",");
        to = from;
    }
    *line = *from == ',' ? from + 1 : NULL;
    *to = 0;
    return cell;
}

static int read_names(struct confusion_file *m, char *line, const char *path)
{
    next_cell(&line);
    for (char *cell; (cell = next_cell(&line));) {
        if (m->classes.n == CLASSES_MAX)
            return error_topic(error_in(GLT_ELIMIT, path, "more than %d classes", CLASSES_MAX),
                               GLT_TOPIC_SIZE_LIMIT, NULL);
        TRY(classes_add(&m->classes, *cell == '\'' && csv_is_formula(cell) ? cell + 1 : cell));
    }
    if (m->classes.n == 0)
        return error_topic(
            error_place(error_in(GLT_EFORMAT, path, "line 1 names no class"), GLT_PLACE_LINE, 1),
            GLT_TOPIC_VALUE, NULL);
    return confusion_create(&m->confusion, m->classes.n);
}

static int read_row(struct confusion_file *m, int32_t row, char *line, const char *path)
{
    int32_t n = m->confusion.classes;
    next_cell(&line);
    for (int32_t k = 0; k < n; k++) {
        const char *cell = next_cell(&line);
        int64_t *count = &m->confusion.count[(int64_t)row * n + k];
        if (!cell || !number_is_int(count, cell) || *count < 0)
            return error_topic(error_at(GLT_EFORMAT, path, GLT_PLACE_LINE, row + 2,
                                        "cell %d is not a count", k + 2),
                               GLT_TOPIC_VALUE, NULL);
    }
    return 0;
}

static int read_all(struct confusion_file *m, struct file *f, const char *path)
{
    char *line;
    size_t len;
    TRY(file_line(f, &line, &len, LINE_BYTES));
    if (!line)
        return error_topic(error_in(GLT_EFORMAT, path, "it is empty"), GLT_TOPIC_TRUNCATED, NULL);
    TRY(read_names(m, line, path));
    for (int32_t i = 0; i < m->confusion.classes; i++) {
        TRY(file_line(f, &line, &len, LINE_BYTES));
        if (!line)
            return error_topic(
                error_in(GLT_EFORMAT, path, "%d rows, expected %d", i, m->confusion.classes),
                GLT_TOPIC_TRUNCATED, NULL);
        TRY(read_row(m, i, line, path));
    }
    return confusion_check(&m->confusion) < 0 ? error_prefix_file(GLT_EFORMAT, path) : 0;
}

int confusion_file_read(struct confusion_file *out, const char *path)
{
    struct file *f;
    struct confusion_file m = {0};
    TRY(file_open(&f, path));
    int code = read_all(&m, f, path);
    file_close(f);
    if (code < 0)
        confusion_file_free(&m);
    else
        *out = m;
    return code;
}

void confusion_file_free(struct confusion_file *m)
{
    classes_free(&m->classes);
    confusion_free(&m->confusion);
}
