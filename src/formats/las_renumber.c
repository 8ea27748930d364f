/* Classes of a prediction in LAS by the numbers the model was trained from (2 ground, 6 building),
 * which programs for LAS know, where every class has one (the note "labels.numbers"). Label, truth,
 * second and the names of classes change together, lest one speaks of another's classes; the cloud
 * itself keeps its own. */
#include "formats/las_renumber.h"
#include "cloud/classes.h"
#include "cloud/column.h"
#include "core/error.h"
#include "core/memory.h"

#include <stdio.h>
#include <string.h>

static bool is_plain(const struct column *x)
{
    return x && x->type == GLT_U8 && x->width == 1 && !x->start;
}

static int renumber_column(struct column *x, const struct note *numbers, int64_t n)
{
    const uint8_t *from = x->data;
    uint8_t *to = memory_alloc((size_t)n, sizeof *to);
    if (!to)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < n; i++)
        to[i] = from[i] < numbers->len ? numbers->bytes[from[i]] : from[i]; /* 255 is none */
    x->data = to;
    return 0;
}

static int renumber_comment(char **comment, const struct note *numbers)
{
    int32_t number;
    const char *name;
    char text[300];
    if (!classes_comment(&number, &name, *comment) || (size_t)number >= numbers->len)
        return 0;
    snprintf(text, sizeof text, "class %d %.255s", numbers->bytes[number], name);
    *comment = memory_string(text);
    return *comment ? 0 : GLT_ENOMEM;
}

void las_renumber_free(struct glt_cloud *own, const struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns && own->columns && own->columns != c->columns; i++)
        if (own->columns[i].data != c->columns[i].data)
            memory_free(own->columns[i].data);
    for (int32_t i = 0; i < c->n_comments && own->comments && own->comments != c->comments; i++)
        if (own->comments[i] != c->comments[i])
            memory_free(own->comments[i]);
    if (own->columns != c->columns)
        memory_free(own->columns);
    if (own->comments != c->comments) {
        memory_free(own->comments);
        classes_free(&own->classes);
    }
}

int las_renumber(struct glt_cloud *own, const struct glt_cloud *c)
{
    static const char *const names[] = {"label", "truth", "second"};
    const struct note *numbers = cloud_note(c, "labels.numbers");
    *own = *c;
    if (!numbers || !numbers->len || cloud_note(c, "classes") ||
        !is_plain(cloud_attribute(c, "label")))
        return 0; /* "classes": they have been mapped since */
    own->columns = memory_alloc((size_t)c->n_columns, sizeof *own->columns);
    own->comments = memory_alloc((size_t)c->n_comments + 1, sizeof *own->comments);
    own->classes = (struct classes){0};
    int code = own->columns && own->comments ? 0 : GLT_ENOMEM;
    if (own->columns)
        memcpy(own->columns, c->columns, (size_t)c->n_columns * sizeof *own->columns);
    if (own->comments && c->n_comments)
        memcpy(own->comments, c->comments, (size_t)c->n_comments * sizeof *own->comments);
    for (int i = 0; i < 3 && code == 0; i++) {
        struct column *x = cloud_attribute(own, names[i]);
        code = is_plain(x) ? renumber_column(x, numbers, c->n) : 0;
    }
    for (int32_t i = 0; i < c->n_comments && code == 0; i++)
        code = renumber_comment(&own->comments[i], numbers);
    if (code == 0)
        code = cloud_read_classes(own);
    if (code < 0)
        las_renumber_free(own, c);
    return code;
}
