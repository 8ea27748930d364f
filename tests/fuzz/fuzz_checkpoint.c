/* Checkpoints: what is taken has counters that are none below zero and a model that is whole.
 * covers: task/checkpoint.c
 * but: checkpoint_read checkpoint_moments checkpoint_find checkpoint_sweep make_notes state_json
 * but: list_moments prune list_checkpoints is_checkpoint sort_names compare_steps read_moment
 * but: checkpoint_any checkpoint_clear
 * but: checkpoint_is_due is_own read_moments */
#include "core/error.h"
#include "core/file.h"
#include "fuzz_sign.h"
#include "task/checkpoint.h"

int fuzz_one(const uint8_t *data, size_t size)
{
    static struct checkpoint c;
    struct model *m = NULL;
    uint8_t *bytes;
    struct file *f = fuzz_signed(&bytes, data, size);
    int code = checkpoint_read_file(&m, &c, f);
    PROPERTY(code == 0 || strlen(glt_error_message()) > 0);
    if (code == 0) {
        PROPERTY(c.epoch >= 0 && c.batch >= 0 && c.steps >= 0 && c.best_epoch >= 0);
        PROPERTY(strlen(c.data) < sizeof c.data && strlen(c.fingerprint) < sizeof c.fingerprint);
        PROPERTY(m->size > 0 && m->classes.n >= 2);
    }
    model_free(m);
    file_close(f);
    free(bytes);
    return 0;
}
