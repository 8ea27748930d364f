/* Patches: see patch.h. Everything that may fail happens before the first label changes. */
#include "task/patch.h"

#include "cloud/classes.h"
#include "cloud/column.h"
#include "cloud/labels.h"
#include "cloud/type.h"
#include "core/call.h"
#include "core/error.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "core/option_string.h"
#include "geometry/subset.h"
#include "task/shown.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MAX = 64 }; /* average number of times a row may be named: each takes time */
enum { VERSION = 1, UNTOUCHED = -1, IGNORED = -2, NUMBER_MAX = 65535, NAME_MAX_BYTES = 200 };

struct patching {
    struct call call;
    struct glt_cloud *cloud;
    const char *name; /* of the patch, for messages */
    struct shown shown;
    int64_t named;   /* rows, counted each time an edit names them */
    int32_t *value;  /* (m) the new class of each shown row, UNTOUCHED or IGNORED */
    int32_t *owner;  /* (n) the shown row that stands for each; NULL: all are shown */
    int32_t largest; /* class */
    bool added_label, added_reviewed;
    int32_t n_comments; /* before names were added */
    int32_t none;       /* the number of "no class" before names were added; -1 without labels */
};

/* --- reading --- */

static int refuse(const struct patching *p, const char *what, const char *text)
{
    return error_topic(error_in(GLT_EFORMAT, p->name, "%s: \"%.40s\"", what, text),
                       GLT_TOPIC_SYNTAX, "rows");
}

/* "17" or "17-20", and the blanks after it. */
static int read_run(int64_t run[2], const char **text, const struct patching *p)
{
    char *end;
    const char *begin = *text;
    for (int k = 0; k < 2; k++) {
        const char *at = *text;
        if (*at < '0' || *at > '9')
            return refuse(p, "found something else than a row or \"first-last\"", begin);
        run[k] = strtoll(at, &end, 10);
        *text = end;
        if (k == 0 && *end != '-') {
            run[1] = run[0];
            break;
        }
        *text += k == 0;
    }
    if (**text && **text != ' ')
        return refuse(p, "found something else than a blank after a row", begin);
    *text += strspn(*text, " ");
    if (run[0] > run[1] || run[1] >= p->cloud->n)
        return refuse(p, "found a row that is not in the cloud", begin);
    return 0;
}

