/* Fingerprints, and the cache of items on disk.
 * labels: quick */
#include "data_folder.h"

#include "core/file.h"
#include "core/file_folder.h"
#include "core/file_syscall.h"
#include "core/file_write.h"
#include "core/memory.h"
#include "datasets/cache.h"
#include "datasets/dataset_fingerprint.h"
#include "datasets/dataset_items.h"
#include "datasets/dataset_open.h"
#include "datasets/digest.h"
#include "faults.h"

static struct dataset *open_set(const char *name, const char *pairs)
{
    char path[DATA_PATH];
    return data_open(data_file(path, name), pairs);
}

static void fingerprint(char hex[DIGEST_SIZE], const char *name, const char *pairs)
{
    struct dataset *d = open_set(name, pairs);
    data_check(dataset_fingerprint(hex, d));
    dataset_close(d);
}

static void fingerprints_follow_content_not_place(void **state)
{
    (void)state;
    char a[DIGEST_SIZE], b[DIGEST_SIZE];
    data_write_room("one/Area_1/a.ply", 50, 2, 2, 1);
    data_write_room("one/Area_5/b.ply", 60, 2, 2, 2);
    data_write_room("two/Area_1/a.ply", 50, 2, 2, 1);
    data_write_room("two/Area_5/b.ply", 60, 2, 2, 2);
    fingerprint(a, "one", "");
    fingerprint(b, "two", "");
    assert_string_equal(a, b);
    assert_int_equal(strlen(a), 32);
    fingerprint(b, "two", "area=1"); /* another split */
    assert_string_not_equal(a, b);
    data_write_room("two/Area_5/b.ply", 60, 2, 2, 3);
    fingerprint(b, "two", ""); /* other bytes, same size */
    assert_string_not_equal(a, b);
    data_write_room("two/Area_5/b.ply", 60, 2, 2, 2);
    fingerprint(b, "two", "");
    assert_string_equal(a, b);
}

/* The same files and classes, but other tasks, categories and parts. */
static void fingerprints_know_what_shapes_are(void **state)
{
    (void)state;
    static const char *const yaml[] = {
        "train: .\nnames: [mug.a, cup.a, cup.b]\n",
        "train: .\nnames: [mug.a, cup.a, cup.b]\nmap: {cup: mug.a, mug: cup.a}\ntask: classify\n",
        "train: .\nnames: [mug.a, cup.a, cup.b]\ntask: parts\n",
        "train: .\nnames: [mug.a, cup.a, cup.b]\ntask: parts\nparts: {mug: 1, cup: 2}\n",
        "train: .\nnames: [mug.a, cup.a, cup.b]\ntask: parts\nparts: {mug: 2, cup: 1}\n",
        "train: .\nnames: [mug.a, cup.a, cup.b]\ntask: parts\nparts: {cup: 1, mug: 2}\n",
    };
    char hex[6][DIGEST_SIZE];
    data_text("cups/mug/a.xyz", "0 0 0\n1 0 0\n");
    data_text("cups/cup/b.xyz", "0 0 0\n1 0 0\n");
    for (int i = 0; i < 6; i++) {
        data_text("cups/set.yaml", yaml[i]);
        fingerprint(hex[i], "cups/set.yaml", "inputs=xyz");
        for (int k = 0; k < i; k++)
            assert_int_equal(strcmp(hex[i], hex[k]) == 0, i == 3 && k == 2);
    }
}

/* Rooms made in memory are called like files that may stand in the working folder. */
static void made_rooms_do_not_look_around(void **state)
{
    (void)state;
    char here[DATA_PATH], hex[2][DIGEST_SIZE];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(data_folder()), 0);
    for (int i = 0; i < 2; i++) {
        struct dataset *d = data_open("synth:rooms rooms=1 points=1000", "");
        data_check(dataset_fingerprint(hex[i], d));
        if (i == 0) {
            char name[64];
            snprintf(name, sizeof name, "%s", d->split[SPLIT_TEST].list[0].path);
            data_text(name, "somebody's");
        }
        dataset_close(d);
    }
    assert_int_equal(chdir(here), 0);
    assert_string_equal(hex[0], hex[1]);
}

