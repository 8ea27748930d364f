/* Trains on arrays to separate a floor from what stands on it, and saves the model: train MODEL */
#include <gelatto.h>

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 512, CLOUDS = 2, STEPS = 20 };

static float uniform(void)
{
    return (float)rand() / (float)RAND_MAX;
}

/* A square metre of grey floor with a red box on it. */
static void make_cloud(float *xyz, float *rgb, int32_t *label)
{
    for (int i = 0; i < POINTS; i++) {
        label[i] = rand() % 2;
        float shade = 0.5f + 0.1f * uniform();
        for (int k = 0; k < 3; k++) {
            xyz[3 * i + k] = label[i] ? 0.3f + 0.4f * uniform() : k < 2 ? uniform() : 0;
            rgb[3 * i + k] = label[i] && k > 0 ? 0.1f : shade;
        }
    }
}

static int configure(struct glt_config **config)
{
    static const char *const pairs[][2] = {{"preset", "tiny"},
                                           {"levels", "256,128,32,16"},
                                           {"points", "512"},
                                           {"width", "16,16,32,32"},
                                           {"decoder", "32,32,32,32,16,16,16,16"},
                                           {"head_hidden", "16"},
                                           {"lr", "0.01"}};
    int code = glt_config_create(config);
    for (size_t i = 0; code == 0 && i < sizeof pairs / sizeof *pairs; i++)
        code = glt_config_set(*config, pairs[i][0], pairs[i][1]);
    return code;
}

static int train(struct glt_model *model)
{
    static float xyz[CLOUDS][POINTS * 3], rgb[CLOUDS][POINTS * 3];
    static int32_t label[CLOUDS][POINTS];
    struct glt_points clouds[CLOUDS];
    struct glt_trainer *trainer = NULL;
    double losses[6];
    int code = glt_trainer_create(&trainer, model, CLOUDS, POINTS);
    for (int step = 0; code == 0 && step < STEPS; step++) {
        for (int b = 0; b < CLOUDS; b++) {
            make_cloud(xyz[b], rgb[b], label[b]);
            clouds[b] = (struct glt_points){.size = sizeof(struct glt_points),
                                            .n = POINTS,
                                            .xyz = xyz[b],
                                            .type = GLT_F32,
                                            .channels = 3,
                                            .features = rgb[b],
                                            .labels = label[b]};
        }
        code = glt_trainer_step(trainer, clouds, CLOUDS, 0, losses);
        if (code == 0)
            printf("step %d: loss %.3f, of the main output %.3f\n", step, losses[0], losses[1]);
    }
    glt_trainer_free(trainer);
    return code;
}

int main(int argc, char **argv)
{
    struct glt_config *config = NULL;
    struct glt_model *model = NULL;
    if (argc != 2) {
        fprintf(stderr, "usage: train MODEL\n");
        return 2;
    }
    int code = configure(&config);
    if (code == 0)
        code = glt_model_create(&model, config, 2);
    if (code == 0)
        code = glt_model_set_class(model, 0, "floor", (const unsigned char *)"\x80\x80\x80");
    if (code == 0)
        code = glt_model_set_class(model, 1, "box", (const unsigned char *)"\xe0\x10\x10");
    if (code == 0)
        code = train(model);
    if (code == 0)
        code = glt_model_save(model, argv[1], NULL);
    if (code < 0)
        fprintf(stderr, "train: %s\n", glt_error_message());
    glt_model_free(model);
    glt_config_free(config);
    return code < 0;
}
