/* What a cloud holds, as text for people or as JSON for programs. */
#ifndef CLOUD_INFO_H
#define CLOUD_INFO_H

#include "cloud/cloud.h"

/* The text is released with memory_free. */
int info_cloud(char **out, const struct glt_cloud *c, bool json);

#endif
