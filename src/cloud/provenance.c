/* Provenance of labels: see provenance.h. */
#include "cloud/provenance.h"

#include "core/error.h"

#include <string.h>

static const char prefix[] = "gelatto ", note[] = "provenance";

/* "version 0.1.0": the length of a known key; 0 if it is none. */
static size_t key_length(const char *line)
{
    static const char *const keys[] = {"version", "commit",   "time",    "model",
                                       "digest",  "protocol", "options", "warning"};
    size_t len = strcspn(line, " ");
    for (size_t i = 0; i < sizeof keys / sizeof *keys && line[len] && line[len + 1]; i++)
        if (strlen(keys[i]) == len && !strncmp(line, keys[i], len))
            return len;
    return 0;
}

const char *provenance_comment(const char *comment)
{
    size_t len = sizeof prefix - 1;
    return !strncmp(comment, prefix, len) && key_length(comment + len) ? comment + len : NULL;
}

static void forget(struct glt_cloud *c)
{
    for (int32_t i = c->n_comments; i-- > 0;)
        if (provenance_comment(c->comments[i]))
            cloud_remove_comment(c, i);
}

int provenance_read(struct glt_cloud *c, const char *bytes, size_t len)
{
    char text[sizeof prefix + PROVENANCE_LINE];
    const char *end = bytes + len;
    for (int n = 0; bytes < end && n < PROVENANCE_MAX; n++) {
        const char *stop = memchr(bytes, '\n', (size_t)(end - bytes));
        size_t line = (size_t)((stop ? stop : end) - bytes);
        if (line < PROVENANCE_LINE) {
            memcpy(text, prefix, sizeof prefix - 1);
            memcpy(text + sizeof prefix - 1, bytes, line);
            text[sizeof prefix - 1 + line] = 0;
            if (provenance_comment(text) && string_control(text) < 0)
                TRY(cloud_add_comment(c, text));
        }
        bytes += line + 1;
    }
    return 0;
}

int provenance_set(struct glt_cloud *c, const char *lines, bool comments)
{
    TRY(cloud_set_note(c, note, lines, comments ? 0 : strlen(lines)));
    if (!comments)
        return 0;
    forget(c);
    return provenance_read(c, lines, strlen(lines));
}

void provenance_print(struct string *out, const struct glt_cloud *c)
{
    int n = 0;
    for (int32_t i = 0; i < c->n_comments && n < PROVENANCE_MAX; i++) {
        const char *line = provenance_comment(c->comments[i]);
        if (!line || strlen(line) >= PROVENANCE_LINE)
            continue;
        string_add(out, "%s\n", line);
        n++;
    }
}

/* --- the public interface --- */

int glt_cloud_provenance(char **out, const struct glt_cloud *c)
{
    REQUIRE(out, c);
    struct string text = {0};
    const struct note *own = cloud_note(c, note);
    if (own && own->len)
        string_add(&text, "%s", (const char *)own->bytes);
    else
        provenance_print(&text, c);
    return string_take(out, &text);
}
