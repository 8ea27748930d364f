/* Text clouds, shared by reader and writer. */
#ifndef FORMATS_TEXT_H
#define FORMATS_TEXT_H

#include "formats/format.h"

/* How a text file looked, kept in the note "text.style" and written again. */
struct text_style {
    char delimiter; /* ' ', '\t' (which reads as ' '), ',' or ';' */
    char header;    /* '0' none, 'h' a first line of names, 'c' a comment of names, 'n' a count */
    unsigned char before; /* comments before that of names; names of classes stand behind it */
};

int text_write(const struct glt_cloud *c, struct file *f, const struct format_options *o);

/* --- lines --- */
/* A stray control byte (some editions of S3DIS have them) separates as a blank does. */
static inline bool text_is_gap(char c, char delimiter)
{
    return (unsigned char)c <= ' ' || c == delimiter;
}

static inline const char *text_skip_gap(const char *at, const char *end, char delimiter)
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

static inline const char *text_trim(const char *at, const char *end)
{
    while (end > at && (unsigned char)end[-1] <= ' ')
        end--;
    return end;
}

static inline bool text_is_comment(const char *at, const char *end)
{
    if (at == end)
        return false;
    return *at == '#' || *at == '%' || *at == '!' || *at == ';' ||
           (*at == '/' && end - at > 1 && at[1] == '/');
}

/* --- headers --- */
/* Words of a header line, quotes removed, each with a blank behind it, and how many; NULL and 0 of
 * more than a cloud has attributes. Release with memory_free. */
int text_split_names(char **names, int32_t *n, const char *at, const char *end, char delimiter);
/* Whether the names can only be a header: x, y and z are among them. */
bool text_names_xyz(const char *names);

#endif
