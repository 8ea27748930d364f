/* The configuration of a command line: see config.h. */
#include "config.h"

#include "report.h"

#include "gelatto.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A value that an option refuses is a usage error; lack of memory is not. */
static int check_option(int code, const struct args *args, const char *flag, const char *value)
{
    if (code == 0)
        return 0;
    return code == GLT_ENOMEM
               ? report_failure()
               : args_usage(args->command, "%s %s: %s", flag, value, glt_error_message());
}

/* One --set; any error in it is a usage error. */
static int set_pair(struct glt_config *config, const struct args *args, const char *pair)
{
    const char *equals = strchr(pair, '=');
    char key[64];
    if (!equals || equals == pair || (size_t)(equals - pair) >= sizeof key)
        return args_usage(args->command, "--set %s: expected KEY=VALUE", pair);
    memcpy(key, pair, (size_t)(equals - pair));
    key[equals - pair] = 0;
    return check_option(glt_config_set(config, key, equals + 1), args, "--set", pair);
}

/* -t overrides the key `threads`, wherever that was set; both apply to every command. */
static int settle_threads(struct glt_config *config, const struct args *args)
{
    char text[32];
    int64_t given = args_int(args, "threads", 0);
    if (given) {
        snprintf(text, sizeof text, "%lld", (long long)given);
        if (glt_config_set(config, "threads", text) < 0)
            return report_failure();
    }
    if (glt_config_get(config, "threads", text, sizeof text) < 0 || glt_threads_set(atoi(text)) < 0)
        return report_failure();
    return 0;
}

int config_from(struct glt_config **out, const struct args *args)
{
    struct glt_config *config = NULL;
    if (glt_config_create(&config) < 0)
        return report_failure();
    int code = 0;
    const char *text, *preset = args_text_known(args, "preset");
    for (int i = 0; code == 0 && (text = args_text_at(args, "config", i)); i++)
        if (glt_config_read(config, text) < 0)
            code = report_failure();
    if (code == 0 && preset)
        code = check_option(glt_config_set(config, "preset", preset), args, "--preset", preset);
    for (int i = 0; code == 0 && (text = args_text_at(args, "set", i)); i++)
        code = set_pair(config, args, text);
    text = args_text_known(args, "label-attribute");
    if (code == 0 && text)
        code = check_option(glt_config_set(config, "label_attribute", text), args,
                            "--label-attribute", text);
    if (code == 0)
        code = settle_threads(config, args);
    if (code == 0)
        *out = config;
    else
        glt_config_free(config);
    return code;
}