/* The first shown row that is not before `row`. */
static int64_t find_shown(const struct shown *s, int64_t row)
{
    int64_t begin = 0, end = s->m;
    while (begin < end) {
        int64_t middle = (begin + end) / 2;
        if (s->rows[middle] < row)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

static int read_rows(struct patching *p, const char *text, int32_t number)
{
    int64_t run[2] = {0, 0};
    text += strspn(text, " ");
    while (*text) {
        const char *at = text;
        TRY(read_run(run, &text, p));
        int64_t i = find_shown(&p->shown, run[0]);
        if (i == p->shown.m || p->shown.rows[i] > run[1])
            return refuse(p, "found rows that the page did not show", at);
        for (; i < p->shown.m && p->shown.rows[i] <= run[1]; i++, p->named++)
            p->value[i] = number;
        if (p->named > NAMED_MAX * p->shown.m)
            return refuse(p, "found rows that are named too many times", at);
    }
    return 0;
}

/* The names of the patch and of the cloud must agree: numbers alone may mean anything. */
static int check_name(struct patching *p, int32_t number, const char *name)
{
    const char *old = classes_name(&p->cloud->classes, number);
    if (old && strcmp(old, name) != 0)
        return error_topic(error_in(GLT_EDATA, p->name,
                                    "class %d is \"%.60s\" in the patch and \"%.60s\" in the "
                                    "cloud; make the page anew from this cloud",
                                    number, name, old),
                           GLT_TOPIC_CLASSES, NULL);
    if (strlen(name) > NAME_MAX_BYTES || strpbrk(name, "\r\n"))
        return error_topic(error_in(GLT_EFORMAT, p->name,
                                    "the name of class %d has a line break or more than %d bytes",
                                    number, NAME_MAX_BYTES),
                           GLT_TOPIC_CLASSES, NULL);
    if (old || !*name)
        return 0;
    char text[NAME_MAX_BYTES + 32];
    snprintf(text, sizeof text, "class %d %s", number, name);
    return cloud_add_comment(p->cloud, text);
}

static int read_edit(struct patching *p, const struct json *edit)
{
    int64_t number = 0;
    const char *rows;
    const struct json *class = json_get(edit, "class"), *name = json_get(edit, "name");
    TRY(json_want_string(&rows, p->name, edit, "rows"));
    if (json_is(class, JSON_NULL))
        return read_rows(p, rows, IGNORED);
    TRY(json_want_int(&number, p->name, edit, "class", 0, NUMBER_MAX));
    if (json_is(name, JSON_STRING))
        TRY(check_name(p, (int32_t)number, json_string_value(name)));
    p->largest = number > p->largest ? (int32_t)number : p->largest;
    return read_rows(p, rows, (int32_t)number);
}

static int check_digest(const struct patching *p, const struct json *patch)
{
    char digest[DIGEST_SIZE];
    const char *wanted;
    TRY(json_want_string(&wanted, p->name, patch, "digest"));
    TRY(shown_digest(digest, p->cloud));
    if (strcmp(wanted, digest) == 0)
        return 0;
    const char *cloud = json_string_value(json_get(patch, "cloud"));
    return error_topic(
        error_in(GLT_EDATA, p->name,
                 "the patch belongs to other points (%.100s, digest %.32s); this cloud has digest "
                 "%s",
                 cloud ? cloud : "a cloud", wanted, digest),
        GLT_TOPIC_DIGEST, NULL);
}

static int read_head(struct patching *p, const struct json *patch, int64_t *maximum)
{
    const char *kind;
    int64_t version, points;
    TRY(json_want_string(&kind, p->name, patch, "gelatto"));
    if (strcmp(kind, "patch") != 0)
        return error_topic(error_in(GLT_EFORMAT, p->name,
                                    "\"gelatto\" is \"%.40s\"; expected \"patch\", as the viewer "
                                    "exports it",
                                    kind),
                           GLT_TOPIC_VALUE, "gelatto");
    TRY(json_want_int(&version, p->name, patch, "version", VERSION, VERSION));
    TRY(json_want_int(&points, p->name, patch, "points", 0, INT32_MAX));
    TRY(json_want_int(maximum, p->name, patch, "maximum", 1, INT32_MAX));
    return check_digest(p, patch);
}

static int read_edits(struct patching *p, const struct json *patch)
{
    struct json *edits;
    int64_t maximum;
    TRY(read_head(p, patch, &maximum));
    TRY(json_want(&edits, p->name, patch, "edits", JSON_ARRAY));
    TRY(shown_find(&p->shown, &p->call, p->cloud, maximum));
    p->value = call_alloc(&p->call, (size_t)p->shown.m + 1, sizeof *p->value);
    if (!p->value)
        return GLT_ENOMEM;
    for (int64_t i = 0; i < p->shown.m; i++)
        p->value[i] = UNTOUCHED;
    for (size_t i = 0; i < json_size(edits); i++)
        TRY(read_edit(p, json_at(edits, i)));
    if (p->shown.m == p->cloud->n)
        return 0;
    p->owner = call_alloc(&p->call, (size_t)p->cloud->n + 1, sizeof *p->owner);
    return p->owner ? subset_owners(p->owner, p->shown.rows, p->shown.m, &p->call, p->shown.xyz,
                                    p->cloud->n)
                    : GLT_ENOMEM;
}

/* --- the columns --- */

static void store(struct column *x, int64_t i, int32_t number)
{
    unsigned char *item = (unsigned char *)x->data + (size_t)i * type_size(x->type);
    if (x->type == GLT_F32)
        memcpy(item, &(float){(float)number}, sizeof(float));
    else if (x->type == GLT_F64)
        memcpy(item, &(double){number}, sizeof(double));
    else
        type_store(item, x->type, number);
}

/* The labels; if there are none, a new column in which no point has a class. */
static int make_labels(struct patching *p)
{
    const struct column *old = labels_column(p->cloud);
    struct column *x;
    if (old)
        return column_own(cloud_attribute(p->cloud, old->name), p->cloud->n);
    TRY(cloud_add_attribute(&x, p->cloud, "label", p->largest < UINT8_MAX ? GLT_U8 : GLT_I32));
    p->added_label = true;
    for (int64_t i = 0; i < p->cloud->n; i++)
        store(x, i, labels_none(p->cloud, x));
    return 0;
}

static int check_range(const struct patching *p)
{
    const struct column *x = labels_column(p->cloud);
    bool fits = type_is_real(x->type) || p->largest <= type_max(x->type);
    if (fits && !column_is_scaled(x))
        return 0;
    return error_topic(error_in(GLT_EDATA, p->name,
                                "class %d does not fit the labels of the cloud, whose type is %s",
                                p->largest, type_name(x->type)),
                       GLT_TOPIC_LABELS, x->name);
}

static int make_reviewed(struct patching *p)
{
    struct column *x = cloud_attribute(p->cloud, "reviewed");
    if (x && column_is_single(x) && x->type == GLT_U8 && !column_is_scaled(x))
        return column_own(x, p->cloud->n);
    if (x)
        return error_topic(error_in(GLT_EDATA, p->name,
                                    "the cloud has an attribute reviewed of type %s; expected one "
                                    "u8 a point",
                                    type_name(x->type)),
                           GLT_TOPIC_ATTRIBUTE, "reviewed");
    TRY(cloud_add_attribute(&x, p->cloud, "reviewed", GLT_U8));
    p->added_reviewed = true;
    return 0;
}

static void write_labels(const struct patching *p, bool reviewed, struct glt_patched *out)
{
    struct column *label = cloud_attribute(p->cloud, labels_column(p->cloud)->name);
    uint8_t *seen = reviewed ? cloud_attribute(p->cloud, "reviewed")->data : NULL;
    int32_t ignored = labels_none(p->cloud, label);
    for (int64_t i = 0; i < p->shown.m; i++)
        out->rows += p->value[i] != UNTOUCHED;
    for (int64_t i = 0; i < p->cloud->n; i++) {
        int64_t place = p->owner ? p->owner[i] : i;
        if (place < 0 || p->value[place] == UNTOUCHED) {
            if (column_value(label, i) == p->none) /* the patch may have made it a class */
                store(label, i, ignored);
            continue;
        }
        int32_t number = p->value[place] == IGNORED ? ignored : p->value[place];
        out->points++;
        out->changed += column_value(label, i) != number;
        store(label, i, number);
        if (seen)
            seen[i] = 1;
    }
}

/* Removes what was added before a failure. */
static int undo(struct patching *p)
{
    if (p->added_label)
        cloud_remove_attribute(p->cloud, "label");
    if (p->added_reviewed)
        cloud_remove_attribute(p->cloud, "reviewed");
    if (p->cloud->n_comments == p->n_comments)
        return 0;
    while (p->cloud->n_comments > p->n_comments)
        cloud_remove_comment(p->cloud, p->cloud->n_comments - 1);
    return cloud_read_classes(p->cloud);
}

static int prepare(struct patching *p, const struct json *patch, bool reviewed)
{
    const struct column *label = labels_column(p->cloud);
    p->none = label ? labels_none(p->cloud, label) : -1;
    TRY(read_edits(p, patch));
    TRY(make_labels(p));
    TRY(check_range(p));
    return reviewed ? make_reviewed(p) : 0;
}

int patch_apply(struct glt_cloud *c, const struct json *patch, const char *name, bool reviewed,
                struct glt_patched *out)
{
    struct patching p = {.cloud = c, .name = name, .n_comments = c->n_comments};
    struct glt_patched found = {0};
    int code = prepare(&p, patch, reviewed);
    if (code == 0) {
        write_labels(&p, reviewed, &found);
        *out = found;
    } else {
        struct error e;
        error_save(&e);
        undo(&p);
        code = error_restore(&e);
    }
    call_free(&p.call);
    return code;
}

int glt_patch(struct glt_cloud *c, const char *path, const char *options, struct glt_patched *out)
{
    REQUIRE(c, path);
    struct call call = {0};
    struct json *patch = NULL;
    struct glt_patched found;
    bool reviewed = true;
    const struct option_field table[] = {{"reviewed", FIELD_FLAG, &reviewed, 0, 0}};
    int code = option_string_read(&call, options, table, 1);
    if (code == 0)
        code = json_parse_file(&patch, path, JSON_OBJECT);
    if (code == 0)
        code = patch_apply(c, patch, path, reviewed, &found);
    if (code == 0 && out)
        *out = found;
    json_free(patch);
    call_free(&call);
    return code;
}
