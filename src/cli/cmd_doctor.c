/* gelatto doctor: what this build and this machine are, and whether they can be trusted. */
#include "commands.h"
#include "json.h"
#include "report.h"

#include "gelatto.h"

#include <string.h>

struct printer {
    bool json;
    int n;
    char topic[32]; /* of the line before */
};

static void print_finding(void *user, const char *topic, const char *finding, int fault)
{
    struct printer *p = user;
    if (p->json) {
        printf("%s\n  {\"topic\": ", p->n++ ? "," : "[");
        json_text(topic);
        fputs(", \"finding\": ", stdout);
        json_text(finding);
        printf(", \"fault\": %s}", fault ? "true" : "false");
        return;
    }
    bool again = strcmp(topic, p->topic) == 0;
    printf("%-15s %s%s\n", again ? "" : topic, fault ? "FAULT: " : "", finding);
    snprintf(p->topic, sizeof p->topic, "%s", topic);
}

static int run(const struct args *args)
{
    struct printer p = {.json = args_flag(args, "json")};
    int code = glt_doctor(print_finding, &p);
    if (p.json)
        puts("\n]");
    return code < 0 ? report_failure() : 0;
}

static const struct args_option options[] = {
    {ARGS_FLAG, "json", 'j', NULL, "print as JSON", 0, 0},
    {0},
};

const struct command command_doctor = {
    .name = "doctor",
    .summary = "tell what this build and this machine can do",
    .operands_max = 0,
    .about = "Prints version, compiler, processor, the kernels that can run and the ones chosen, "
             "the BLAS with the result of its stress test, threads, optional parts and limits. "
             "Fails when the BLAS gives wrong results under threads.",
    .examples = "gelatto doctor\nGELATTO_CPU=ref gelatto doctor\ngelatto doctor --json\n",
    .options = options,
    .run = run,
};
