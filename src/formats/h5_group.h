/* The links of a group, from all three ways to store them. */
#ifndef FORMATS_H5_GROUP_H
#define FORMATS_H5_GROUP_H

#include "formats/h5_file.h"
#include "formats/h5_object.h"

/* Fills group->links with all hard links of a group, sorted by name. */
int h5_group_links(struct h5_object *group, struct h5 *f);

#endif
