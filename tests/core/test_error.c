/* labels: quick threads
 * Errors, log and progress: messages per thread, codes with texts, callbacks one at a time. */
#include "core/error.h"
#include "core/log.h"
#include "core/progress.h"
#include "errors.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#include <cmocka.h>

static int forwards(int code, bool *reached)
{
    TRY(code);
    *reached = true;
    return 0;
}

static void the_message_is_that_of_the_last_failure(void **state)
{
    (void)state;
    assert_int_equal(error_set(GLT_EFORMAT, "line %d", 5), GLT_EFORMAT);
    assert_string_equal(glt_error_message(), "line 5");
    assert_int_equal(error_prefix(GLT_EFORMAT, "%s: ", "a.ply"), GLT_EFORMAT);
    assert_string_equal(glt_error_message(), "a.ply: line 5");
    error_set(GLT_EIO, "again: %s", glt_error_message()); /* the message as its own argument */
    assert_string_equal(glt_error_message(), "again: a.ply: line 5");
    char text[5000];
    memset(text, 'x', sizeof text - 1);
    text[sizeof text - 1] = 0;
    error_set(GLT_EIO, "%s", text); /* cut, not overrun */
    assert_int_equal(strlen(glt_error_message()), 1023);
    error_prefix(GLT_EIO, "%s", text);
    assert_int_equal(strlen(glt_error_message()), 1023);
    bool reached = false;
    assert_int_equal(forwards(GLT_EDATA, &reached), GLT_EDATA);
    assert_false(reached);
    assert_int_equal(forwards(3, &reached), 0);
    assert_true(reached);
}

static void every_code_has_a_text(void **state)
{
    (void)state;
#define X(code, value, text)                                                                       \
    assert_int_equal(code, value);                                                                 \
    assert_string_equal(glt_error_text(code), text);
    GLT_ERRORS(X)
#undef X
    assert_string_equal(glt_error_text(0), "no error");
    assert_string_equal(glt_error_text(-1000), "unknown error");
    assert_true(strlen(glt_version()) >= 5);
    const char *commit = glt_commit();
    assert_true(!strcmp(commit, "unknown") || strspn(commit, "0123456789abcdef") >= 7);
}

static void *other_thread(void *user)
{
    *(bool *)user = strcmp(glt_error_message(), "") == 0;
    error_set(GLT_EIO, "theirs");
    return NULL;
}

static void the_message_belongs_to_its_thread(void **state)
{
    (void)state;
    bool empty = false;
    pthread_t thread;
    error_set(GLT_EIO, "ours");
    assert_int_equal(pthread_create(&thread, NULL, other_thread, &empty), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(empty);
    assert_string_equal(glt_error_message(), "ours");
}

enum { THREADS = 4, LINES = 500 };

struct heard {
    int lines, reports, inside; /* plain: the callbacks come one at a time */
    char last[64];
};

static void hear(void *user, enum glt_log_level level, const char *message)
{
    struct heard *h = user;
    h->inside++;
    h->lines += h->inside == 1 && level == GLT_LOG_WARNING;
    strncpy(h->last, message, sizeof h->last - 1);
    h->inside--;
}

static int watch(void *user, const char *activity, int64_t done, int64_t total)
{
    struct heard *h = user;
    h->inside++;
    h->reports += h->inside == 1 && strcmp(activity, "count") == 0 && total == LINES;
    h->inside--;
    return done == LINES;
}

static void *talk(void *user)
{
    int *code = user;
    for (int i = 1; i <= LINES; i++) {
        log_message(GLT_LOG_WARNING, "line %d", i);
        *code = progress_report("count", i, LINES);
        if (*code < 0)
            break;
    }
    return NULL;
}

static void callbacks_get_logs_and_progress(void **state)
{
    (void)state;
    struct heard heard = {0};
    pthread_t thread[THREADS];
    int code[THREADS];
    glt_log_set(hear, &heard);
    glt_progress_set(watch, &heard);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&thread[i], NULL, talk, &code[i]), 0);
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(thread[i], NULL), 0);
        assert_int_equal(code[i], GLT_EINTERRUPTED);
    }
    assert_int_equal(heard.lines, THREADS * LINES);
    assert_int_equal(heard.reports, THREADS * LINES);
    assert_string_equal(heard.last, "line 500");
    assert_int_equal(progress_report("count", LINES, LINES), GLT_EINTERRUPTED);
    assert_error("STOPPED count");
    glt_log_set(NULL, NULL);
    glt_progress_set(NULL, NULL);
    log_message(GLT_LOG_WARNING, "nobody hears");
    assert_int_equal(progress_report("count", LINES, LINES), 0);
    assert_int_equal(heard.lines, THREADS * LINES);
}