/* More packings than a few, whose shapes take turns. */
static void packings_are_read_once(void **state)
{
    (void)state;
    enum { PACKS = 6, EACH = 20, BYTES = 1 << 16 };
    static const struct dataset_type type = {.name = "packs"};
    struct dataset d = {.type = &type, .path = (char *)"packs"};
    char path[PACKS][DATA_PATH], name[32], hex[DIGEST_SIZE], *bytes = calloc(1, BYTES);
    for (int k = 0; k < PACKS; k++) {
        snprintf(name, sizeof name, "packs/%d.npz", k);
        data_check(file_put(data_file(path[k], name), bytes, BYTES));
    }
    free(bytes);
    for (int i = 0; i < PACKS * EACH; i++) {
        struct entry e = {.name = (char *)"shape", .path = path[i % PACKS], .pack = i % PACKS};
        data_check(dataset_add(&d, SPLIT_TRAIN, &e));
    }
    int64_t before = file_bytes_read();
    data_check(dataset_fingerprint(hex, &d));
    assert_int_equal(file_bytes_read() - before, PACKS * BYTES);
    for (int32_t i = 0; i < d.split[SPLIT_TRAIN].n; i++) {
        memory_free(d.split[SPLIT_TRAIN].list[i].name);
        memory_free(d.split[SPLIT_TRAIN].list[i].path);
    }
    memory_free(d.split[SPLIT_TRAIN].list);
}

static void same_item(const struct item *a, const struct item *b)
{
    assert_int_equal(a->n, b->n);
    assert_int_equal(a->rows, b->rows);
    assert_memory_equal(a->xyz, b->xyz, (size_t)a->n * 12);
    assert_memory_equal(a->features, b->features, (size_t)a->n * 12);
    assert_memory_equal(a->labels, b->labels, (size_t)a->n * 4);
    assert_memory_equal(a->row, b->row, (size_t)a->n * 4);
    assert_int_equal(a->category, b->category);
    assert_true(a->step == b->step);
    assert_int_equal(a->grey, b->grey);
    assert_memory_equal(a->low, b->low, sizeof a->low);
    assert_memory_equal(a->origin, b->origin, sizeof a->origin);
}

static size_t cache_files(char path[DATA_PATH])
{
    char **names, folder[DATA_PATH];
    size_t n = 0, count;
    snprintf(folder, sizeof folder, "%s/cache", data_folder());
    if (file_list(&names, &count, folder) < 0)
        return 0;
    for (size_t i = 0; i < count; i++)
        n += strstr(names[i], ".item") != NULL;
    if (count)
        assert_int_equal(file_join(path, DATA_PATH, folder, names[0]), 0);
    file_free_names(names, count);
    return n;
}

static void remove_cache(void)
{
    char folder[DATA_PATH];
    snprintf(folder, sizeof folder, "%s/cache", data_folder());
    own_folder_remove(folder);
}

static void open_cached(struct dataset **d, const struct item **x, const char *more)
{
    char pairs[DATA_PATH];
    snprintf(pairs, sizeof pairs, "validation=off cache=%s/cache %s", data_folder(), more);
    *d = open_set("rooms", pairs);
    data_check(dataset_take(x, *d, SPLIT_TRAIN, 0));
}

static void cached_items_are_the_same(void **state)
{
    (void)state;
    char path[DATA_PATH];
    struct dataset *plain, *d;
    const struct item *want, *x;
    remove_cache();
    data_write_room("rooms/Area_1/a.ply", 500, 2, 2, 1);
    plain = open_set("rooms", "validation=off");
    data_check(dataset_take(&want, plain, SPLIT_TRAIN, 0));
    for (int pass = 0; pass < 2; pass++) {
        open_cached(&d, &x, "");
        same_item(x, want);
        dataset_close(d);
        assert_int_equal(cache_files(path), 1);
    }
    /* every bit of a cache file counts: the source is read again, and the file replaced */
    FILE *f = fopen(path, "r+b");
    assert_non_null(f);
    fseek(f, 0, SEEK_END);
    long size = ftell(f);
    for (long at = 0; at < size; at += at < 200 ? 7 : 997) {
        int byte;
        f = freopen(path, "r+b", f);
        fseek(f, at, SEEK_SET);
        byte = fgetc(f);
        fseek(f, at, SEEK_SET);
        fputc(byte ^ 4, f);
        fflush(f);
        open_cached(&d, &x, "");
        same_item(x, want);
        dataset_close(d);
    }
    fclose(f);
    assert_int_equal(truncate(path, size - 1), 0);
    open_cached(&d, &x, "");
    same_item(x, want);
    dataset_close(d);
    /* other options make other items, other bytes too */
    open_cached(&d, &x, "inputs=xyz");
    assert_int_equal(x->extra, 0);
    dataset_close(d);
    assert_int_equal(cache_files(path), 2);
    for (int pass = 0; pass < 2; pass++) { /* that there are no colours is remembered */
        open_cached(&d, &x, "inputs=xyz,rgb? colours=off");
        assert_true(x->grey);
        dataset_close(d);
    }
    data_write_room("rooms/Area_1/a.ply", 500, 2, 2, 2);
    open_cached(&d, &x, "");
    assert_memory_not_equal(x->xyz, want->xyz, (size_t)want->n * 12);
    dataset_close(d);
    dataset_close(plain);
}

