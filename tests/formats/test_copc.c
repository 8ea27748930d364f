/* COPC: a box reads the points of a whole read that lie in it, and few bytes; truncation at every
 * length; hierarchies that lie. `test_copc --corpus FOLDER` writes the inputs of fuzz_copc. */
#include "io_cloud.h"

#include "copc_bytes.h"
#include "core/file.h"
#include "core/file_syscall.h"
#include "core/file_write.h"
#include "core/memory.h"

enum { FEW = 12, MANY = 3000 };

static int read_box(struct glt_cloud **out, const unsigned char *bytes, size_t len,
                    const double *box)
{
    struct format_options o = {.box = box};
    struct file *f;
    assert_int_equal(file_open_memory(&f, "a.copc.laz", bytes, len), 0);
    int code = format_read_file(out, f, &o);
    file_close(f);
    return code;
}

static int64_t count_in(const struct glt_cloud *c, const double box[4])
{
    int64_t n = 0;
    for (int64_t i = 0; i < c->n; i++) {
        double x = column_value(cloud_attribute(c, "x"), i);
        double y = column_value(cloud_attribute(c, "y"), i);
        n += x >= box[0] && y >= box[1] && x <= box[2] && y <= box[3];
    }
    return n;
}

static void a_box_gives_the_points_of_a_whole_read(void **state)
{
    (void)state;
    static const double boxes[][4] = {{-1024, -1024, 1024, 1024},
                                      {-100, -900, 37, 44},
                                      {3, 3, 3.5, 3.5},
                                      {5000, 5000, 6000, 6000}};
    struct copc_file f;
    struct glt_cloud *all = NULL, *part = NULL;
    copc_make(&f, 3, FEW);
    assert_int_equal(read_box(&all, f.bytes, f.len, NULL), 0);
    assert_int_equal(all->n, f.n * FEW);
    for (size_t i = 0; i < sizeof boxes / sizeof *boxes; i++) {
        assert_int_equal(read_box(&part, f.bytes, f.len, boxes[i]), 0);
        assert_int_equal(part->n, count_in(all, boxes[i]));
        assert_int_equal(part->n, count_in(part, boxes[i]));
        cloud_free(part);
    }
    cloud_free(all);
    memory_free(f.bytes);
}

static void a_box_of_one_percent_reads_at_most_five(void **state)
{
    (void)state;
    struct copc_file f;
    double worst = 0;
    copc_make(&f, 5, MANY);
    assert_int_equal(file_put(scratch("a.copc.laz"), f.bytes, f.len), 0);
    for (int i = 0; i < 5; i++) {
        double x = -1000 + 360 * i, y = 700 - 300 * i, box[4] = {x, y, x + 204.8, y + 204.8};
        struct format_options o = {.box = box};
        struct glt_cloud *c = NULL;
        int64_t before = file_bytes_read();
        assert_int_equal(format_read(&c, scratch("a.copc.laz"), &o), 0);
        double share = (double)(file_bytes_read() - before) / (double)f.len;
        worst = share > worst ? share : worst;
        assert_true(c->n > 0);
        cloud_free(c);
    }
    print_message("%zu bytes, a box of 1 %% reads up to %.1f %%\n", f.len, 100 * worst);
    assert_true(worst <= 0.05);
    memory_free(f.bytes);
}

static void every_truncation_is_an_error(void **state)
{
    (void)state;
    static const double box[4] = {-1024, -1024, 1024, 1024};
    struct copc_file f;
    struct glt_cloud *c = NULL;
    copc_make(&f, 1, FEW);
    for (size_t cut = 5; cut < f.len; cut++) {
        unsigned char *copy = memory_alloc(cut, 1);
        memcpy(copy, f.bytes, cut);
        assert_int_equal(read_box(&c, copy, cut, NULL), GLT_EFORMAT);
        assert_true(cut < LAS_HEADER_14 || glt_error_place(GLT_PLACE_CHUNK) >= 0);
        assert_int_equal(read_box(&c, copy, cut, box), GLT_EFORMAT);
        assert_true(cut < LAS_HEADER_14 || glt_error_place(GLT_PLACE_CHUNK) >= 0);
        memory_free(copy);
    }
    memory_free(f.bytes);
}

/* A root page that reaches to the end of a large file, whatever stands there. */
static void a_page_that_lies_is_refused_after_little(void **state)
{
    (void)state;
    enum { PAD = 3 << 20 };
    static const double box[4] = {-1024, -1024, 1024, 1024};
    struct format_options o = {.box = box};
    struct copc_file f;
    copc_make(&f, 1, FEW);
    unsigned char *bytes = memory_alloc(f.len + PAD, 1);
    for (int fill = 0; fill < 3; fill++) {
        struct glt_cloud *c = NULL;
        memcpy(bytes, f.bytes, f.len);
        memset(bytes + f.len, fill == 2 ? 0xff : fill, PAD);
        assert_int_equal(read_box(&c, bytes, f.len + PAD, box), 0); /* as it is */
        cloud_free(c);
        c = NULL;
        little_put64(bytes + LAS_HEADER_14 + 54 + 48, (f.len + PAD - f.hierarchy) / 32 * 32);
        assert_int_equal(file_put(scratch("lie.copc.laz"), bytes, f.len + PAD), 0);
        int64_t before = file_bytes_read();
        assert_int_equal(format_read(&c, scratch("lie.copc.laz"), &o), GLT_EFORMAT);
        assert_true(file_bytes_read() - before < 1 << 20);
    }
    memory_free(bytes);
    memory_free(f.bytes);
}

