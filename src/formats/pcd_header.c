/* The PCD header: keyword lines up to DATA.
 *
 * Reference: "The PCD (Point Cloud Data) file format" of the PCL documentation, versions .5 to .7.
 * COUNT is 1 where it is missing, SIZE and TYPE are 4 and F (version .5); POINTS is WIDTH times
 * HEIGHT. VIEWPOINT and the organisation are kept. */
#include "formats/pcd_header.h"

#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/number.h"
#include "formats/scan.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { LINE_MOST = 1 << 20, FIELDS_MOST = COLUMNS_MOST };

const char *const pcd_data_names[3] = {"ascii", "binary", "binary_compressed"};

static int bad(const struct file *f, const char *key, const char *found, const char *expected)
{
    return error_set(GLT_EFORMAT, "%s: line %" PRId64 ": %s \"%.60s\": expected %s", file_name(f),
                     file_line_number(f), key, found, expected);
}

static int take_fields(struct pcd_header *h, const struct file *f, char *rest)
{
    for (char *word; (word = scan_word(&rest));) {
        if (h->n_names == FIELDS_MOST || strlen(word) >= sizeof *h->names)
            return bad(f, "FIELDS", word, "fewer or shorter names");
        strcpy(h->names[h->n_names++], word);
    }
    return h->n_names ? 0 : bad(f, "FIELDS", "", "names");
}

static int take_numbers(int32_t *dst, int32_t *n, const struct file *f, const char *key, char *rest)
{
    for (char *word; (word = scan_word(&rest));) {
        int64_t v;
        if (*n == FIELDS_MOST || !number_is_int(&v, word) || v < 1 || v > INT32_MAX)
            return bad(f, key, word, "a small number per field");
        dst[(*n)++] = (int32_t)v;
    }
    return 0;
}

static int take_types(struct pcd_header *h, const struct file *f, char *rest)
{
    for (char *word; (word = scan_word(&rest));) {
        if (h->n_types == FIELDS_MOST || word[1] || !strchr("IUFiuf", word[0]))
            return bad(f, "TYPE", word, "I, U or F per field");
        h->types[h->n_types++] = (char)(word[0] & ~0x20);
    }
    return 0;
}

static int take_count(int64_t *out, const struct file *f, const char *key, char *rest)
{
    char *word = scan_word(&rest);
    if (!word || !number_is_int(out, word) || *out < 0)
        return bad(f, key, word ? word : "", "a number");
    return 0;
}

static int take_data(struct pcd_header *h, const struct file *f, char *rest)
{
    char *word = scan_word(&rest);
    for (int i = 0; word && i < 3; i++)
        if (strcasecmp(word, pcd_data_names[i]) == 0) {
            h->data = (enum pcd_data)i;
            h->has_data = true;
            return 0;
        }
    return bad(f, "DATA", word ? word : "", "ascii, binary or binary_compressed");
}

static int take_line(struct pcd_header *h, struct glt_cloud *c, const struct file *f, char *line)
{
    char *rest = line, *key = scan_word(&rest);
    if (!key)
        return 0;
    if (key[0] == '#') { /* the first line says only what every PCD file says */
        *(rest > line && rest[-1] == 0 ? rest - 1 : rest) = *rest ? ' ' : 0;
        const char *text = key + 1 + strspn(key + 1, " \t");
        return strncmp(text, ".PCD v", 6) == 0 || !*text ? 0 : cloud_add_comment(c, text);
    }
    if (!strcasecmp(key, "VERSION"))
        return 0;
    if (!strcasecmp(key, "FIELDS") || !strcasecmp(key, "COLUMNS"))
        return take_fields(h, f, rest);
    if (!strcasecmp(key, "SIZE"))
        return take_numbers(h->sizes, &h->n_sizes, f, key, rest);
    if (!strcasecmp(key, "TYPE"))
        return take_types(h, f, rest);
    if (!strcasecmp(key, "COUNT"))
        return take_numbers(h->counts, &h->n_counts, f, key, rest);
    if (!strcasecmp(key, "WIDTH"))
        return take_count(&h->width, f, key, rest);
    if (!strcasecmp(key, "HEIGHT"))
        return take_count(&h->height, f, key, rest);
    if (!strcasecmp(key, "POINTS"))
        return take_count(&h->points, f, key, rest);
    if (!strcasecmp(key, "VIEWPOINT"))
        return cloud_set_note(c, "pcd.viewpoint", rest, strlen(rest));
    if (!strcasecmp(key, "DATA"))
        return take_data(h, f, rest);
    return bad(f, "keyword", key, "FIELDS, SIZE, TYPE, COUNT, WIDTH, HEIGHT, POINTS or DATA");
}

