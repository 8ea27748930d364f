/* YAML: a tree within its bounds, whose nodes all have lines, distinct keys and readable values.
 * covers: core/yaml.c */
#include "core/yaml.h"
#include "fuzz.h"

#include <string.h>

static size_t visit(const struct yaml *node, int depth)
{
    const char *text;
    int64_t whole;
    double real;
    PROPERTY(node->line >= 1 && depth <= YAML_DEPTH_MAX);
    PROPERTY((yaml_string(&text, node) == 0) == (node->kind == YAML_SCALAR));
    yaml_int(&whole, node, -10, 10);
    yaml_double(&real, node);
    const struct yaml *found;
    for (int kind = YAML_SCALAR; kind <= YAML_MAP; kind++)
        PROPERTY(yaml_want(&found, node, "a", (enum yaml_kind)kind) < 0 ||
                 (int)found->kind == kind);
    size_t nodes = 1;
    for (size_t i = 0; i < node->n; i++) {
        if (node->kind == YAML_MAP && i < 100) { /* the first of equal keys is found: it is this */
            PROPERTY(yaml_find(node, node->key[i]->text) == node->item[i]);
            nodes++;
        }
        nodes += visit(node->item[i], depth + 1);
    }
    return nodes;
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct yaml *root = NULL;
    if (yaml_parse(&root, "input", (const char *)data, size) == 0) {
        PROPERTY(visit(root, 0) <= YAML_NODES_MAX);
        yaml_release(root);
    }
    return 0;
}
