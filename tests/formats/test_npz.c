/* NPZ clouds and archives: stored and deflated, scale and origin, what is no attribute, lies. */
#include "errors.h"
#include "io_cloud.h"

#include "core/call.h"
#include "core/file.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "formats/arrays.h"
#include "formats/arrays_file.h"
#include "formats/format.h"
#include "formats/npz_layout.h"

static struct glt_cloud *rich(void)
{
    struct glt_cloud *c = made_cloud(3000, GLT_I32, 0x3ff, 3);
    struct column *x;
    struct random r = random_start(random_stream(9, 0, 0, RANDOM_TEST), 0);
    for (int d = 0; d < 3; d++) {
        c->columns[d].scale = 0.001 * (d + 1);
        c->columns[d].offset = 1e6 * d;
    }
    const char *names[] = {"red", "green", "blue", "nx", "label"};
    for (int i = 0; i < 5; i++) {
        assert_int_equal(cloud_add_attribute(&x, c, names[i], i < 3 ? GLT_U8 : GLT_F32), 0);
        fill_column(x, c->n, &r);
    }
    assert_int_equal(cloud_add_wide(&x, c, "feature", GLT_I16, 4), 0);
    fill_column(x, c->n, &r);
    return c;
}

static void a_cloud_comes_back(void **state)
{
    (void)state;
    const char *encodings[] = {NULL, "compressed"};
    for (int i = 0; i < 2; i++) {
        struct format_options o = {.encoding = encodings[i]};
        struct glt_cloud *c = rich(), *back = read_back(c, "round.npz", &o), *again;
        assert_same_cloud(c, back);
        again = read_back(back, "again.npz", &o); /* now with "xyz[0]" and the like remembered */
        assert_same_cloud(c, again);
        cloud_free(again);
        cloud_free(back);
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, 0);
}

