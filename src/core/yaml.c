/* Reading YAML into a tree: see yaml.h. The recursion follows the text's nesting and is bounded by
 * YAML_DEPTH_MAX; a node is added to its parent before it is complete, so that freeing the root
 * always frees everything. */
#include "core/yaml.h"

#include "core/array.h"
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "core/number.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <yaml.h>

struct reader {
    yaml_parser_t parser;
    const char *name;
    int nodes;
};

static int line_of(const yaml_event_t *event)
{
    return (int)event->start_mark.line + 1;
}

static int next(struct reader *r, yaml_event_t *event)
{
    if (yaml_parser_parse(&r->parser, event))
        return 0;
    if (r->parser.error == YAML_MEMORY_ERROR)
        return error_topic(error_in(GLT_ENOMEM, r->name, "out of memory while reading YAML"),
                           GLT_TOPIC_MEMORY, NULL);
    if (r->parser.error == YAML_READER_ERROR)
        return error_topic(error_at(GLT_EFORMAT, r->name, GLT_PLACE_BYTE, r->parser.problem_offset,
                                    "%s", r->parser.problem),
                           GLT_TOPIC_SYNTAX, NULL);
    return error_topic(
        error_place(
            error_in(GLT_EFORMAT, r->name,
                     "line %zu, column %zu: %s; put a text in quotes if it begins with * or "
                     "& or has any of { } [ ] , : # @",
                     r->parser.problem_mark.line + 1, r->parser.problem_mark.column + 1,
                     r->parser.problem),
            GLT_PLACE_LINE, (int64_t)r->parser.problem_mark.line + 1),
        GLT_TOPIC_SYNTAX, NULL);
}

