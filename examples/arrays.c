/* Labels of four points from a trained model: arrays MODEL */
#include <gelatto.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const float xyz[4 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const float rgb[4 * 3] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
    struct glt_points points = {
        .n = 4, .xyz = xyz, .type = GLT_F32, .channels = 3, .features = rgb};
    struct glt_model *model = NULL;
    int32_t label[4];
    const char *name;

    points.size = sizeof points;
    int code = argc == 2 ? glt_model_load(&model, argv[1]) : GLT_EARGUMENT;
    if (code == 0)
        code = glt_model_predict(model, &points, label, NULL);
    for (int i = 0; i < 4 && code == 0; i++)
        if ((code = glt_model_class(model, label[i], &name, NULL)) == 0)
            printf("point %d: %s\n", i, name);
    if (code < 0)
        fprintf(stderr, "%s\n", argc == 2 ? glt_error_message() : "usage: arrays MODEL");
    glt_model_free(model);
    return code < 0;
}
