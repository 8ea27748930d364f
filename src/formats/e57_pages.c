/* Pages of E57: see e57_pages.h.
 *
 * Reference: ASTM E2807-11, 8.2 (header) and 8.3 (pages). CRC-32C is the polynomial of Castagnoli
 * (0x1EDC6F41, reflected), eight bytes at a time; the file has it in big-endian order. */
#include "formats/e57_pages.h"

#include "core/call.h"
#include "core/error.h"
#include "core/file.h"
#include "formats/little.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

enum { CHECKSUM = 4, PAGE_MIN = 1024, PAGE_MAX = E57_WINDOW };
#define CASTAGNOLI 0x82F63B78u

void e57_pages_table(uint32_t table[8][256])
{
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t sum = i;
        for (int bit = 0; bit < 8; bit++)
            sum = sum >> 1 ^ (sum & 1 ? CASTAGNOLI : 0);
        table[0][i] = sum;
    }
    for (int k = 1; k < 8; k++)
        for (uint32_t i = 0; i < 256; i++)
            table[k][i] = table[k - 1][i] >> 8 ^ table[0][table[k - 1][i] & 255];
}

uint32_t e57_pages_sum(const uint32_t table[8][256], const unsigned char *bytes, size_t len)
{
    uint32_t sum = UINT32_MAX;
    for (; len >= 8; bytes += 8, len -= 8) {
        uint64_t word = little_get64(bytes) ^ sum;
        sum = 0;
        for (int k = 0; k < 8; k++)
            sum ^= table[7 - k][word >> 8 * k & 255];
    }
    for (; len; bytes++, len--)
        sum = sum >> 8 ^ table[0][(sum ^ *bytes) & 255];
    return ~sum;
}

static int in_page(int code, const struct file *f, int64_t page)
{
    error_prefix(code, "page %" PRId64 ": ", page);
    error_prefix_file(code, file_name(f));
    return error_place(code, GLT_PLACE_PAGE, page);
}

int e57_pages_place(int code, const struct e57_pages *p, int64_t at)
{
    return in_page(code, p->f, at / p->payload);
}

int64_t e57_pages_length(const struct e57_pages *p)
{
    return p->n * p->payload;
}

static bool is_whole(const struct e57_pages *p, const unsigned char *page)
{
    const unsigned char *s = page + p->payload;
    uint32_t stored = (uint32_t)s[0] << 24 | (uint32_t)s[1] << 16 | (uint32_t)s[2] << 8 | s[3];
    return e57_pages_sum(p->table, page, (size_t)p->payload) == stored;
}

/* Fills the window from a page on, up to the first damaged one. */
static int fill(struct e57_pages *p, int64_t page)
{
    const unsigned char *bytes;
    int64_t want = E57_WINDOW / p->size, left = p->n - page;
    want = want < left ? want : left;
    p->held = 0;
    TRY(file_read_at(&bytes, p->space, p->f, page * p->size, (size_t)(want * p->size)));
    for (p->first = page; p->held < want; p->held++) {
        const unsigned char *from = bytes + p->held * p->size;
        if (!is_whole(p, from))
            break;
        memcpy(p->window + p->held * p->payload, from, (size_t)p->payload);
    }
    if (p->held > 0)
        return 0;
    int code = error_set(GLT_EFORMAT, "its checksum is wrong: the file is damaged, get a new copy");
    return error_topic(in_page(code, p->f, page), GLT_TOPIC_VALUE, NULL);
}

int e57_pages_read(struct e57_pages *p, void *dst, int64_t at, size_t len)
{
    unsigned char *to = dst;
    while (len) {
        int64_t page = at / p->payload;
        if (page < p->first || page >= p->first + p->held)
            TRY(fill(p, page));
        int64_t skip = at - p->first * p->payload;
        size_t now = (size_t)(p->held * p->payload - skip);
        now = now < len ? now : len;
        memcpy(to, p->window + skip, now);
        to += now;
        at += (int64_t)now;
        len -= now;
    }
    return 0;
}

int e57_pages_logical(int64_t *out, const struct e57_pages *p, uint64_t physical, const char *what)
{
    int64_t in = (int64_t)(physical % (uint64_t)p->size);
    if (physical >= (uint64_t)(p->n * p->size) || in >= p->payload)
        return error_topic(in_page(error_set(GLT_EFORMAT,
                                             "%s should begin at byte %" PRIu64
                                             ", which is outside the pages of the file",
                                             what, physical),
                                   p->f, p->n - 1),
                           GLT_TOPIC_VALUE, NULL);
    *out = (int64_t)(physical / (uint64_t)p->size) * p->payload + in;
    return 0;
}

/* The file must have all the bytes it declares, in whole pages. */
static int check_length(const struct e57_pages *p, uint64_t declared)
{
    int64_t size = file_size(p->f);
    if (declared <= (uint64_t)size && declared % (uint64_t)p->size == 0 && declared > 0)
        return 0;
    int64_t page = declared > (uint64_t)size ? size / p->size : (int64_t)declared / p->size;
    int code = error_set(GLT_EFORMAT,
                         "the file has %" PRId64 " bytes, its header declares %" PRIu64
                         " in pages of %" PRId64 ": it is cut short or damaged",
                         size, declared, p->size);
    return error_topic(in_page(code, p->f, page), GLT_TOPIC_TRUNCATED, NULL);
}

static int bad_header(const struct file *f, const char *what)
{
    int code = error_set(GLT_EFORMAT, "%s", what);
    return error_topic(in_page(code, f, 0), GLT_TOPIC_TRUNCATED, NULL);
}

static int check_version(const struct file *f, const unsigned char *head)
{
    uint32_t major = little_get32(head + 8);
    if (memcmp(head, "ASTM-E57", 8) != 0)
        return bad_header(f, "the file does not begin with ASTM-E57");
    if (major != 1)
        return error_topic(error_in(GLT_EUNSUPPORTED, file_name(f),
                                    "this is E57 version %" PRIu32 "; version 1 is read", major),
                           GLT_TOPIC_FORMAT, NULL);
    return 0;
}

int e57_pages_open(struct call *call, struct e57_pages *p, const struct file *f)
{
    unsigned char space[E57_HEADER];
    const unsigned char *head;
    if (file_size(f) < E57_HEADER)
        return bad_header(f, "the file ends in its header: it is cut short");
    TRY(file_read_at(&head, space, f, 0, E57_HEADER));
    TRY(check_version(f, head));
    uint64_t size = little_get64(head + 40), len = little_get64(head + 32);
    if (size < PAGE_MIN || size > PAGE_MAX || (size & (size - 1)) != 0)
        return bad_header(f, "the header has no possible size of pages: the file is damaged");
    *p = (struct e57_pages){.f = f, .size = (int64_t)size, .payload = (int64_t)size - CHECKSUM};
    TRY(check_length(p, little_get64(head + 16)));
    p->n = (int64_t)(little_get64(head + 16) / size);
    p->window = call_alloc(call, E57_WINDOW, 1);
    p->space = call_alloc(call, E57_WINDOW, 1);
    if (!p->window || !p->space)
        return GLT_ENOMEM;
    e57_pages_table(p->table);
    TRY(fill(p, 0)); /* the header is trusted once its page is verified */
    TRY(e57_pages_logical(&p->xml_at, p, little_get64(head + 24), "the XML section"));
    if (len > (uint64_t)(e57_pages_length(p) - p->xml_at))
        return bad_header(f, "the XML section is longer than the file: the file is damaged");
    p->xml_len = (int64_t)len;
    return 0;
}
