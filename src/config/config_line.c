/* An option as a line of YAML that config_read takes back to the same value.
 *
 * What is made of letters, digits and a few marks stands as it is; anything else (a path with ": "
 * or " #", nothing at all) stands in double quotes, where only quotes, backslashes and control
 * characters need an escape. Bytes above 127 pass as they are: YAML is UTF-8. */
#include "config/config.h"
#include "core/error.h"

#include <stdio.h>
#include <string.h>

enum { VALUE = 512 };

static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,-";

/* A mark in front may mean something: "- a" is a list. */
static bool is_plain(const char *value)
{
    return *value && !strchr("-,", *value) && !value[strspn(value, plain)];
}

static void quote(char *dst, const char *value) /* dst: 4 bytes for each, and 3 */
{
    *dst++ = '"';
    for (const char *p = value; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c == '"' || c == '\\')
            dst += sprintf(dst, "\\%c", c);
        else if (c < 0x20 || c == 0x7f)
            dst += sprintf(dst, "\\x%02x", (unsigned)c);
        else
            *dst++ = *p;
    }
    strcpy(dst, "\"");
}

int glt_config_line(const struct glt_config *config, const char *key, char *text, size_t size)
{
    GIVEN(config, key, text);
    char value[VALUE], quoted[4 * VALUE + 3];
    TRY(config_get((const struct config *)config, key, value, sizeof value));
    if (!is_plain(value))
        quote(quoted, value);
    int len = snprintf(text, size, "%s: %s", key, is_plain(value) ? value : quoted);
    if (len < 0 || (size_t)len >= size)
        return error_set(GLT_EARGUMENT, "%s: %zu bytes do not hold its line", key, size);
    return 0;
}
