/* Options from a YAML file: a map of keys to values, lists as values, nested maps joined with a dot
 * (augment: {scale: 0.1} is augment.scale). Everything goes through config_set, so a file can do no
 * more than the command line. A file that fails halfway changes nothing. */
#include "config/config_yaml.h"

#include "config/config.h"
#include "core/error.h"
#include "core/yaml.h"

#include <stdio.h>
#include <string.h>

enum { KEY_MAX = 128, VALUE_MAX = 4096 };

static int too_long(const struct yaml *node, const char *what, size_t maximum)
{
    return error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE, node->line,
                                "%s of more than %zu bytes", what, maximum),
                       GLT_TOPIC_VALUE, NULL);
}

/* A scalar, or a list of scalars as a comma list. */
static int value_text(char *text, size_t size, const struct yaml *value)
{
    const char *item;
    size_t used = 0;
    if (value->kind == YAML_SCALAR) {
        TRY(yaml_string(&item, value));
        used = (size_t)snprintf(text, size, "%s", item);
        return used < size ? 0 : too_long(value, "a value", size - 1);
    }
    text[0] = 0;
    for (size_t i = 0; i < value->n; i++) {
        TRY(yaml_string(&item, value->item[i]));
        used += (size_t)snprintf(text + used, size - used, "%s%s", i ? "," : "", item);
        if (used >= size)
            return too_long(value, "a list", size - 1);
    }
    return 0;
}

static int set_map(struct config *c, const struct yaml *map, const char *prefix)
{
    for (size_t i = 0; i < map->n; i++) {
        const struct yaml *value = map->item[i];
        char key[KEY_MAX], text[VALUE_MAX];
        int len =
            snprintf(key, sizeof key, "%s%s%s", prefix, *prefix ? "." : "", map->key[i]->text);
        if (len < 0 || (size_t)len >= sizeof key)
            return too_long(map->key[i], "a key", sizeof key - 1);
        if (value->kind == YAML_MAP) {
            TRY(set_map(c, value, key));
            continue;
        }
        TRY(value_text(text, sizeof text, value));
        int code = config_set_stored(c, key, text);
        if (code < 0)
            return error_prefix_line(code, value->name, map->key[i]->line);
    }
    return 0;
}

int config_set_yaml(struct config *c, const struct yaml *root)
{
    struct config copy = *c;
    if (root->kind == YAML_SCALAR && root->plain && !*root->text)
        return 0; /* "---" alone */
    if (root->kind != YAML_MAP)
        return error_topic(error_at(GLT_EFORMAT, root->name, GLT_PLACE_LINE, root->line,
                                    "expected \"key: value\" lines"),
                           GLT_TOPIC_SYNTAX, NULL);
    TRY(set_map(&copy, root, ""));
    *c = copy;
    return 0;
}

int config_read_yaml(struct config *c, const char *name, const char *text, size_t len)
{
    struct yaml *root;
    TRY(yaml_parse(&root, name, text, len));
    int code = config_set_yaml(c, root);
    yaml_release(root);
    return code;
}

int config_read(struct config *c, const char *path)
{
    struct yaml *root;
    TRY(yaml_read(&root, path));
    int code = config_set_yaml(c, root);
    yaml_release(root);
    return code;
}
