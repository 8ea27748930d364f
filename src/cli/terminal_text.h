/* Text on its way to a terminal. Names and messages may come from a file; control characters in
 * them would be obeyed there (colours, titles, a cleared screen), and marks of writing direction
 * would show the characters in another order. Whatever the program prints of a file or of the
 * library goes through here. */
#ifndef CLI_TERMINAL_TEXT_H
#define CLI_TERMINAL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* '?' for every such character but the end of a line and the tabulator. */
void terminal_text_print(FILE *out, const char *text);
void terminal_text_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_text_vprintf(FILE *out, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
/* A whole JSON value on stdout: there they are written as \u escapes. */
void terminal_text_json(const char *json);

/* Bytes of the character of UTF-8 that begins here, and its number; 0 and the value of the byte if
 * none does: shortest form, no surrogate, up to U+10FFFF (RFC 3629). */
int terminal_text_character(unsigned *code, const char *text);
/* Whether it is one that a terminal obeys. */
bool terminal_text_control(unsigned code);

#endif
