/* Scanning text: lines of a file without copies, and numbers in them. */
#ifndef FORMATS_SCAN_H
#define FORMATS_SCAN_H

#include "gelatto.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct file;

struct scan {
    struct file *f;
    const char *at, *stop; /* the unread part of the window */
    size_t used;           /* bytes of the window already read */
    int64_t line;          /* number of the last line, from the start of the scan */
    char separator;        /* '\n', or '\r' in files that have no '\n' */
    int64_t alone;         /* scan_many does nothing up to this offset */
};

/* Starts at the file's offset, after a byte order mark; first_line = number of lines before it. */
int scan_start(struct scan *s, struct file *f, int64_t first_line);
/* The next line [*line, *end) without its end, valid until the next call; *line = NULL after the
 * last. */
int scan_line(struct scan *s, const char **line, const char **end);
/* Sets the file's offset after the last line. */
int scan_stop(struct scan *s);

/* The error for a line over a limit: "more than 256 elements are not read". */
int scan_limit(const struct file *f, int64_t line, int64_t max, const char *what);

/* --- many lines at once --- */
enum scan_kind { SCAN_EMPTY, SCAN_ROW, SCAN_OTHER };
struct scan_rows {
    enum scan_kind (*kind)(const char *line, const char *end);
    /* Row i. Without a scan it is called from any thread. If it has something to report it returns
     * non-zero, and is called again, in order, with a scan. */
    int (*row)(void *user, const struct scan *s, int64_t i, const char *line, const char *end);
    void *user;
};
/* Counts the rows from here to the end of the file. */
int scan_count(struct scan *s, const struct scan_rows *rows, int64_t *n);
/* Reads rows *i .. n - 1 with all threads as far as it can; *i advances to the next one. The caller
 * reads that line itself, then calls again. */
int scan_many(struct scan *s, const struct scan_rows *rows, int64_t *i, int64_t n);

static inline bool scan_is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f';
}

static inline const char *scan_blanks(const char *at, const char *end)
{
    while (at < end && scan_is_blank(*at))
        at++;
    return at;
}

/* The next word of *rest, terminated in place; NULL at the end. */
char *scan_word(char **rest);

/* Reads up to max numbers from *at on, which moves past them. Returns how many, or -1 if there is
 * anything but numbers and blanks. */
int scan_numbers(double *dst, int max, const char **at, const char *end);
/* One value of `type` that begins at `at`; NULL if there is none or it does not fit. Integers may
 * be written as whole reals (3.0, 1e2). The value ends with the number. */
const char *scan_value(void *dst, enum glt_type type, const char *at, const char *end);
/* The text of one value: shortest that reads back the same; NUMBER_PRINT_MAX bytes. */
size_t scan_print(char *dst, enum glt_type type, const void *src);

#endif
