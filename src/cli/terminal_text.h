/* Text on its way to a terminal. Names and messages may come from a file; control characters in
 * them would be obeyed there (colours, titles, a cleared screen). Whatever the program prints of a
 * file or of the library goes through here. */
#ifndef CLI_TERMINAL_TEXT_H
#define CLI_TERMINAL_TEXT_H

#include <stdarg.h>
#include <stdio.h>

/* '?' for every control character but the end of a line and the tabulator. */
void terminal_text_print(FILE *out, const char *text);
void terminal_text_printf(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void terminal_text_vprintf(FILE *out, const char *format, va_list list)
    __attribute__((format(printf, 2, 0)));
/* A whole JSON value on stdout: there they are written as \u escapes. */
void terminal_text_json(const char *json);

/* Bytes of the control character that begins here, 0: none does. */
int terminal_text_control(const char *text);

#endif
