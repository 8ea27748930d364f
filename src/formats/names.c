/* Names: the file's spelling of a field against the name the rest of the program uses. One table.
 * A field spelled canonically keeps its name; among others of one meaning the first gets it. Names
 * that repeat are numbered, so that formats without repeated names can hold them. */
#include "core/error.h"
#include "core/memory.h"
#include "formats/format.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { SPELLINGS = 6 };

/* canonical name, then the spellings seen in the wild, in any case */
static const char *const synonyms[][SPELLINGS] = {
    {"x", "x_coordinate", "coord_x", "//x"},
    {"y", "y_coordinate", "coord_y"},
    {"z", "z_coordinate", "coord_z"},
    {"red", "r", "diffuse_red", "rf"},
    {"green", "g", "diffuse_green", "gf"},
    {"blue", "b", "diffuse_blue", "bf"},
    {"intensity", "reflectance", "remission"},
    {"nx", "normal_x", "normalx", "n_x"},
    {"ny", "normal_y", "normaly", "n_y"},
    {"nz", "normal_z", "normalz", "n_z"},
    {"label", "labels", "semantic", "sem_class", "semantic_label", "class"},
    {"instance", "instance_id", "instance_label", "ins_class"},
    {"confidence"},
    {"classification"},
};

const char *canonical_name(const char *source)
{
    /* CloudCompare writes every scalar field with this prefix. */
    const char *bare = strncasecmp(source, "scalar_", 7) == 0 ? source + 7 : source;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (size_t j = 0; j < SPELLINGS && synonyms[i][j]; j++)
            if (strcasecmp(bare, synonyms[i][j]) == 0)
                return synonyms[i][0];
    return source;
}

static const char *spelling(const struct column *x)
{
    return x->source ? x->source : x->name;
}

/* A lone r, g or b is not a colour. */
static bool is_lone_letter(const struct glt_cloud *c, const char *source)
{
    if (source[0] == 0 || source[1] != 0 || !strchr("rgbRGB", source[0]))
        return false;
    int found = 0;
    for (int32_t i = 0; i < c->n_columns; i++) {
        const char *s = spelling(&c->columns[i]);
        found += s[0] != 0 && s[1] == 0 && strchr("rgbRGB", s[0]);
    }
    return found < 3;
}

/* Words with a number each, in a table that is at most half full. The words are borrowed. */
struct book {
    const char **words;
    int32_t *numbers; /* 0 until set */
    size_t room;      /* a power of two */
};

static int book_open(struct book *b, int32_t n)
{
    for (b->room = 16; b->room < 2 * (size_t)n; b->room *= 2)
        ;
    b->words = memory_alloc(b->room, sizeof *b->words);
    b->numbers = memory_alloc(b->room, sizeof *b->numbers);
    return b->words && b->numbers ? 0 : GLT_ENOMEM;
}

static void book_close(struct book *b)
{
    memory_free(b->words);
    memory_free(b->numbers);
}

/* Where the word stands, or would. */
static size_t book_place(const struct book *b, const char *word)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (const char *s = word; *s; s++)
        hash = (hash ^ (unsigned char)*s) * 0x100000001b3;
    size_t i = (size_t)hash & (b->room - 1);
    while (b->words[i] && strcmp(b->words[i], word) != 0)
        i = (i + 1) & (b->room - 1);
    return i;
}

static int32_t *book_number(struct book *b, const char *word)
{
    size_t i = book_place(b, word);
    b->words[i] = b->words[i] ? b->words[i] : word;
    return &b->numbers[i];
}

/* Gives x the first free name with a number from *number on, and keeps the old as its spelling. */
static int rename_repeat(struct column *x, struct book *names, int32_t *number)
{
    char name[320];
    do
        snprintf(name, sizeof name, "%.300s_%d", x->name, (*number)++);
    while (names->words[book_place(names, name)]);
    char *copy = memory_string(name);
    if (!copy)
        return GLT_ENOMEM;
    if (x->source)
        memory_free(x->name);
    else
        x->source = x->name;
    x->name = copy;
    *book_number(names, copy) = -1;
    return 0;
}

/* A second "_" (the padding of PCD) becomes "__2", its spelling stays. Every spelling goes on from
 * the number it had last, so that no name is tried twice. */
static int number_with(struct glt_cloud *c, struct book *names, struct book *spellings)
{
    for (int32_t i = 0; i < c->n_columns; i++) { /* the first of a name keeps it */
        int32_t *owner = book_number(names, c->columns[i].name);
        *owner = *owner ? *owner : i + 1;
    }
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column *x = &c->columns[i];
        int32_t *number = book_number(spellings, spelling(x));
        *number = *number ? *number : 1;
        if (*book_number(names, x->name) == i + 1)
            ++*number;
        else
            TRY(rename_repeat(x, names, number));
    }
    return 0;
}

static int number_repeats(struct glt_cloud *c)
{
    struct book names = {0}, spellings = {0};
    int code = book_open(&names, 2 * c->n_columns);
    if (code == 0)
        code = book_open(&spellings, c->n_columns);
    if (code == 0)
        code = number_with(c, &names, &spellings);
    book_close(&names);
    book_close(&spellings);
    return code;
}

int cloud_canonicalise(struct glt_cloud *c)
{
    for (int32_t i = 0; i < c->n_columns; i++) {
        struct column *x = &c->columns[i];
        const char *name = canonical_name(x->name);
        if (x->source || strcmp(name, x->name) == 0 || is_lone_letter(c, x->name) ||
            cloud_attribute(c, name))
            continue;
        char *copy = memory_string(name);
        if (!copy)
            return GLT_ENOMEM;
        x->source = x->name;
        x->name = copy;
    }
    return number_repeats(c);
}

const char *column_spelling(const struct glt_cloud *c, const struct column *x, const char *format)
{
    bool same = c->format && strcmp(c->format, format) == 0;
    return same && x->source ? x->source : x->name;
}
