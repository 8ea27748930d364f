/* Reading grids: see grid.h. */
#include "task/grid.h"

#include "config/config_yaml.h"
#include "config/options.h"
#include "core/error.h"
#include "core/file_folder.h"
#include "core/install_paths.h"
#include "core/memory.h"
#include "core/string.h"
#include "gelatto_tool.h"
#include "task/defaults.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

bool grid_metric(const char **key, const char **title, int32_t task, int i)
{
    static const struct {
        const char *key, *title;
    } table[][GRID_METRICS] = {
        [TASK_SEGMENT] = {{"miou", "mIoU"}, {"macc", "mAcc"}, {"oa", "OA"}},
        [TASK_PARTS] = {{"category_miou", "category mIoU"}, {"instance_miou", "instance mIoU"}},
        [TASK_CLASSIFY] = {{"oa", "OA"}, {"macc", "mAcc"}}};
    if (i >= GRID_METRICS || !table[task][i].key)
        return false;
    *key = table[task][i].key;
    *title = table[task][i].title;
    return true;
}

/* Whether a word is in a list "a, b, c". */
static bool is_one_of(const char *word, const char *words)
{
    size_t len = strlen(word);
    for (const char *p = words; *p; p += strspn(p, ", ")) {
        size_t n = strcspn(p, ", ");
        if (n == len && !strncmp(p, word, n))
            return true;
        p += n;
    }
    return false;
}

/* --- finding --- */

void glt_grids(char *list, size_t size)
{
    if (!list || !size)
        return;
    char folder[GRID_PATH], **names;
    size_t n;
    list[0] = 0;
    for (int f = 0; install_paths_folder(folder, sizeof folder, f, "grids"); f++) {
        if (!file_is_folder(folder) || file_list(&names, &n, folder) < 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            char name[GRID_NAME];
            size_t used = strlen(list);
            snprintf(name, sizeof name, "%.*s", (int)strcspn(names[i], "."), names[i]);
            if (!is_one_of(name, list))
                snprintf(list + used, size - used, "%s%s", used ? ", " : "", name);
        }
        file_free_names(names, n);
    }
}

static int find_grid(char path[GRID_PATH], const char *word)
{
    char folder[GRID_PATH - 256], list[512];
    if (strlen(word) >= GRID_PATH)
        return error_topic(error_set(GLT_EARGUMENT, "the path of the grid is too long"),
                           GLT_TOPIC_SIZE_LIMIT, NULL);
    strcpy(path, word);
    if (file_exists(word) && !file_is_folder(word))
        return 0;
    bool name = strlen(word) < GRID_NAME && !strchr(word, '/');
    for (int i = 0; name && install_paths_folder(folder, sizeof folder, i, "grids"); i++) {
        snprintf(path, GRID_PATH, "%s/%.64s.yaml", folder, word);
        if (*folder && file_exists(path))
            return 0;
    }
    glt_grids(list, sizeof list);
    return error_topic(error_in(GLT_EIO, word,
                                "there is no such grid: give a YAML file, or one of: %s",
                                *list ? list : "none is installed"),
                       GLT_TOPIC_NOT_FOUND, word);
}

/* --- reading --- */

static int unknown_key(const struct yaml *key, const char *expected)
{
    return error_topic(error_at(GLT_EFORMAT, key->name, GLT_PLACE_LINE, key->line,
                                "'%s' is not known here: expected %s", key->text, expected),
                       GLT_TOPIC_UNKNOWN_OPTION, key->text);
}

static int check_keys(const struct yaml *map, const char *known)
{
    for (size_t i = 0; i < map->n; i++)
        if (!is_one_of(map->key[i]->text, known))
            return unknown_key(map->key[i], known);
    return 0;
}

static int read_choice(int *out, const struct yaml *root, const char *key, const char *const *words)
{
    const struct yaml *node = yaml_find(root, key);
    const char *text;
    if (!node)
        return 0;
    TRY(yaml_string(&text, node));
    for (int i = 0; words[i]; i++)
        if (!strcmp(words[i], text)) {
            *out = i;
            return 0;
        }
    return error_topic(error_at(GLT_EFORMAT, node->name, GLT_PLACE_LINE, node->line,
                                "%s = '%s': expected %s, %s ..", key, text, words[0], words[1]),
                       GLT_TOPIC_VALUE, key);
}

static int read_text(const char **out, const struct yaml *root, const char *key)
{
    const struct yaml *node = yaml_find(root, key);
    *out = "";
    return node ? yaml_string(out, node) : 0;
}

static int read_int(int64_t *out, const struct yaml *root, const char *key, int64_t otherwise)
{
    const struct yaml *node = yaml_find(root, key);
    *out = otherwise;
    return node ? yaml_int(out, node, 1, 1000000000) : 0;
}

static int read_set(const struct yaml **out, const struct yaml *map)
{
    *out = NULL;
    return yaml_find(map, "set") ? yaml_want(out, map, "set", YAML_MAP) : 0;
}

static int read_paper(struct grid_row *row, const struct yaml *map, int32_t task)
{
    const struct yaml *paper = NULL;
    const char *key, *title;
    char known[128] = "";
    if (yaml_find(map, "paper"))
        TRY(yaml_want(&paper, map, "paper", YAML_MAP));
    for (int i = 0; i < GRID_METRICS; i++) {
        row->paper[i] = NAN;
        if (!grid_metric(&key, &title, task, i))
            continue;
        size_t used = strlen(known);
        snprintf(known + used, sizeof known - used, "%s%s", used ? ", " : "", key);
        if (paper && yaml_find(paper, key))
            TRY(yaml_double(&row->paper[i], yaml_find(paper, key)));
    }
    return paper ? check_keys(paper, known) : 0;
}

