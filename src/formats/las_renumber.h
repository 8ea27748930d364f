/* Numbers of classes in LAS. */
#ifndef FORMATS_LAS_RENUMBER_H
#define FORMATS_LAS_RENUMBER_H

#include "cloud/cloud.h"

/* The cloud with its classes as LAS gets them, without copies of the rest: c must outlive it. */
int las_renumber(struct glt_cloud *own, const struct glt_cloud *c);
void las_renumber_free(struct glt_cloud *own, const struct glt_cloud *c);

#endif
