/* Texts on a model's card: JSON about its training, and notes for people. */
#ifndef MODEL_CARD_H
#define MODEL_CARD_H

#include <stddef.h>

/* Sets one text of a card, which may be NULL: licence, credit, use or replay. An empty text removes
 * it. */
int card_set(char **card, const char *key, const char *text);
/* That text, or "" if the card has none; truncated to size. */
void card_text(char *dst, size_t size, const char *card, const char *key);

#endif
