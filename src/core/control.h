/* Control characters in text: what a terminal obeys instead of showing it. */
#ifndef CORE_CONTROL_H
#define CORE_CONTROL_H

/* The first byte of the first one in UTF-8 (C0, delete, C1: ISO/IEC 6429); -1: none. */
int control_at(const char *text);

#endif
