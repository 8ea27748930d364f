/* Real LAZ, COPC and E57 files cut at every length: an error whose place is the chunk or the page
 * where the bytes end. What stands after the chunk table of a LAS 1.2 file is declared nowhere: cut
 * there, it is read whole. Tiers below nightly take every 13th length. Without the data it is
 * skipped. labels: full nightly */
#include "core/file.h"
#include "core/memory.h"
#include "formats/little.h"
#include "io_cloud.h"
#include "real_data.h"
#include "tier.h"

enum { UNDECLARED = 32 };

static const double box[4] = {-1e9, -1e9, 1e9, 1e9};

static const struct {
    const char *name;
    const double *box;
} files[] = {
    {"reader_conformance/las/laz-perf__point10.las.laz", NULL},
    {"reader_conformance/las/laz-perf__point-time-1.4.las.laz", NULL},
    {"reader_conformance/las/las-rs__autzen.laz", NULL},
    {"reader_conformance/las/las-rs__autzen.copc.laz", NULL},
    {"reader_conformance/las/las-rs__autzen.copc.laz", box},
    {"reader_conformance/e57/PDAL__A_B.e57", NULL},
};

/* The bytes in memory of their own, so that a sanitizer sees every byte beyond. */
static int read_cut(int64_t *n, const char *bytes, size_t len, const double *within)
{
    struct format_options o = {.box = within};
    struct glt_cloud *c = NULL;
    struct file *f;
    char *copy = memory_alloc(len, 1);
    memcpy(copy, bytes, len);
    assert_int_equal(file_open_memory(&f, "cut", copy, len), 0);
    int code = format_read_file(&c, f, &o);
    file_close(f);
    *n = code == 0 ? c->n : -1;
    if (code == 0)
        cloud_free(c);
    memory_free(copy);
    return code;
}

/* The header of a LAS file says nothing of chunks before it is whole. */
static enum glt_place place_of(const char *bytes, size_t cut)
{
    if (memcmp(bytes, "LASF", 4) != 0)
        return GLT_PLACE_PAGE;
    return cut < little_get((const unsigned char *)bytes + 94, 2) ? GLT_PLACE_BYTE
                                                                  : GLT_PLACE_CHUNK;
}

static void every_truncation_names_its_chunk_or_page(void **state)
{
    (void)state;
    size_t step = (size_t)tier_pick(13, 13, 1), cuts = 0, whole = 0;
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        char path[REAL_DATA_PATH], *bytes;
        size_t len;
        int64_t n, all;
        assert_int_equal(file_read_all(&bytes, &len, real_data(path, files[i].name), 1 << 20), 0);
        assert_int_equal(read_cut(&all, bytes, len, files[i].box), 0);
        for (size_t cut = 8; cut < len; cut += step, cuts++) {
            int code = read_cut(&n, bytes, cut, files[i].box);
            bool kept = code == 0 && n == all && len - cut <= UNDECLARED;
            whole += kept;
            if (kept)
                continue;
            if (code != GLT_EFORMAT || glt_error_place(place_of(bytes, cut)) < 0)
                fail_msg("%s cut at %zu of %zu: %d %s", path, cut, len, code, glt_error_message());
        }
        memory_free(bytes);
    }
    print_message("%zu truncations, %zu of them after all that is declared\n", cuts, whole);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_truncation_names_its_chunk_or_page)};
    return real_data_code(cmocka_run_group_tests(tests, NULL, NULL));
}
