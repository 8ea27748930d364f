/* COPC: the nodes that a box meets: see fuzz_cloud.h. Inputs: `test_copc --corpus FOLDER`.
 * covers: formats/copc.c */
#include "fuzz_cloud.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const double box[4] = {-300, -300, 500, 500};
    struct format_options o = {.format = "laz", .box = box};
    struct glt_cloud *c = NULL;
    struct file *f;
    int64_t before = memory_stats().bytes;
    if (file_open_memory(&f, "input", data, size) < 0)
        return 0;
    int code = format_read_file(&c, f, &o);
    file_close(f);
    if (code == 0) {
        fuzz_use(c);
        cloud_free(c);
    } else {
        PROPERTY(code < 0 && glt_error_message()[0] != 0);
    }
    PROPERTY(memory_stats().bytes == before);
    return 0;
}
