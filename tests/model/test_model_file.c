/* Model files: what is written comes back; what is cut, flipped or lying is refused with a reason.
 * labels: quick full nightly slow */
#include "config/options.h"
#include "core/error.h"
#include "core/file.h"
#include "core/json.h"
#include "core/json_parse.h"
#include "core/memory.h"
#include "core/random.h"
#include "errors.h"
#include "faults.h"
#include "model/model_file.h"
#include "model/safetensors.h"
#include "own_file.h"
#include "settings.h"
#include "tier.h"

#include <math.h>
#include <stdlib.h>
#include <unistd.h>

static struct model *new_model(const char *settings)
{
    return settings_model("levels=64,32,16,8 width=4,4,4,8 stem=4 k=8 decoder=4,4,4,4,4,4,4,4 "
                          "head_hidden=4 cls_hidden=4",
                          settings, 3);
}

static unsigned char *read_bytes(size_t *len)
{
    char *bytes;
    assert_int_equal(file_read_all(&bytes, len, path, 64 << 20), 0);
    return (unsigned char *)bytes;
}

/* Without the sync of file_create: there are thousands of them. */
static void write_bytes(const void *bytes, size_t len)
{
    FILE *f = fopen(path, "wb");
    assert_non_null(f);
    assert_int_equal(fwrite(bytes, 1, len, f), len);
    assert_int_equal(fclose(f), 0);
}

/* Writes the digest that belongs to the bytes into them, so that the checks behind it are met. */
static void sign(unsigned char *bytes, size_t len)
{
    static const char key[] = "\"gelatto.digest\":\"";
    char digest[ST_DIGEST + 1];
    char *at = memmem(bytes, len, key, sizeof key - 1);
    if (!at)
        return;
    at += sizeof key - 1;
    memset(at, '0', ST_DIGEST);
    safetensors_print_digest(digest, XXH3_128bits(bytes, len));
    memcpy(at, digest, ST_DIGEST);
}

/* A file of this header and `data` bytes of data, signed. */
static void write_header(const char *header, size_t data)
{
    size_t len = strlen(header), all = 8 + len + data;
    unsigned char *bytes = memory_alloc(all, 1);
    uint64_t le = htole64((uint64_t)len);
    memcpy(bytes, &le, 8);
    memcpy(bytes + 8, header, len);
    sign(bytes, all);
    write_bytes(bytes, all);
    memory_free(bytes);
}

static void refused(int code, const char *reason)
{
    struct model *m = NULL;
    assert_int_equal(model_load(&m, path), code);
    assert_error(reason);
    assert_null(m);
}

static void round_trip(const char *settings, bool half)
{
    struct model *m = new_model(settings), *n = NULL;
    const uint8_t colour[3] = {9, 8, 7};
    assert_int_equal(classes_change(&m->classes, 1, "Stuhl \"\xc3\xa4\"", colour), 0);
    assert_int_equal(classes_add_category(&m->classes, "lamp", 0, 2), 0);
    assert_int_equal(classes_add_category(&m->classes, "mug", 2, 1), 0);
    m->card = memory_string("{\"epochs\": 3}");
    assert_int_equal(model_save(m, path, half, NULL, 0, NULL), 0);
    assert_int_equal(model_load(&n, path), 0);
    assert_int_equal(n->size, m->size);
    assert_int_equal(n->count, m->count);
    assert_int_equal(n->classes.n, 3);
    for (int i = 0; i < 3; i++)
        assert_string_equal(n->classes.names[i], m->classes.names[i]);
    assert_memory_equal(n->classes.colours, m->classes.colours, 9);
    assert_int_equal(n->classes.n_categories, 2);
    assert_string_equal(n->classes.categories[1].name, "mug");
    assert_int_equal(n->classes.categories[1].first, 2);
    assert_int_equal(n->classes.categories[0].count, 2);
    assert_string_equal(n->card, m->card);
    assert_int_equal(strlen(n->digest), 32);
    for (int i = 0; i < options_count; i++) {
        char a[256], b[256];
        assert_int_equal(config_get(&m->config, options[i].key, a, sizeof a), 0);
        assert_int_equal(config_get(&n->config, options[i].key, b, sizeof b), 0);
        if (strcmp(options[i].key, "threads"))
            assert_string_equal(a, b);
    }
    for (int32_t i = 0; i < m->count; i++) {
        const struct parameter *p = &m->parameters[i];
        for (int64_t e = 0; e < p->rows * p->cols; e++) {
            double x = m->block[p->offset + e], y = n->block[p->offset + e];
            assert_true(half && !p->vector ? fabs(x - y) <= fabs(x) / 2048 + 6e-8 : x == y);
        }
    }
    size_t whole, smaller;
    memory_free(read_bytes(&whole));
    assert_int_equal(model_save(n, path, true, NULL, 0, NULL), 0); /* halves stay what they are */
    struct model *again = NULL;
    assert_int_equal(model_load(&again, path), 0);
    memory_free(read_bytes(&smaller));
    if (half)
        assert_memory_equal(again->block, n->block, (size_t)n->size * sizeof(real));
    else
        assert_true(smaller < whole);
    model_free(again);
    model_free(n);
    model_free(m);
}

