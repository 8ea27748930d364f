/* Values out of a YAML tree, with messages that name file and line. */
#include "core/error.h"
#include "core/number.h"
#include "core/yaml.h"

#include <string.h>
#include <strings.h>

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
        return error_set(GLT_EFORMAT, "%s: line %d: %s, but a map with '%s' is expected", map->name,
                         map->line, kind_name(map->kind), key);
    const struct yaml *node = yaml_find(map, key);
    if (!node)
        return error_set(GLT_EFORMAT, "%s: line %d: '%s' is missing: %s is expected", map->name,
                         map->line, key, kind_name(kind));
    if (node->kind != kind)
        return error_set(GLT_EFORMAT, "%s: line %d: '%s' is %s, but %s is expected", node->name,
                         node->line, key, kind_name(node->kind), kind_name(kind));
    *out = node;
    return 0;
}

static int expected(const struct yaml *node, const char *what)
{
    if (node->kind != YAML_SCALAR)
        return error_set(GLT_EFORMAT, "%s: line %d: %s, but %s is expected", node->name, node->line,
                         kind_name(node->kind), what);
    return error_set(GLT_EFORMAT, "%s: line %d: '%.80s', but %s is expected", node->name,
                     node->line, node->text, what);
}

int yaml_string(const char **out, const struct yaml *node)
{
    if (node->kind != YAML_SCALAR)
        return expected(node, "a text");
    *out = node->text;
    return 0;
}

int yaml_int(int64_t *out, const struct yaml *node, int64_t least, int64_t most)
{
    int64_t value;
    if (node->kind != YAML_SCALAR || !number_is_int(&value, node->text))
        return expected(node, "a whole number");
    if (value < least || value > most)
        return error_set(GLT_EFORMAT, "%s: line %d: %lld, but %lld to %lld is expected", node->name,
                         node->line, (long long)value, (long long)least, (long long)most);
    *out = value;
    return 0;
}

int yaml_double(double *out, const struct yaml *node)
{
    if (node->kind != YAML_SCALAR || !number_is_double(out, node->text))
        return expected(node, "a number");
    return 0;
}

int yaml_bool(bool *out, const struct yaml *node)
{
    static const char *const words[] = {"false", "true", "no", "yes", "off", "on"};
    if (node->kind == YAML_SCALAR) {
        for (int i = 0; i < 6; i++) {
            if (strcasecmp(node->text, words[i]) == 0) {
                *out = i % 2;
                return 0;
            }
        }
    }
    return expected(node, "true or false");
}
