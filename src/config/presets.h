/* Presets: named configurations, one row each. */
#ifndef CONFIG_PRESETS_H
#define CONFIG_PRESETS_H

struct preset {
    const char *name, *summary, *pairs; /* pairs: an option string of keys and values */
};

const struct preset *presets_at(int i);              /* NULL after the last */
const struct preset *presets_find(const char *name); /* NULL if there is none */

#endif
