/* peers_clouds FOLDER: one labelled cloud in every form that other programs read. tests/peers/check
 * computes the same points again, from the formulas below alone, and compares. */
#include "cloud/labels.h"
#include "core/error.h"
#include "formats/format.h"

#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 5000, CLASSES = 13 };

static int make(struct glt_cloud **out)
{
    static const char *const names[] = {"x", "y", "z", "red", "green", "blue", "intensity"};
    static const char *const classes[CLASSES] = {"ceiling",  "floor", "wall",   "beam",  "column",
                                                 "window",   "door",  "table",  "chair", "sofa",
                                                 "bookcase", "board", "clutter"};
    static int32_t labels[POINTS];
    static float confidence[POINTS];
    struct glt_cloud *c;
    TRY(cloud_new(&c, POINTS));
    for (int k = 0; k < 7; k++) {
        struct column *x;
        enum glt_type type = k < 3 ? GLT_F32 : k < 6 ? GLT_U8 : GLT_U16;
        TRY(cloud_add_attribute(&x, c, names[k], type));
        for (int i = 0; i < POINTS; i++)
            if (k < 3) /* eighths: exact in float, in decimals, and in steps of LAS */
                ((float *)x->data)[i] = (float)(i * (37 + 16 * k) % 2003 - 1000) / 8;
            else if (k < 6)
                ((uint8_t *)x->data)[i] = (uint8_t)(i * (k + 4) % 256);
            else
                ((uint16_t *)x->data)[i] = (uint16_t)(i * 11 % 65536);
    }
    for (int i = 0; i < POINTS; i++) {
        labels[i] = i * 7 % CLASSES;
        confidence[i] = (float)(i % 65) / 64;
    }
    TRY(labels_set(c, labels, confidence, classes, CLASSES));
    *out = c;
    return 0;
}

static int run(const char *folder)
{
    static const struct {
        const char *name, *encoding;
    } files[] = {{"binary.ply", "binary"}, {"big.ply", "big"},
                 {"ascii.ply", "ascii"},   {"ascii.pcd", "ascii"},
                 {"binary.pcd", "binary"}, {"compressed.pcd", "compressed"},
                 {"plain.las", NULL}};
    struct glt_cloud *c;
    TRY(make(&c));
    int code = 0;
    for (size_t i = 0; code == 0 && i < sizeof files / sizeof *files; i++) {
        struct format_options o = {.encoding = files[i].encoding};
        char path[512];
        snprintf(path, sizeof path, "%.400s/%s", folder, files[i].name);
        code = format_write(c, path, &o);
    }
    cloud_free(c);
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: peers_clouds FOLDER\n");
        return 2;
    }
    if (run(argv[1]) < 0) {
        fprintf(stderr, "%s\n", glt_error_message());
        return 1;
    }
    return 0;
}