static void a_model_comes_back_from_its_file(void **state)
{
    (void)state;
    static const char *const settings[] = {"",
                                           "maps=bn",
                                           "maps=score-mlp",
                                           "maps=bn-relu heads=latent",
                                           "task=classify inputs=xyz",
                                           "task=parts inputs=xyz,normals features_per_head=all",
                                           "preset=tiny lr=0.5",
                                           "radius=0.123456789012345 seed=123456789"};
    for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
        round_trip(settings[i], false);
        round_trip(settings[i], true);
    }
}

/* Cut at every length, and with every bit of it flipped. */
static void any_cut_and_any_flipped_bit_is_found(void **state)
{
    (void)state;
    struct model *m = new_model("task=classify inputs=xyz heads=geometric"), *n = NULL;
    size_t len;
    assert_int_equal(model_save(m, path, true, NULL, 0, NULL), 0);
    model_free(m);
    unsigned char *bytes = read_bytes(&len);
    /* all around the ends and of the first bytes, of the rest a sample: all of it takes minutes */
    size_t cuts = (size_t)tier_pick(997, 61, 1), flips = (size_t)tier_pick(3001, 211, 1);
    size_t in_header = (size_t)tier_pick(257, 17, 1), first = (size_t)tier_pick(8, 32, 32);
    uint64_t le;
    memcpy(&le, bytes, 8);
    size_t header = 8 + (size_t)le64toh(le);
    for (size_t cut = 0; cut < len; cut += cut < 64 || cut > len - 64 ? 1 : cuts) {
        write_bytes(bytes, cut);
        int code = model_load(&n, path);
        if (code >= 0 || strlen(glt_error_message()) < 10)
            fail_msg("cut at %zu of %zu: code %d", cut, len, code);
    }
    for (size_t at = 0; at < len; at += at < first ? 1 : at < header ? in_header : flips)
        for (int bit = 0; bit < 8; bit++) {
            bytes[at] ^= (unsigned char)(1 << bit);
            write_bytes(bytes, len);
            int code = model_load(&n, path);
            if (code >= 0 || strlen(glt_error_message()) < 10)
                fail_msg("bit %d of byte %zu of %zu: code %d", bit, at, len, code);
            bytes[at] ^= (unsigned char)(1 << bit);
        }
    write_bytes(bytes, len);
    assert_int_equal(model_load(&n, path), 0);
    model_free(n);
    memory_free(bytes);
}

#define META                                                                                       \
    "{\"__metadata__\":{\"gelatto.format\":\"1\","                                                 \
    "\"gelatto.digest\":\"00000000000000000000000000000000\"}"

