/* Labels on a cloud: what a prediction adds, and the class names in its comments. */
#include "cloud/cloud.h"
#include "core/error.h"
#include "core/log.h"
#include "core/memory.h"

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

bool comment_names_class(const char *comment)
{
    int32_t number;
    const char *name;
    return is_class(comment, &number, &name);
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

void cloud_class_names(const char **names, int32_t n, const struct glt_cloud *c)
{
    int32_t number;
    const char *name;
    for (int32_t i = 0; i < n; i++)
        names[i] = NULL;
    for (int32_t k = 0; k < c->n_comments; k++)
        if (is_class(c->comments[k], &number, &name) && number < n && !names[number])
            names[number] = name;
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

/* Comment i is replaced by the text, or dropped without one. */
static int replace_comment(struct glt_cloud *c, int32_t i, const char *text)
{
    char *copy = text ? memory_string(text) : NULL;
    if (text && !copy)
        return GLT_ENOMEM;
    memory_free(c->comments[i]);
    c->comments[i] = copy;
    if (!copy)
        memmove(c->comments + i, c->comments + i + 1,
                (size_t)(--c->n_comments - i) * sizeof *c->comments);
    return 0;
}

/* The names that are now of one number: one of them stays if they are all alike, else none does. */
static int settle_class(struct glt_cloud *c, int32_t class)
{
    int32_t number, first = -1;
    const char *name, *one = NULL;
    bool differ = false;
    for (int32_t i = 0; i < c->n_comments; i++) {
        if (!is_class(c->comments[i], &number, &name) || number != class)
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
        if (is_class(c->comments[i], &number, &name) && number == class)
            TRY(replace_comment(c, i, NULL));
    return 0;
}

int cloud_map_classes(struct glt_cloud *c, const int32_t (*map)[2], int32_t n)
{
    int32_t number;
    const char *name;
    for (int32_t i = c->n_comments - 1; i >= 0; i--)
        for (int32_t k = 0; is_class(c->comments[i], &number, &name) && k < n; k++) {
            char text[256];
            if (number != map[k][0])
                continue;
            snprintf(text, sizeof text, "class %d %s", map[k][1], name);
            TRY(replace_comment(c, i, map[k][1] < 0 ? NULL : text)); /* -1 is no class */
            break;
        }
    for (int32_t k = 0; k < n; k++)
        TRY(settle_class(c, map[k][1]));
    return cloud_set_note(c, "classes", "mapped", 6);
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
