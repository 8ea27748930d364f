/* HDF5 in the ModelNet layout, and with one dataset per coordinate. */
#include "io_cloud.h"

#include "faults.h"
#include "formats/npy.h"

#ifdef GELATTO_HDF5
#include <hdf5.h>

static void put(hid_t f, const char *name, int dims, const hsize_t *shape, hid_t file_type,
                hid_t type, const void *data)
{
    hid_t space = H5Screate_simple(dims, shape, NULL), links = H5Pcreate(H5P_LINK_CREATE);
    H5Pset_create_intermediate_group(links, 1);
    hid_t set = H5Dcreate2(f, name, file_type, space, links, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0 && H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
    H5Dclose(set);
    H5Pclose(links);
    H5Sclose(space);
}

static void test_modelnet(void **state)
{
    (void)state;
    float data[2][3][3], normal[2][3][3] = {{{0}}};
    uint8_t label[2] = {7, 9};
    for (int i = 0; i < 18; i++)
        (&data[0][0][0])[i] = (float)i;
    hid_t f = H5Fcreate(scratch("a.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put(f, "data", 3, (hsize_t[]){2, 3, 3}, H5T_IEEE_F32BE, H5T_NATIVE_FLOAT, data);
    put(f, "normal", 3, (hsize_t[]){2, 3, 3}, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, normal);
    put(f, "label", 2, (hsize_t[]){2, 1}, H5T_STD_U8LE, H5T_NATIVE_UINT8, label);
    H5Fclose(f);
    struct glt_cloud *c;
    assert_int_equal(cloud_read(&c, scratch("a.h5"), NULL), 0);
    assert_int_equal(c->n, 6);
    assert_true(((float *)cloud_attribute(c, "y")->data)[4] == 13);
    assert_int_equal(((int32_t *)cloud_attribute(c, "label")->data)[3], 9);
    assert_int_equal(((int32_t *)cloud_attribute(c, "shape")->data)[5], 1);
    assert_non_null(cloud_attribute(c, "nz"));
    cloud_free(c);
    struct arrays a;
    assert_int_equal(arrays_read(&a, scratch("a.h5")), 0);
    assert_int_equal(arrays_find(&a, "data")->shape[1], 3);
    arrays_free(&a);
    assert_int_equal(memory_stats().bytes, 0);
}

static void test_columns(void **state)
{
    (void)state;
    double v[4] = {1, 2, 3, 4};
    hsize_t n = 4;
    hid_t f = H5Fcreate(scratch("b.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put(f, "scan/X", 1, &n, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, v);
    put(f, "scan/Y", 1, &n, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, v);
    put(f, "scan/Z", 1, &n, H5T_IEEE_F64LE, H5T_NATIVE_DOUBLE, v);
    put(f, "scan/Intensity", 1, &n, H5T_STD_U16LE, H5T_NATIVE_DOUBLE, v);
    H5Fclose(f);
    struct glt_cloud *c;
    assert_int_equal(cloud_read(&c, scratch("b.h5"), NULL), 0);
    assert_int_equal(cloud_attribute(c, "intensity")->type, GLT_U16);
    cloud_free(c);
}

static int read_once(void *user)
{
    struct glt_cloud *c = NULL;
    int code = cloud_read(&c, user, NULL);
    if (code == 0)
        cloud_free(c);
    return code;
}

static void test_faults(void **state)
{
    (void)state;
    char path[256];
    snprintf(path, sizeof path, "%s", scratch("b.h5"));
    assert_true(faults_memory(read_once, path) > 5);
    assert_true(faults_file(read_once, path) > 2);
}

static void test_refusals(void **state)
{
    (void)state;
    read_text("bad.h5", "\x89HDF\r\n\x1a\n and rubbish", 20, NULL, GLT_EFORMAT);
    float v = 1;
    hsize_t n = 1, huge[] = {1 << 20, 1 << 20, 3};
    hid_t f = H5Fcreate(scratch("c.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    put(f, "other", 1, &n, H5T_IEEE_F32LE, H5T_NATIVE_FLOAT, &v);
    H5Fclose(f);
    struct glt_cloud *c;
    assert_int_equal(cloud_read(&c, scratch("c.h5"), NULL), GLT_EDATA);
    /* 12 TiB that were never written */
    f = H5Fcreate(scratch("d.h5"), H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    hid_t space = H5Screate_simple(3, huge, NULL);
    hid_t set = H5Dcreate2(f, "data", H5T_IEEE_F32LE, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    H5Dclose(set);
    H5Sclose(space);
    H5Fclose(f);
    memory_peak_reset();
    assert_int_equal(cloud_read(&c, scratch("d.h5"), NULL), GLT_EFORMAT);
    assert_true(memory_stats().peak < 16 << 20);
    assert_int_equal(memory_stats().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_modelnet),
        cmocka_unit_test(test_columns),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_refusals),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clear);
}
#else
static void test_without_library(void **state)
{
    (void)state;
    read_text("a.h5", "\x89HDF\r\n\x1a\n", 8, NULL, GLT_EUNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_without_library)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
#endif