static void class_names_come_back(void **state)
{
    (void)state;
    struct glt_cloud *c = rich(), *back, *again;
    int32_t *labels = memory_alloc((size_t)c->n, sizeof *labels);
    const char *old[] = {"a", "b", "c"}, *names[] = {"chair", "", "table of glass"};
    struct arrays a;
    assert_int_equal(labels_set(c, labels, NULL, names, 3), 0);
    back = read_back(c, "names.npz", NULL);
    assert_int_equal(classes_number_end(&back->classes), 3);
    assert_string_equal(classes_name(&back->classes, 0), "chair");
    assert_null(classes_name(&back->classes, 1));
    assert_string_equal(classes_name(&back->classes, 2), "table of glass");
    assert_int_equal(arrays_read(&a, scratch("names.npz")), 0);
    assert_int_equal(arrays_find(&a, "class_name")->count, 3); /* as numpy sees them */
    arrays_free(&a);
    assert_int_equal(labels_set(back, labels, NULL, old, 2), 0); /* others take their place */
    again = read_back(back, "again.npz", NULL);
    assert_int_equal(classes_number_end(&again->classes), 2);
    assert_string_equal(classes_name(&again->classes, 0), "a");
    memory_free(labels);
    cloud_free(again);
    cloud_free(back);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

static void arrays_become_the_attributes_of_a_cloud(void **state)
{
    (void)state;
    struct glt_cloud *c = rich();
    struct arrays a;
    assert_int_equal(format_write(c, scratch("arrays.npz"), NULL), 0);
    assert_int_equal(arrays_read(&a, scratch("arrays.npz")), 0);
    const struct array *xyz = arrays_find(&a, "xyz"), *rgb = arrays_find(&a, "rgb");
    assert_non_null(xyz);
    assert_int_equal(xyz->shape[1], 3);
    assert_int_equal(rgb->fields[0].type, GLT_U8);
    assert_non_null(arrays_find(&a, "nx")); /* alone, so no "normals" */
    assert_null(arrays_find(&a, "normals"));
    double origin[3];
    assert_int_equal(arrays_values(origin, GLT_F64, arrays_find(&a, "origin"), 0, 3), 0);
    assert_true(origin[2] == 2e6);
    arrays_free(&a);
    cloud_free(c);
}

/* An array that is no attribute comes back as it was. */
static void an_array_that_is_no_attribute_comes_back(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(5, GLT_F64, 0, 1), *back, *again;
    char npy[128 + 3] = "\x93NUMPY\x01\x00v\x00{'descr': '|S3', 'fortran_order': False, "
                        "'shape': (1,), }";
    memset(npy + strlen(npy + 10) + 10, ' ', 128 - strlen(npy + 10) - 10);
    npy[127] = '\n';
    memcpy(npy + 128, "abc", 3);
    assert_int_equal(cloud_set_note(c, "npz.names", npy, sizeof npy), 0);
    back = read_back(c, "names.npz", NULL);
    assert_memory_equal(cloud_note(back, "npz.names")->bytes + 128, "abc", 3);
    again = read_back(back, "names.npz", NULL);
    assert_memory_equal(cloud_note(again, "npz.names")->bytes + 128, "abc", 3);
    cloud_free(again);
    /* one that has a row for each point is cut with the points */
    assert_int_equal(glt_cloud_edit(&again, back, "subsample=2"), 0);
    assert_memory_equal(cloud_note(again, "npz.names")->bytes + 128, "abc", 3);
    cloud_free(again);
    char rows[128 + 10];
    memcpy(rows, npy, 128);
    memcpy(strstr(rows + 10, "S3"), "S2", 2);
    memcpy(strstr(rows + 10, "(1,"), "(5,", 3);
    memcpy(rows + 128, "aabbccddee", 10);
    assert_int_equal(cloud_set_note(back, "npz.rows", rows, sizeof rows), 0);
    struct glt_cloud *whole = read_back(back, "rows.npz", NULL);
    int64_t last[] = {4, 1};
    assert_int_equal(cloud_select(&again, whole, last, 2), 0);
    cloud_free(whole);
    const struct note *cut = cloud_note(again, "npz.rows");
    assert_int_equal(cut->len, 128 + 4);
    assert_memory_equal(cut->bytes + 128, "eebb", 4);
    assert_non_null(strstr((const char *)cut->bytes + 10, "(2,)"));
    cloud_free(again);
    cloud_free(back);
    cloud_free(c);
}

/* The cloud read from an archive with one array "points" of shape (5, width), float. */
static struct glt_cloud *of_one_array(int width)
{
    static const char *const xyz[] = {"x", "y", "z"};
    struct glt_cloud *c;
    struct column *x;
    assert_int_equal(cloud_new(&c, 5), 0);
    c->format = "npz";
    for (int k = 0; k < width; k++) {
        char name[16], source[16];
        snprintf(name, sizeof name, "points_%d", k);
        snprintf(source, sizeof source, "points[%d]", k);
        assert_int_equal(cloud_add_attribute(&x, c, k < 3 ? xyz[k] : name, GLT_F32), 0);
        assert_non_null(x->source = memory_string(source));
        for (int i = 0; i < 5; i++)
            ((float *)x->data)[i] = (float)(10 * k + i);
    }
    return c;
}

/* An array goes back as one while its columns agree; then each is one of its own, once. */
static void an_array_stays_one_while_its_columns_agree(void **state)
{
    (void)state;
    struct glt_cloud *c = of_one_array(100), *back, *moved;
    struct arrays a;
    assert_int_equal(format_write(c, scratch("whole.npz"), NULL), 0);
    assert_int_equal(arrays_read(&a, scratch("whole.npz")), 0);
    assert_int_equal(a.n, 1);
    assert_int_equal(a.items[0].shape[1], 100);
    arrays_free(&a);
    back = read_back(c, "whole.npz", NULL);
    assert_same_cloud(c, back);
    cloud_free(back);
    assert_int_equal(glt_cloud_edit(&moved, c, "shift=0.5,0,0"), 0); /* x y z are double now */
    assert_int_equal(format_write(moved, scratch("moved.npz"), NULL), 0);
    assert_int_equal(arrays_read(&a, scratch("moved.npz")), 0);
    assert_int_equal(a.n, 100);
    for (int32_t i = 0; i < a.n; i++) {
        assert_ptr_equal(arrays_find(&a, a.items[i].name), &a.items[i]);
        assert_int_equal(a.items[i].n_dims, 1);
    }
    arrays_free(&a);
    back = read_back(moved, "moved.npz", NULL);
    assert_true(((double *)cloud_attribute(back, "x")->data)[2] == 2.5);
    assert_true(((float *)cloud_attribute(back, "points_99")->data)[4] == 994);
    cloud_free(back);
    cloud_free(moved);
    cloud_free(c);
    assert_int_equal(memory_stats().bytes, 0);
}

/* Scale and origin stand for the coordinates alone: other scaled columns become double. */
static void scale_and_origin_belong_to_the_coordinates_alone(void **state)
{
    (void)state;
    struct glt_cloud *c = rich(), *back;
    struct column *x = cloud_attribute(c, "attr_i16");
    x->scale = 0.25;
    x->offset = -3;
    back = read_back(c, "scaled.npz", NULL);
    for (int64_t i = 0; i < c->n; i++)
        assert_true(column_value(x, i) == column_value(cloud_attribute(back, "attr_i16"), i));
    assert_int_equal(cloud_attribute(back, "x")->type, GLT_I32);
    cloud_free(back);
    cloud_free(c);
}

/* Every field of the archive's records that counts bytes or names a place, set to huge values. */
static void lying_records_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(50, GLT_F32, 0, 1);
    char *bytes;
    size_t len;
    for (int packed = 0; packed < 2; packed++) {
        struct format_options o = {.encoding = packed ? "compressed" : NULL};
        assert_int_equal(format_write(c, scratch("lie.npz"), &o), 0);
        assert_int_equal(file_read_all(&bytes, &len, scratch("lie.npz"), 1 << 20), 0);
        for (size_t at = 0; at + 8 <= len; at++) {
            char saved[8];
            struct file *f;
            struct glt_cloud *read = NULL;
            memcpy(saved, bytes + at, 8);
            memset(bytes + at, 0xff, 8);
            memory_peak_reset();
            int64_t before = memory_stats().bytes;
            assert_int_equal(file_open_memory(&f, "lie.npz", bytes, len), 0);
            int code = format_read_file(&read, f, NULL);
            file_close(f);
            cloud_free(code == 0 ? read : NULL);
            assert_true(memory_stats().peak < 16 << 20);
            assert_int_equal(memory_stats().bytes, before);
            memcpy(bytes + at, saved, 8);
        }
        memory_free(bytes);
    }
    cloud_free(c);
}

