/* Labels of a cloud: see labels.h. */
#include "cloud/labels.h"

#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* The names that are now of one number: one of them stays if they are all alike, else none does. */
static void settle_class(struct glt_cloud *c, int32_t class)
{
    int32_t number, first = -1;
    const char *name, *one = NULL;
    bool differ = false;
    for (int32_t i = 0; i < c->n_comments; i++) {
        if (!classes_comment(&number, &name, c->comments[i]) || number != class)
            continue;
        if (one && strcmp(one, name) != 0) {
            log_message(GLT_LOG_WARNING,
                        "class %d would be called %s and %s: the names are left out", class, one,
                        name);
            differ = true;
        }
        one = one ? one : name;
        first = first < 0 ? i : first;
    }
    for (int32_t i = c->n_comments - 1; first >= 0 && i >= first + !differ; i--)
        if (classes_comment(&number, &name, c->comments[i]) && number == class)
            cloud_remove_comment(c, i);
}

/* Comment i, which names a class, is about another number; -1 is no class. */
static int renumber_comment(struct glt_cloud *c, int32_t i, const char *name, int32_t number)
{
    char text[256];
    snprintf(text, sizeof text, "class %d %s", number, name);
    if (number < 0) {
        cloud_remove_comment(c, i);
        return 0;
    }
    char *copy = memory_string(text);
    if (!copy)
        return GLT_ENOMEM;
    memory_free(c->comments[i]);
    c->comments[i] = copy;
    return 0;
}

int labels_map(struct glt_cloud *c, const int32_t (*map)[2], int32_t n)
{
    int32_t number;
    const char *name;
    for (int32_t i = c->n_comments - 1; i >= 0; i--) {
        int32_t k = 0;
        if (!classes_comment(&number, &name, c->comments[i]))
            continue;
        while (k < n && number != map[k][0])
            k++;
        if (k < n)
            TRY(renumber_comment(c, i, name, map[k][1]));
    }
    for (int32_t k = 0; k < n; k++)
        settle_class(c, map[k][1]);
    TRY(cloud_read_classes(c));
    return cloud_set_note(c, "classes", "mapped", 6);
}

static void forget_classes(struct glt_cloud *c)
{
    int32_t kept = 0, number;
    const char *name;
    for (int32_t i = 0; i < c->n_comments; i++) {
        if (classes_comment(&number, &name, c->comments[i]))
            memory_free(c->comments[i]);
        else
            c->comments[kept++] = c->comments[i];
    }
    c->n_comments = kept;
    classes_free(&c->classes);
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

int labels_set(struct glt_cloud *c, const int32_t *labels, const float *confidence,
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
