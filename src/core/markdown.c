/* Text inside Markdown: see markdown.h. Markup is escaped. Code, where nothing can be escaped, is
 * fenced with more backticks than it has in a row itself. */
#include "core/markdown.h"

#include <stdbool.h>
#include <string.h>

void markdown_text(struct string *s, const char *text)
{
    for (char before = 0; *text; before = *text++) {
        bool mark = strchr("\\`*[]<>|~&", *text) ||
                    (*text == '_' &&
                     !(string_is_alnum(before) && string_is_alnum(text[1]))); /* metric_name */
        string_add(s, "%s%c", mark ? "\\" : "", strchr("\r\n", *text) ? ' ' : *text);
    }
}

/* Backticks: one more than the text has in a row, at least `least`. */
static size_t fence_length(const char *text, size_t least)
{
    for (const char *at = text; (at = strchr(at, '`'));) {
        size_t row = strspn(at, "`");
        least = row >= least ? row + 1 : least;
        at += row;
    }
    return least;
}

static void add_fence(struct string *s, size_t length)
{
    while (length-- > 0)
        string_add_bytes(s, "`", 1);
}

void markdown_code(struct string *s, const char *text)
{
    size_t length = fence_length(text, 1);
    const char *gap = length > 1 ? " " : ""; /* a backtick at an end would join the fence */
    add_fence(s, length);
    string_add(s, "%s", gap);
    for (; *text; text++)
        string_add_bytes(s, strchr("\r\n", *text) ? " " : text, 1);
    string_add(s, "%s", gap);
    add_fence(s, length);
}

void markdown_block(struct string *s, const char *text)
{
    size_t length = fence_length(text, 3);
    add_fence(s, length);
    string_add(s, "\n%s", text);
    add_fence(s, length);
    string_add(s, "\n");
}