static void put32(char *dst, size_t v)
{
    for (int i = 0; i < 4; i++)
        dst[i] = (char)(v >> 8 * i);
}

/* One packed member that the directory names a hundred times: 9 kB that would become 240 MB. */
static void a_member_named_a_hundred_times_is_refused(void **state)
{
    (void)state;
    enum { TIMES = 100, END = 22 };
    struct format_options o = {.encoding = "compressed"};
    struct glt_cloud *c;
    struct column *x;
    char *bytes;
    size_t len, entry = 0;
    assert_int_equal(cloud_new(&c, 300000), 0);
    assert_int_equal(cloud_add_attribute(&x, c, "x", GLT_F64), 0);
    assert_int_equal(format_write(c, scratch("bomb.npz"), &o), 0);
    cloud_free(c);
    assert_int_equal(file_read_all(&bytes, &len, scratch("bomb.npz"), 1 << 20), 0);
    while (memcmp(bytes + entry, "PK\1\2", 4) != 0)
        entry++;
    size_t size = 46 + (size_t)bytes[entry + 28] + (size_t)bytes[entry + 30], at = entry;
    char *bomb = memory_alloc(entry + TIMES * size + END, 1);
    assert_non_null(bomb);
    memcpy(bomb, bytes, entry);
    for (int i = 0; i < TIMES; i++, at += size)
        memcpy(bomb + at, bytes + entry, size);
    memcpy(bomb + at, "PK\5\6", 4);
    bomb[at + 8] = bomb[at + 10] = TIMES;
    put32(bomb + at + 12, TIMES * size);
    put32(bomb + at + 16, entry);
    memory_peak_reset();
    read_text("bomb.npz", bomb, at + END, NULL, GLT_EFORMAT);
    assert_error("SYNTAX");
    assert_true(memory_stats().peak < 32 << 20);
    memory_free(bomb);
    memory_free(bytes);
}

