/* gelatto info FILE...: what files hold. */
#include "commands.h"
#include "json.h"
#include "report.h"

#include "gelatto.h"

static int tell(const char *path, const struct args *args, int several)
{
    struct glt_cloud *cloud = NULL;
    char *text = NULL;
    int json = args_flag(args, "json");
    const char *columns = args_text(args, "columns", NULL);
    char words[1024];
    snprintf(words, sizeof words, "vertices%s%.900s", columns ? " columns=" : "",
             columns ? columns : "");
    int code = glt_cloud_read(&cloud, path, words);
    if (code == 0)
        code = glt_cloud_info(&text, cloud, json);
    if (code == 0 && json && several) {
        printf("{\"file\": ");
        json_text(path);
        printf(", \"info\": %s}", text);
    } else if (code == 0) {
        printf(several ? "%s\n%s" : "%s%s", several ? path : "", text);
        if (json)
            printf("\n");
    }
    glt_text_free(text);
    glt_cloud_free(cloud);
    return code < 0 ? report_failure() : 0;
}

static int run(const struct args *args)
{
    int json = args_flag(args, "json"), several = args->n > 1, failed = 0;
    if (json && several)
        printf("[");
    for (int i = 0, told = 0; i < args->n; i++) {
        if (told && several)
            printf(json ? ",\n" : "\n");
        int code = tell(args->operands[i], args, several);
        failed |= code;
        told = code == 0;
    }
    if (json && several)
        printf("]\n");
    return failed;
}

static const struct args_option options[] = {
    {ARGS_FLAG, "json", 0, NULL, "print one JSON value", 0, 0},
    {ARGS_TEXT, "columns", 0, "NAMES", "of a text file or plain array: x,y,z,label; - skips one", 0,
     0},
    {0},
};

const struct command command_info = {
    .name = "info",
    .summary = "say what a file holds",
    .operands = "FILE...",
    .operands_min = 1,
    .operands_max = -1,
    .about = "For a cloud: format, points, bounds, spacing, scale of the colours, attributes with "
             "their types and ranges, points per label. Of a mesh the vertices are told.",
    .examples = "gelatto info scan.las\n"
                "gelatto info --json room.ply\n",
    .options = options,
    .run = run,
};
