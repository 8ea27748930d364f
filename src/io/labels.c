/* Labels on a cloud: what a prediction adds, and the class names in its comments. */
#include "core/error.h"
#include "core/memory.h"
#include "io/cloud.h"

#include <stdio.h>
#include <string.h>

/* "class 7 table": the number and where the name begins; false for any other comment. */
static bool is_class(const char *comment, int32_t *number, const char **name)
{
    int used = 0, n = 0;
    if (strncmp(comment, "class ", 6) != 0 || sscanf(comment, "class %9d %n", &n, &used) != 1 ||
        used == 0 || n < 0)
        return false;
    *number = n;
    *name = comment + used;
    return **name != 0;
}

static void forget_classes(struct glt_cloud *c)
{
    int32_t kept = 0, number;
    const char *name;
    for (int32_t i = 0; i < c->n_comments; i++) {
        if (is_class(c->comments[i], &number, &name))
            memory_free(c->comments[i]);
        else
            c->comments[kept++] = c->comments[i];
    }
    c->n_comments = kept;
}

bool cloud_class_name(char *dst, size_t size, const struct glt_cloud *c, int32_t i)
{
    int32_t number;
    const char *name;
    for (int32_t k = 0; k < c->n_comments; k++)
        if (is_class(c->comments[k], &number, &name) && number == i) {
            snprintf(dst, size, "%s", name);
            return true;
        }
    return false;
}

int32_t cloud_class_count(const struct glt_cloud *c)
{
    int32_t number, count = 0;
    const char *name;
    for (int32_t k = 0; k < c->n_comments; k++)
        if (is_class(c->comments[k], &number, &name) && number >= count)
            count = number + 1;
    return count;
}

static int add_labels(struct glt_cloud *c, const int32_t *labels, bool wide)
{
    struct column *x;
    TRY(cloud_add_attribute(&x, c, "label", wide ? GLT_I32 : GLT_U8));
    for (int64_t i = 0; i < c->n; i++) {
        if (wide)
            ((int32_t *)x->data)[i] = labels[i];
        else
            ((uint8_t *)x->data)[i] = (uint8_t)labels[i];
    }
    return 0;
}

int cloud_set_labels(struct glt_cloud *c, const int32_t *labels, const float *confidence,
                     const char *const *names, int32_t n_classes)
{
    bool wide = n_classes > 255;
    for (int64_t i = 0; i < c->n; i++)
        wide = wide || labels[i] < 0 || labels[i] > 255;
    /* stale copies of the old labels would contradict the new */
    static const char *const old[] = {"label", "scalar_label", "confidence", "scalar_confidence"};
    for (size_t i = 0; i < sizeof old / sizeof *old; i++)
        cloud_remove_attribute(c, old[i]);
    TRY(add_labels(c, labels, wide));
    struct column *x;
    if (confidence) {
        TRY(cloud_add_attribute(&x, c, "confidence", GLT_F32));
        if (c->n)
            memcpy(x->data, confidence, (size_t)c->n * sizeof *confidence);
    }
    TRY(cloud_set_note(c, "labels", "predicted", 9));
    if (!names)
        return 0;
    forget_classes(c);
    for (int32_t i = 0; i < n_classes; i++) {
        char text[256];
        snprintf(text, sizeof text, "class %d %s", i, names[i]);
        TRY(cloud_add_comment(c, text));
    }
    return 0;
}
