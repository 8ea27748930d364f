/* Text for a terminal. Names and messages may come from a file; a terminal would obey control
 * characters in them (colours, titles, a cleared screen), and marks of writing direction would
 * reorder the characters. Everything that the program prints from a file or the library goes
 * through here. */
#ifndef CLI_TERMINAL_TEXT_H
#define CLI_TERMINAL_TEXT_H

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>

/* Prints '?' for every such character except line feed and tab. */
void terminal_text_print(FILE *out, const char *text);
void terminal_text_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_text_vprintf(FILE *out, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
/* Prints a whole JSON value on stdout, with these characters as \u escapes. */
void terminal_text_json(const char *json);

/* Bytes and number of the UTF-8 character that begins here; 0 and the value of the byte if there is
 * none: shortest form, no surrogate, up to U+10FFFF (RFC 3629). */
int terminal_text_character(unsigned *code, const char *text);
/* Whether a terminal would obey the character. */
bool terminal_text_control(unsigned code);

#endif
