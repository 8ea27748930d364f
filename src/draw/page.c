/* The page of the viewer: see page.h. */
#include "draw/page.h"

#include "core/call.h"
#include "core/error.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "draw/html.h"

#include "viewer_files.h"
#include <string.h>
#include <zlib.h>

enum { SHA256 = 32, LEVEL = 5 };

/* 'sha256-...' of a digest in hex */
static int print_source(struct file *f, const char *hex)
{
    unsigned char bytes[SHA256];
    for (int i = 0; i < SHA256; i++) {
        char pair[3] = {hex[2 * i], hex[2 * i + 1], 0};
        bytes[i] = (unsigned char)strtoul(pair, NULL, 16);
    }
    TRY(file_print(f, "'sha256-"));
    TRY(html_base64(f, bytes, sizeof bytes));
    return file_print(f, "'");
}

static int print_policy(struct file *f)
{
    TRY(file_print(f, "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                      "script-src "));
    TRY(print_source(f, viewer_script_sha256));
    TRY(file_print(f, "; style-src "));
    TRY(print_source(f, viewer_style_sha256));
    return file_print(f, "; base-uri 'none'; form-action 'none'; "
                         "require-trusted-types-for 'script'; trusted-types 'none'\">\n");
}

int page_begin(struct file *f, const char *title)
{
    TRY(file_print(f, "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"));
    TRY(print_policy(f));
    TRY(file_print(f,
                   "<meta name=\"viewport\" content=\"width=device-width, "
                   "initial-scale=1\">\n<meta name=\"generator\" content=\"gelatto %s\">\n",
                   glt_version()));
    TRY(html_element(f, "title", title));
    TRY(file_print(f, "<style>"));
    TRY(file_write(f, viewer_style, viewer_style_size));
    TRY(file_print(f, "</style>\n</head>\n<body>\n"));
    return file_write(f, viewer_body, viewer_body_size);
}

static int pack(unsigned char **out, uLongf *len, struct call *call, const void *bytes, size_t n)
{
    *len = compressBound((uLong)n);
    *out = call_alloc(call, *len, 1);
    if (!*out)
        return GLT_ENOMEM;
    if (compress2(*out, len, n ? bytes : (const void *)"", (uLong)n, LEVEL) != Z_OK)
        return error_topic(error_set(GLT_ENOMEM, "out of memory for packing a page"),
                           GLT_TOPIC_MEMORY, NULL);
    return 0;
}

int page_section(struct file *f, const char *name, const void *bytes, size_t n)
{
    struct call call = {0};
    unsigned char *packed;
    uLongf len;
    int code = pack(&packed, &len, &call, bytes, n);
    if (code == 0)
        code = file_print(f, "<script type=\"application/octet-stream\" id=\"%s\">", name);
    if (code == 0)
        code = html_base64(f, packed, len);
    if (code == 0)
        code = file_print(f, "</script>\n");
    call_free(&call);
    return code;
}

/* Text in which nothing can end the element: "<" only stands inside of JSON strings. */
static int print_json(struct file *f, const char *text)
{
    while (*text) {
        size_t plain = strcspn(text, "<");
        TRY(file_write(f, text, plain));
        text += plain;
        if (*text) {
            TRY(file_print(f, "\\u003c"));
            text++;
        }
    }
    return 0;
}

int page_end(struct file *f, const struct json *value)
{
    char *text;
    size_t len;
    TRY(json_print(&text, &len, value));
    int code = file_print(f, "<script type=\"application/json\" id=\"page\">");
    if (code == 0)
        code = print_json(f, text);
    memory_free(text);
    TRY(code);
    TRY(file_print(f, "</script>\n<script type=\"module\">"));
    TRY(file_write(f, viewer_script, viewer_script_size));
    return file_print(f, "</script>\n</body>\n</html>\n");
}
