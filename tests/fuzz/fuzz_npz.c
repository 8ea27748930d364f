/* The reader of npz files: see fuzz_cloud.h.
 * covers: formats/npz.c formats/npz_layout.c formats/arrays_file.c formats/zip.c
 * but: arrays_read read_npy select_note read_note select_rows npz_layout_is_kept_scale
 * but: npz_layout_kept zip_create zip_count zip_has zip_begin zip_put zip_end zip_finish zip_free
 * but: write_local write_central flags_of mark_of drain
 * but: arrays_read_file walk_member */
#include "fuzz_cloud.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    return fuzz_cloud(data, size, "npz");
}
