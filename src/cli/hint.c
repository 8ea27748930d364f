/* Hints: see hint.h. One row per code and topic; the first that matches is printed. */
#include "hint.h"

#include "gelatto.h"

#include <stdio.h>
#include <string.h>

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
    {GLT_EDATA, GLT_TOPIC_LABELS, "predict", "gelatto predict MODEL FILE -o OUTPUT labels it"},
    {0, GLT_TOPIC_NOT_FOUND, "data", "say where the data is: gelatto train DATA --resume RUN"},
    {GLT_EMODEL, GLT_TOPIC_INPUTS, NULL,
     "gelatto models lists what installed models need; --init and --set inputs=xyz train one"},
    {GLT_EARGUMENT, GLT_TOPIC_CATEGORY, NULL, "name the category with --set category=NAME"},
    {GLT_EDATA, GLT_TOPIC_ATTRIBUTE, "red", "--colours height"},
    {0, GLT_TOPIC_EXISTS, "replace", "--replace removes it first"},
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

/* Of a damaged LAZ file other chunks may be whole. */
static bool of_chunks(char *text, size_t size)
{
    if (glt_error_code() != GLT_EFORMAT || glt_error_place(GLT_PLACE_CHUNK) < 0)
        return false;
    snprintf(text, size, "gelatto convert --salvage IN OUT keeps the intact chunks");
    return true;
}

bool hint_find(char *text, size_t size)
{
    if (of_run(text, size) || of_chunks(text, size))
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
