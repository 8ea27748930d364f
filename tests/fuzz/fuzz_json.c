/* JSON: what is read can be printed, and reads back as an equal value.
 * covers: core/json.c core/json_parse.c
 * but: json_parse_file json_holds json_finite json_pack pack skip json_copy json_set json_remove
 * but: json_object json_array json_boolean json_integer json_real json_string json_append
 * but: json_is_number json_size json_at json_key json_integer_value json_number_value
 * but: json_string_value json_check json_failed take_mark add_or_mark forget_order */
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "fuzz.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    struct json *value = NULL, *again = NULL;
    if (json_parse(&value, "input", (const char *)data, size) < 0)
        return 0;
    char *text;
    size_t len;
    int64_t number;
    const char *string;
    PROPERTY(json_print(&text, &len, value) == 0);
    PROPERTY(json_parse(&again, "again", text, len) == 0);
    PROPERTY(json_equal(value, again));
    json_want_int(&number, "input", value, "int", 0, 10);
    json_want_string(&string, "input", value, "string");
    memory_free(text);
    json_free(value);
    json_free(again);
    return 0;
}