static void lying_headers_are_refused(void **state)
{
    (void)state;
    static const struct {
        const char *header;
        size_t data;
        int code;
        const char *reason;
    } lies[] = {
        {META "}", 0, GLT_EMODEL, "MISSING gelatto.config"},
        {META "}", 4, GLT_EFORMAT, "SYNTAX"},
        {"{\"__metadata__\":{}}", 0, GLT_EFORMAT, "MISSING gelatto.digest"},
        {"{}", 0, GLT_EFORMAT, "MISSING gelatto.digest"},
        {"", 0, GLT_EFORMAT, "FORMAT"},
        {" {}", 0, GLT_EFORMAT, "FORMAT"},
        {"[]", 0, GLT_EFORMAT, "FORMAT"},
        {"{\"a\":", 0, GLT_EFORMAT, "SYNTAX line 1"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
              "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[2,6]}}",
         6, GLT_EFORMAT, "VALUE b"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
              "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]}}",
         4, GLT_EFORMAT, "VALUE b"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
              "\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[8,12]}}",
         12, GLT_EFORMAT, "VALUE b"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}", 8, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},"
              "\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]}}",
         8, GLT_EFORMAT, "SYNTAX line 1"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[4],\"data_offsets\":[0,16]}}", 8, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[4611686018427387904],\"data_offsets\":[0,0]}}",
         0, GLT_EFORMAT, "VALUE a"},
        {META ",\"a\":{\"dtype\":\"F32\",\"shape\":[4294967296,4294967296],"
              "\"data_offsets\":[0,0]}}",
         0, GLT_EFORMAT, "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[18446744073709551615],\"data_offsets\":[0,0]}}",
         0, GLT_EFORMAT, "SYNTAX line 1"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[9223372036854775806,"
              "9223372036854775807]}}",
         0, GLT_EFORMAT, "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[-1],\"data_offsets\":[0,0]}}", 0, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,0]}}", 0, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1,1],\"data_offsets\":[0,1]}}", 1,
         GLT_EFORMAT, "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1],\"more\":1}}", 1,
         GLT_EFORMAT, "VALUE a"},
        {META ",\"a\":{\"dtype\":\"BF16\",\"shape\":[1],\"data_offsets\":[0,2]}}", 2,
         GLT_EUNSUPPORTED, "FORMAT a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1.0]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0.0,1]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[-1,0]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1,1]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":{\"0\":0,\"1\":1}}}", 1,
         GLT_EFORMAT, "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[1.0],\"data_offsets\":[0,1]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":[\"1\"],\"data_offsets\":[0,1]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":\"U8\",\"shape\":1,\"data_offsets\":[0,1]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        {META ",\"a\":{\"dtype\":8,\"shape\":[1],\"data_offsets\":[0,1]}}", 1, GLT_EFORMAT,
         "VALUE a"},
        /* nothing is wrong with these tensors: every type, four dimensions, any order, none at all
         */
        {META
         ",\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,2]},\"b\":{\"dtype\":\"F64\","
         "\"shape\":[1],\"data_offsets\":[2,10]},\"c\":{\"dtype\":\"I32\",\"shape\":[1],\"data_"
         "offsets\":[10,14]},\"d\":{\"dtype\":\"I64\",\"shape\":[1],\"data_offsets\":[14,22]},"
         "\"e\":{\"dtype\":\"U8\",\"shape\":[1,1,1,1],\"data_offsets\":[22,23]}}",
         23, GLT_EMODEL, "MISSING gelatto.config"},
        {META ",\"b\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[4,8]},\"a\":{\"dtype\":"
              "\"F32\",\"shape\":[1],\"data_offsets\":[0,4]},\"z\":{\"dtype\":\"F32\",\"shape\":[0]"
              ",\"data_offsets\":[0,0]}}",
         8, GLT_EMODEL, "MISSING gelatto.config"},
        {"{\"__metadata__\":{\"gelatto.digest\": \"0000000000000000000000000000000\"}}", 0,
         GLT_EFORMAT, "MISSING gelatto.digest"},
        {"{\"__metadata__\":{\"gelatto.digest\": \"000000000000000000000000000000000\"}}", 0,
         GLT_EFORMAT, "MISSING gelatto.digest"},
        {"{\"__metadata__\":{\"gelatto.format\":1}}", 0, GLT_EFORMAT, "SYNTAX"},
        {"{\"__metadata__\":{\"gelatto.format\":\"2\","
         "\"gelatto.digest\":\"00000000000000000000000000000000\"}}",
         0, GLT_EMODEL, "FORMAT"},
    };
    for (size_t i = 0; i < sizeof lies / sizeof lies[0]; i++) {
        write_header(lies[i].header, lies[i].data);
        refused(lies[i].code, lies[i].reason);
    }
    static const uint64_t sizes[] = {UINT64_MAX,        INT64_MAX,     1ull << 63, 1ull << 32,
                                     ST_HEADER_MAX + 1, ST_HEADER_MAX, 100};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        uint64_t le = htole64(sizes[i]);
        write_bytes(&le, 8);
        refused(GLT_EFORMAT, i >= 5 ? "TRUNCATED" : "FORMAT");
    }
}

