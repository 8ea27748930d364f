/* Label files: see label_file.h. */
#include "datasets/label_file.h"

#include "cloud/labels.h"
#include "core/error.h"
#include "core/file.h"
#include "core/number.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "formats/format.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { LINE_MAX = 256 };

int label_file_refuse(const char *path, int64_t found, int64_t n)
{
    return error_topic(error_in(GLT_EDATA, path,
                                "%" PRId64 " labels for a cloud of %" PRId64
                                " points; give one for each point, in the same order",
                                found, n),
                       GLT_TOPIC_LABELS, NULL);
}

static int read_npy(int32_t *labels, int64_t n, struct file *f)
{
    struct arrays a = {0};
    TRY(arrays_read_file(&a, f));
    int code = 0;
    if (a.n < 1 || a.items[0].count != n)
        code = label_file_refuse(file_name(f), a.n ? a.items[0].count : 0, n);
    for (int64_t i = 0; code == 0 && i < n; i++) {
        double value = 0;
        code = arrays_values(&value, GLT_F64, &a.items[0], i, 1);
        if (code == 0)
            code = labels_number(&labels[i], value, i, file_name(f));
    }
    arrays_free(&a);
    return code;
}

static int read_raw(int32_t *labels, int64_t n, struct file *f)
{
    for (int64_t i = 0; i < n; i++) {
        uint32_t wide = 0;
        uint8_t narrow = 0;
        if (file_size(f) == 4 * n)
            TRY(file_read_u32le(f, &wide));
        else
            TRY(file_read_u8(f, &narrow));
        labels[i] = (int32_t)(wide & 0xffff) + narrow;
    }
    return 0;
}

static int read_text(int32_t *labels, int64_t n, struct file *f)
{
    char *line;
    size_t len;
    int64_t at = 0;
    for (;;) {
        double value;
        TRY(file_line(f, &line, &len, LINE_MAX));
        if (!line)
            break;
        while (len > 0 && (unsigned char)line[len - 1] <= ' ')
            len--;
        if (len == 0)
            continue;
        const char *end = number_parse_double(&value, line, line + len);
        int32_t label;
        if (!end || end != line + len)
            return error_topic(error_at(GLT_EFORMAT, file_name(f), GLT_PLACE_LINE,
                                        file_line_number(f), "expected one whole number a line"),
                               GLT_TOPIC_SYNTAX, NULL);
        TRY(labels_number(&label, value, at, file_name(f)));
        if (at < n)
            labels[at] = label;
        at++;
    }
    return at == n ? 0 : label_file_refuse(file_name(f), at, n);
}

int label_file_parse(int32_t *labels, int64_t n, struct file *f)
{
    const char *dot = strrchr(file_name(f), '.');
    if (dot && !strcmp(dot, ".npy"))
        return read_npy(labels, n, f);
    if (!dot || strcmp(dot, ".label"))
        return read_text(labels, n, f);
    if (file_size(f) != n && file_size(f) != 4 * n)
        return label_file_refuse(file_name(f), file_size(f) / 4, n);
    return read_raw(labels, n, f);
}

bool label_file_is_cloud(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".ply") || !strcmp(dot, ".pcd") || !strcmp(dot, ".las") ||
                   !strcmp(dot, ".laz"));
}

int label_file_read(int32_t *labels, int64_t n, const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    int code = label_file_parse(labels, n, f);
    file_close(f);
    return code;
}
