/* See findings.h. */
#include "findings.h"

#include "json.h"
#include "report.h"
#include "terminal_text.h"

#include <stdio.h>
#include <string.h>

void findings_print(void *user, const char *topic, const char *finding, int fault)
{
    struct findings *f = user;
    report_pause();
    if (f->json) {
        printf("%s\n  {\"topic\": ", f->n++ ? "," : "[");
        json_text(topic);
        fputs(", \"finding\": ", stdout);
        json_text(finding);
        printf(", \"fault\": %s}", fault ? "true" : "false");
        return;
    }
    bool again = strcmp(topic, f->topic) == 0;
    terminal_text_printf(stdout, "%-*s %s%s\n", f->width, again ? "" : topic,
                         fault ? "FAULT: " : "", finding);
    snprintf(f->topic, sizeof f->topic, "%s", topic);
}
