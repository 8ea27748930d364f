/* One cloud of a viewer page: its points as sections, and their description. */
#ifndef TASK_VIEW_CLOUD_H
#define TASK_VIEW_CLOUD_H

#include "cloud/cloud.h"
#include "core/file.h"
#include "core/json.h"

struct view_cloud {
    const struct glt_cloud *cloud;
    int number;             /* in the page, from 0: "c0" begins the names of its sections */
    int64_t points;         /* maximum shown */
    const char *attributes; /* to colour by, separated by commas; NULL: none */
    const char *classes;    /* more classes to choose from, separated by commas; NULL: none */
};

/* Writes the sections. *out: their description for the script, which the caller frees. */
int view_cloud_write(struct json **out, struct file *f, const struct view_cloud *v);

/* A value for any text: bytes that are not UTF-8 become '?'. */
struct json *view_cloud_text(const char *text);

#endif