/* The header of a good file, changed by fn, with its data. */
static void rewrite(void (*fn)(struct json *header, struct json *meta, unsigned char *data))
{
    struct model *m = new_model("");
    size_t len, text_len;
    uint64_t le;
    struct json *header;
    char *text;
    assert_int_equal(model_save(m, path, false, NULL, 0, NULL), 0);
    model_free(m);
    unsigned char *bytes = read_bytes(&len);
    memcpy(&le, bytes, 8);
    size_t at = 8 + (size_t)le64toh(le);
    assert_int_equal(json_parse(&header, "header", (char *)bytes + 8, at - 8), 0);
    fn(header, json_get(header, "__metadata__"), bytes + at);
    assert_int_equal(json_print(&text, &text_len, header), 0);
    unsigned char *all = memory_alloc(8 + text_len + len - at, 1);
    le = htole64((uint64_t)text_len);
    memcpy(all, &le, 8);
    memcpy(all + 8, text, text_len);
    memcpy(all + 8 + text_len, bytes + at, len - at);
    sign(all, 8 + text_len + len - at);
    write_bytes(all, 8 + text_len + len - at);
    json_free(header);
    memory_free(text);
    memory_free(all);
    memory_free(bytes);
}

static void rename_tensor(struct json *header, struct json *meta, unsigned char *data)
{
    (void)meta, (void)data;
    struct json *t = json_copy(json_get(header, "stem.weight"));
    json_remove(header, "stem.weight");
    json_set(header, "stem.wait", t);
}

static void transpose_tensor(struct json *header, struct json *meta, unsigned char *data)
{
    (void)meta, (void)data;
    struct json *t = json_get(header, "stem.weight");
    json_set(t, "shape", json_pack("[i, i]", 6, 4));
}

static void poison(struct json *header, struct json *meta, unsigned char *data)
{
    (void)meta;
    float nan = NAN;
    const struct json *t = json_get(header, "main.logits.bias");
    memcpy(data + json_integer_value(json_at(json_get(t, "data_offsets"), 0)), &nan, sizeof nan);
}

static void change_config(struct json *meta, const char *key, const char *value)
{
    struct json *config;
    char *text;
    size_t len;
    const char *old = json_string_value(json_get(meta, "gelatto.config"));
    assert_int_equal(json_parse(&config, "config", old, strlen(old)), 0);
    json_set(config, key, json_string(value));
    assert_int_equal(json_print(&text, &len, config), 0);
    json_set(meta, "gelatto.config", json_string(text));
    memory_free(text);
    json_free(config);
}

static void other_maps(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    change_config(meta, "maps", "bn");
}

static void fewer_heads(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    change_config(meta, "heads", "geometric");
}

static void retired_path(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    change_config(meta, "path", "collapsed");
}

static void unknown_option(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    change_config(meta, "colour", "blue");
}

