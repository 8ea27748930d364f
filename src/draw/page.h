/* The page of the viewer: one HTML file with everything in it. The script, the style and the body
 * are those of viewer/; what differs from page to page is a JSON value and sections of bytes.
 *
 * The page's own Content-Security-Policy allows one script and one style by their digests and
 * nothing else: no request, no other script, no text that becomes markup. */
#ifndef DRAW_PAGE_H
#define DRAW_PAGE_H

#include "core/file.h"
#include "core/json.h"

int page_begin(struct file *f, const char *title);
/* Bytes under a name of letters and digits: deflated (RFC 1950), then base64. */
int page_section(struct file *f, const char *name, const void *bytes, size_t n);
/* The value that the script starts from, and the end. */
int page_end(struct file *f, const struct json *value);

#endif