static int check(struct pcd_header *h, const struct file *f)
{
    int64_t area = 0;
    bool has_area = h->width >= 0 && h->height >= 0;
    if (h->n_names == 0)
        return error_set(GLT_EFORMAT, "%s: the PCD header has no FIELDS", file_name(f));
    if ((h->n_sizes && h->n_sizes != h->n_names) || (h->n_types && h->n_types != h->n_names) ||
        (h->n_counts && h->n_counts != h->n_names))
        return error_set(GLT_EFORMAT,
                         "%s: %d FIELDS, but %d SIZEs, %d TYPEs and %d COUNTs: they must agree",
                         file_name(f), h->n_names, h->n_sizes, h->n_types, h->n_counts);
    if (has_area && __builtin_mul_overflow(h->width, h->height, &area))
        return error_set(GLT_EFORMAT, "%s: WIDTH times HEIGHT is too large", file_name(f));
    if (h->points < 0 && !has_area)
        return error_set(GLT_EFORMAT, "%s: neither POINTS nor WIDTH and HEIGHT", file_name(f));
    if (h->points >= 0 && has_area && h->points != area)
        return error_set(GLT_EFORMAT, "%s: POINTS is %" PRId64 ", but WIDTH x HEIGHT is %" PRId64,
                         file_name(f), h->points, area);
    h->points = h->points < 0 ? area : h->points;
    int64_t values = 0;
    for (int32_t i = 0; i < h->n_names; i++) {
        h->sizes[i] = h->n_sizes ? h->sizes[i] : 4;
        h->counts[i] = h->n_counts ? h->counts[i] : 1;
        values += h->counts[i];
        h->types[i] = h->n_types ? h->types[i] : 'F';
        int32_t size = h->sizes[i];
        if (strcmp(h->names[i], "_") == 0 && size == 1)
            h->types[i] = 'U'; /* padding has no type, whatever TYPE says */
        bool known = size == 4 || size == 8 || (h->types[i] != 'F' && (size == 1 || size == 2));
        if (!known)
            return error_set(GLT_EFORMAT, "%s: field %s: TYPE %c of SIZE %d is none", file_name(f),
                             h->names[i], h->types[i], size);
    }
    if (values > VALUES_MOST)
        return error_set(GLT_EFORMAT,
                         "%s: COUNT: %" PRId64 " values per point, %d are read at most",
                         file_name(f), values, VALUES_MOST);
    return 0;
}

int pcd_read_header(struct pcd_header *h, struct glt_cloud *c, struct file *f)
{
    *h = (struct pcd_header){.width = -1, .height = -1, .points = -1};
    h->names = memory_alloc(FIELDS_MOST, sizeof *h->names);
    h->sizes = memory_alloc(FIELDS_MOST, sizeof *h->sizes);
    h->counts = memory_alloc(FIELDS_MOST, sizeof *h->counts);
    h->types = memory_alloc(FIELDS_MOST, 1);
    if (!h->names || !h->sizes || !h->counts || !h->types)
        return GLT_ENOMEM;
    while (!h->has_data) {
        char *line;
        size_t len;
        TRY(file_line(f, &line, &len, LINE_MOST));
        if (!line)
            return error_set(GLT_EFORMAT, "%s: the PCD header ends without DATA", file_name(f));
        TRY(take_line(h, c, f, line));
    }
    return check(h, f);
}

void pcd_clear_header(struct pcd_header *h)
{
    memory_free(h->names);
    memory_free(h->sizes);
    memory_free(h->counts);
    memory_free(h->types);
}