static void giant(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    change_config(meta, "width", "65536,65536,65536,65536");
}

static void no_classes(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    json_set(meta, "gelatto.classes", json_string("[]"));
}

static void bad_classes(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    json_set(meta, "gelatto.classes", json_string("[1, 2, 3]"));
}

static void bad_categories(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    json_set(meta, "gelatto.categories",
             json_string("[{\"name\":\"mug\",\"first\":2,\"count\":2}]"));
}

static void too_many_categories(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    json_set(meta, "gelatto.categories", json_string("[1, 2, 3, 4]"));
}

static void twin_categories(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    json_set(meta, "gelatto.categories",
             json_string("[{\"name\":\"mug\",\"first\":0,\"count\":1},"
                         "{\"name\":\"Mug\",\"first\":1,\"count\":1}]"));
}

static void nameless_category(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    json_set(meta, "gelatto.categories", json_string("[{\"name\":\"\",\"first\":0,\"count\":2}]"));
}

static void set_classes(struct json *meta, const char *first)
{
    char text[256];
    static const char more[] = "{\"name\":\"b\",\"color\":[0,0,0]}";
    snprintf(text, sizeof text, "[%s, %s, %s]", first, more, more);
    json_set(meta, "gelatto.classes", json_string(text));
}

static void painted_class(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    set_classes(meta, "{\"name\":\"a\",\"color\":[0,300,0]}");
}

static void loud_class(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    set_classes(meta, "{\"name\":\"a\\u001b[31m\",\"color\":[0,0,0]}");
}

static void loud_inputs(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    change_config(meta, "inputs", "xyz,r\033[31m,a,b");
}

static void loud_preset(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    change_config(meta, "preset", "a\302\23331m"); /* CSI as one character of C1 */
}

static void bad_moment(struct json *header, struct json *meta, unsigned char *data)
{
    (void)meta, (void)data;
    struct json *t = json_copy(json_get(header, "stem.weight"));
    json_remove(header, "stem.weight");
    json_set(header, "adam.w/stem.weight", t);
}

static void bad_card(struct json *header, struct json *meta, unsigned char *data)
{
    (void)header, (void)data;
    json_set(meta, "gelatto.training", json_string("trained well"));
}

static void negative_variance(struct json *header, struct json *meta, unsigned char *data)
{
    (void)meta;
    const struct json *t = json_get(header, "stem.bn.running_var");
    int64_t at = json_integer_value(json_at(json_get(t, "data_offsets"), 0));
    memcpy(data + at, &(float){-1}, sizeof(float));
}

/* Earlier commits wrote path = collapsed or fused into model files. */
static void a_retired_path_is_read(void **state)
{
    (void)state;
    struct model *m;
    rewrite(retired_path);
    assert_int_equal(model_load(&m, path), 0);
    assert_int_equal(m->config.network.path, PATH_AUTO);
    model_free(m);
}

/* What nobody could read again is not written, and what was there stays. */
static void what_could_not_be_read_is_not_written(void **state)
{
    (void)state;
    static const uint8_t grey[3] = {9, 9, 9};
    struct model *m = new_model(""), *back = NULL;
    const struct parameter *p = model_find(m, "enc1.block1.in.weight");
    real *w = m->block + p->offset;
    assert_int_equal(model_save(m, path, false, NULL, 0, NULL), 0);
    *w = (real)INFINITY;
    assert_int_equal(model_save(m, path, false, NULL, 0, NULL), GLT_ENUMERIC);
    assert_error("VALUE enc1.block1.in.weight");
    *w = (real)1e6; /* more than 16 bits hold */
    assert_int_equal(model_save(m, path, true, NULL, 0, NULL), GLT_ENUMERIC);
    assert_error("VALUE enc1.block1.in.weight");
    assert_int_equal(classes_change(&m->classes, 1, "sof\xe9", grey), GLT_EARGUMENT);
    assert_error("CLASSES");
    assert_int_equal(config_set(&m->config, "inputs", "xyz,\xe9"), GLT_EARGUMENT);
    assert_int_equal(model_load(&back, path), 0);
    model_free(back);
    model_free(m);
}

