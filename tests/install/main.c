/* A user of the installed library, in C: prints the version, asks for a wrong option, and loads the
 * installed model whose name it is given. */
#include <gelatto.h>
#include <gelatto_tool.h>
#include <stdbool.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    struct glt_config *config = NULL;
    struct glt_model *model = NULL;
    if (glt_config_create(&config) < 0)
        return 1;
    int code = glt_config_set(config, "no such option", "1");
    bool known = glt_error_topic() == GLT_TOPIC_UNKNOWN_OPTION;
    glt_config_free(config);
    printf("%s\n", glt_version());
    if (argc == 2 && glt_model_load(&model, argv[1]) < 0) {
        fprintf(stderr, "%s\n", glt_error_message());
        return 1;
    }
    glt_model_free(model);
    return code == GLT_EARGUMENT && known && glt_word_distance("a", "b") == 1 ? 0 : 1;
}
