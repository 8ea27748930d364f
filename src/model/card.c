/* Texts on a model's card: see card.h. */
#include "model/card.h"

#include "core/error.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { TEXT_MAX = 500 };

static int check(const char *key, const char *text)
{
    static const char *const keys[] = {"licence", "credit", "use", "replay"};
    bool known = false, plain = strlen(text) <= TEXT_MAX && json_holds(text);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        known |= !strcmp(key, keys[i]);
    for (const char *p = text; *p && plain; p++)
        plain = (unsigned char)*p >= ' ' && *p != 127;
    if (!known)
        return error_topic(
            error_set(GLT_EARGUMENT, "'%s': a card has licence, credit, use and replay", key),
            GLT_TOPIC_ARGUMENT, "key");
    return plain
               ? 0
               : error_topic(error_set(GLT_EARGUMENT, "%s: give one line of UTF-8, up to %d bytes",
                                       key, TEXT_MAX),
                             GLT_TOPIC_ARGUMENT, "text");
}

int card_set(char **card, const char *key, const char *text)
{
    struct json *root = NULL;
    char *printed = NULL;
    size_t len;
    TRY(check(key, text));
    if (!*card && !*text)
        return 0;
    if (*card)
        TRY(json_parse(&root, "card", *card, strlen(*card)));
    else
        root = json_object();
    if (root && *text)
        json_set(root, key, json_string(text));
    else if (root)
        json_remove(root, key);
    int code = root ? json_print(&printed, &len, root) : GLT_ENOMEM;
    json_free(root);
    TRY(code);
    memory_free(*card);
    *card = printed;
    return 0;
}

void card_text(char *dst, size_t size, const char *card, const char *key)
{
    struct json *root = NULL;
    dst[0] = 0;
    if (!card || json_parse(&root, "card", card, strlen(card)) < 0)
        return;
    const char *text = json_string_value(json_get(root, key));
    snprintf(dst, size, "%s", text ? text : "");
    json_free(root);
}