/* A file that is not used is made again, as another file. */
static void what_is_in_the_cache_is_used(void **state)
{
    (void)state;
    static const char *const pairs[] = {"", "inputs=xyz"};
    data_write_room("rooms/Area_1/a.ply", 100, 2, 2, 1);
    for (int i = 0; i < 2; i++) {
        char path[DATA_PATH];
        struct dataset *d;
        const struct item *x;
        struct stat made, used;
        remove_cache();
        open_cached(&d, &x, pairs[i]);
        dataset_close(d);
        assert_int_equal(cache_files(path), 1);
        assert_int_equal(stat(path, &made), 0);
        open_cached(&d, &x, pairs[i]);
        dataset_close(d);
        assert_int_equal(stat(path, &used), 0);
        assert_int_equal(used.st_ino, made.st_ino);
    }
}

/* The digest of a cache file's parts, as cache.c lays them out; there are rooms with colours here.
 */
static void sign(unsigned char *bytes, int64_t n)
{
    enum { HEAD = 88 };
    struct digest *x;
    size_t parts[] = {HEAD, (size_t)n * 12, (size_t)n * 4, (size_t)n * 12, (size_t)n * 4};
    data_check(digest_begin(&x));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; bytes += parts[i++])
        digest_add(x, bytes, parts[i]);
    digest_end((char *)bytes, x);
}

/* A cache file that somebody wrote, and signed, is believed no further than its numbers go. */
static void forged_items_are_made_again(void **state)
{
    (void)state;
    enum { N = 100, XYZ = 88, ROW = XYZ + N * 12, LABELS = ROW + N * 16 };
    static const struct {
        size_t at;
        uint32_t word;
    } lies[] = {{LABELS, 100000000},
                {LABELS, (uint32_t)-2},
                {LABELS + 4, 13},
                {ROW, N},
                {ROW, (uint32_t)-1},
                {24, N - 1},
                {40, 7},
                {48, 0x4cbebc20}, /* the lowest x: 1e8 */
                {XYZ, 0x7fc00000},
                {XYZ, 0x7f800000},
                {ROW + N * 4, 0x7fc00000},
                {0, 0x54494c47}, /* "GLIT" */
                {8, 1},          /* the version */
                {8, 3},
                {12, 0x01000000}, /* the order of bytes */
                {68, 0x7ff00000}, /* the origin */
                {84, 0x7ff80000},
                {ROW - 4, 0x7fc00000}, /* the last of each array */
                {ROW + N * 4 - 4, N},
                {LABELS - 4, 0x7fc00000},
                {LABELS + N * 4 - 4, 13}};
    char path[DATA_PATH], *bytes, *again;
    struct dataset *plain, *d;
    const struct item *want, *x;
    size_t len;
    remove_cache();
    data_write_room("rooms/Area_1/a.ply", N, 2, 2, 1);
    plain = open_set("rooms", "validation=off");
    data_check(dataset_take(&want, plain, SPLIT_TRAIN, 0));
    for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
        open_cached(&d, &x, "");
        dataset_close(d);
        assert_int_equal(cache_files(path), 1);
        data_check(file_read_all(&bytes, &len, path, 1 << 20));
        assert_int_equal(len, LABELS + N * 4 + DIGEST_SIZE);
        uint32_t word;
        memcpy(&word, bytes + lies[i].at, 4);
        memcpy(bytes + lies[i].at, &lies[i].word, 4);
        sign((unsigned char *)bytes, N);
        data_check(file_put(path, bytes, len));
        memcpy(bytes + lies[i].at, &word, 4);
        sign((unsigned char *)bytes, N);
        open_cached(&d, &x, "");
        same_item(x, want);
        dataset_close(d);
        data_check(file_read_all(&again, &len, path, 1 << 20)); /* it was made again */
        assert_memory_equal(again, bytes, len);
        memory_free(again);
        memory_free(bytes);
    }
    float step = 0.25f; /* what may be true is believed */
    data_check(file_read_all(&bytes, &len, path, 1 << 20));
    memcpy(bytes + 60, &step, sizeof step);
    sign((unsigned char *)bytes, N);
    data_check(file_put(path, bytes, len));
    memory_free(bytes);
    open_cached(&d, &x, "");
    assert_true(x->step == step);
    dataset_close(d);
    dataset_close(plain);
}

/* Changes a label to another that the class may have, as whoever can write to the file could. */
static void forge_label(const char *path, int n)
{
    char *bytes;
    size_t len, at = 88 + (size_t)n * 28;
    uint32_t label;
    data_check(file_read_all(&bytes, &len, path, 1 << 20));
    memcpy(&label, bytes + at, 4);
    label = label ? 0 : 1;
    memcpy(bytes + at, &label, 4);
    sign((unsigned char *)bytes, n);
    data_check(file_put(path, bytes, len));
    memory_free(bytes);
}

