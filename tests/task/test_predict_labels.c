/* Labels that a cloud has before it is predicted: what stays of them, and under which name.
 * labels: quick */
#include "core/memory.h"
#include "io_cloud.h"
#include "model/model.h"
#include "settings.h"
#include "task/predict.h"

#include <math.h>

static struct glt_model *make_model(int classes)
{
    return settings_glt_model("points=256 levels=128,64,16,8 width=8 stem=8 k=8 "
                              "decoder=16,16,12,12,8,8,8,8 head_hidden=8 cls_hidden=16",
                              "inputs=xyz", classes);
}

static void predict(struct glt_cloud *c, const struct glt_model *m, const char *words)
{
    if (glt_cloud_predict(c, m, words, NULL, NULL) < 0)
        fail_msg("%s", glt_error_message());
}

/* Nothing of an earlier prediction stands beside the new label; what only has such a name stays
 * where there was none. */
static void nothing_of_an_earlier_prediction_stays(void **state)
{
    (void)state;
    static const char *const gone[] = {"second",
                                       "margin",
                                       "votes",
                                       "probability_class_0",
                                       "probability_class_4",
                                       "scalar_votes",
                                       "scalar_probability_class_4"};
    struct glt_model *five = make_model(5), *three = make_model(3);
    struct glt_cloud *c = made_cloud(400, GLT_F32, 0, 3);
    struct column *x;
    assert_int_equal(cloud_add_attribute(&x, c, "votes", GLT_F32), 0);
    predict(c, five, "");
    assert_non_null(cloud_attribute(c, "votes"));
    predict(c, five, "second margin votes probabilities");
    for (int i = 5; i < 7; i++)
        assert_int_equal(cloud_add_attribute(&x, c, gone[i], GLT_F32), 0);
    predict(c, three, "");
    for (size_t i = 0; i < sizeof gone / sizeof *gone; i++)
        assert_null(cloud_attribute(c, gone[i]));
    predict(c, five, "probabilities");
    predict(c, three, "probabilities votes");
    assert_non_null(cloud_attribute(c, "probability_class_2"));
    assert_null(cloud_attribute(c, "probability_class_3"));
    assert_int_equal(cloud_attribute(c, "votes")->type, GLT_I32);
    glt_cloud_free(c);
    glt_model_free(five);
    glt_model_free(three);
}

/* A LAS file whose first points have these classes, the others of the last; predicted, written
 * and read again. names: "class 1 ..", NULL without. */
static struct glt_cloud *predicted_las(const uint8_t classes[3], const char *const *names,
                                       const struct glt_model *m)
{
    struct glt_cloud *c = made_cloud(400, GLT_F32, 0, 3), *las = NULL;
    struct column *x = NULL;
    assert_int_equal(cloud_add_attribute(&x, c, "classification", GLT_U8), 0);
    for (int64_t i = 0; i < c->n; i++)
        ((uint8_t *)x->data)[i] = classes[i < 2 ? i : 2];
    for (int i = 0; names && i < 3; i++)
        assert_int_equal(cloud_add_comment(c, names[i]), 0);
    las = read_back(c, "c.las", NULL);
    glt_cloud_free(c);
    predict(las, m, "");
    c = read_back(las, "p.las", NULL);
    glt_cloud_free(las);
    return c;
}

static void assert_original(const struct glt_cloud *c, const uint8_t classes[3])
{
    const struct column *x = cloud_attribute(c, "original_classification");
    assert_non_null(x);
    assert_int_equal(x->type, GLT_U8);
    for (int64_t i = 0; i < c->n; i++)
        assert_int_equal(((uint8_t *)x->data)[i], classes[i < 2 ? i : 2]);
}

