/* Names in the header line of a text file: words between delimiters, quoted or not. A blank inside
 * a name becomes "_": names stand in lines of words again when they are written. */
#include "cloud/names.h"
#include "formats/text.h"

#include "core/memory.h"

#include <stdio.h>
#include <string.h>

/* Whether a word of a header ends here: at its quote, or at what stands between words, which are
 * blanks only where there is no other delimiter ("scan angle,label"). */
static bool ends_word(char c, char quote, char delimiter)
{
    if (quote)
        return c == quote;
    return delimiter == ' ' ? text_is_gap(c, ' ') : c == delimiter;
}

int text_split_names(char **out, int32_t *n, const char *at, const char *end, char delimiter)
{
    enum { NAME_MOST = 255 };
    /* every byte may be a word: as many as can be kept need no more than this */
    size_t most = (size_t)COLUMNS_MOST * (NAME_MOST + 1), room = 2 * (size_t)(end - at) + 2,
           len = 0;
    room = room < most ? room : most;
    char *names = memory_alloc(room + 2, 1);
    if (!names)
        return GLT_ENOMEM;
    *n = 0;
    for (at = text_skip_gap(at, end, ' '); at < end; at = text_skip_gap(at, end, delimiter)) {
        char quote = *at == '"' || *at == '\'' ? *at : 0;
        const char *word = at += quote != 0;
        while (at < end && !ends_word(*at, quote, delimiter))
            at++;
        const char *stop = quote ? at : text_trim(word, at);
        if (*n == COLUMNS_MOST || len + (size_t)(stop - word) + 2 > room) {
            memory_free(names);
            *out = NULL;
            *n = 0;
            return 0;
        }
        if (stop == word)
            names[len++] = '-'; /* a column without a name is skipped, as the option would */
        for (; word < stop; word++)
            names[len++] = (unsigned char)*word <= ' ' ? '_' : *word;
        names[len++] = ' ';
        at += quote && at < end;
        ++*n;
    }
    names[len] = 0;
    *out = names;
    return 0;
}

bool text_names_xyz(const char *names)
{
    int found = 0;
    while (*names) {
        char word[64];
        size_t len = strcspn(names, " ");
        snprintf(word, sizeof word, "%.*s", (int)len, names);
        const char *name = names_canonical(word);
        found |= !strcmp(name, "x") ? 1 : !strcmp(name, "y") ? 2 : !strcmp(name, "z") ? 4 : 0;
        names += len + (names[len] == ' ');
    }
    return found == 7;
}
