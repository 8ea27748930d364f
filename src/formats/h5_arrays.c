/* Reading HDF5 datasets: see h5.h. libhdf5 is one lock for all threads, as its plain build demands,
 * and silent: it would print its errors. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "formats/h5.h"

#ifdef GELATTO_HDF5
#include <hdf5.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum { ARRAYS_MOST = 4096, OBJECTS_MOST = 4096, DEPTH_MOST = 16 };

struct visit {
    struct arrays *out;
    const char *name;
    uint64_t file_size;
    int code, depth, objects;
    char path[1024]; /* of the object in hand */
};

static hid_t memory_type(enum glt_type type)
{
    hid_t types[] = {H5T_NATIVE_INT8,  H5T_NATIVE_UINT8,  H5T_NATIVE_INT16, H5T_NATIVE_UINT16,
                     H5T_NATIVE_INT32, H5T_NATIVE_UINT32, H5T_NATIVE_INT64, H5T_NATIVE_UINT64,
                     H5T_NATIVE_FLOAT, H5T_NATIVE_DOUBLE};
    return types[type];
}

/* Our type for a dataset's, or -1 if it holds no plain numbers. */
static int type_of(hid_t type)
{
    size_t size = H5Tget_size(type);
    int base = size == 1 ? GLT_I8 : size == 2 ? GLT_I16 : size == 4 ? GLT_I32 : GLT_I64;
    if (size != 1 && size != 2 && size != 4 && size != 8)
        return -1;
    if (H5Tget_class(type) == H5T_FLOAT)
        return size == 4 ? GLT_F32 : size == 8 ? GLT_F64 : -1;
    if (H5Tget_class(type) != H5T_INTEGER)
        return -1;
    return base + (H5Tget_sign(type) == H5T_SGN_NONE);
}

/* Shape and size of a dataset; false if it is not one we read. */
static bool describe(struct array *a, struct array_field *field, hid_t set)
{
    hid_t type = H5Dget_type(set), space = H5Dget_space(set);
    hsize_t shape[ARRAY_DIMS];
    int kind = type >= 0 ? type_of(type) : -1, n = H5Sget_simple_extent_ndims(space);
    bool good = kind >= 0 && n >= 0 && n <= ARRAY_DIMS &&
                H5Sget_simple_extent_dims(space, shape, NULL) == n;
    if (good) {
        field->type = (enum glt_type)kind;
        field->kind = kind == GLT_F32 || kind == GLT_F64 ? 'f' : kind % 2 ? 'u' : 'i';
        field->size = type_size(field->type);
        field->width = 1;
        a->n_dims = n;
        a->item_size = field->size;
        a->count = 1;
        for (int d = 0; d < n; d++) {
            good = good && shape[d] <= INT64_MAX;
            a->shape[d] = good ? (int64_t)shape[d] : 0;
            good = good && !__builtin_mul_overflow(a->count, a->shape[d], &a->count);
        }
    }
    H5Tclose(type);
    H5Sclose(space);
    return good;
}

static int read_set(struct visit *v, hid_t set, const char *name)
{
    struct array a = {0};
    struct array_field field = {0};
    size_t bytes;
    if (!describe(&a, &field, set))
        return 0;
    /* deflate makes at most 1032 bytes of one, and fill values need none: bound both */
    if (__builtin_mul_overflow((size_t)a.count, a.item_size, &bytes) ||
        bytes / 1032 > v->file_size || (bytes > 1 << 24 && bytes / 64 > v->file_size))
        return error_set(GLT_EFORMAT, "%s: dataset %s declares more than the file can hold",
                         v->name, name);
    a.fields = memory_alloc(1, sizeof *a.fields);
    a.data = memory_alloc(bytes, 1);
    a.name = memory_string(name);
    field.name = memory_string("");
    if (a.fields) {
        a.fields[0] = field;
        a.n_fields = 1;
    } else {
        memory_free(field.name);
    }
    int code = a.fields && a.data && a.name && field.name ? 0 : GLT_ENOMEM;
    if (code == 0 && a.count > 0 &&
        H5Dread(set, memory_type(field.type), H5S_ALL, H5S_ALL, H5P_DEFAULT, a.data) < 0)
        code = error_set(GLT_EFORMAT,
                         "%s: dataset %s cannot be read: it is damaged or packed by "
                         "a filter that is not installed",
                         v->name, name);
    struct array *more = code == 0 && v->out->n < ARRAYS_MOST
                             ? memory_resize(v->out->items, (size_t)v->out->n + 1, sizeof *more)
                             : NULL;
    if (code == 0 && !more)
        code = GLT_ENOMEM;
    if (code < 0) {
        array_clear(&a);
        return code;
    }
    v->out->items = more;
    v->out->items[v->out->n++] = a;
    return 0;
}

