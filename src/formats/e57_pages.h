/* The pages of an E57 file: its bytes without the checksums between them.
 *
 * A file is a row of pages of the same size, whose last 4 bytes are the CRC-32C of the others.
 * Physical offsets count all bytes of the file, logical ones leave the checksums out. Every page
 * is checked before a byte of it is used. */
#ifndef FORMATS_E57_PAGES_H
#define FORMATS_E57_PAGES_H

#include <stddef.h>
#include <stdint.h>

struct call;
struct file;

enum { E57_HEADER = 48, E57_WINDOW = 1 << 16 };

struct e57_pages {
    const struct file *f;
    int64_t size, payload;         /* of a page: all of its bytes, and those before its checksum */
    int64_t n;                     /* pages */
    int64_t xml_at, xml_len;       /* the XML section, logical */
    unsigned char *window, *space; /* verified pages, and the space they are read to */
    int64_t first, held;           /* the pages in the window */
    uint32_t table[8][256];        /* of the checksum */
};

/* Reads the file's header, and checks that all pages are there. */
int e57_pages_open(struct call *call, struct e57_pages *p, const struct file *f);
int64_t e57_pages_length(const struct e57_pages *p); /* logical bytes */
/* The logical offset of a physical one; GLT_EFORMAT if it is outside the file or in a checksum. */
int e57_pages_logical(int64_t *out, const struct e57_pages *p, uint64_t physical, const char *what);
/* len bytes from a logical offset on, which must be in the file. */
int e57_pages_read(struct e57_pages *p, void *dst, int64_t at, size_t len);
/* Adds the page of a logical offset to the stored error, and to its message. */
int e57_pages_place(int code, const struct e57_pages *p, int64_t at);
/* Makes the tables of CRC-32C; the checksum of len bytes. */
void e57_pages_table(uint32_t table[8][256]);
uint32_t e57_pages_sum(const uint32_t table[8][256], const unsigned char *bytes, size_t len);

#endif
