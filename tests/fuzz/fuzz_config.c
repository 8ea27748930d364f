/* Options from YAML text: whatever is accepted prints back to a text that gives the same options.
 * covers: config/config_yaml.c config/config.c
 * but: config_read config_given config_propose config_set_pair config_environment
 * but: config_channels config_inner config_identity2
 * but: config_copy_given config_map_kind config_k */
#include "config/config.h"
#include "config/config_yaml.h"
#include "config/options.h"
#include "fuzz.h"

#include <string.h>

int fuzz_one(const uint8_t *data, size_t size)
{
    struct config c, again;
    config_default(&c);
    again = c;
    if (config_read_yaml(&c, "input", (const char *)data, size) < 0) {
        PROPERTY(memcmp(&c, &again, sizeof c) == 0); /* a refused file changes nothing */
        return 0;
    }
    (void)config_check(&c);
    for (int i = 0; i < options_count; i++) {
        char text[1024];
        PROPERTY(config_get(&c, options[i].key, text, sizeof text) == 0);
        if (strcmp(options[i].key, "preset") != 0)
            PROPERTY(config_set(&again, options[i].key, text) == 0);
    }
    return 0;
}