static void files_that_are_no_model_of_ours_are_refused(void **state)
{
    (void)state;
    rewrite(rename_tensor);
    refused(GLT_EMODEL, "SHAPE stem.wait");
    rewrite(transpose_tensor);
    refused(GLT_EMODEL, "SHAPE stem.weight");
    rewrite(poison);
    refused(GLT_ENUMERIC, "VALUE main.logits.bias");
    rewrite(negative_variance);
    refused(GLT_EMODEL, "VALUE stem.bn.running_var");
    rewrite(other_maps);
    refused(GLT_EMODEL, "MISSING enc1.block1.attention.f_r.bn.weight");
    rewrite(fewer_heads);
    refused(GLT_EMODEL, "SHAPE enc1.block1.attention.f_s.weight");
    rewrite(unknown_option);
    refused(GLT_EMODEL, "UNKNOWN_OPTION colour");
    rewrite(giant);
    refused(GLT_EMODEL, "SIZE_LIMIT");
    rewrite(no_classes);
    refused(GLT_EMODEL, "ARGUMENT classes");
    rewrite(bad_classes);
    refused(GLT_EFORMAT, "VALUE name");
    rewrite(bad_categories);
    refused(GLT_EMODEL, "CATEGORY");
    rewrite(too_many_categories);
    refused(GLT_EMODEL, "CATEGORY");
    rewrite(twin_categories);
    refused(GLT_EMODEL, "DUPLICATE");
    rewrite(nameless_category);
    refused(GLT_EMODEL, "CLASSES");
    rewrite(painted_class);
    refused(GLT_EMODEL, "CLASSES");
    rewrite(loud_class);
    refused(GLT_EMODEL, "CLASSES");
    rewrite(loud_inputs);
    refused(GLT_EMODEL, "OPTION inputs");
    rewrite(loud_preset);
    refused(GLT_EMODEL, "OPTION preset");
    rewrite(bad_moment);
    refused(GLT_EMODEL, "SHAPE adam.w/stem.weight");
    rewrite(bad_card);
    refused(GLT_EFORMAT, "SYNTAX line 1");
}

static int save_and_load(void *user)
{
    struct model *m = NULL;
    int code = model_save(user, path, true, NULL, 0, NULL);
    if (code == 0)
        code = model_load(&m, path);
    model_free(m);
    return code;
}

static int save(void *user)
{
    return model_save(user, path, true, NULL, 0, NULL);
}

static int load(void *user)
{
    (void)user;
    struct model *m = NULL;
    int code = model_load(&m, path);
    model_free(m);
    return code;
}

static void every_failure_is_reported_and_leaves_the_old_file(void **state)
{
    (void)state;
    struct model *m = new_model("task=classify inputs=xyz heads=geometric cross=off");
    assert_true(faults_file(save_and_load, m) > 8);
    assert_true(faults_memory(save, m) > 3);
    assert_int_equal(model_save(m, path, false, NULL, 0, NULL), 0);
    assert_true(faults_memory(load, NULL) > 3);
    model_free(m);
    /* a file that cannot be written leaves the old one */
    assert_int_equal(load(NULL), 0);
}

int main(void)
{
    glt_threads_set(1);
    faults_step = tier_pick(173, 23, 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_model_comes_back_from_its_file),
        cmocka_unit_test(any_cut_and_any_flipped_bit_is_found),
        cmocka_unit_test(lying_headers_are_refused),
        cmocka_unit_test(files_that_are_no_model_of_ours_are_refused),
        cmocka_unit_test(every_failure_is_reported_and_leaves_the_old_file),
        cmocka_unit_test(what_could_not_be_read_is_not_written),
        cmocka_unit_test(a_retired_path_is_read),
    };
    return cmocka_run_group_tests(tests, path_make, NULL);
}
