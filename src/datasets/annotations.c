/* Reading a room of S3DIS as published: see annotations.h. */
#include "datasets/annotations.h"

#include "cloud/cloud.h"
#include "cloud/column.h"
#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/log.h"
#include "core/memory.h"
#include "core/number.h"
#include "datasets/dataset_labels.h"

#include <inttypes.h>
#include <string.h>

enum { PATH_SIZE = 4096, LINE_MAX = 4096, FIELDS = 6, NAME_SIZE = 64 };

struct point {
    double xyz[3];
    uint8_t rgb[3];
    int16_t label;
    int32_t instance;
};

struct points {
    struct point *list;
    int64_t n;
};

/* "chair" of "chair_12.txt"; false for files that are not objects. */
static bool class_of(char *dst, size_t size, const char *name)
{
    const char *dot = strrchr(name, '.');
    if (!dot || strcmp(dot, ".txt") || name[0] == '.')
        return false;
    size_t len = (size_t)(dot - name);
    const char *line = memchr(name, '_', len);
    for (const char *p = line; p; p = memchr(p + 1, '_', (size_t)(name + len - p - 1)))
        line = p;
    len = line ? (size_t)(line - name) : len;
    if (len == 0 || len >= size)
        return false;
    memcpy(dst, name, len);
    dst[len] = 0;
    return true;
}

int annotations_classes(const char *room, int (*fn)(void *user, const char *name), void *user)
{
    char folder[PATH_SIZE], class[NAME_SIZE], **names;
    size_t n;
    TRY(file_join(folder, sizeof folder, room, "Annotations"));
    TRY(file_list(&names, &n, folder));
    int code = 0;
    for (size_t i = 0; code == 0 && i < n; i++)
        if (class_of(class, sizeof class, names[i]))
            code = fn(user, class);
    file_free_names(names, n);
    return code;
}

/* Parses six numbers and nothing else. */
static bool parse(double v[FIELDS], const char *line, const char *end)
{
    for (int k = 0; k < FIELDS; k++) {
        while (line < end && (*line == ' ' || *line == '\t' || *line == ','))
            line++;
        if (!(line = number_parse_double(&v[k], line, end)))
            return false;
    }
    while (line < end && (*line == ' ' || *line == '\t'))
        line++;
    return line == end;
}

static bool is_binary(unsigned char c)
{
    return (c < ' ' && c != '\t') || c > '~';
}

/* Replaces a byte that is not text by a blank or by nothing, whichever makes six numbers. */
static bool repair(double v[FIELDS], char *line, size_t len)
{
    char copy[LINE_MAX];
    size_t kept = 0;
    bool damaged = false;
    for (size_t i = 0; i < len && i < sizeof copy; i++) {
        damaged |= is_binary((unsigned char)line[i]);
        copy[i] = is_binary((unsigned char)line[i]) ? ' ' : line[i];
    }
    if (!damaged)
        return false;
    if (parse(v, copy, copy + len))
        return true;
    for (size_t i = 0; i < len; i++)
        if (!is_binary((unsigned char)line[i]))
            copy[kept++] = line[i];
    return parse(v, copy, copy + kept);
}

static int append(struct points *p, const double v[FIELDS], int32_t class, int32_t instance)
{
    TRY(array_reserve(&p->list, p->n, 1, sizeof *p->list));
    struct point *x = &p->list[p->n++];
    memcpy(x->xyz, v, sizeof x->xyz);
    for (int k = 0; k < 3; k++) {
        double c = v[3 + k];
        x->rgb[k] = (uint8_t)(c > 0 ? c < 255 ? c + 0.5 : 255 : 0);
    }
    x->label = (int16_t) class;
    x->instance = instance;
    return 0;
}

static int read_object(struct points *p, struct file *f, int32_t class, int32_t instance)
{
    char *line;
    size_t len;
    double v[FIELDS];
    int code = 0;
    while (code == 0 && (code = file_line(f, &line, &len, LINE_MAX)) == 0 && line) {
        bool fine = parse(v, line, line + len);
        if (!fine && strspn(line, " \t") == len)
            continue;
        if (!fine && repair(v, line, len)) {
            log_warning(GLT_TOPIC_SYNTAX, NULL,
                        "%s:%" PRId64 ": a byte that is not text was repaired", file_name(f),
                        file_line_number(f));
            fine = true;
        }
        if (!fine)
            code =
                error_topic(error_at(GLT_EFORMAT, file_name(f), GLT_PLACE_LINE, file_line_number(f),
                                     "expected six numbers x y z r g b; correct the line "
                                     "or remove it"),
                            GLT_TOPIC_SYNTAX, NULL);
        else
            code = append(p, v, class, instance);
    }
    return code;
}

static int read_objects(struct points *p, const char *folder, const struct dataset *d, char **names,
                        size_t n)
{
    char path[PATH_SIZE], class_name[NAME_SIZE];
    int32_t instance = 0;
    for (size_t i = 0; i < n; i++) {
        int32_t class;
        if (!class_of(class_name, sizeof class_name, names[i]))
            continue;
        TRY(file_join(path, sizeof path, folder, names[i]));
        TRY(dataset_map_name(&class, d, class_name, path));
        struct file *f;
        TRY(file_open(&f, path));
        int code = read_object(p, f, class, instance++);
        file_close(f);
        TRY(code);
    }
    if (p->n == 0)
        return error_topic(
            error_in(GLT_EDATA, folder, "no points; expected files like chair_1.txt"),
            GLT_TOPIC_MISSING, NULL);
    return 0;
}

static int to_cloud(struct glt_cloud **out, const struct points *p)
{
    static const char *const names[] = {"x", "y", "z", "red", "green", "blue", "label", "instance"};
    struct glt_cloud *c;
    struct column *column[8];
    TRY(cloud_new(&c, p->n));
    for (int k = 0; k < 8; k++) {
        int code = cloud_add_attribute(&column[k], c, names[k],
                                       k < 3   ? GLT_F64
                                       : k < 6 ? GLT_U8
                                               : GLT_I32);
        if (code < 0) {
            cloud_free(c);
            return code;
        }
    }
    for (int k = 0; k < 8; k++)
        column[k] = cloud_attribute(c, names[k]);
    for (int64_t i = 0; i < p->n; i++) {
        const struct point *x = &p->list[i];
        for (int k = 0; k < 3; k++) {
            ((double *)column[k]->data)[i] = x->xyz[k];
            ((uint8_t *)column[3 + k]->data)[i] = x->rgb[k];
        }
        ((int32_t *)column[6]->data)[i] = x->label;
        ((int32_t *)column[7]->data)[i] = x->instance;
    }
    *out = c;
    return 0;
}

int annotations_read_object(struct glt_cloud **out, struct file *f, int32_t class)
{
    struct points p = {0};
    int code = read_object(&p, f, class, 0);
    if (code == 0)
        code = to_cloud(out, &p);
    memory_free(p.list);
    return code;
}

int annotations_read(struct glt_cloud **out, const char *room, const struct dataset *d)
{
    char folder[PATH_SIZE], **names;
    size_t n;
    struct points p = {0};
    TRY(file_join(folder, sizeof folder, room, "Annotations"));
    TRY(file_list(&names, &n, folder));
    int code = read_objects(&p, folder, d, names, n);
    if (code == 0)
        code = to_cloud(out, &p);
    memory_free(p.list);
    file_free_names(names, n);
    return code;
}
