/* LAZ: the chunks of any bytes, every second input salvaged: see fuzz_cloud.h. Inputs:
 * `test_laz --corpus FOLDER`.
 * covers: formats/laz.c formats/las_unpacked.c formats/laz_point10.c formats/laz_point14.c
 * covers: formats/laz_time.c formats/laz_colour.c formats/laz_wave.c formats/laz_bytes.c
 * but: encode_v1 encode_v2 encode13 encode14 laz_time_encode encode_far multiple_of is_near
 * but: changes step_of */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    return fuzz_read(data, size, &(struct format_options){.format = "laz", .salvage = size % 2});
}
