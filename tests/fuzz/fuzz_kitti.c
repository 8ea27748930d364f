/* SemanticKITTI scans with their labels: the first byte says how the rest is shared between the
 * two files, and whether the columns are named. See fuzz_cloud.h for what must hold.
 * covers: formats/kitti.c
 * but: label_of kitti_label_file warn_of_old_labels warn_of_loss place_labels
 * but: find_labels label_path open_labels */
#include "core/call.h"
#include "core/file.h"
#include "formats/format.h"
#include "formats/kitti.h"
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    static const char *const columns[] = {NULL, NULL, "x,y,z", "x,y,z,-,label"};
    static const unsigned bytes[] = {0, 1, 4, 4};     /* of labels, for ... */
    static const unsigned floats[] = {4, 6, 3, 5, 7}; /* ... this many floats */
    if (size == 0)
        return 0;
    unsigned how = *data++, label = bytes[how % 4], row = 4 * floats[how / 16 % 5];
    size--;
    size_t n = size / (row + label), scan = label ? size - n * label : size;
    struct format_options o = {.columns = columns[how / 4 % 4]};
    struct glt_cloud *c = NULL;
    struct file *f = NULL, *labels = NULL;
    PROPERTY(cloud_new(&c, 0) == 0);
    PROPERTY(file_open_memory(&f, "input.bin", data, scan) == 0);
    if (label)
        PROPERTY(file_open_memory(&labels, "input.label", data + scan, size - scan) == 0);
    struct call call = {0};
    int code = kitti_read(&call, c, f, labels, &o);
    call_free(&call);
    PROPERTY(code == 0 || (code < 0 && glt_error_message()[0] != 0));
    if (code == 0)
        fuzz_use(c);
    file_close(labels);
    file_close(f);
    cloud_free(c);
    return fuzz_cloud(data - 1, size + 1, "kitti"); /* a scan alone */
}