/* A label that is one field of the caller's records is kept value by value. */
static void a_label_that_is_borrowed_with_gaps_stays_as_it_was(void **state)
{
    (void)state;
    enum { N = 400 };
    static uint8_t records[N][3];
    struct glt_model *m = make_model(3);
    struct glt_cloud *c = made_cloud(N, GLT_F32, 0, 3);
    for (int i = 0; i < N; i++) {
        records[i][0] = 200; /* no label */
        records[i][1] = (uint8_t)(20 + i % 2);
    }
    assert_int_equal(glt_cloud_borrow(c, "classification", GLT_U8, &records[0][1], 3), 0);
    predict(c, m, "");
    const struct column *x = cloud_attribute(c, "original_classification");
    assert_non_null(x);
    for (int i = 0; i < N; i++)
        assert_int_equal(((uint8_t *)x->data)[i], records[i][1]);
    glt_cloud_free(c);
    glt_model_free(m);
}

/* The classes of a LAS file are still there when it was predicted, and predicted again; once are
 * enough, and none that nobody gave. */
static void the_classes_of_a_las_file_stay(void **state)
{
    (void)state;
    static const uint8_t some[] = {17, 66, 255}, ground[] = {2, 2, 2}, none[] = {0, 0, 0},
                         known[] = {2, 0, 1};
    static const char *const names[] = {"class 0 CLASS_2", "class 1 class_0", "class 2 class_1"},
                             *const twice[] = {"class 0 class_1", "class 1 class_0",
                                               "class 2 class_1"};
    struct glt_model *m = make_model(3), *five = make_model(5);
    struct glt_cloud *c = predicted_las(some, NULL, m), *again;
    assert_original(c, some);
    assert_null(cloud_attribute(c, "truth"));
    predict(c, five, "");
    again = read_back(c, "again.las", NULL);
    assert_original(again, some);
    glt_cloud_free(again);
    glt_cloud_free(c);
    c = predicted_las(ground, NULL, m);
    assert_original(c, ground);
    glt_cloud_free(c);
    c = predicted_las(none, NULL, m);
    assert_null(cloud_attribute(c, "original_classification"));
    glt_cloud_free(c);
    c = predicted_las(known, names, m); /* the truth holds them */
    assert_null(cloud_attribute(c, "original_classification"));
    assert_int_equal(((uint8_t *)cloud_attribute(c, "truth")->data)[1], 64 + 2);
    glt_cloud_free(c);
    c = predicted_las(known, twice, m); /* 0 and 2 are one class */
    assert_original(c, known);
    glt_cloud_free(c);
    glt_model_free(m);
    glt_model_free(five);
}

/* Labels of other formats as well, in their own type; a classification beside them, which LAS would
 * lose. */
static void labels_of_other_formats_stay_in_their_own_type(void **state)
{
    (void)state;
    static const float labels[] = {0, 1, -1, NAN, 300};
    struct glt_model *m = make_model(3);
    for (int n = 4; n <= 5; n++)
        for (int beside = 0; beside < 2; beside++) {
            struct glt_cloud *c = made_cloud(400, GLT_F32, 0, 3), *back;
            struct column *x = NULL;
            assert_int_equal(cloud_add_attribute(&x, c, "label", GLT_F32), 0);
            for (int64_t i = 0; i < c->n; i++)
                ((float *)x->data)[i] = labels[i % n];
            assert_int_equal(cloud_add_attribute(&x, c, "classification", GLT_U8), 0);
            ((uint8_t *)x->data)[7] = beside ? 9 : 0;
            predict(c, m, "");
            assert_int_equal(((uint8_t *)cloud_attribute(c, "truth")->data)[3], 255);
            back = read_back(c, "l.las", NULL);
            x = cloud_attribute(back, "original_classification");
            if (n == 4 && !beside)
                assert_null(x);
            else
                assert_true(column_value(x, n == 5 ? 4 : 7) == (n == 5 ? 300 : 9));
            glt_cloud_free(back);
            glt_cloud_free(c);
        }
    glt_model_free(m);
}