static void an_error_carries_topic_name_file_and_place(void **state)
{
    (void)state;
    assert_int_equal(error_at(GLT_EFORMAT, "a.ply", GLT_PLACE_LINE, 7, "found %d", 3), GLT_EFORMAT);
    assert_string_equal(glt_error_message(), "a.ply: line 7: found 3");
    assert_int_equal(glt_error_code(), GLT_EFORMAT);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_NONE);
    assert_string_equal(glt_error_file(), "a.ply");
    assert_int_equal(glt_error_place(GLT_PLACE_LINE), 7);
    assert_int_equal(glt_error_place(GLT_PLACE_BYTE), -1);
    assert_int_equal(glt_error_place(GLT_PLACES), -1);
    error_topic(error_place(GLT_EFORMAT, GLT_PLACE_CHUNK, 2), GLT_TOPIC_ATTRIBUTE, "red");
    error_prefix_file(GLT_EDATA, "set");
    assert_string_equal(glt_error_message(), "set: a.ply: line 7: found 3");
    assert_string_equal(glt_error_file(), "a.ply"); /* the nearer one stays */
    assert_int_equal(glt_error_place(GLT_PLACE_CHUNK), 2);
    assert_int_equal(glt_error_topic(), GLT_TOPIC_ATTRIBUTE);
    assert_string_equal(glt_error_name(), "red");
    assert_int_equal(glt_error_code(), GLT_EDATA);
    struct error kept;
    error_save(&kept);
    error_in(GLT_EIO, glt_error_file(), "%s", glt_error_name()); /* its own texts as arguments */
    assert_string_equal(glt_error_message(), "a.ply: red");
    assert_string_equal(glt_error_file(), "a.ply");
    assert_string_equal(glt_error_name(), "");
    assert_int_equal(glt_error_place(GLT_PLACE_LINE), -1);
    assert_int_equal(error_restore(&kept), GLT_EDATA);
    assert_int_equal(glt_error_place(GLT_PLACE_LINE), 7);
    error_suffix(GLT_EDATA, "; try %d", 4);
    assert_string_equal(glt_error_message(), "set: a.ply: line 7: found 3; try 4");
}

static void the_macros_have_the_version_of_the_library(void **state)
{
    (void)state;
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", GLT_VERSION_MAJOR, GLT_VERSION_MINOR,
             GLT_VERSION_PATCH);
    assert_string_equal(glt_version(), text);
}

static void every_topic_has_a_text(void **state)
{
    (void)state;
#define X(topic, value, text)                                                                      \
    assert_string_equal(glt_topic_text(topic), text);                                              \
    assert_int_equal(topic, value);
    GLT_TOPICS(X)
#undef X
    assert_string_equal(glt_topic_text((enum glt_topic)9999), "unknown topic");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_carries_topic_name_file_and_place),
        cmocka_unit_test(every_topic_has_a_text),
        cmocka_unit_test(the_macros_have_the_version_of_the_library),
        cmocka_unit_test(the_message_is_that_of_the_last_failure),
        cmocka_unit_test(every_code_has_a_text),
        cmocka_unit_test(the_message_belongs_to_its_thread),
        cmocka_unit_test(callbacks_get_logs_and_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
