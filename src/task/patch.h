/* Patches: corrections of labels from a viewer page (docs/reference/patch-files.md). */
#ifndef TASK_PATCH_H
#define TASK_PATCH_H

#include "cloud/cloud.h"
#include "core/json.h"

/* Applies a patch as glt_patch does; `name` is for messages. */
int patch_apply(struct glt_cloud *c, const struct json *patch, const char *name, bool reviewed,
                struct glt_patched *out);

#endif
