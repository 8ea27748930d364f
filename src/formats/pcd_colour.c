/* Packed colours: PCL keeps blue, green, red and alpha in the four bytes of one float (rgb) or
 * integer (rgba). Split on reading, so the rest of the program sees red, green and blue; joined
 * again on writing. The fourth byte is kept as alpha unless it is zero everywhere. Beside fields
 * red, green and blue a field rgb is an attribute like others. */
#include "core/error.h"
#include "formats/pcd.h"

#include <string.h>

/* One byte of every packed value, as a column behind all others. */
static int take_byte(struct glt_cloud *c, const unsigned char *packed, const char *name, int byte)
{
    struct column *x;
    TRY(cloud_add_attribute(&x, c, name, GLT_U8));
    for (int64_t i = 0; i < c->n; i++)
        ((uint8_t *)x->data)[i] = packed[4 * i + byte];
    return 0;
}

/* Moves the last n columns to place `to`, in their order. */
static void move_last(struct glt_cloud *c, int32_t n, int32_t to)
{
    struct column moved[4];
    memcpy(moved, c->columns + c->n_columns - n, (size_t)n * sizeof *moved);
    memmove(c->columns + to + n, c->columns + to,
            (size_t)(c->n_columns - n - to) * sizeof *c->columns);
    memcpy(c->columns + to, moved, (size_t)n * sizeof *moved);
}

static int split(struct glt_cloud *c, int32_t k, bool with_alpha)
{
    /* the packed column leaves the table first: adding columns may move it */
    const unsigned char *packed = c->columns[k].data;
    TRY(take_byte(c, packed, "red", 2));
    TRY(take_byte(c, packed, "green", 1));
    TRY(take_byte(c, packed, "blue", 0));
    if (with_alpha)
        TRY(take_byte(c, packed, "alpha", 3));
    const char *type = c->columns[k].type == GLT_F32   ? "F"
                       : c->columns[k].type == GLT_I32 ? "I"
                                                       : "U";
    char note[16] = {type[0], ' ', 0};
    strcat(note, c->columns[k].name);
    TRY(cloud_set_note(c, "pcd.colour", note, strlen(note)));
    struct column old = c->columns[k];
    move_last(c, 3 + with_alpha, k + 1);
    memmove(c->columns + k, c->columns + k + 1,
            (size_t)(c->n_columns - k - 1) * sizeof *c->columns);
    memset(&c->columns[--c->n_columns], 0, sizeof *c->columns);
    column_clear(&old);
    return 0;
}

int pcd_split_colour(struct glt_cloud *c)
{
    if (cloud_attribute(c, "red") || cloud_attribute(c, "green") || cloud_attribute(c, "blue"))
        return 0; /* the colours are there, and rgb is something else */
    for (int32_t k = 0; k < c->n_columns; k++) {
        const struct column *x = &c->columns[k];
        bool rgba = strcmp(x->name, "rgba") == 0, rgb = strcmp(x->name, "rgb") == 0;
        if ((!rgb && !rgba) || type_size(x->type) != 4 || x->width != 1)
            continue;
        bool alpha = rgba;
        for (int64_t i = 0; i < c->n && !alpha; i++)
            alpha = ((const unsigned char *)x->data)[4 * i + 3] != 0;
        return split(c, k, alpha);
    }
    return 0;
}
