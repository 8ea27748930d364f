/* The edit distance between words, for "did you mean". */
#ifndef CORE_SUGGEST_H
#define CORE_SUGGEST_H

/* Edits (insert, delete, replace, swap of neighbours) between two words, each cut at 63 bytes. */
int suggest_distance(const char *a, const char *b);

#endif
