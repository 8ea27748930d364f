/* A user of the installed library, in C: prints the version and asks for a wrong option. */
#include <gelatto.h>
#include <stdio.h>

int main(void)
{
    struct glt_config *config = NULL;
    if (glt_config_create(&config) < 0)
        return 1;
    int code = glt_config_set(config, "no such option", "1");
    glt_config_free(config);
    printf("%s\n", glt_version());
    return code == GLT_EARGUMENT ? 0 : 1;
}
