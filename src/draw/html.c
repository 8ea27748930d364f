/* Pages: see html.h. */
#include "draw/html.h"

#include "core/error.h"
#include "core/file_write.h"

#include <string.h>

static const char style[] =
    "body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1.2em;"
    "color:#20242c;background:#fff}"
    "h1{font-size:1.7em;margin:0 0 .2em;overflow-wrap:anywhere}"
    "h2{font-size:1.2em;margin:2em 0 .6em;padding-bottom:.2em;border-bottom:1px solid #d8dbe2}"
    "h3{font-size:1em;margin:1.4em 0 .4em}p{margin:.4em 0}"
    ".lead{color:#5a6270}svg,img{max-width:100%;height:auto}figure{margin:1em 0}"
    "figcaption{color:#5a6270;font-size:.9em}"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;margin:.4em 0}"
    "td,th{padding:.16em .7em;border-bottom:1px solid #e4e6eb;text-align:right}"
    "th{font-weight:600;background:#f5f6f8}td:first-child,th:first-child{text-align:left}"
    ".keys td{text-align:left;overflow-wrap:anywhere}"
    ".keys td:first-child{white-space:nowrap;color:#5a6270}.own td{font-weight:600}"
    ".chip{display:inline-block;width:.8em;height:.8em;margin-right:.5em;border:1px solid #0003}"
    ".bar{min-width:7em;background:linear-gradient(#cfe0f7,#cfe0f7) no-repeat 0/var(--w) 100%}"
    ".pair{display:flex;flex-wrap:wrap;gap:0 3em;align-items:flex-start}.pair>div{flex:1 1 "
    "24em}"
    ".big{font-size:1.15em}.big b{margin:0 1.2em 0 .3em}"
    "pre{background:#f5f6f8;padding:.8em;overflow:auto;font-size:.85em;line-height:1.4}"
    "summary{cursor:pointer;font-weight:600;margin:.6em 0}";

int html_text(struct file *f, const char *text)
{
    for (;;) {
        size_t plain = strcspn(text, "<>&\"");
        if (plain)
            TRY(file_write(f, text, plain));
        text += plain;
        if (!*text)
            return 0;
        TRY(file_print(f, "%s",
                       *text == '<'   ? "&lt;"
                       : *text == '>' ? "&gt;"
                       : *text == '&' ? "&amp;"
                                      : "&quot;"));
        text++;
    }
}

int html_element(struct file *f, const char *tag, const char *text)
{
    TRY(file_print(f, "<%s>", tag));
    TRY(html_text(f, text));
    return file_print(f, "</%s>\n", tag);
}

int html_begin(struct file *f, const char *title)
{
    TRY(file_print(f, "<!doctype html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n"
                      "<meta name=\"viewport\" content=\"width=device-width\">\n"));
    TRY(html_element(f, "title", title));
    TRY(file_print(f, "<style>%s</style>\n", style));
    return html_element(f, "h1", title);
}

int html_end(struct file *f)
{
    return file_print(f, "</html>\n");
}

int html_base64(struct file *f, const unsigned char *bytes, size_t n)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char text[4096];
    size_t len = 0;
    for (size_t i = 0; i < n; i += 3) {
        uint32_t v = (uint32_t)bytes[i] << 16;
        v |= i + 1 < n ? (uint32_t)bytes[i + 1] << 8 : 0;
        v |= i + 2 < n ? bytes[i + 2] : 0;
        text[len++] = digits[v >> 18];
        text[len++] = digits[v >> 12 & 63];
        text[len++] = i + 1 < n ? digits[v >> 6 & 63] : '=';
        text[len++] = i + 2 < n ? digits[v & 63] : '=';
        if (len == sizeof text || i + 3 >= n) {
            TRY(file_write(f, text, len));
            len = 0;
        }
    }
    return 0;
}

int html_image(struct file *f, const char *png, size_t n, const char *caption)
{
    TRY(file_print(f, "<figure><img alt=\"\" src=\"data:image/png;base64,"));
    TRY(html_base64(f, (const unsigned char *)png, n));
    TRY(file_print(f, "\">"));
    TRY(html_element(f, "figcaption", caption));
    return file_print(f, "</figure>\n");
}
