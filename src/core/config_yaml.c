/* Options from a YAML file: a mapping of keys to values, lists as values, nested mappings joined
 * with a dot (augment: {scale: 0.1} is augment.scale). Everything goes through config_set, so a
 * file cannot say more than the command line. Anchors, tags and a second document are refused. */
#include "core/config.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum { FILE_MOST = 1 << 20, TEXT_MOST = 4096, DEPTH_MOST = 4 };

struct reader {
    yaml_parser_t parser;
    const char *path;
    struct config *config;
};

static int fail(const struct reader *r, const yaml_event_t *event, const char *expected)
{
    return error_set(GLT_EFORMAT, "%s: line %zu: expected %s", r->path, event->start_mark.line + 1,
                     expected);
}

static int next(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event))
        return 0;
    return error_set(GLT_EFORMAT, "%s: line %zu: not YAML: %s", r->path,
                     r->parser.problem_mark.line + 1,
                     r->parser.problem ? r->parser.problem : "unreadable");
}

static int append(const struct reader *r, const yaml_event_t *event, char *text, size_t size)
{
    const char *value = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length, used = strlen(text);
    if (strlen(value) != len)
        return fail(r, event, "text without zero bytes");
    if (used + len + 2 > size)
        return fail(r, event, "a shorter value");
    snprintf(text + used, size - used, "%s%s", used ? "," : "", value);
    return 0;
}

/* The scalars of a list as one comma list. */
static int read_list(struct reader *r, char *text, size_t size)
{
    for (;;) {
        yaml_event_t event;
        TRY(next(r, &event));
        int code = 0;
        bool end = event.type == YAML_SEQUENCE_END_EVENT;
        if (event.type == YAML_SCALAR_EVENT)
            code = append(r, &event, text, size);
        else if (!end)
            code = fail(r, &event, "a list of plain values");
        yaml_event_delete(&event);
        if (code < 0 || end)
            return code;
    }
}

static int set(struct reader *r, const char *key, const char *value, size_t line)
{
    int code = config_set(r->config, key, value);
    return code < 0 ? error_prefix(code, "%s: line %zu: ", r->path, line) : 0;
}

static int read_mapping(struct reader *r, const char *prefix, int depth);

static int read_value(struct reader *r, const char *key, int depth)
{
    yaml_event_t event;
    TRY(next(r, &event));
    char text[TEXT_MOST] = "";
    size_t line = event.start_mark.line + 1;
    int code;
    if (event.type == YAML_SCALAR_EVENT) {
        code = append(r, &event, text, sizeof text);
        if (code == 0)
            code = set(r, key, text, line);
    } else if (event.type == YAML_SEQUENCE_START_EVENT) {
        code = read_list(r, text, sizeof text);
        if (code == 0)
            code = set(r, key, text, line);
    } else if (event.type == YAML_MAPPING_START_EVENT && depth < DEPTH_MOST) {
        code = read_mapping(r, key, depth + 1);
    } else {
        code = fail(r, &event, "a value or a list");
    }
    yaml_event_delete(&event);
    return code;
}

static int read_mapping(struct reader *r, const char *prefix, int depth)
{
    for (;;) {
        yaml_event_t event;
        TRY(next(r, &event));
        char key[128];
        bool end = event.type == YAML_MAPPING_END_EVENT;
        int code = 0;
        if (event.type == YAML_SCALAR_EVENT) {
            int len = snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "",
                               (const char *)event.data.scalar.value);
            if (len < 0 || (size_t)len >= sizeof key)
                code = fail(r, &event, "the name of an option");
        } else if (!end) {
            code = fail(r, &event, "key: value");
        }
        yaml_event_delete(&event);
        if (code < 0 || end)
            return code;
        TRY(read_value(r, key, depth));
    }
}

static int read_stream(struct reader *r)
{
    int documents = 0;
    for (;;) {
        yaml_event_t event;
        TRY(next(r, &event));
        yaml_event_type_t type = event.type;
        int code = 0;
        if (type == YAML_DOCUMENT_START_EVENT && documents++)
            code = fail(r, &event, "one document only");
        else if (type == YAML_SCALAR_EVENT && event.data.scalar.length == 0)
            type = YAML_NO_EVENT; /* an empty document */
        else if (type == YAML_SCALAR_EVENT || type == YAML_SEQUENCE_START_EVENT ||
                 type == YAML_ALIAS_EVENT)
            code = fail(r, &event, "key: value lines");
        yaml_event_delete(&event);
        if (code < 0 || type == YAML_STREAM_END_EVENT)
            return code;
        if (type == YAML_MAPPING_START_EVENT)
            TRY(read_mapping(r, "", 1));
    }
}

int config_read_yaml(struct config *c, const char *name, const char *text, size_t len)
{
    struct config copy = *c; /* a file that fails halfway changes nothing */
    struct reader r = {.path = name, .config = &copy};
    if (!yaml_parser_initialize(&r.parser))
        return error_set(GLT_ENOMEM, "%s: no memory for the YAML reader", name);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
    int code = read_stream(&r);
    yaml_parser_delete(&r.parser);
    if (code == 0)
        *c = copy;
    return code;
}

int config_read(struct config *c, const char *path)
{
    char *text;
    size_t len;
    TRY(file_read_all(&text, &len, path, FILE_MOST));
    int code = config_read_yaml(c, path, text, len);
    memory_free(text);
    return code;
}
