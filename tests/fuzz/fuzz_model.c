/* Model files: what is read as a model can be written and comes back the same.
 * covers: model/model_file.c model/safetensors.c
 * but: model_load model_metadata set_json
 * but: config_json check_finite */
#include "core/error.h"
#include "core/file.h"
#include "fuzz_sign.h"
#include "model/model_file.h"

#include <math.h>
#include <unistd.h>

static void check_model(const struct model *m)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    struct model *again = NULL;
    snprintf(path, sizeof path, "%s/gelatto_fuzz_model_XXXXXX", folder ? folder : "/tmp");
    int fd = mkstemp(path);
    PROPERTY(fd >= 0);
    close(fd);
    for (int64_t i = 0; i < m->size; i++)
        PROPERTY(isfinite(m->block[i]));
    PROPERTY(m->classes.n >= 2 && strlen(m->digest) == ST_DIGEST);
    PROPERTY(model_save(m, path, false, NULL, 0, NULL) == 0);
    PROPERTY(model_load(&again, path) == 0);
    PROPERTY(again->size == m->size && again->classes.n == m->classes.n);
    PROPERTY(again->classes.n_labels == m->classes.n_labels);
    for (int32_t i = 0; i < m->classes.n_labels; i++) {
        int32_t number, first = 0, class = m->classes.labels[i].class;
        PROPERTY(classes_of_number(&again->classes, m->classes.labels[i].number) == class);
        PROPERTY(classes_first_number(&number, &m->classes, class) &&
                 classes_first_number(&first, &again->classes, class) && first == number);
    }
    PROPERTY(memcmp(again->block, m->block, (size_t)m->size * sizeof(real)) == 0);
    model_free(again);
    unlink(path);
}

int fuzz_one(const uint8_t *data, size_t size)
{
    struct model *m = NULL;
    struct safetensors st;
    uint8_t *bytes;
    struct file *f = fuzz_signed(&bytes, data, size);
    int code = safetensors_open(&st, f);
    if (code == 0) {
        code = model_read(&m, &st);
        safetensors_close(&st);
    }
    PROPERTY(code == 0 || strlen(glt_error_message()) > 0);
    if (code == 0)
        check_model(m);
    model_free(m);
    file_close(f);
    free(bytes);
    return 0;
}