static int new_node(struct yaml **out, struct reader *r, enum yaml_kind kind, int line)
{
    if (++r->nodes > YAML_NODES_MAX)
        return error_topic(error_at(GLT_ELIMIT, r->name, GLT_PLACE_LINE, line,
                                    "more than %d values", YAML_NODES_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    struct yaml *node = memory_alloc(1, sizeof *node);
    if (!node)
        return GLT_ENOMEM;
    node->kind = kind;
    node->line = line;
    node->name = r->name;
    *out = node;
    return 0;
}

static int reserve(struct yaml *node)
{
    if (node->kind == YAML_MAP)
        TRY(array_reserve(&node->key, (int64_t)node->n, 1, sizeof *node->key));
    return array_reserve(&node->item, (int64_t)node->n, 1, sizeof *node->item);
}

static int read_scalar(struct yaml **out, struct reader *r, const yaml_event_t *event)
{
    const char *text = (const char *)event->data.scalar.value;
    size_t len = event->data.scalar.length;
    if (memchr(text, 0, len))
        return error_topic(error_at(GLT_EFORMAT, r->name, GLT_PLACE_LINE, line_of(event),
                                    "a text with a zero byte"),
                           GLT_TOPIC_SYNTAX, NULL);
    TRY(new_node(out, r, YAML_SCALAR, line_of(event)));
    (*out)->plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
    (*out)->text = memory_string(text);
    return (*out)->text ? 0 : GLT_ENOMEM;
}

static int refuse(const struct reader *r, const yaml_event_t *event)
{
    bool anchor = event->type == YAML_ALIAS_EVENT;
    bool tag = false;
    if (event->type == YAML_SCALAR_EVENT) {
        anchor = event->data.scalar.anchor;
        tag = event->data.scalar.tag;
    } else if (event->type == YAML_SEQUENCE_START_EVENT) {
        anchor = event->data.sequence_start.anchor;
        tag = event->data.sequence_start.tag;
    } else if (event->type == YAML_MAPPING_START_EVENT) {
        anchor = event->data.mapping_start.anchor;
        tag = event->data.mapping_start.tag;
    }
    if (anchor)
        return error_topic(error_at(GLT_EUNSUPPORTED, r->name, GLT_PLACE_LINE, line_of(event),
                                    "anchors (&) and aliases (*) are not read: "
                                    "write the value out, in quotes if it is a text"),
                           GLT_TOPIC_SYNTAX, NULL);
    if (tag)
        return error_topic(error_at(GLT_EUNSUPPORTED, r->name, GLT_PLACE_LINE, line_of(event),
                                    "tags (!) are not read: leave it out"),
                           GLT_TOPIC_SYNTAX, NULL);
    return 0;
}

static int compare_keys(const void *a, const void *b)
{
    const struct yaml *x = *(struct yaml *const *)a, *y = *(struct yaml *const *)b;
    int order = strcmp(x->text, y->text);
    return order ? order : (x->line > y->line) - (x->line < y->line);
}

static int check_duplicates(const struct reader *r, const struct yaml *map)
{
    if (map->n < 2)
        return 0;
    struct yaml **sorted = memory_alloc(map->n, sizeof *sorted);
    if (!sorted)
        return GLT_ENOMEM;
    memcpy(sorted, map->key, map->n * sizeof *sorted);
    qsort(sorted, map->n, sizeof *sorted, compare_keys);
    int code = 0;
    for (size_t i = 1; i < map->n && code == 0; i++) {
        if (strcmp(sorted[i - 1]->text, sorted[i]->text) == 0)
            code = error_topic(error_at(GLT_EFORMAT, r->name, GLT_PLACE_LINE, sorted[i]->line,
                                        "'%.80s' is defined already, on line %d: remove one",
                                        sorted[i]->text, sorted[i - 1]->line),
                               GLT_TOPIC_DUPLICATE, sorted[i]->text);
    }
    memory_free(sorted);
    return code;
}

static int read_node(struct yaml **out, struct reader *r, const yaml_event_t *event, int depth);

static int read_item(struct yaml *parent, struct reader *r, const yaml_event_t *event, int depth)
{
    TRY(reserve(parent));
    size_t i = parent->n++; /* key and item are NULL so far: freeing the tree is safe */
    if (parent->kind == YAML_LIST)
        return read_node(&parent->item[i], r, event, depth);
    if (event->type != YAML_SCALAR_EVENT && event->type != YAML_ALIAS_EVENT)
        return error_topic(error_at(GLT_EUNSUPPORTED, r->name, GLT_PLACE_LINE, line_of(event),
                                    "a key must be a plain text"),
                           GLT_TOPIC_SYNTAX, NULL);
    TRY(read_node(&parent->key[i], r, event, depth));
    yaml_event_t value;
    TRY(next(r, &value));
    int code = read_node(&parent->item[i], r, &value, depth);
    yaml_event_delete(&value);
    return code;
}

static int read_node(struct yaml **out, struct reader *r, const yaml_event_t *event, int depth)
{
    TRY(refuse(r, event));
    if (event->type == YAML_SCALAR_EVENT)
        return read_scalar(out, r, event);
    if (depth >= YAML_DEPTH_MAX)
        return error_topic(error_at(GLT_ELIMIT, r->name, GLT_PLACE_LINE, line_of(event),
                                    "nested over %d deep", YAML_DEPTH_MAX),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    bool list = event->type == YAML_SEQUENCE_START_EVENT;
    ASSERT(list || event->type == YAML_MAPPING_START_EVENT);
    TRY(new_node(out, r, list ? YAML_LIST : YAML_MAP, line_of(event)));
    for (;;) {
        yaml_event_t item;
        TRY(next(r, &item));
        bool end = item.type == YAML_SEQUENCE_END_EVENT || item.type == YAML_MAPPING_END_EVENT;
        int code = end ? 0 : read_item(*out, r, &item, depth + 1);
        yaml_event_delete(&item);
        TRY(code);
        if (end)
            return list ? 0 : check_duplicates(r, *out);
    }
}

/* stream start, then document start, root, document end if there is a document, stream end */
static int read_stream(struct yaml **out, struct reader *r)
{
    yaml_event_t event;
    for (;;) {
        TRY(next(r, &event));
        yaml_event_type_t type = event.type;
        int code = 0;
        if (type == YAML_DOCUMENT_START_EVENT && *out)
            code = error_topic(error_at(GLT_EUNSUPPORTED, r->name, GLT_PLACE_LINE, line_of(&event),
                                        "a second document: give one per file"),
                               GLT_TOPIC_SYNTAX, NULL);
        else if (type != YAML_STREAM_START_EVENT && type != YAML_STREAM_END_EVENT &&
                 type != YAML_DOCUMENT_START_EVENT && type != YAML_DOCUMENT_END_EVENT)
            code = read_node(out, r, &event, 0);
        yaml_event_delete(&event);
        TRY(code);
        if (type == YAML_STREAM_END_EVENT)
            return *out ? 0 : new_node(out, r, YAML_MAP, 1);
    }
}

/* libyaml compares each directive (%TAG) with all before it: a file with nothing else would take
 * seconds. In every encoding a directive has a percent sign. */
enum { PERCENT_MAX = 1000 };
static int limit_directives(const char *name, const char *text, size_t len)
{
    int signs = 0;
    for (const char *p = text; (p = memchr(p, '%', (size_t)(text + len - p))); p++)
        if (++signs > PERCENT_MAX)
            return error_topic(
                error_in(GLT_ELIMIT, name, "more than %d percent signs in YAML", PERCENT_MAX),
                GLT_TOPIC_SIZE_LIMIT, NULL);
    return 0;
}

int yaml_parse(struct yaml **out, const char *name, const char *text, size_t len)
{
    if (len > YAML_MAX)
        return error_topic(
            error_in(GLT_ELIMIT, name, "%zu bytes of YAML, but at most %d are read", len, YAML_MAX),
            GLT_TOPIC_SIZE_LIMIT, NULL);
    TRY(limit_directives(name, text, len));
    char *kept = memory_string(name); /* every node points at it; the root frees it */
    if (!kept)
        return GLT_ENOMEM;
    struct reader r = {.name = kept};
    struct yaml *root = NULL;
    int code = GLT_ENOMEM;
    if (yaml_parser_initialize(&r.parser)) {
        yaml_parser_set_input_string(&r.parser, (const unsigned char *)text, len);
        code = read_stream(&root, &r);
        yaml_parser_delete(&r.parser);
    } else {
        error_topic(error_in(code, name, "out of memory while reading YAML"), GLT_TOPIC_MEMORY,
                    NULL);
    }
    if (code == 0)
        *out = root;
    else if (root)
        yaml_release(root);
    else
        memory_free(kept);
    return code;
}

int yaml_read(struct yaml **out, const char *path)
{
    char *text;
    size_t len;
    TRY(file_read_all(&text, &len, path, YAML_MAX));
    int code = yaml_parse(out, path, text, len);
    memory_free(text);
    return code;
}

static void free_node(struct yaml *node)
{
    if (!node)
        return;
    for (size_t i = 0; i < node->n; i++) {
        if (node->key)
            free_node(node->key[i]);
        free_node(node->item[i]);
    }
    memory_free(node->key);
    memory_free(node->item);
    memory_free(node->text);
    memory_free(node);
}

void yaml_release(struct yaml *root)
{
    if (!root)
        return;
    char *name = (char *)root->name;
    free_node(root);
    memory_free(name);
}

/* --- values out of the tree, with messages that name file and line --- */

const struct yaml *yaml_find(const struct yaml *map, const char *key)
{
    if (map->kind != YAML_MAP)
        return NULL;
    for (size_t i = 0; i < map->n; i++) {
        if (strcmp(map->key[i]->text, key) == 0)
            return map->item[i];
    }
    return NULL;
}

static const char *kind_name(enum yaml_kind kind)
{
    return kind == YAML_SCALAR ? "a single value" : kind == YAML_LIST ? "a list" : "a map";
}

int yaml_want(const struct yaml **out, const struct yaml *map, const char *key, enum yaml_kind kind)
{
    if (map->kind != YAML_MAP)
        return error_topic(error_at(GLT_EFORMAT, map->name, GLT_PLACE_LINE, map->line,
                                    "%s, but a map with '%s' is expected", kind_name(map->kind),
                                    key),
                           GLT_TOPIC_VALUE, NULL);
    const struct yaml *node = yaml_find(map, key);
    if (!node)
        return error_topic(error_at(GLT_EFORMAT, map->name, GLT_PLACE_LINE, map->line,
                                    "'%s' is missing: %s is expected", key, kind_name(kind)),
                           GLT_TOPIC_MISSING, key);
    if (node->kind != kind)
        return error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE, node->line,
                                    "'%s' is %s, but %s is expected", key, kind_name(node->kind),
                                    kind_name(kind)),
                           GLT_TOPIC_VALUE, NULL);
    *out = node;
    return 0;
}

static int expected(const struct yaml *node, const char *what)
{
    if (node->kind != YAML_SCALAR)
        return error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE, node->line,
                                    "%s, but %s is expected", kind_name(node->kind), what),
                           GLT_TOPIC_VALUE, NULL);
    return error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE, node->line,
                                "'%.80s', but %s is expected", node->text, what),
                       GLT_TOPIC_VALUE, NULL);
}

int yaml_string(const char **out, const struct yaml *node)
{
    if (node->kind != YAML_SCALAR)
        return expected(node, "a text");
    *out = node->text;
    return 0;
}

int yaml_int(int64_t *out, const struct yaml *node, int64_t min, int64_t max)
{
    int64_t value;
    if (node->kind != YAML_SCALAR || !number_is_int(&value, node->text))
        return expected(node, "a whole number");
    if (value < min || value > max)
        return error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE, node->line,
                                    "%lld, but %lld to %lld is expected", (long long)value,
                                    (long long)min, (long long)max),
                           GLT_TOPIC_VALUE, NULL);
    *out = value;
    return 0;
}

int yaml_double(double *out, const struct yaml *node)
{
    if (node->kind != YAML_SCALAR || !number_is_double(out, node->text))
        return expected(node, "a number");
    return 0;
}
