/* Configurations and networks of tests, from option strings "key=value key=value": first those
 * shared by the tests of a file, then those of one test. */
#ifndef TESTS_SETTINGS_H
#define TESTS_SETTINGS_H

#include "config/config.h"
#include "core/error.h"
#include "model/model.h"
#include "model/model_create.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static inline void settings_apply(struct config *c, const char *words)
{
    char copy[1024];
    assert_true(strlen(words) < sizeof copy);
    strcpy(copy, words);
    for (char *rest, *pair = strtok_r(copy, " ", &rest); pair; pair = strtok_r(NULL, " ", &rest))
        if (config_set_pair(c, pair) < 0)
            fail_msg("%s: %s", pair, glt_error_message());
}

static inline struct config settings_of(const char *shared, const char *own)
{
    struct config c;
    config_default(&c);
    settings_apply(&c, shared);
    settings_apply(&c, own);
    return c;
}

static inline struct model *settings_model(const char *shared, const char *own, int32_t classes)
{
    struct config c = settings_of(shared, own);
    struct model *m;
    assert_int_equal(model_create(&m, &c, classes), 0);
    return m;
}

/* The same for tests of the public header. */
static inline struct glt_config *settings_config(const char *shared, const char *own)
{
    struct glt_config *c;
    assert_int_equal(glt_config_create(&c), 0);
    settings_apply((struct config *)c, shared);
    settings_apply((struct config *)c, own);
    return c;
}

static inline struct glt_model *settings_glt_model(const char *shared, const char *own, int classes)
{
    struct glt_config *c = settings_config(shared, own);
    struct glt_model *m;
    assert_int_equal(glt_model_create(&m, c, classes), 0);
    glt_config_free(c);
    return m;
}

#endif
