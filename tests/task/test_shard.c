/* Shards: every file is in one, whatever the order of the list, and all have about the same size.
 */
#include "task/shard.h"

#include "core/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { FILES = 300 };

struct list {
    struct shard_file file[FILES];
    char name[FILES][16];
};

static void make(struct list *l, uint32_t seed)
{
    struct random r = random_start(random_stream(seed, 0, 0, RANDOM_TILE), 0);
    for (int i = 0; i < FILES; i++) {
        snprintf(l->name[i], sizeof l->name[i], "tile_%d.laz", i);
        int64_t bytes = i % 7 == 0 ? 1 << 20 : 1 + random_below(&r, 1 << 24); /* some are equal */
        l->file[i] = (struct shard_file){l->name[i], bytes};
    }
}

static void the_order_of_the_list_does_not_count(void **state)
{
    (void)state;
    struct list l;
    struct shard_file turned[FILES];
    int32_t owner[FILES], other[FILES];
    make(&l, 1);
    for (int i = 0; i < FILES; i++)
        turned[(i * 7 + 3) % FILES] = l.file[i];
    for (int32_t shards = 1; shards <= 400; shards += 13) {
        assert_int_equal(shard_files(owner, l.file, FILES, shards), 0);
        assert_int_equal(shard_files(other, turned, FILES, shards), 0);
        for (int i = 0; i < FILES; i++) {
            assert_in_range(owner[i], 0, shards - 1);
            assert_int_equal(owner[i], other[(i * 7 + 3) % FILES]);
        }
    }
}

static void shards_differ_by_one_file_at_most(void **state)
{
    (void)state;
    struct list l;
    int32_t owner[FILES];
    make(&l, 2);
    for (int32_t shards = 1; shards <= 64; shards *= 2) {
        int64_t load[64] = {0}, low = INT64_MAX, high = 0;
        assert_int_equal(shard_files(owner, l.file, FILES, shards), 0);
        for (int i = 0; i < FILES; i++)
            load[owner[i]] += l.file[i].bytes;
        for (int32_t i = 0; i < shards; i++) {
            low = load[i] < low ? load[i] : low;
            high = load[i] > high ? load[i] : high;
        }
        assert_true(high - low <= 1 << 24);
        assert_true(low > 0);
    }
}

static void more_shards_than_files_leave_some_empty(void **state)
{
    (void)state;
    const struct shard_file two[] = {{"a", 5}, {"b", 5}};
    int32_t owner[2];
    assert_int_equal(shard_files(owner, two, 2, SHARD_MAX), 0);
    assert_int_equal(owner[0], 0); /* of equal sizes by name */
    assert_int_equal(owner[1], 1);
    assert_int_equal(shard_files(owner, two, 0, 3), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_order_of_the_list_does_not_count),
        cmocka_unit_test(shards_differ_by_one_file_at_most),
        cmocka_unit_test(more_shards_than_files_leave_some_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