/* Writes a deflated archive: xyz of 10 points, and an array of rows x cols zeros under a name. */
static void write_bomb(const char *name, const char *member, int64_t rows, int64_t cols)
{
    struct format_options o = {.encoding = "compressed"};
    struct glt_cloud *c = made_cloud(10, GLT_F32, 0x7, 3);
    char empty[] = "";
    struct array_field field = {.name = empty, .kind = 'u', .type = GLT_U8, .size = 1, .width = 1};
    struct array zeros = {.name = (char *)(uintptr_t)member,
                          .n_dims = 2,
                          .shape = {rows, cols},
                          .count = rows * cols,
                          .item_size = 1,
                          .fields = &field,
                          .n_fields = 1};
    struct call call = {0};
    zeros.data = memory_alloc((size_t)zeros.count, 1);
    assert_int_equal(npz_layout_keep(&call, c, &zeros), 0);
    assert_int_equal(format_write(c, scratch(name), &o), 0);
    memory_free(zeros.data);
    call_free(&call);
    cloud_free(c);
}

static void an_array_beyond_the_limit_that_nobody_asked_for_is_not_unpacked(void **state)
{
    (void)state;
    struct glt_cloud *c;
    write_bomb("junk.npz", "junk", 1 << 16, 1 << 10);
    memory_peak_reset();
    assert_int_equal(format_read(&c, scratch("junk.npz"), NULL), 0);
    assert_int_equal(c->n, 10);
    assert_true(memory_stats().peak < 4 << 20);
    assert_int_equal(c->n_notes, 0);
    cloud_free(c);
}

static void an_attribute_beyond_the_limit_is_refused(void **state)
{
    (void)state;
    struct glt_cloud *c;
    struct arrays a;
    write_bomb("wide.npz", "junk", 10, 1 << 16); /* 640 KiB: within the base */
    assert_int_equal(format_read(&c, scratch("wide.npz"), NULL), 0);
    cloud_free(c);
    write_bomb("junk.npz", "junk", 1 << 16, 1 << 10);
    memory_peak_reset();
    assert_int_equal(arrays_read(&a, scratch("junk.npz")), GLT_ELIMIT);
    assert_true(memory_stats().peak < 4 << 20);
}

/* Three points: scale and origin have as many numbers, and are no attributes all the same. */
static void scale_and_origin_of_three_points_are_no_attributes(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(3, GLT_I32, 0, 3), *back, *again;
    struct arrays a;
    for (int d = 0; d < 3; d++) {
        c->columns[d].scale = 0.001;
        c->columns[d].offset = 10 * d;
    }
    back = read_back(c, "three.npz", NULL);
    assert_same_cloud(c, back);
    again = read_back(back, "again.npz", NULL);
    assert_same_cloud(c, again);
    assert_int_equal(arrays_read(&a, scratch("again.npz")), 0);
    assert_int_equal(a.n, 3);
    arrays_free(&a);
    cloud_free(again);
    cloud_free(back);
    cloud_free(c);
    c = made_cloud(3, GLT_F32, 0, 3); /* real coordinates need none: it is an attribute */
    struct column *x;
    assert_int_equal(cloud_add_attribute(&x, c, "scale", GLT_F64), 0);
    back = read_back(c, "real.npz", NULL);
    assert_same_cloud(c, back);
    cloud_free(back);
    cloud_free(c);
}