static int read_row(struct grid *g, struct grid_row *row, const struct yaml *map)
{
    const struct yaml *name;
    TRY(yaml_want(&name, map, "name", YAML_SCALAR));
    TRY(check_keys(map, "name, seeds, set, paper"));
    if (!*name->text || strlen(name->text) >= sizeof row->folder)
        return error_topic(error_at(GLT_EFORMAT, name->name, GLT_PLACE_LINE, name->line,
                                    "a name has 1 to %d bytes", GRID_NAME - 1),
                           GLT_TOPIC_MISSING, "rows");
    row->name = name->text;
    for (size_t i = 0; row->name[i]; i++) {
        char c = row->name[i];
        row->folder[i] = string_is_alnum(c) || c == '.' ? c : '-';
    }
    for (const struct grid_row *other = g->rows; other < row; other++)
        if (!strcmp(other->folder, row->folder))
            return error_topic(error_at(GLT_EFORMAT, name->name, GLT_PLACE_LINE, name->line,
                                        "the row '%s' would have the folder of a row before it: "
                                        "rename one of them",
                                        row->name),
                               GLT_TOPIC_DUPLICATE, row->name);
    TRY(read_int(&row->seeds, map, "seeds", g->seeds));
    TRY(read_set(&row->set, map));
    return read_paper(row, map, g->task);
}

static int read_rows(struct grid *g)
{
    const struct yaml *list;
    struct config none, c;
    TRY(yaml_want(&list, g->root, "rows", YAML_LIST));
    if (list->n == 0)
        return error_topic(error_at(GLT_EFORMAT, list->name, GLT_PLACE_LINE, list->line, "no rows"),
                           GLT_TOPIC_MISSING, "rows");
    g->rows = memory_alloc(list->n, sizeof *g->rows);
    if (!g->rows)
        return GLT_ENOMEM;
    config_default(&none);
    for (size_t i = 0; i < list->n; i++, g->n++) {
        TRY(read_row(g, &g->rows[i], list->item[i]));
        TRY(grid_config(&c, g, &g->rows[i], &none));
        int code = config_check(&c);
        if (code < 0)
            return error_prefix_line(code, list->name, list->item[i]->line);
    }
    return 0;
}

static int read_grid(struct grid *g)
{
    static const char *const needs[] = {"none", "required", NULL};
    static const char *const tasks[] = {"segment", "parts", "classify", NULL};
    int init = 0, task = TASK_SEGMENT;
    const struct yaml *title;
    TRY(yaml_want(&title, g->root, "title", YAML_SCALAR));
    TRY(check_keys(g->root, "title, about, task, data, fetch, init, seeds, steps, set, rows"));
    g->title = title->text;
    TRY(read_text(&g->about, g->root, "about"));
    TRY(read_text(&g->data, g->root, "data"));
    TRY(read_text(&g->fetch, g->root, "fetch"));
    TRY(read_choice(&task, g->root, "task", tasks));
    TRY(read_choice(&init, g->root, "init", needs));
    TRY(read_int(&g->seeds, g->root, "seeds", 1));
    TRY(read_int(&g->steps, g->root, "steps", 0));
    g->task = task;
    g->init = init == 1;
    TRY(read_set(&g->set, g->root));
    return read_rows(g);
}

int grid_open(struct grid *out, const char *word)
{
    struct grid g = {0};
    char path[GRID_PATH];
    TRY(find_grid(path, word));
    const char *slash = strrchr(path, '/');
    snprintf(g.name, sizeof g.name, "%.60s", slash ? slash + 1 : path);
    g.name[strcspn(g.name, ".")] = 0;
    TRY(yaml_read(&g.root, path));
    int code = read_grid(&g);
    if (code < 0)
        grid_close(&g);
    else
        *out = g;
    return code;
}

void grid_close(struct grid *g)
{
    memory_free(g->rows);
    yaml_release(g->root);
    *g = (struct grid){0};
}

/* --- settings --- */

static const char *preset_of(const struct yaml *set)
{
    const struct yaml *node = set ? yaml_find(set, "preset") : NULL;
    return node && node->kind == YAML_SCALAR ? node->text : NULL;
}

/* Sets the options of a map except the preset, which must be set first. */
static int apply(struct config *c, const struct yaml *set)
{
    struct config only;
    if (!set)
        return 0;
    config_default(&only);
    TRY(config_set_yaml(&only, set));
    return config_copy_given(c, &only);
}

static int check_free(const struct grid_row *row, const struct config *given)
{
    struct config own;
    config_default(&own);
    if (row->set)
        TRY(config_set_yaml(&own, row->set));
    for (int i = 0; i < options_count; i++)
        if (own.given[i] && given->given[i])
            return error_topic(
                error_set(GLT_EARGUMENT,
                          "%s was given, but the row '%s' of the grid sets it: leave it out",
                          options[i].key, row->name),
                GLT_TOPIC_OPTION, options[i].key);
    return 0;
}

int grid_config(struct config *out, const struct grid *g, const struct grid_row *row,
                const struct config *given)
{
    struct config c;
    const char *preset = preset_of(row->set);
    TRY(check_free(row, given));
    config_default(&c);
    if (!preset && given->preset[0])
        preset = given->preset;
    if (!preset)
        preset = preset_of(g->set);
    if (preset)
        TRY(config_set(&c, "preset", preset));
    TRY(apply(&c, g->set));
    TRY(config_copy_given(&c, given));
    TRY(apply(&c, row->set));
    if (!config_given(&c, "task"))
        TRY(config_set(&c, "task", dataset_task_name(g->task)));
    *out = c;
    return 0;
}
