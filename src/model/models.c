/* Finding models: see models.h. */
#include "model/models.h"

#include "cloud/classes.h"
#include "config/options.h"
#include "config/settings.h"
#include "core/error.h"
#include "core/file.h"
#include "core/file_folder.h"
#include "core/install_paths.h"
#include "core/log.h"
#include "core/suggest.h"
#include "model/card.h"
#include "model/model.h"
#include "model/model_file.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static const char ending[] = ".safetensors";

/* Folder number i; false after the last. */
static bool folder_at(char *dst, size_t size, int i)
{
    const char *list = getenv("GELATTO_MODELS");
    while (list && *list) {
        size_t len = strcspn(list, ":");
        if (len > 0 && i-- == 0) {
            snprintf(dst, size, "%.*s", (int)len, list);
            return true;
        }
        list += len + (list[len] == ':');
    }
    return install_paths_folder(dst, size, i, "models");
}

/* NAME of NAME.safetensors; false for any other file. */
static bool name_of(char *dst, size_t size, const char *file)
{
    size_t len = strlen(file), end = sizeof ending - 1;
    if (len <= end || strcmp(file + len - end, ending))
        return false;
    snprintf(dst, size, "%.*s", (int)(len - end), file);
    return true;
}

static int report(int (*fn)(void *user, const struct model_found *found), void *user,
                  const char *name, const char *path)
{
    struct file *f = NULL;
    struct model *m = NULL;
    char task[32], licence[512], use[512];
    int code = model_load(&m, path);
    if (code == 0)
        code = file_open(&f, path);
    if (code < 0) {
        log_warning(glt_error_topic(), glt_error_name(), "%s", glt_error_message());
        model_free(m);
        return code == GLT_ENOMEM ? code : 0;
    }
    config_get(&m->config, "task", task, sizeof task);
    card_text(licence, sizeof licence, m->card, "licence");
    card_text(use, sizeof use, m->card, "use");
    struct model_found found = {.name = name,
                                .path = path,
                                .task = task,
                                .inputs = m->config.data.inputs,
                                .preset = m->config.preset,
                                .classes = m->classes.n,
                                .bytes = file_size(f),
                                .licence = licence,
                                .use = use,
                                .card = m->card};
    code = fn(user, &found);
    file_close(f);
    model_free(m);
    return code;
}

/* Whether a folder before number `until` has the file: the first one counts. */
static bool seen(const char *file, int until)
{
    char folder[PATH_MAX], path[PATH_MAX];
    for (int i = 0; i < until && folder_at(folder, sizeof folder, i); i++)
        if (*folder && file_join(path, sizeof path, folder, file) == 0 && file_exists(path))
            return true;
    return false;
}

int models_each(int (*fn)(void *user, const struct model_found *found), void *user)
{
    char folder[PATH_MAX], path[PATH_MAX], name[NAME_MAX + 1];
    int code = 0;
    for (int i = 0; code == 0 && folder_at(folder, sizeof folder, i); i++) {
        char **files = NULL;
        size_t n = 0;
        if (!file_is_folder(folder))
            continue;
        code = file_list(&files, &n, folder);
        for (size_t k = 0; code == 0 && k < n; k++) {
            if (!name_of(name, sizeof name, files[k]) || seen(files[k], i))
                continue;
            code = file_join(path, sizeof path, folder, files[k]);
            if (code == 0)
                code = report(fn, user, name, path);
        }
        file_free_names(files, n);
    }
    return code;
}

/* The installed name nearest to a mistyped one; "" if none is near. */
static void nearest(char *dst, size_t size, const char *wanted)
{
    char folder[PATH_MAX], name[NAME_MAX + 1];
    int best = 4;
    dst[0] = 0;
    for (int i = 0; folder_at(folder, sizeof folder, i); i++) {
        char **files = NULL;
        size_t n = 0;
        if (!file_is_folder(folder) || file_list(&files, &n, folder) < 0)
            continue;
        for (size_t k = 0; k < n; k++) {
            if (!name_of(name, sizeof name, files[k]))
                continue;
            int distance = suggest_distance(wanted, name);
            if (distance < best) {
                best = distance;
                snprintf(dst, size, "%s", name);
            }
        }
        file_free_names(files, n);
    }
}

/* Copies the path, or nothing if it does not fit. */
static int hand_over(char *path, size_t size, const char *found)
{
    if (strlen(found) >= size)
        return error_topic(error_set(GLT_EARGUMENT,
                                     "%.40s...: the path takes %zu bytes where %zu fit", found,
                                     strlen(found) + 1, size),
                           GLT_TOPIC_ARGUMENT, "size");
    strcpy(path, found);
    return 0;
}

/* The folder of a training run stands for its best model. */
static int find_in_run(char *path, size_t size, const char *folder)
{
    char best[PATH_MAX], last[PATH_MAX];
    TRY(file_join(best, sizeof best, folder, "best.safetensors"));
    TRY(file_join(last, sizeof last, folder, "last.safetensors"));
    if (file_exists(best))
        return hand_over(path, size, best);
    return error_topic(
        error_file(
            error_set(GLT_EIO, "%s is a folder without best.safetensors: name a model file%s%s",
                      folder, file_exists(last) ? ", as " : "", file_exists(last) ? last : ""),
            folder),
        GLT_TOPIC_MISSING, "best.safetensors");
}

int models_find(char *path, size_t size, const char *name)
{
    char folder[PATH_MAX], file[NAME_MAX + 1], found[PATH_MAX];
    bool plain = !strchr(name, '/') && strlen(name) + sizeof ending <= sizeof file;
    bool is_folder = file_is_folder(name);
    if (!is_folder && (!plain || file_exists(name)))
        return hand_over(path, size, name);
    if (!plain)
        return find_in_run(path, size, name);
    snprintf(file, sizeof file, "%s%s", name, ending);
    for (int i = 0; folder_at(folder, sizeof folder, i); i++) {
        TRY(file_join(found, sizeof found, folder, file));
        if (!*folder || !file_exists(found)) /* unknown program path, or no such file beside it */
            continue;
        return hand_over(path, size, found);
    }
    if (is_folder) /* after the installed models, so that it hides none */
        return find_in_run(path, size, name);
    nearest(found, sizeof found, name);
    return error_topic(error_in(GLT_EIO, name,
                                "no such file, and no installed model of that name%s%s%s",
                                *found ? "; did you mean '" : "", found, *found ? "'?" : ""),
                       GLT_TOPIC_NOT_FOUND, "model");
}
