/* Clouds in .npz archives: see npz_layout.h. */
#include "formats/npz_layout.h"

#include "cloud/names.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/string.h"
#include "formats/npy.h"
#include "formats/source.h"

#include <stdio.h>
#include <string.h>

int npz_layout_rank(const char *name)
{
    static const char *const coordinates[NPZ_RANKS] = {"xyz",   "points", "pos",
                                                       "coord", "coords", "position"};
    for (int i = 0; i < NPZ_RANKS; i++)
        if (string_compare_nocase(coordinates[i], name) == 0)
            return i;
    return NPZ_RANKS;
}

const char *const *npz_layout_columns(const char *name)
{
    static const struct {
        const char *array;
        const char *const *columns;
    } groups[] = {{"rgb", names_rgb},
                  {"color", names_rgb},
                  {"colors", names_rgb},
                  {"normals", names_normal},
                  {"normal", names_normal}};
    for (size_t i = 0; i < sizeof groups / sizeof *groups; i++)
        if (string_compare_nocase(groups[i].array, name) == 0)
            return groups[i].columns;
    return NULL;
}

bool npz_layout_is_scale(const char *name, int64_t count)
{
    return (count == 1 || count == 3) && (!strcmp(name, "scale") || !strcmp(name, "origin"));
}

static note_select select_note;

int npz_layout_keep(struct call *call, struct glt_cloud *c, const struct array *a)
{
    size_t len = 0, bytes = (size_t)a->count * a->item_size;
    char *header = NULL, *key = call_print(call, NPZ_NOTE "%s", a->name);
    TRY(key ? npy_make_header(call, &header, &len, a) : GLT_ENOMEM);
    char *all =
        memory_alloc(len + bytes, 1); /* not from the call: it may be large, and one of many */
    if (!all)
        return GLT_ENOMEM;
    memcpy(all, header, len);
    if (bytes)
        memcpy(all + len, a->data, bytes);
    int code = cloud_set_point_note(c, key, all, len + bytes, select_note);
    memory_free(all);
    return code;
}

const char *npz_layout_kept(const struct note *note)
{
    size_t len = strlen(NPZ_NOTE);
    return strncmp(note->key, NPZ_NOTE, len) == 0 ? note->key + len : NULL;
}

/* Reads the array that a note keeps, under its name. */
static int read_note(struct array *a, const struct note *note)
{
    struct file *f;
    TRY(file_open_memory(&f, note->key, note->bytes, note->len));
    struct source_file source = source_of_file(f);
    int code = npy_read_array(a, &source.source);
    file_close(f);
    if (code == 0 && !(a->name = memory_string(npz_layout_kept(note))))
        code = GLT_ENOMEM;
    return code;
}

/* Reduces an array with one row for each of n points to the given rows. */
static int select_rows(struct array *a, const int64_t *rows, int64_t n_rows, int64_t n)
{
    size_t row = (size_t)(a->count / n) * a->item_size;
    unsigned char *data = memory_alloc((size_t)n_rows, row);
    if (!data)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n_rows && row; i++)
        memcpy(data + (size_t)i * row, a->data + (size_t)rows[i] * row, row);
    memory_free(a->data);
    a->data = data;
    a->count = a->count / n * n_rows;
    a->shape[0] = n_rows;
    return 0;
}

/* An array with a row for each point keeps only the chosen ones. */
static int select_note(struct glt_cloud *to, const struct note *note, const int64_t *rows,
                       int64_t n)
{
    struct call call = {0};
    struct array a = {0};
    int code = read_note(&a, note);
    if (code == 0 && a.n_dims > 0 && a.shape[0] == n && n > 0)
        code = select_rows(&a, rows, to->n, n);
    if (code == 0)
        code = npz_layout_keep(&call, to, &a);
    arrays_clear(&a);
    call_free(&call);
    return code;
}

bool npz_layout_is_kept_scale(const struct note *note)
{
    struct array a = {0};
    bool good = read_note(&a, note) == 0;
    bool scale = !good || (arrays_is_plain(&a) && npz_layout_is_scale(a.name, a.count));
    arrays_clear(&a);
    return scale;
}
