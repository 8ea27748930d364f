/* Labels that a cloud has before it is predicted: what stays of them, and under which name.
 * labels: quick */
#include "io_cloud.h"
#include "model/model.h"
#include "settings.h"
#include "task/predict.h"

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
static void test_predicted_again(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_predicted_again),
    };
    return cmocka_run_group_tests(tests, NULL, scratch_clear);
}
