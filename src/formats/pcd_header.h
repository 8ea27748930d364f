/* The header of a PCD file. */
#ifndef FORMATS_PCD_HEADER_H
#define FORMATS_PCD_HEADER_H

#include "formats/pcd.h"

struct pcd_header {
    int32_t n_names, n_sizes, n_types, n_counts;
    char (*names)[128];
    int32_t *sizes, *counts;
    char *types;
    int64_t width, height, points; /* -1 when not given */
    enum pcd_data data;
    bool has_data;
};

int pcd_read_header(struct pcd_header *h, struct glt_cloud *c, struct file *f);
void pcd_clear_header(struct pcd_header *h);

#endif
