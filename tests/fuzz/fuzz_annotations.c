/* An object of a room as S3DIS publishes it: a cloud of six attributes and two labels, or an error
 * that names the line.
 * covers: datasets/annotations.c
 * but: annotations_read annotations_classes class_of read_objects */
#include "core/file.h"
#include "datasets/annotations.h"
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    struct glt_cloud *c = NULL;
    struct file *f = NULL;
    PROPERTY(file_open_memory(&f, "chair_1.txt", data, size) == 0);
    int code = annotations_read_object(&c, f, 7);
    if (code == 0) {
        PROPERTY(c->n_columns == 8 && (c->n == 0 || column_value(&c->columns[6], c->n - 1) == 7));
        fuzz_use(c);
        cloud_free(c);
    } else {
        PROPERTY(strstr(glt_error_file(), "chair_1.txt") != NULL);
    }
    file_close(f);
    return 0;
}
