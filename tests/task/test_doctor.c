/* labels: quick
 * The doctor names every topic. */
#include "core/error.h"
#include "kernels/kernels.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct seen {
    int version, compiler, cpu, kernels, chosen, products, threads, parts, limits, memory, errors;
};

static void note(void *user, const struct glt_finding *f)
{
    struct seen *s = user;
    const char *topic = f->topic, *finding = f->text;
    assert_true(strlen(finding) > 0);
    assert_string_equal(f->file, "");
    assert_string_equal(f->options, "");
    s->version += !strcmp(topic, "version") && strstr(finding, glt_version());
    s->compiler += !strcmp(topic, "compiler");
    s->cpu += !strcmp(topic, "cpu");
    s->kernels += !strcmp(topic, "kernels");
    s->chosen += !strcmp(topic, "kernels") && strstr(finding, ": chosen") != NULL;
    s->products += !strcmp(topic, "products");
    s->threads += !strcmp(topic, "threads");
    s->parts += !strcmp(topic, "optional parts");
    s->memory += !strcmp(topic, "memory");
    s->limits += !strcmp(topic, "limits");
    s->errors += f->error;
}

static void every_topic_is_reported(void **state)
{
    (void)state;
    struct seen s = {0};
    int tables = 0;
    while (kernels_at(tables, NULL))
        tables++;
    assert_int_equal(glt_doctor(note, &s), 0);
    assert_int_equal(s.version, 1);
    assert_int_equal(s.compiler, 1);
    assert_int_equal(s.cpu, 1);
    assert_true(s.kernels >= tables);
    assert_int_equal(s.chosen, 1);
    assert_int_equal(s.products, 1);
    assert_int_equal(s.threads, 1);
    assert_int_equal(s.parts, 1);
    assert_int_equal(s.memory, 1);
    assert_true(s.limits >= 1);
    assert_int_equal(s.errors, 0);
    assert_int_equal(glt_doctor(NULL, NULL), GLT_EARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_topic_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
