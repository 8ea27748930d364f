/* The arrays of a file: see arrays_file.h. An .npz file is a zip archive of .npy members. */
#include "formats/arrays_file.h"

#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/h5.h"
#include "formats/h5_arrays.h"
#include "formats/npy.h"
#include "formats/source.h"
#include "formats/zip.h"

#include <string.h>

enum { PROBE_BYTES = 4096 };

static int read_npy(struct arrays *out, struct file *f)
{
    struct source_file s = source_of_file(f);
    out->items = memory_alloc(1, sizeof *out->items);
    if (!out->items)
        return GLT_ENOMEM;
    TRY(npy_read_array(out->items, &s.source));
    out->n = 1;
    out->items->name = memory_string("");
    return out->items->name ? 0 : GLT_ENOMEM;
}

/* Reads a member's shape; with `data`, its values too. */
static int read_member(struct array *out, const struct zip_member *m, struct file *f, bool data)
{
    struct source *s;
    bool fortran;
    TRY(zip_open(&s, m, f));
    int code = data ? npy_read_array(out, s) : npy_read_header(out, &fortran, s);
    zip_close(s);
    if (code < 0)
        return error_prefix(code, "%s: member ", file_name(f));
    size_t len = strlen(m->name);
    out->name = memory_alloc(len + 1, 1);
    if (!out->name)
        return GLT_ENOMEM;
    memcpy(out->name, m->name, len > 4 && !strcmp(m->name + len - 4, ".npy") ? len - 4 : len);
    return 0;
}

/* Unpacks a member whose shape was read before. */
static int load_member(struct array *a, const struct zip_member *m, struct file *f)
{
    TRY(zip_check(m, f));
    arrays_clear(a);
    *a = (struct array){0};
    return read_member(a, m, f, true);
}

static int read_npz(struct call *call, struct arrays *out, struct file *f, arrays_wanted *wanted,
                    void *user)
{
    struct zip_member *members;
    size_t n;
    uint64_t left = arrays_limit((uint64_t)file_size(f));
    TRY(zip_list(call, &members, &n, f));
    out->items = memory_alloc(n, sizeof *out->items);
    if (!out->items)
        return GLT_ENOMEM;
    for (size_t i = 0; i < n; i++) /* counted while incomplete, so that an error frees it */
        TRY(read_member(&out->items[out->n++], &members[i], f, false));
    for (size_t i = 0; i < n; i++) {
        if (wanted && !wanted(user, out, (int32_t)i))
            continue;
        if (members[i].size > left)
            return error_topic(
                error_in(GLT_ELIMIT, file_name(f),
                         "member %s: the arrays unpack to more than %d times the size of "
                         "the file; store them uncompressed",
                         members[i].name, ARRAYS_RATIO),
                GLT_TOPIC_SIZE_LIMIT, members[i].name);
        left -= members[i].size;
        TRY(load_member(&out->items[i], &members[i], f));
    }
    return 0;
}

int arrays_read_wanted(struct arrays *out, struct file *f, arrays_wanted *wanted, void *user)
{
    struct arrays a = {0};
    struct call call = {0};
    int code = read_npz(&call, &a, f, wanted, user);
    call_free(&call);
    if (code < 0)
        arrays_free(&a);
    else
        *out = a;
    return code;
}

int arrays_read_file(struct arrays *out, struct file *f)
{
    struct arrays a = {0};
    const unsigned char *bytes;
    size_t len;
    TRY(file_peek(f, &bytes, &len, PROBE_BYTES));
    len = len < PROBE_BYTES ? len : PROBE_BYTES;
    bool npy = npy_probe(bytes, len);
    bool hdf5 = h5_probe(bytes, len);
    if (!npy && !hdf5)
        return arrays_read_wanted(out, f, NULL, NULL);
    int code = npy ? read_npy(&a, f) : h5_read_arrays(&a, f);
    if (code < 0)
        arrays_free(&a);
    else
        *out = a;
    return code;
}

int arrays_read(struct arrays *out, const char *path)
{
    struct file *f;
    TRY(file_open(&f, path));
    int code = arrays_read_file(out, f);
    file_close(f);
    return code;
}
