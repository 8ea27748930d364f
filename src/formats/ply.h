/* PLY, shared by its reader and writer. */
#ifndef FORMATS_PLY_H
#define FORMATS_PLY_H

#include "core/string.h"
#include "formats/format.h"

enum ply_encoding { PLY_ASCII, PLY_LITTLE, PLY_BIG };

/* A header: all elements in the file's order, their columns without data. */
struct ply {
    enum ply_encoding encoding;
    struct element *elements;
    int32_t n_elements, vertex; /* vertex = index of the points, -1 if there are none */
    struct string info;         /* obj_info lines, kept in a note of their own */
};

extern const char *const ply_encoding_names[3];
int ply_read_header(struct ply *p, struct glt_cloud *c, struct file *f);
/* Bytes of an element's record, or the least it can have when it holds lists (has_list). */
size_t ply_row_size(const struct element *e, bool *has_list);
/* *line = lines of the file so far */
int ply_read_ascii(struct element *e, struct file *f, int64_t *line);
/* Instead of the vertices, o->sample points on the faces. */
int ply_sample(struct glt_cloud *c, const struct ply *p, const char *file,
               const struct format_options *o);
int ply_write(const struct glt_cloud *c, struct file *f, const struct format_options *o);
int ply_write_ascii(const struct element *e, struct file *f);

#endif
