/* Ranks: see ranks.h. The plug-in (src/mpi/) is the only thing that this program loads at run time.
 * It is beside the program in the build tree, or in the installed folder of libraries. Neither the
 * environment nor the current folder changes that, and a file that others could have written is
 * refused. */
#include "ranks.h"

#include "report.h"

#include "gelatto_tool.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct glt_ranks_plugin *plugin;

/* How many processes the launcher has started; 1: no launcher. */
static int started(void)
{
    static const char *const sizes[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "MV2_COMM_WORLD_SIZE"};
    const char *tasks = getenv("PMIX_RANK") ? getenv("SLURM_NTASKS") : NULL;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !tasks; i++)
        tasks = getenv(sizes[i]);
    long n = tasks ? strtol(tasks, NULL, 10) : 1;
    return n > 1 && n < INT_MAX ? (int)n : 1;
}

/* Whether a file belongs to us or the system, and nobody else may write to it. */
static bool is_safe(int file)
{
    struct stat s;
    return fstat(file, &s) == 0 && S_ISREG(s.st_mode) && !(s.st_mode & (S_IWGRP | S_IWOTH)) &&
           (s.st_uid == 0 || s.st_uid == geteuid());
}

static int refuse(const char *what, const char *path, const char *advice)
{
    report_failure_text("%d processes were started together, but %s%s%s: %s", started(), what,
                        *path ? " " : "", path, advice);
    return 1;
}

static const char ADVICE[] = "build gelatto with MPI (Debian: mpi-default-dev), which makes the "
                             "plug-in gelatto_mpi.so, or start one process without mpirun";

/* Loads the file by its descriptor, so that it is the one that was checked, whatever happens to the
 * name. */
static int load(const char *path, int file)
{
    char name[64];
    if (!is_safe(file))
        return refuse("others can write to", path, "correct its owner and permissions");
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL); /* parts of Open MPI need its symbols */
    const struct glt_ranks_plugin *found = library ? dlsym(library, "glt_ranks_plugin") : NULL;
    if (!found)
        return refuse("this cannot be loaded:", path, dlerror());
    if (found->size != sizeof *found || strcmp(found->build, GLT_RANKS_BUILD) != 0)
        return refuse("this belongs to another version:", path, ADVICE);
    plugin = found;
    return 0;
}

static int find_plugin(void)
{
    static const char *const places[] = {"", GELATTO_PLUGINS_FROM_BIN "/"};
    char own[PATH_MAX], path[PATH_MAX + 256];
    ssize_t len = readlink("/proc/self/exe", own, sizeof own - 1);
    own[len > 0 ? len : 0] = 0;
    char *slash = strrchr(own, '/');
    for (size_t i = 0; slash && i < sizeof places / sizeof *places; i++) {
        slash[1] = 0;
        snprintf(path, sizeof path, "%s%sgelatto_mpi.so", own, places[i]);
        int file = open(path, O_RDONLY | O_CLOEXEC);
        if (file < 0)
            continue;
        int code = load(path, file);
        close(file);
        return code;
    }
    return refuse("the plug-in for MPI is not installed", "", ADVICE);
}

int ranks_join(void)
{
    struct glt_ranks ranks;
    char text[256] = "";
    if (started() == 1)
        return 0;
    int code = find_plugin();
    if (code)
        return code;
    if (plugin->open(&ranks, text, sizeof text) < 0) {
        plugin = NULL;
        return refuse("they could not join:", text, "see docs/how-to/train-on-several-machines.md");
    }
    if (ranks.count != started()) {
        snprintf(text, sizeof text, "%d of them", ranks.count);
        return refuse("MPI knows only", text,
                      "the plug-in was built for another MPI than that of this mpirun");
    }
    if (glt_ranks_set(&ranks) < 0)
        return report_failure();
    report_rank(ranks.rank);
    return 0;
}

void ranks_leave(bool stopped)
{
    if (!plugin)
        return;
    glt_ranks_set(NULL);
    plugin->close(stopped);
    plugin = NULL;
}
