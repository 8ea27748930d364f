/* COPC: see copc.h.
 *
 * Reference: https://copc.io, COPC 1.0. The record of user "copc" has the cube of the octree and
 * the offset of the hierarchy's first page. A page is a list of entries: the key of a node (level,
 * x, y, z), then offset, size and number of points of its chunk. A count of -1 marks another page
 * instead of a chunk. Every level halves the cube. */
#include "formats/copc.h"

#include "core/array.h"
#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "formats/las_layout.h"
#include "formats/laz.h"
#include "formats/little.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { INFO = 1, INFO_BYTES = 160, ENTRY = 32, LEVELS = 31, A_PAGE = -1 };

struct page {
    uint64_t at, len;
};

struct search {
    struct laz *z;
    struct file *f;
    double centre[3], half;
    const double *box;
    struct page *pages; /* (n_pages): still to be read */
    int64_t n_pages, n_entries, n_roots;
    struct laz_span *spans;
    int64_t n_spans, points;
    int64_t bytes; /* of the pages read and of nodes, which do not overlap */
};

bool copc_is_record(const struct las_vlr *v)
{
    return v->record == INFO && strncmp(v->user, "copc", 16) == 0;
}

/* Whether a node's square meets the box. */
static bool meets(const struct search *s, const unsigned char *key)
{
    double side = ldexp(2 * s->half, -(int)little_get32(key));
    for (int d = 0; d < 2; d++) {
        double low = s->centre[d] - s->half + side * (int32_t)little_get32(key + 4 + 4 * d);
        if (low > s->box[2 + d] || low + side < s->box[d])
            return false;
    }
    return true;
}

static int damaged(const struct search *s, uint64_t at, const char *what)
{
    int code = error_in(GLT_EFORMAT, file_name(s->f),
                        "COPC hierarchy: %s (byte %" PRIu64 "): the file is cut short or damaged",
                        what, at);
    error_topic(code, GLT_TOPIC_TRUNCATED, "chunks");
    return error_place(code, GLT_PLACE_BYTE, (int64_t)at);
}

static int add_page(struct search *s, uint64_t at, uint64_t len)
{
    uint64_t size = (uint64_t)file_size(s->f);
    if (len == 0 || len % ENTRY || at > size || len > size - at)
        return damaged(s, at, "a page lies outside the file");
    TRY(array_reserve(&s->pages, s->n_pages, 1, sizeof *s->pages));
    s->pages[s->n_pages++] = (struct page){at, len};
    return 0;
}

static int add_node(struct search *s, uint64_t at, uint32_t bytes, int32_t points)
{
    uint64_t size = (uint64_t)file_size(s->f);
    if (at < (uint64_t)s->z->points_at || at > size || bytes > size - at || bytes == 0 ||
        points < 0 || points > s->z->n - s->points)
        return damaged(s, at, "a node lies outside the points");
    if ((uint64_t)s->bytes + bytes > size)
        return damaged(s, at, "nodes overlap");
    TRY(array_reserve(&s->spans, s->n_spans, 1, sizeof *s->spans));
    s->spans[s->n_spans++] =
        (struct laz_span){.offset = (int64_t)at, .bytes = bytes, .first = s->points, .n = points};
    s->points += points;
    s->bytes += bytes;
    return 0;
}

static int read_entry(struct search *s, const unsigned char *entry, uint64_t at)
{
    static const unsigned char root[16] = {0};
    uint64_t to = little_get64(entry + 16);
    uint32_t bytes = little_get32(entry + 24);
    int32_t points = (int32_t)little_get32(entry + 28);
    if (little_get32(entry) > LEVELS)
        return damaged(s, at, "a node is too deep");
    s->n_roots += memcmp(entry, root, sizeof root) == 0;
    if (s->n_roots > 1) /* such as zeros past the end of a page */
        return damaged(s, at, "there are two roots");
    if (points == 0 || !meets(s, entry))
        return 0;
    return points == A_PAGE ? add_page(s, to, bytes) : add_node(s, to, bytes, points);
}

/* In blocks: if the size of a page is false, little is read before a bad entry is found. A page
 * that leads back to itself is detected by the number of entries. */
static int read_page(struct search *s, struct page page)
{
    unsigned char space[512 * ENTRY];
    s->n_entries += (int64_t)(page.len / ENTRY);
    if (s->n_entries > file_size(s->f) / ENTRY)
        return damaged(s, page.at, "the pages lead to each other");
    for (uint64_t i = 0; i < page.len; i += sizeof space) {
        const unsigned char *bytes;
        uint64_t n = page.len - i < sizeof space ? page.len - i : sizeof space;
        TRY(file_read_at(&bytes, space, s->f, (int64_t)(page.at + i), (size_t)n));
        for (uint64_t k = 0; k < n; k += ENTRY)
            TRY(read_entry(s, bytes + k, page.at + i + k));
    }
    s->bytes += (int64_t)page.len;
    return 0;
}

static int search_pages(struct search *s, const unsigned char *info)
{
    TRY(add_page(s, little_get64(info + 40), little_get64(info + 48)));
    while (s->n_pages > 0)
        TRY(read_page(s, s->pages[--s->n_pages]));
    return 0;
}

int copc_find_chunks(struct call *call, struct laz *z, struct file *f, const struct las_vlr *v,
                     const double box[4], int64_t *bytes)
{
    const unsigned char *info = v->bytes + LAS_VLR;
    struct search s = {.z = z, .f = f, .box = box};
    if (v->len < LAS_VLR + INFO_BYTES)
        return error_topic(error_in(GLT_EFORMAT, file_name(f), "the COPC record is cut short"),
                           GLT_TOPIC_TRUNCATED, NULL);
    for (int d = 0; d < 3; d++)
        s.centre[d] = las_layout_get_double(info + 8 * d);
    s.half = las_layout_get_double(info + 24);
    int code = search_pages(&s, info);
    call_keep(call, s.pages);
    z->spans = call_keep(call, s.spans);
    z->n_spans = z->spans ? s.n_spans : 0;
    TRY(code);
    if (s.n_spans && !z->spans)
        return GLT_ENOMEM;
    z->n = s.points;
    z->end = z->points_at;
    *bytes += s.bytes;
    return 0;
}