static void a_cache_that_others_can_write_to_is_not_used(void **state)
{
    (void)state;
    enum { N = 100 };
    char path[DATA_PATH], folder[DATA_PATH];
    struct dataset *plain, *d;
    const struct item *want, *x;
    struct stat info;
    mode_t old = umask(002);
    remove_cache();
    data_write_room("rooms/Area_1/a.ply", N, 2, 2, 1);
    plain = open_set("rooms", "validation=off");
    data_check(dataset_take(&want, plain, SPLIT_TRAIN, 0));
    snprintf(folder, sizeof folder, "%s/cache", data_folder());
    open_cached(&d, &x, "");
    dataset_close(d);
    assert_int_equal(cache_files(path), 1);
    assert_true(file_is_private_folder(folder)); /* whatever the umask */
    forge_label(path, N);
    open_cached(&d, &x, ""); /* our own is believed */
    assert_memory_not_equal(x->labels, want->labels, N * sizeof *x->labels);
    dataset_close(d);
    for (int pass = 0; pass < (geteuid() == 0 ? 3 : 2); pass++) {
        forge_label(path, N);
        if (pass == 2)
            assert_int_equal(chown(path, 1, (gid_t)-1), 0);
        else
            assert_int_equal(chmod(path, pass ? 0602 : 0620), 0);
        open_cached(&d, &x, "");
        same_item(x, want);
        dataset_close(d);
        assert_int_equal(stat(path, &info), 0);
        assert_int_equal(info.st_uid, geteuid());
        assert_int_equal(info.st_mode & 0777, 0600);
    }
    forge_label(path, N);
    assert_int_equal(chmod(folder, 0770), 0);
    open_cached(&d, &x, "");
    same_item(x, want);
    dataset_close(d);
    assert_int_equal(chmod(folder, 0700), 0);
    dataset_close(plain);
    umask(old);
}

/* Other parts of the same names: what was kept of them is not what the files mean now. */
static void items_know_their_parts(void **state)
{
    (void)state;
    static const char *const yaml[] = {
        "test: cup\nnames: [a, b, c]\ntask: parts\nparts: {cup: 2, mug: 1}\n",
        "test: cup\nnames: [a, b, c]\ntask: parts\nparts: {cup: 1, mug: 2}\n"};
    char path[DATA_PATH], pairs[DATA_PATH];
    snprintf(pairs, sizeof pairs, "inputs=xyz cache=%s/parts-cache", data_folder());
    data_text("parts/cup/a.txt", "# x y z label\n0 0 0 0\n1 0 0 1\n");
    for (int i = 0; i < 2; i++) {
        struct config c;
        struct dataset *d = NULL;
        const struct item *x;
        data_text("parts/set.yaml", yaml[i]);
        data_config(&c, pairs);
        data_check(dataset_open(&d, data_file(path, "parts/set.yaml"), &c.data, c.seed));
        assert_int_equal(dataset_take(&x, d, SPLIT_TEST, 0), i ? GLT_EDATA : 0);
        if (i == 0)
            dataset_give(d, SPLIT_TEST, 0);
        dataset_close(d);
    }
}

static int load_one(void *user)
{
    (void)user;
    char path[DATA_PATH], pairs[DATA_PATH];
    struct config c;
    struct dataset *d;
    const struct item *x;
    snprintf(pairs, sizeof pairs, "validation=off cache=%s/other", data_folder());
    data_config(&c, pairs);
    snprintf(path, sizeof path, "%s/few", data_folder());
    TRY(dataset_open(&d, path, &c.data, c.seed));
    int code = dataset_take(&x, d, SPLIT_TRAIN, 0);
    if (code == 0)
        dataset_give(d, SPLIT_TRAIN, 0);
    dataset_close(d);
    snprintf(path, sizeof path, "%s/other", data_folder());
    own_folder_remove(path);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    data_write_room("few/Area_1/a.ply", 20, 2, 2, 1);
    assert_true(faults_memory(load_one, NULL) > 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fingerprints_follow_content_not_place),
        cmocka_unit_test(fingerprints_know_what_shapes_are),
        cmocka_unit_test(made_rooms_do_not_look_around),
        cmocka_unit_test(packings_are_read_once),
        cmocka_unit_test(cached_items_are_the_same),
        cmocka_unit_test(what_is_in_the_cache_is_used),
        cmocka_unit_test(forged_items_are_made_again),
        cmocka_unit_test(a_cache_that_others_can_write_to_is_not_used),
        cmocka_unit_test(items_know_their_parts),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
