/* The command line of one command: a table of options serves parsing, help, man page and shell
 * completion, so that they always agree. */
#ifndef CLI_ARGS_H
#define CLI_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum args_kind {
    ARGS_END,    /* the end of a table */
    ARGS_FLAG,   /* --json */
    ARGS_TEXT,   /* --output FILE */
    ARGS_CHOICE, /* --view top|side: value lists the words */
    ARGS_INT,    /* within [low, high] */
    ARGS_NUMBER  /* within [low, high] */
};

enum { ARGS_OPTIONS_MAX = 8192 };

struct args_option {
    enum args_kind kind;
    const char *name;  /* long name without dashes */
    char letter;       /* short name, 0: none */
    const char *value; /* placeholder of the value in help; the words of a choice */
    const char *help;
    double low, high; /* of numbers; both 0: any */
};

/* A heading in the help of a command, above the option `first`. */
struct args_group {
    const char *first, *title;
};

struct args;

struct command {
    const char *name;
    const char *summary;                 /* one line, no full stop */
    const char *operands;                /* "FILE...", NULL: none */
    int operands_min, operands_max;      /* max < 0: any number */
    const char *about;                   /* a paragraph or two; NULL: the summary is enough */
    const char *examples;                /* one command per line, "gelatto ..." */
    const char *pages;                   /* paths in the documentation; NULL: none */
    const struct args_option *options;   /* NULL: only the common ones */
    const struct args_group *groups;     /* in the order of the options; NULL: no headings */
    bool config;                         /* takes --set and --config */
    int (*run)(const struct args *args); /* returns the exit code: 0, 1 failure, 2 usage error */
};

/* A parsed command line. Values point into argv. */
struct args {
    const struct command *command;
    const char **operands;
    int n;
    struct args_given *given; /* in the order of the command line */
    int n_given;
};

/* Parses the words after the command's name. 0, or 2 after a message. *help is set if help was
 * requested; then nothing else is checked. */
int args_parse(struct args *args, const struct command *command, int argc, char **argv, bool *help);
void args_free(struct args *args);

/* Values by option name; the last one wins. The name must be in the command's table. */
bool args_flag(const struct args *args, const char *name);
const char *args_text(const struct args *args, const char *name, const char *otherwise);
/* NULL also if the command's table has no such option. */
const char *args_text_known(const struct args *args, const char *name);
int64_t args_int(const struct args *args, const char *name, int64_t otherwise);
double args_number(const struct args *args, const char *name, double otherwise);
/* Appends the options that were given (names separated by blanks) to an option string of gelatto.h:
 * " name=value", or " name" for a flag, with '_' for a dash. 0, or 2 after a message if the string
 * is full. */
int args_options(char options[ARGS_OPTIONS_MAX], const struct args *args, const char *names);
/* 0 if none of the options (names separated by blanks) is given; else 2 after printing "--NAME" and
 * why it would have no effect. */
int args_refuse(const struct args *args, const char *names, const char *why);
/* The i-th value of an option that may be repeated; NULL after the last. */
const char *args_text_at(const struct args *args, const char *name, int i);

/* The command line in a form that can be typed again, truncated to the size. */
void args_describe(char *dst, size_t size, const struct args *args);

/* Appends the word in single quotes, for a shell. */
void args_quote(char *dst, size_t size, const char *word);

/* i-th option of a command, its own first, then the common ones; NULL after the last. */
const struct args_option *args_option_at(const struct command *command, int i);

/* Prints "gelatto COMMAND: message" and how to get help; returns 2. */
int args_usage(const struct command *command, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The candidate nearest to a mistyped word, or NULL if none is near. */
struct args_suggestion {
    const char *word, *best;
    int distance;
};
void args_suggest(struct args_suggestion *s, const char *candidate);

#endif
