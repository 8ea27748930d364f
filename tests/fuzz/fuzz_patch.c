/* Patch files: a patch of strangers changes labels of existing points or nothing, and never another
 * attribute. The first byte chooses the cloud: 1 has labels, 2 marks what is reviewed, 4 the digest
 * of the patch is made right, so that its other parts are reached, 8 labels are floats, 16
 * classification, 32 the cloud has an attribute reviewed, 64 of the wrong type. covers:
 * task/patch.c but: glt_patch own */
#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "fuzz.h"
#include "task/patch.h"
#include "task/shown.h"

#include <string.h>

enum { N = 64 };

static struct glt_cloud *make_cloud(unsigned kind)
{
    struct glt_cloud *c = NULL;
    float at[N];
    uint8_t label[N];
    PROPERTY(glt_cloud_create(&c, N) == 0);
    for (int i = 0; i < N; i++) {
        at[i] = (float)(i * i % 17);
        label[i] = (uint8_t)(i % 3);
    }
    PROPERTY(glt_cloud_set(c, "x", GLT_F32, at, 0) == 0);
    PROPERTY(glt_cloud_set(c, "y", GLT_F32, at, 0) == 0);
    PROPERTY(glt_cloud_set(c, "z", GLT_F32, at, 0) == 0);
    const char *name = kind & 16 ? "classification" : "label";
    if (kind & 1 && kind & 8)
        PROPERTY(glt_cloud_set(c, name, GLT_F32, at, 0) == 0);
    else if (kind & 1)
        PROPERTY(glt_cloud_set(c, name, GLT_U8, label, 0) == 0);
    if (kind & 32)
        PROPERTY(glt_cloud_set(c, "reviewed", kind & 64 ? GLT_F32 : GLT_U8,
                               kind & 64 ? (void *)at : (void *)label, 0) == 0);
    PROPERTY(cloud_add_comment(c, "class 1 wall") == 0);
    return c;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct json *patch = NULL;
    struct glt_patched done = {0};
    if (size < 1 || json_parse(&patch, "patch", (const char *)data + 1, size - 1) < 0)
        return 0;
    struct glt_cloud *c = make_cloud(data[0]);
    char digest[DIGEST_SIZE];
    PROPERTY(shown_digest(digest, c) == 0);
    if (data[0] & 4 && json_is(patch, JSON_OBJECT))
        PROPERTY(json_set(patch, "digest", json_string(digest)) == 0);
    int32_t before = c->n_columns;
    int code = patch_apply(c, patch, "patch", data[0] & 2, &done);
    PROPERTY(code == 0 || c->n_columns == before);
    PROPERTY(done.rows <= done.points && done.points <= N && done.changed <= done.points);
    for (int i = 0; i < N; i++)
        PROPERTY(column_value(cloud_attribute(c, "y"), i) == (float)(i * i % 17));
    glt_cloud_free(c);
    json_free(patch);
    return 0;
}
