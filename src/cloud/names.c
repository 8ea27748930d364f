/* Names: see names.h. One table. A field spelled canonically keeps its name; else the first synonym
 * gets it. Repeated names are numbered, so that formats that need unique names can hold them. */
#include "cloud/names.h"

#include "core/call.h"
#include "core/error.h"
#include "core/memory.h"
#include "core/string.h"

#include <stdio.h>
#include <string.h>

const char *const names_xyz[3] = {"x", "y", "z"}, *const names_rgb[3] = {"red", "green", "blue"},
                  *const names_normal[3] = {"nx", "ny", "nz"};

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

const char *names_canonical(const char *source)
{
    /* CloudCompare writes every scalar field with this prefix. */
    const char *bare = string_begins_nocase(source, "scalar_") ? source + 7 : source;
    for (size_t i = 0; i < sizeof synonyms / sizeof *synonyms; i++)
        for (size_t j = 0; j < SPELLINGS && synonyms[i][j]; j++)
            if (string_compare_nocase(bare, synonyms[i][j]) == 0)
                return synonyms[i][0];
    return source;
}

static const char *spelling(const struct column *x)
{
    return x->source ? x->source : x->name;
}

/* A lone r, g or b is not a colour. */
static bool is_lone_letter(const struct column *columns, int32_t n, const char *source)
{
    if (source[0] == 0 || source[1] != 0 || !strchr("rgbRGB", source[0]))
        return false;
    int found = 0;
    for (int32_t i = 0; i < n; i++) {
        const char *s = spelling(&columns[i]);
        found += s[0] != 0 && s[1] == 0 && strchr("rgbRGB", s[0]);
    }
    return found < 3;
}

/* A hash table from words to numbers, at most half full. The words are borrowed. */
struct book {
    const char **words;
    int32_t *numbers; /* 0 until set */
    size_t capacity;  /* a power of two */
};

static int book_open(struct call *call, struct book *b, int32_t n)
{
    for (b->capacity = 16; b->capacity < 2 * (size_t)n; b->capacity *= 2)
        ;
    b->words = call_alloc(call, b->capacity, sizeof *b->words);
    b->numbers = call_alloc(call, b->capacity, sizeof *b->numbers);
    return b->words && b->numbers ? 0 : GLT_ENOMEM;
}

/* The slot of the word, or the one it would get. */
static size_t book_place(const struct book *b, const char *word)
{
    uint64_t hash = 0xcbf29ce484222325; /* FNV-1a */
    for (const char *s = word; *s; s++)
        hash = (hash ^ (unsigned char)*s) * 0x100000001b3;
    size_t i = (size_t)hash & (b->capacity - 1);
    while (b->words[i] && strcmp(b->words[i], word) != 0)
        i = (i + 1) & (b->capacity - 1);
    return i;
}

static int32_t *book_number(struct book *b, const char *word)
{
    size_t i = book_place(b, word);
    b->words[i] = b->words[i] ? b->words[i] : word;
    return &b->numbers[i];
}

/* Gives x the first free numbered name from *number on, and keeps the old name as its spelling. */
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

/* A second "_" (the padding of PCD) becomes "__2", but keeps its spelling. Every spelling continues
 * from its last number, so that no name is tried twice. */
static int number_repeats(struct call *call, struct column *columns, int32_t n)
{
    struct book names, spellings;
    TRY(book_open(call, &names, 2 * n));
    TRY(book_open(call, &spellings, n));
    for (int32_t i = 0; i < n; i++) { /* the first of a name keeps it */
        int32_t *owner = book_number(&names, columns[i].name);
        *owner = *owner ? *owner : i + 1;
    }
    for (int32_t i = 0; i < n; i++) {
        struct column *x = &columns[i];
        int32_t *number = book_number(&spellings, spelling(x));
        *number = *number ? *number : 1;
        if (*book_number(&names, x->name) == i + 1)
            ++*number;
        else
            TRY(rename_repeat(x, &names, number));
    }
    return 0;
}

static bool has_name(const struct column *columns, int32_t n, const char *name)
{
    for (int32_t i = 0; i < n; i++)
        if (strcmp(columns[i].name, name) == 0)
            return true;
    return false;
}

int names_canonicalise(struct column *columns, int32_t n)
{
    for (int32_t i = 0; i < n; i++) {
        struct column *x = &columns[i];
        const char *name = names_canonical(x->name);
        if (x->source || strcmp(name, x->name) == 0 || is_lone_letter(columns, n, x->name) ||
            has_name(columns, n, name))
            continue;
        char *copy = memory_string(name);
        if (!copy)
            return GLT_ENOMEM;
        x->source = x->name;
        x->name = copy;
    }
    struct call call = {0};
    int code = number_repeats(&call, columns, n);
    call_free(&call);
    return code;
}
