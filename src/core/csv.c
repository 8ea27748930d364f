/* Cells of CSV files: see csv.h. */
#include "core/csv.h"

#include "core/error.h"
#include "core/number.h"
#include "gelatto_tool.h"

#include <string.h>

bool csv_is_formula(const char *text)
{
    double value;
    const char *first = text + strspn(text, "'"), *end = text + strlen(text);
    return *first && strchr("=+-@\t", *first) && number_parse_double(&value, text, end) != end;
}

void csv_add(struct string *s, const char *text)
{
    const char *quote = strpbrk(text, ",\"\n\r") ? "\"" : "";
    string_add(s, "%s%s", quote, csv_is_formula(text) ? "'" : "");
    for (const char *rest; *text; text = rest + (*rest == '"')) { /* quotes are doubled */
        rest = text + strcspn(text, "\"");
        string_add_bytes(s, text, (size_t)(rest - text));
        string_add(s, "%s", *rest ? "\"\"" : "");
    }
    string_add(s, "%s", quote);
}

int glt_csv_cell(char **cell, const char *text)
{
    REQUIRE(cell, text);
    struct string s = {0};
    csv_add(&s, text);
    return string_take(cell, &s);
}
