/* Hints: see hint.h. One row per code and topic, or topic and name; the first that matches counts.
 */
#include "hint.h"

#include "gelatto.h"

#include <stdio.h>
#include <string.h>

#define SALVAGE "gelatto convert --salvage IN OUT keeps the intact chunks"
static const struct {
    int code; /* 0: any */
    enum glt_topic topic;
    const char *name; /* NULL: any; "": none */
    const char *text;
} hints[] = {
    {GLT_EINTERRUPTED, GLT_TOPIC_STOPPED, "series", "run the same command again to continue"},
    {GLT_EIO, GLT_TOPIC_CHECKPOINT, "", "free space or correct the permissions, then start again"},
    {GLT_EMODEL, GLT_TOPIC_CHECKPOINT, NULL, "start from a model's weights with --init MODEL"},
    {GLT_EARGUMENT, GLT_TOPIC_INIT, NULL, "start from a trained model with --init MODEL"},
    {GLT_EEXISTS, GLT_TOPIC_RESUME, NULL, "choose another folder with --name NAME"},
    {0, GLT_TOPIC_RESUME, NULL, "--force continues all the same"},
    {0, GLT_TOPIC_NOT_FOUND, "model", "gelatto models lists the installed models"},
    {GLT_EARGUMENT, GLT_TOPIC_UNKNOWN_OPTION, NULL, "gelatto options lists the options"},
    {GLT_ENUMERIC, GLT_TOPIC_VALUE, "statistic", "gelatto info FILE prints the range of a cloud"},
    {GLT_EDATA, GLT_TOPIC_LABELS, "train", "gelatto check DATA lists the labels"},
    {GLT_EDATA, GLT_TOPIC_LABELS, "predict", "gelatto predict MODEL FILE -o OUTPUT labels it"},
    {0, GLT_TOPIC_NOT_FOUND, "data", "say where the data is: gelatto train DATA --resume RUN"},
    {GLT_EMODEL, GLT_TOPIC_INPUTS, NULL,
     "gelatto models lists what installed models need; --init and --set inputs=xyz train one"},
    {GLT_EARGUMENT, GLT_TOPIC_CATEGORY, NULL, "name the category with --set category=NAME"},
    {GLT_EDATA, GLT_TOPIC_ATTRIBUTE, "red", "--colours height"},
    {0, GLT_TOPIC_EXISTS, "replace", "--replace removes it first"},
    {GLT_EFORMAT, GLT_TOPIC_TRUNCATED, "chunks", SALVAGE},
    {GLT_EFORMAT, GLT_TOPIC_VALUE, "chunks", SALVAGE},
    {GLT_EUNSUPPORTED, GLT_TOPIC_FORMAT, "laz version",
     "laspy reads it (pip install \"laspy[laszip]\"): python3 -c 'import laspy, sys; "
     "laspy.read(sys.argv[1]).write(sys.argv[2])' IN.laz OUT.las"},
    {GLT_EIO, GLT_TOPIC_RANKS, "lost",
     "start as many processes again with --resume RUN; it continues from the last checkpoint"},
    {GLT_EARGUMENT, GLT_TOPIC_RANKS, "accumulate",
     "mpirun -n N sets the number of ranks, --set accumulate=G the mini-batches of a step"},
    {GLT_ELIMIT, GLT_TOPIC_MEMORY, NULL, "gelatto convert --crop cuts a part out of a cloud"},
};

/* A training run that stopped can be resumed by its folder. */
static bool of_run(char *text, size_t size)
{
    enum glt_topic topic = glt_error_topic();
    const char *run = glt_error_name();
    if (topic == GLT_TOPIC_STOPPED && !strcmp(run, "train"))
        snprintf(text, size, "continue with: gelatto train --resume %s", glt_error_file());
    else if (glt_error_code() == GLT_EIO && topic == GLT_TOPIC_CHECKPOINT && *run)
        snprintf(text, size,
                 "free space or correct the permissions, then continue with: gelatto train "
                 "--resume %s",
                 run);
    else
        return false;
    return true;
}

bool hint_find(char *text, size_t size)
{
    if (of_run(text, size))
        return true;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++)
        if (hints[i].topic == glt_error_topic() &&
            (hints[i].code == 0 || hints[i].code == glt_error_code()) &&
            (!hints[i].name || !strcmp(hints[i].name, glt_error_name()))) {
            snprintf(text, size, "%s", hints[i].text);
            return true;
        }
    return false;
}

static const struct {
    enum glt_topic topic;
    const char *name, *text; /* name NULL: any */
} of_warnings[] = {
    {GLT_TOPIC_COORDINATES, "up", "--up x|y|z says which axis points up"},
    {GLT_TOPIC_COORDINATES, "feet", "gelatto convert --scale 0.3048 IN OUT makes metres of feet"},
    {GLT_TOPIC_COORDINATES, "centimetres", "gelatto convert --scale 0.01 IN OUT makes metres"},
    {GLT_TOPIC_COORDINATES, "millimetres", "gelatto convert --scale 0.001 IN OUT makes metres"},
    {GLT_TOPIC_COORDINATES, "kilometres", "gelatto convert --scale 1000 IN OUT makes metres"},
    {GLT_TOPIC_COORDINATES, "z", "gelatto convert --scale 1,1,0.001 IN OUT makes metres of z"},
    {GLT_TOPIC_COORDINATES, "extent", "gelatto predict FILE names an installed model that fits"},
    {GLT_TOPIC_CATEGORY, NULL, "--category NAME sets the category of the shape"},
    {GLT_TOPIC_LABELS, "numbers",
     "gelatto convert --map 40:0,50:2,.. IN OUT gives labels the model's numbers, which gelatto "
     "info MODEL lists"},
};

const char *hint_of_warning(void)
{
    enum { N = sizeof of_warnings / sizeof *of_warnings };
    static bool given[N];
    for (size_t i = 0; i < N; i++)
        if (!given[i] && of_warnings[i].topic == glt_log_topic() &&
            (!of_warnings[i].name || !strcmp(of_warnings[i].name, glt_log_name()))) {
            given[i] = true;
            return of_warnings[i].text;
        }
    return NULL;
}