/* Labels in an attribute that stays are not lost; the classification beside them would be. */
static void a_classification_beside_chosen_labels_stays(void **state)
{
    (void)state;
    static const char *const names[] = {"gt", "semantic"};
    struct glt_model *m = make_model(3);
    for (int k = 0; k < 2; k++) {
        struct glt_cloud *c = made_cloud(400, GLT_F32, 0, 3), *back;
        struct column *x = NULL;
        assert_int_equal(cloud_add_attribute(&x, c, "classification", GLT_U8), 0);
        ((uint8_t *)x->data)[7] = 9;
        assert_int_equal(cloud_add_attribute(&x, c, names[k], GLT_U8), 0);
        ((uint8_t *)x->data)[7] = 200; /* no class of the model */
        assert_int_equal(labels_choose(c, names[k]), 0);
        predict(c, m, "");
        back = read_back(c, "g.las", NULL);
        assert_true(column_value(cloud_attribute(back, "original_classification"), 7) == 9);
        assert_true(column_value(cloud_attribute(c, names[k]), 7) == 200);
        glt_cloud_free(back);
        glt_cloud_free(c);
    }
    glt_model_free(m);
}

/* Labels that were mapped to numbers of LAS before a prediction say nothing of its own. */
static void a_prediction_after_a_mapping_gets_numbers(void **state)
{
    (void)state;
    struct glt_model *m = make_model(3);
    struct glt_cloud *c = made_cloud(400, GLT_F32, 0, 3), *mapped, *back;
    struct column *x = NULL;
    assert_int_equal(cloud_add_attribute(&x, c, "label", GLT_U8), 0);
    assert_int_equal(glt_cloud_edit(&mapped, c, "map=0:2"), 0);
    predict(mapped, m, "");
    back = read_back(mapped, "m.las", NULL);
    const uint8_t *label = cloud_attribute(mapped, "label")->data,
                  *class = cloud_attribute(back, "classification")->data;
    for (int64_t i = 0; i < c->n; i++)
        assert_int_equal(class[i], 64 + label[i]);
    glt_cloud_free(back);
    glt_cloud_free(mapped);
    glt_cloud_free(c);
    glt_model_free(m);
}

/* LAS gets the numbers of the training, above 31 too, with the names; the cloud keeps its own. A
 * model without them, or with one too large, gives numbers that are free for users. */
static void las_gets_the_numbers_of_the_training(void **state)
{
    (void)state;
    static const int32_t list[][2] = {{66, 0}, {1, 0}, {17, 1}, {2, 2}},
                         large[][2] = {{255, 0}, {17, 1}, {2, 2}};
    static const uint8_t wanted[] = {66, 17, 2};
    struct glt_model *m = make_model(3);
    struct glt_cloud *c = made_cloud(400, GLT_F32, 0, 3), *back;
    for (int turn = 0; turn < 4; turn++) {
        bool given = turn % 2 == 0;
        struct classes *to = &((struct model *)m)->classes;
        to->n_labels = 0;
        for (int i = 0; i < (given ? 4 : turn == 1 ? 0 : 3); i++)
            assert_int_equal(turn < 3 ? classes_add_number(to, list[i][0], list[i][1])
                                      : classes_add_number(to, large[i][0], large[i][1]),
                             0);
        predict(c, m, "second");
        back = read_back(c, "n.las", NULL);
        const uint8_t *label = cloud_attribute(c, "label")->data,
                      *second = cloud_attribute(c, "second")->data,
                      *class = cloud_attribute(back, "classification")->data,
                      *next = cloud_attribute(back, "second")->data;
        for (int64_t i = 0; i < c->n; i++) {
            assert_true(label[i] < 3 && second[i] < 3);
            assert_int_equal(class[i], given ? wanted[label[i]] : 64 + label[i]);
            assert_int_equal(next[i], given ? wanted[second[i]] : 64 + second[i]);
        }
        assert_string_equal(classes_name(&back->classes, given ? 66 : 64), "class_0");
        assert_non_null(classes_name(&c->classes, 0));
        glt_cloud_free(back);
    }
    glt_cloud_free(c);
    glt_model_free(m);
    assert_int_equal(memory_stats().bytes, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_of_an_earlier_prediction_stays),
        cmocka_unit_test(a_label_that_is_borrowed_with_gaps_stays_as_it_was),
        cmocka_unit_test(the_classes_of_a_las_file_stay),
        cmocka_unit_test(labels_of_other_formats_stay_in_their_own_type),
        cmocka_unit_test(a_classification_beside_chosen_labels_stays),
        cmocka_unit_test(a_prediction_after_a_mapping_gets_numbers),
        cmocka_unit_test(las_gets_the_numbers_of_the_training),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
