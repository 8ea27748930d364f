/* JSON on stdout. */
#ifndef CLI_JSON_H
#define CLI_JSON_H

/* The text in quotes, escaped; bytes that are not UTF-8 become U+FFFD. */
void json_text(const char *text);

#endif