/* All nodes as one: each would be read as far as the hierarchy. */
static void nodes_on_top_of_each_other_are_refused_after_little(void **state)
{
    (void)state;
    static const double box[4] = {-1024, -1024, 1024, 1024};
    struct format_options o = {.box = box};
    struct copc_file f;
    struct glt_cloud *c = NULL;
    copc_make(&f, 3, MANY);
    for (size_t at = f.hierarchy; at + 32 > f.nodes[f.n - 1].at; at -= 32)
        if (little_get32(f.bytes + at + 28) == MANY) {
            little_put64(f.bytes + at + 16, f.nodes[0].at);
            little_put32(f.bytes + at + 24, (uint32_t)(f.hierarchy - f.nodes[0].at));
        }
    assert_int_equal(file_put(scratch("one.copc.laz"), f.bytes, f.len), 0);
    int64_t before = file_bytes_read();
    assert_int_equal(format_read(&c, scratch("one.copc.laz"), &o), GLT_EFORMAT);
    assert_true(file_bytes_read() - before < 2 * (int64_t)f.len);
    memory_free(f.bytes);
}

static const struct {
    size_t at; /* in the entry of the first quarter's page */
    int n;
    uint64_t value;
} lies[] = {
    {0, 4, 32},          {16, 8, UINT64_MAX}, {16, 8, 3}, {24, 4, 31},
    {24, 4, UINT32_MAX}, {28, 4, 0x7fffffff}, {24, 4, 0}, {28, 4, 0xfffffffe},
};

static void hierarchies_that_lie_are_refused(void **state)
{
    (void)state;
    static const double box[4] = {-1024, -1024, 1024, 1024};
    struct copc_file f;
    struct glt_cloud *c = NULL;
    copc_make(&f, 1, FEW);
    unsigned char *entry = f.bytes + f.hierarchy + 32, kept[32];
    memcpy(kept, entry, 32);
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        little_put(entry + lies[i].at, lies[i].value, lies[i].n);
        assert_int_equal(read_box(&c, f.bytes, f.len, box), GLT_EFORMAT);
        memcpy(entry, kept, 32);
    }
    little_put64(entry + 16, f.hierarchy); /* a page that leads to itself */
    little_put32(entry + 24, (uint32_t)(f.len - f.hierarchy));
    assert_int_equal(read_box(&c, f.bytes, f.len, box), GLT_EFORMAT);
    memcpy(entry, kept, 32);
    assert_int_equal(read_box(&c, f.bytes, f.len, box), 0);
    cloud_free(c);
    memory_free(f.bytes);
}

static int write_corpus(const char *folder)
{
    static struct copc_file f;
    char path[1024];
    for (int levels = 0; levels < 3; levels++) {
        copc_make(&f, levels, FEW);
        snprintf(path, sizeof path, "%s/levels_%d", folder, levels);
        if (file_put(path, f.bytes, f.len) < 0)
            return 1;
        memory_free(f.bytes);
    }
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        copc_make(&f, 1, FEW);
        little_put(f.bytes + f.hierarchy + 32 + lies[i].at, lies[i].value, lies[i].n);
        snprintf(path, sizeof path, "%s/lie_%zu", folder, i);
        if (file_put(path, f.bytes, f.len) < 0)
            return 1;
        memory_free(f.bytes);
    }
    copc_make(&f, 1, FEW); /* a page that leads to itself, and a record that is cut short */
    little_put64(f.bytes + f.hierarchy + 32 + 16, f.hierarchy);
    little_put32(f.bytes + f.hierarchy + 32 + 24, (uint32_t)(f.len - f.hierarchy));
    snprintf(path, sizeof path, "%s/circle", folder);
    int code = file_put(path, f.bytes, f.len);
    little_put16(f.bytes + LAS_HEADER_14 + 20, 100);
    snprintf(path, sizeof path, "%s/short_record", folder);
    code = code < 0 ? code : file_put(path, f.bytes, f.len);
    memory_free(f.bytes);
    return code < 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_box_gives_the_points_of_a_whole_read),
        cmocka_unit_test(a_box_of_one_percent_reads_at_most_five),
        cmocka_unit_test(every_truncation_is_an_error),
        cmocka_unit_test(a_page_that_lies_is_refused_after_little),
        cmocka_unit_test(nodes_on_top_of_each_other_are_refused_after_little),
        cmocka_unit_test(hierarchies_that_lie_are_refused),
    };
    if (argc == 3 && !strcmp(argv[1], "--corpus"))
        return write_corpus(argv[2]);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
