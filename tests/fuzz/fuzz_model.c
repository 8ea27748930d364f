/* Model files: the digest of the input is made right first, so that the parser behind it is met.
 * What is read as a model can be written and comes back the same. */
#include "core/error.h"
#include "core/file.h"
#include "core/memory.h"
#include "fuzz.h"
#include "model/model_file.h"
#include "model/st_inside.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

/* Blanks between key and digits are the reader's business too: only the written form is signed. */
static void sign(unsigned char *bytes, size_t len)
{
    static const char key[] = "\"gelatto.digest\":\"";
    char digest[ST_DIGEST + 1];
    unsigned char *at = memmem(bytes, len, key, sizeof key - 1);
    if (!at || (size_t)(bytes + len - at) < sizeof key - 1 + ST_DIGEST)
        return;
    at += sizeof key - 1;
    memset(at, '0', ST_DIGEST);
    st_digest_print(digest, XXH3_128bits(bytes, len));
    memcpy(at, digest, ST_DIGEST);
}

static void check_model(const struct model *m, const char *path)
{
    struct model *again = NULL;
    for (int64_t i = 0; i < m->size; i++)
        PROPERTY(isfinite(m->block[i]));
    PROPERTY(m->classes >= 2 && strlen(m->digest) == ST_DIGEST);
    PROPERTY(model_save(m, path, false, NULL, 0, NULL) == 0);
    PROPERTY(model_load(&again, path) == 0);
    PROPERTY(again->size == m->size && again->classes == m->classes);
    PROPERTY(memcmp(again->block, m->block, (size_t)m->size * sizeof(real)) == 0);
    model_free(again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "/tmp/gelatto_fuzz_model_XXXXXX";
    struct model *m = NULL;
    unsigned char *bytes = malloc(size + 1);
    int fd = mkstemp(path);
    if (!bytes || fd < 0)
        abort();
    memcpy(bytes, data, size);
    bytes[size] = 0;
    sign(bytes, size);
    if (write(fd, bytes, size) != (ssize_t)size)
        abort();
    close(fd);
    int code = model_load(&m, path);
    PROPERTY(code == 0 || strlen(glt_error_message()) > 0);
    if (code == 0)
        check_model(m, path);
    model_free(m);
    unlink(path);
    free(bytes);
    return 0;
}
