/* Installed models: finding and listing them.
 *
 * Folders, in turn: those of the environment variable GELATTO_MODELS (separated by colons), then
 * models/ in those of core/install_paths.h. A model NAME is the first NAME.safetensors there. */
#ifndef MODEL_MODELS_H
#define MODEL_MODELS_H

#include <stddef.h>
#include <stdint.h>

struct model_found {
    const char *name, *path, *task, *inputs, *preset;
    int32_t classes;
    int64_t bytes;
    const char *licence, *use; /* "": not known */
    const char *card;          /* JSON about its training, or NULL */
};

/* Calls back with every model of those folders, by name; unreadable ones are skipped with a
 * warning. Stops at a negative return. */
int models_each(int (*fn)(void *user, const struct model_found *found), void *user);
/* The file of a model: `name` itself if there is such a file, else an installed one, else the
 * best.safetensors of a folder. */
int models_find(char *path, size_t size, const char *name);

#endif