/* One link of a group: a dataset is read, a group walked. H5Ovisit would follow a damaged file's
 * groups round and round; here depth and number are bounded. Links to other files are left alone.
 */
static herr_t visit(hid_t group, const char *name, const H5L_info_t *info, void *user)
{
    struct visit *v = user;
    size_t len = strlen(v->path);
    if (info->type != H5L_TYPE_HARD)
        return 0;
    if (++v->objects > OBJECTS_MOST || v->depth == DEPTH_MOST ||
        len + strlen(name) + 2 > sizeof v->path) {
        v->code = error_set(GLT_EFORMAT, "%s: more than %d objects or %d groups in each other",
                            v->name, OBJECTS_MOST, DEPTH_MOST);
        return -1;
    }
    hid_t object = H5Oopen(group, name, H5P_DEFAULT);
    if (object < 0)
        return 0;
    herr_t result = 0;
    snprintf(v->path + len, sizeof v->path - len, "%s%s", len ? "/" : "", name);
    if (H5Iget_type(object) == H5I_DATASET) {
        v->code = read_set(v, object, v->path);
        result = v->code < 0 ? -1 : 0;
    } else if (H5Iget_type(object) == H5I_GROUP) {
        v->depth++;
        result = H5Literate(object, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, v);
        v->depth--;
    }
    v->path[len] = 0;
    H5Oclose(object);
    return result;
}

/* The image as a file of libhdf5, which takes its own copies; ours is released at once. */
static hid_t open_image(unsigned char *bytes, size_t len)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), f = -1;
    bool good = access >= 0 && H5Pset_fapl_core(access, 1 << 16, 0) >= 0 &&
                H5Pset_file_image(access, bytes, len) >= 0;
    memory_free(bytes);
    if (good)
        f = H5Fopen("image", H5F_ACC_RDONLY, access);
    if (access >= 0)
        H5Pclose(access);
    return f;
}

static int read_image(struct arrays *out, const char *name, unsigned char *bytes, size_t len)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    struct visit v = {.out = out, .name = name, .file_size = len};
    pthread_mutex_lock(&lock);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    hid_t f = open_image(bytes, len);
    if (f < 0)
        v.code = error_set(GLT_EFORMAT, "%s: the HDF5 file is damaged", name);
    else if (H5Literate(f, H5_INDEX_NAME, H5_ITER_INC, NULL, visit, &v) < 0 && v.code == 0)
        v.code = error_set(GLT_EFORMAT, "%s: the tree of the HDF5 file is damaged", name);
    if (f >= 0)
        H5Fclose(f);
    pthread_mutex_unlock(&lock);
    return v.code;
}

int h5_read_arrays(struct arrays *out, struct file *f)
{
    struct arrays all = {0};
    size_t len = (size_t)file_size(f);
    unsigned char *bytes = memory_alloc(len, 1);
    if (!bytes)
        return GLT_ENOMEM;
    int code = file_seek(f, 0);
    if (code == 0)
        code = file_read(f, bytes, len);
    if (code < 0)
        memory_free(bytes);
    else
        code = read_image(&all, file_name(f), bytes, len);
    if (code < 0)
        arrays_free(&all);
    else
        *out = all;
    return code;
}
#else
int h5_read_arrays(struct arrays *out, struct file *f)
{
    (void)out;
    return error_set(GLT_EUNSUPPORTED,
                     "%s is HDF5, and this build has no libhdf5: build with libhdf5-dev, or "
                     "convert it to NPZ",
                     file_name(f));
}
#endif
