/* The 624 files of other projects' reader tests against tests/formats/conformance.tsv: for each the
 * points and the box, `unsupported`, or `error` with its kind. Where the manifest of the files says
 * otherwise, the table gives a reason. Without the data the test is skipped.
 *
 * `test_conformance --table` prints what the readers do now, in the form of the table; meshes count
 * their vertices.
 * labels: full */
#include "core/file.h"
#include "core/memory.h"
#include "io_cloud.h"
#include "real_data.h"

#include <inttypes.h>

enum { FILES = 624, DEVIATIONS_MAX = 40, LINE = 4096 };

static const char *kind_of(int code)
{
    return code == GLT_EFORMAT ? "format" : code == GLT_EDATA ? "data" : "other";
}

/* What reading gives, as the table has it: "points TAB box", "unsupported TAB -", "error TAB kind".
 * Memory beyond reason fails at once. */
static void outcome(char *dst, size_t size, const char *path)
{
    struct format_options o = {.vertices = true};
    struct glt_cloud *c = NULL;
    struct file *f;
    int64_t before = memory_stats().bytes;
    assert_int_equal(file_open(&f, path), 0);
    int64_t bytes = file_size(f);
    file_close(f);
    memory_peak_reset();
    int code = format_read(&c, path, &o);
    if (memory_stats().peak - before > 2 * bytes + (64 << 20))
        fail_msg("%s: %" PRId64 " bytes of memory", path, memory_stats().peak - before);
    if (code < 0) {
        snprintf(dst, size, code == GLT_EUNSUPPORTED ? "unsupported\t-" : "error\t%s",
                 kind_of(code));
    } else {
        struct bounds x;
        assert_int_equal(cloud_bounds(&x, c), 0);
        int n = snprintf(dst, size, "%" PRId64 "\t", c->n);
        if (x.finite)
            snprintf(dst + n, size - (size_t)n, "%.6g %.6g %.6g %.6g %.6g %.6g", x.min[0], x.min[1],
                     x.min[2], x.max[0], x.max[1], x.max[2]);
        else
            snprintf(dst + n, size - (size_t)n, "-");
        cloud_free(c);
    }
    assert_int_equal(memory_stats().bytes, before);
}

struct table {
    char *bytes;
    char *lines[FILES + 2];
    int n;
};

static void read_table(struct table *t, const char *path)
{
    size_t len;
    *t = (struct table){0};
    assert_int_equal(file_read_all(&t->bytes, &len, path, 4 << 20), 0);
    for (char *s = strtok(t->bytes, "\n"); s; s = strtok(NULL, "\n")) {
        assert_true(t->n < FILES + 2);
        t->lines[t->n++] = s;
    }
}

/* Cell k of a line, copied. */
static const char *cell(char dst[LINE], const char *line, int k)
{
    for (; k > 0; k--)
        line = strchr(line, '\t') ? strchr(line, '\t') + 1 : "";
    snprintf(dst, LINE, "%.*s", (int)strcspn(line, "\t"), line);
    return dst;
}

/* "2+4" are the points of two scans. */
static long long sum_of(const char *declared)
{
    long long sum = atoll(declared);
    while ((declared = strchr(declared, '+')))
        sum += atoll(++declared);
    return sum;
}

/* Whether an outcome is what the manifest expects: a valid or unusual file gives the points
 * declared, a malformed one or one without coordinates an error; of empty ones, and where the
 * manifest counts nothing, either is right. */
static bool agrees(const char *row, const char *result)
{
    char intent[LINE], declared[LINE];
    cell(intent, row, 2);
    cell(declared, row, 4);
    bool lines = strstr(declared, " lines") != NULL; /* counted with headers and blank lines */
    bool counts = declared[0] >= '0' && declared[0] <= '9';
    bool read = result[0] >= '0' && result[0] <= '9';
    if (strcmp(intent, "malformed") == 0 || strcmp(intent, "no-xyz") == 0)
        return !read;
    if (strcmp(intent, "empty") == 0 || !counts || atoll(declared) == 0)
        return !read || !counts || lines || atoll(result) == atoll(declared);
    const char *reference = strstr(row, "n=");
    if (lines)
        return read &&
               (!reference || atoll(reference + 2) == 0 || atoll(result) == atoll(reference + 2));
    return read && atoll(result) == sum_of(declared);
}

static void every_file_is_read_as_the_table_says(void **state)
{
    (void)state;
    char folder[REAL_DATA_PATH], path[1024], table_path[600], name[LINE], result[512], want[LINE],
        more[LINE];
    real_data(folder, "reader_conformance");
    struct table manifest, table;
    snprintf(path, sizeof path, "%s/manifest.tsv", folder);
    read_table(&manifest, path);
    snprintf(table_path, sizeof table_path, "%s/tests/formats/conformance.tsv",
             getenv("GELATTO_SOURCE"));
    read_table(&table, table_path);
    assert_int_equal(manifest.n, FILES + 1);
    assert_int_equal(table.n, FILES + 1);
    int deviations = 0, wrong = 0;
    for (int i = 1; i <= FILES; i++) {
        cell(name, manifest.lines[i], 0);
        snprintf(path, sizeof path, "%s/%.400s", folder, name);
        outcome(result, sizeof result, path);
        assert_string_equal(cell(want, table.lines[i], 0), name);
        snprintf(want, sizeof want, "%s", strchr(table.lines[i], '\t') + 1);
        cell(more, want, 2);
        *(strrchr(want, '\t')) = 0;
        if (strcmp(want, result) != 0) {
            print_error("%s: %s instead of %s\n", name, result, want);
            wrong++;
        }
        bool differs = !agrees(manifest.lines[i], result);
        deviations += differs;
        if (differs && strlen(more) < 5)
            fail_msg("%s: %s differs from the manifest without a reason", name, result);
        if (!differs && strcmp(more, "-") != 0)
            fail_msg("%s: a reason, but nothing differs", name);
    }
    print_message("%d files, %d deviations with a reason\n", FILES, deviations);
    memory_free(manifest.bytes);
    memory_free(table.bytes);
    assert_int_equal(wrong, 0);
    assert_true(deviations <= DEVIATIONS_MAX);
}

static int print_table(void)
{
    char folder[REAL_DATA_PATH], path[1024], name[LINE], result[512];
    struct table manifest;
    if (!real_data_exists(folder, "reader_conformance"))
        return 1;
    snprintf(path, sizeof path, "%s/manifest.tsv", folder);
    read_table(&manifest, path);
    printf("file\tresult\tbox or kind\treason for differing from the manifest\n");
    for (int i = 1; i < manifest.n; i++) {
        cell(name, manifest.lines[i], 0);
        snprintf(path, sizeof path, "%s/%.400s", folder, name);
        outcome(result, sizeof result, path);
        printf("%s\t%s\t%s\n", name, result, agrees(manifest.lines[i], result) ? "-" : "?");
    }
    memory_free(manifest.bytes);
    return 0;
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_file_is_read_as_the_table_says)};
    if (argc > 1 && strcmp(argv[1], "--table") == 0)
        return print_table();
    return real_data_code(cmocka_run_group_tests(tests, NULL, NULL));
}
