/* The records of an E57 scan: packets of byte streams, one stream per field. */
#ifndef FORMATS_E57_RECORDS_H
#define FORMATS_E57_RECORDS_H

#include "cloud/type.h"
#include "formats/e57_xml.h"

struct call;
struct e57_pages;

/* The target of a field's values: value * scale + offset as items of a type. */
struct e57_target {
    void *data; /* (scan->n); NULL: the field is not read */
    enum glt_type type;
    double scale, offset;
};

/* GLT_EFORMAT unless the section of the scan is long enough for its records. *bytes += those of the
 * section. */
int e57_records_check(int64_t *bytes, struct e57_pages *p, const struct e57_scan *scan);
/* All values of the scan's fields (n_fields targets). */
int e57_records_read(struct call *call, struct e57_pages *p, const struct e57_scan *scan,
                     const struct e57_target *targets);

#endif
