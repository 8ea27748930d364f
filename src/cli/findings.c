/* See findings.h. */
#include "findings.h"

#include "json.h"
#include "report.h"
#include "terminal_text.h"

#include <stdio.h>
#include <string.h>

void findings_print(void *user, const struct glt_finding *finding)
{
    struct findings *f = user;
    report_pause();
    if (f->json) {
        printf("%s\n  {\"topic\": ", f->n++ ? "," : "[");
        json_text(finding->topic);
        fputs(", \"text\": ", stdout);
        json_text(finding->text);
        fputs(", \"file\": ", stdout);
        json_text(finding->file);
        fputs(", \"options\": ", stdout);
        json_text(finding->options);
        printf(", \"error\": %s}", finding->error ? "true" : "false");
        return;
    }
    bool again = strcmp(finding->topic, f->topic) == 0;
    terminal_text_printf(stdout, "%-*s %s%s\n", f->width, again ? "" : finding->topic,
                         finding->error ? "ERROR: " : "", finding->text);
    snprintf(f->topic, sizeof f->topic, "%s", finding->topic);
}