static void more_attributes_than_are_read_are_refused(void **state)
{
    (void)state;
    struct glt_cloud *c = made_cloud(1, GLT_F32, 0, 3);
    struct format_options o = {0};
    struct call call = {0};
    struct column *x;
    struct file *f;
    for (int i = 0; i < 4100; i++) {
        char name[16];
        snprintf(name, sizeof name, "a%d", i);
        assert_int_equal(cloud_add_attribute(&x, c, name, GLT_U8), 0);
    }
    assert_int_equal(file_create(&f, scratch("many.npz")), 0);
    assert_int_equal(format_by_name("npz")->write(&call, c, f, &o), 0);
    call_free(&call);
    assert_int_equal(file_commit(f), 0);
    cloud_free(c);
    assert_int_equal(format_read(&c, scratch("many.npz"), NULL), GLT_ELIMIT);
    assert_error("SIZE_LIMIT");
}

/* More members than are read are not written either. */
static void more_members_than_are_read_are_not_written(void **state)
{
    (void)state;
    enum { ARRAYS_TRIED = 8192 };
    struct glt_cloud *c = made_cloud(1, GLT_F32, 0, 3), *back;
    char npy[128] = "\x93NUMPY\x01\x00v\x00{'descr': '|u1', 'fortran_order': False, 'shape': (0,)}";
    char *bytes, key[32];
    size_t len, end;
    memset(npy + strlen(npy + 10) + 10, ' ', 128 - strlen(npy + 10) - 10);
    npy[127] = '\n';
    for (int i = 1; i < ARRAYS_TRIED; i++) {
        snprintf(key, sizeof key, "npz.%d", i);
        assert_int_equal(cloud_set_note(c, key, npy, sizeof npy), 0);
    }
    back = read_back(c, "members.npz", NULL);
    assert_int_equal(back->n_notes, ARRAYS_TRIED - 1);
    cloud_free(back);
    assert_int_equal(cloud_set_note(c, "npz.more", npy, sizeof npy), 0);
    assert_int_equal(format_write(c, scratch("more.npz"), NULL), GLT_ELIMIT);
    cloud_free(c);
    assert_int_equal(file_read_all(&bytes, &len, scratch("members.npz"), 1 << 24), 0);
    for (end = len - 22; memcmp(bytes + end, "PK\6\6", 4) != 0;)
        end--;
    bytes[end + 32] = 1; /* one more than 8192 */
    read_text("one.npz", bytes, len, NULL, GLT_ELIMIT);
    assert_error("SIZE_LIMIT");
    memory_free(bytes);
}

/* Thousands of comments that name classes: the first of each class counts. */
static void the_first_of_many_names_of_a_class_counts(void **state)
{
    (void)state;
    enum { CLASSES = 4096, COMMENTS = 1 << 15 };
    struct glt_cloud *c = made_cloud(1, GLT_F32, 0, 3), *back;
    char text[64];
    for (int i = 0; i < COMMENTS; i++) {
        snprintf(text, sizeof text, "class %d name %d", i + 1 < COMMENTS ? 7 : CLASSES - 1, i);
        assert_int_equal(cloud_add_comment(c, text), 0);
    }
    back = read_back(c, "classes.npz", NULL);
    assert_string_equal(classes_name(&back->classes, 7), "name 0");
    assert_non_null(classes_name(&back->classes, CLASSES - 1));
    cloud_free(back);
    cloud_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_cloud_comes_back),
        cmocka_unit_test(class_names_come_back),
        cmocka_unit_test(arrays_become_the_attributes_of_a_cloud),
        cmocka_unit_test(an_array_that_is_no_attribute_comes_back),
        cmocka_unit_test(lying_records_are_refused),
        cmocka_unit_test(a_member_named_a_hundred_times_is_refused),
        cmocka_unit_test(an_array_beyond_the_limit_that_nobody_asked_for_is_not_unpacked),
        cmocka_unit_test(an_attribute_beyond_the_limit_is_refused),
        cmocka_unit_test(an_array_stays_one_while_its_columns_agree),
        cmocka_unit_test(scale_and_origin_belong_to_the_coordinates_alone),
        cmocka_unit_test(scale_and_origin_of_three_points_are_no_attributes),
        cmocka_unit_test(more_attributes_than_are_read_are_refused),
        cmocka_unit_test(more_members_than_are_read_are_not_written),
        cmocka_unit_test(the_first_of_many_names_of_a_class_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
