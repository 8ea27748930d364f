/* The table of commands: see commands.h. */
#include "commands.h"

#include <stdio.h>
#include <string.h>

/* In the order of "gelatto help". */
/* clang-format off */
static const struct command *const commands[] = {
    &command_predict,
    &command_models,
    &command_check,
    &command_train,
    &command_eval,
    &command_ablate,
    &command_synth,
    &command_view,
    &command_patch,
    &command_next,
    &command_render,
    &command_gather,
    &command_report,
    &command_explain,
    &command_info,
    &command_convert,
    &command_bench,
    &command_doctor,
    &command_options,
    &command_completion,
    &command_man,
    &command_help,
    &command_version,
};
/* clang-format on */

const struct command *commands_at(int i)
{
    return i >= 0 && (size_t)i < sizeof commands / sizeof *commands ? commands[i] : NULL;
}

const struct command *commands_find(const char *name)
{
    struct args_suggestion s = {.word = name};
    const struct command *c;
    for (int i = 0; (c = commands_at(i)); i++) {
        if (strcmp(c->name, name) == 0)
            return c;
        args_suggest(&s, c->name);
    }
    fprintf(stderr, "gelatto: there is no command '%s'", name);
    if (s.best)
        fprintf(stderr, "; did you mean '%s'?", s.best);
    fprintf(stderr, "\ntry 'gelatto help'\n");
    return NULL;
}
