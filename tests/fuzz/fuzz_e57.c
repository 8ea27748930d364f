/* E57: any bytes as they are, and with the checksums of their pages made right, so that XML and
 * packets are met: see fuzz_cloud.h. Inputs: `test_e57 --corpus FOLDER`, and the XML of
 * test_e57.c that is refused.
 * covers: formats/e57.c formats/e57_pages.c formats/e57_xml.c formats/e57_records.c */
#include "formats/e57_pages.h"
#include "fuzz_cloud.h"

#include <stdlib.h>

static void sign(uint8_t *bytes, size_t size)
{
    enum { PAGE = 1024 };
    uint32_t table[8][256];
    e57_pages_table(table);
    for (; size >= PAGE; bytes += PAGE, size -= PAGE) {
        uint32_t sum = e57_pages_sum(table, bytes, PAGE - 4);
        for (int i = 0; i < 4; i++)
            bytes[PAGE - 1 - i] = (uint8_t)(sum >> 8 * i);
    }
}

int fuzz_one(const uint8_t *data, size_t size)
{
    uint8_t *copy = malloc(size + 1);
    PROPERTY(copy != NULL);
    if (size)
        memcpy(copy, data, size);
    sign(copy, size);
    fuzz_cloud(copy, size, "e57");
    free(copy);
    return size % 4 ? 0 : fuzz_cloud(data, size, "e57");
}
