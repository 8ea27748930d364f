/* COPC: the nodes that a box meets: see fuzz_cloud.h. Inputs: `test_copc --corpus FOLDER`.
 * covers: formats/copc.c */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    static const double box[4] = {-300, -300, 500, 500};
    return fuzz_read(data, size, &(struct format_options){.format = "laz", .box = box});
}
