/* What a prediction warns of: clouds unlike those the model was trained on.
 * labels: quick threads */
#include "core/memory.h"
#include "datasets/range.h"
#include "io_cloud.h"
#include "model/model.h"
#include "settings.h"
#include "synth/synth_rooms.h"

static struct glt_cloud *make_room(int64_t points)
{
    struct glt_cloud *c = NULL;
    struct synth_rooms o = synth_rooms_default();
    o.points = points;
    o.seed = 7;
    assert_int_equal(synth_rooms_cloud(&c, &o, 1, 0), 0);
    return c;
}

/* A model whose card says that it was trained on this room. */
static struct glt_model *make_model(const struct glt_cloud *room)
{
    struct inputs inputs;
    struct item x;
    struct range r = {0};
    struct json *json = NULL, *card = json_object();
    size_t len;
    struct glt_model *m = settings_glt_model(
        "points=256 levels=128,64,16,8 width=8 stem=8 k=8 decoder=16,16,12,12,8,8,8,8 "
        "head_hidden=8",
        "", 5);
    assert_int_equal(inputs_parse(&inputs, "xyz,rgb"), 0);
    assert_int_equal(item_from_cloud(&x, room, &inputs, "room"), 0);
    range_add(&r, &x, &inputs, true);
    item_clear(&x);
    assert_int_equal(range_to_json(&json, &r), 0);
    assert_int_equal(json_set(card, "range", json), 0);
    assert_int_equal(json_print(&((struct model *)m)->card, &len, card), 0);
    json_free(card);
    return m;
}

static char heard[2048], last[1024];

/* The names of the quantities that warnings are about, a blank after each. */
static void listen(void *user, enum glt_log_level level, const char *message)
{
    (void)user;
    if (level != GLT_LOG_WARNING)
        return;
    snprintf(last, sizeof last, "%s", message);
    size_t len = strlen(heard);
    snprintf(heard + len, sizeof heard - len, "%s ", glt_log_name());
    assert_true(glt_log_topic() == GLT_TOPIC_COORDINATES || glt_log_topic() == GLT_TOPIC_INPUTS);
}

/* x and y by one factor, z by another. */
static void stretch(struct glt_cloud *c, float factor, float up)
{
    static const char *const axes[] = {"x", "y", "z"};
    for (int k = 0; k < 3; k++) {
        float *v = cloud_attribute(c, axes[k])->data;
        for (int64_t i = 0; i < c->n; i++)
            v[i] *= k == 2 ? up : factor;
    }
}

/* What is heard of a room that was stretched; it is given its size back. */
static const char *warning_of(const struct glt_model *m, struct glt_cloud *room, float factor,
                              float up)
{
    heard[0] = 0;
    if (factor != 1 || up != 1)
        stretch(room, factor, up);
    glt_log_set(listen, NULL);
    assert_int_equal(glt_cloud_predict(room, m, NULL, NULL, NULL), 0);
    glt_log_set(NULL, NULL);
    if (factor != 1 || up != 1)
        stretch(room, 1 / factor, 1 / up);
    return heard;
}

static void clouds_unlike_the_training_data_are_warned_of(void **state)
{
    (void)state;
    struct glt_cloud *room = make_room(3000);
    struct glt_model *m = make_model(room);
    static const char *const rgb[] = {"red", "green", "blue"};
    assert_string_equal(warning_of(m, room, 1, 1), "");
    assert_string_equal(warning_of(m, room, 1, 0.1f), "height ");
    assert_string_equal(warning_of(m, room, 20, 0.9f), "extent density ");
    assert_string_equal(warning_of(m, room, 0.2f, 0.6f), "extent density ");
    for (int k = 0; k < 3; k++)
        memset(cloud_attribute(room, rgb[k])->data, 90, (size_t)room->n);
    assert_string_equal(warning_of(m, room, 1, 1), "saturation ");
    glt_cloud_free(room);
    glt_model_free(m);
}

/* A unit is proposed once, and only if width and height agree on it. */
static void a_unit_is_proposed_once_if_width_and_height_agree(void **state)
{
    (void)state;
    static const struct {
        float factor, up;
        const char *names;
    } cases[] = {{1000, 1000, "millimetres "},
                 {100, 100, "centimetres "},
                 {3.2808f, 3.2808f, "feet "},
                 {0.001f, 0.001f, "kilometres "},
                 {1, 1000, "z "},
                 {1, 4.5f, "height "}};
    struct glt_cloud *room = make_room(3000);
    struct glt_model *m = make_model(room);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_string_equal(warning_of(m, room, cases[i].factor, cases[i].up), cases[i].names);
    /* a scan from the air, in metres: no unit makes a room of it */
    assert_string_equal(warning_of(m, room, 40, 8), "extent density ");
    glt_cloud_free(room);
    glt_model_free(m);
}

/* Far from the origin floats are half a metre apart; doubles are not. */
static void coarse_floats_are_warned_of(void **state)
{
    (void)state;
    struct glt_cloud *room = make_room(3000);
    struct glt_model *m = make_model(room);
    struct column *y = cloud_attribute(room, "y");
    double *v = memory_alloc((size_t)room->n, sizeof *v);
    float *f = y->data;
    for (int64_t i = 0; i < room->n; i++) {
        v[i] = (double)f[i] + 5.4e6;
        f[i] = (float)v[i];
    }
    glt_log_set(listen, NULL);
    heard[0] = 0;
    assert_int_equal(glt_cloud_predict(room, m, NULL, NULL, NULL), 0);
    assert_string_equal(heard, "precision ");
    heard[0] = 0;
    assert_int_equal(glt_cloud_set(room, "y", GLT_F64, v, 0), 0);
    assert_int_equal(glt_cloud_predict(room, m, NULL, NULL, NULL), 0);
    assert_string_equal(heard, "");
    glt_log_set(NULL, NULL);
    memory_free(v);
    glt_cloud_free(room);
    glt_model_free(m);
}

/* A cloud of a file is called by its path, also what is selected of it. */
static void warnings_name_the_file_of_a_cloud(void **state)
{
    (void)state;
    struct glt_cloud *room = make_room(3000), *read = NULL, *moved = NULL;
    struct glt_model *m = make_model(room);
    char wanted[512];
    stretch(room, 1000, 1000);
    assert_int_equal(glt_cloud_write(room, scratch("room.ply"), NULL), 0);
    assert_int_equal(glt_cloud_read(&read, scratch("room.ply"), NULL), 0);
    assert_int_equal(glt_cloud_edit(&moved, read, "shift=1,0,0"), 0);
    struct glt_cloud *clouds[] = {room, read, moved};
    for (int i = 0; i < 3; i++) {
        warning_of(m, clouds[i], 1, 1);
        snprintf(wanted, sizeof wanted, "%s: ", i == 0 ? "the cloud" : scratch("room.ply"));
        assert_memory_equal(last, wanted, strlen(wanted));
        glt_cloud_free(clouds[i]);
    }
    glt_model_free(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clouds_unlike_the_training_data_are_warned_of),
        cmocka_unit_test(a_unit_is_proposed_once_if_width_and_height_agree),
        cmocka_unit_test(coarse_floats_are_warned_of),
        cmocka_unit_test(warnings_name_the_file_of_a_cloud)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
