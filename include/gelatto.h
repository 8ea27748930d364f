/* gelatto: label 3D point clouds with the Ge-Latto network.
 *
 * Four points and their colours get their labels from a trained model:
 *
 *     #include <gelatto.h>
 *     #include <stdio.h>
 *
 *     int main(int argc, char **argv)
 *     {
 *         const float xyz[4 * 3] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
 *         const float rgb[4 * 3] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1};
 *         struct glt_points points = {
 *             .n = 4, .xyz = xyz, .type = GLT_F32, .channels = 3, .features = rgb};
 *         struct glt_model *model = NULL;
 *         int32_t label[4];
 *         const char *name;
 *
 *         int code = argc == 2 ? glt_model_load(&model, argv[1]) : GLT_EARGUMENT;
 *         if (code == 0)
 *             code = glt_model_predict(model, &points, label, NULL);
 *         for (int i = 0; i < 4 && code == 0; i++)
 *             if ((code = glt_model_class(model, label[i], &name, NULL)) == 0)
 *                 printf("point %d: %s\n", i, name);
 *         if (code < 0)
 *             fprintf(stderr, "%s\n", argc == 2 ? glt_error_message() : "usage: arrays MODEL");
 *         glt_model_free(model);
 *         return code < 0;
 *     }
 *
 * Functions that can fail return 0 or a negative GLT_E* code; results go through pointers and stay
 * untouched on failure; glt_error_message() tells this thread what went wrong and what to try.
 * A pointer may be NULL where it is said, options and user always; elsewhere that is
 * GLT_EARGUMENT, from a function that counts too. The library never prints, exits, or touches
 * signals or locale. Where the system refuses a thread, it works with fewer. */
#ifndef GELATTO_H
#define GELATTO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define GLT_API __attribute__((visibility("default")))
#else
#define GLT_API
#endif

/* --- version and errors ------------------------------------------------------------------- */

/* code, short text. Values never change; new ones go to the end. */
#define GLT_ERRORS(X)                                                                              \
    X(GLT_ENOMEM, -1, "out of memory")                                                             \
    X(GLT_EIO, -2, "a file could not be read or written")                                          \
    X(GLT_EFORMAT, -3, "a file is not what it claims to be")                                       \
    X(GLT_EUNSUPPORTED, -4, "valid, but not supported")                                            \
    X(GLT_EARGUMENT, -5, "an argument or option is out of its range")                              \
    X(GLT_EMODEL, -6, "a model does not fit")                                                      \
    X(GLT_EDATA, -7, "a data set does not fit")                                                    \
    X(GLT_ELIMIT, -8, "a limit would be passed")                                                   \
    X(GLT_EEXISTS, -9, "something is already there")                                               \
    X(GLT_ENUMERIC, -10, "a number is not finite")                                                 \
    X(GLT_EINTERRUPTED, -11, "stopped by request")

enum glt_error {
#define X(code, value, text) code = value,
    GLT_ERRORS(X)
#undef X
};

GLT_API const char *glt_version(void);
/* The commit it was built from, with "+changes" if the sources were others; "unknown" if they lay
 * in no git tree. */
GLT_API const char *glt_commit(void);
/* What an error is about, more finely than its code: what a program reacts to. Values never change;
 * new ones go to the end. */
#define GLT_TOPICS(X)                                                                              \
    X(GLT_TOPIC_NONE, 0, "")                                                                       \
    X(GLT_TOPIC_ARGUMENT, 1, "an argument of the call")                                            \
    X(GLT_TOPIC_OPTION, 2, "the value of an option")                                               \
    X(GLT_TOPIC_UNKNOWN_OPTION, 3, "an option that does not exist")                                \
    X(GLT_TOPIC_NOT_FOUND, 4, "a file, folder or name that does not exist")                        \
    X(GLT_TOPIC_PERMISSION, 5, "a file or folder that may not be read or written")                 \
    X(GLT_TOPIC_SPACE, 6, "a full disk or a file size limit")                                      \
    X(GLT_TOPIC_KIND, 7, "a file where a folder is needed, or the other way round")                \
    X(GLT_TOPIC_EXISTS, 8, "an output that already exists")                                        \
    X(GLT_TOPIC_LOCKED, 9, "a folder that another process uses")                                   \
    X(GLT_TOPIC_TRUNCATED, 10, "a file that ends too early")                                       \
    X(GLT_TOPIC_SYNTAX, 11, "text or structure that cannot be parsed")                             \
    X(GLT_TOPIC_VALUE, 12, "a value out of its range or of the wrong kind")                        \
    X(GLT_TOPIC_DUPLICATE, 13, "something that stands there twice")                                \
    X(GLT_TOPIC_MISSING, 14, "a part that a file or dataset lacks")                                \
    X(GLT_TOPIC_FORMAT, 15, "a file format that is not known or not supported")                    \
    X(GLT_TOPIC_MEMORY, 16, "the memory, or its limit")                                            \
    X(GLT_TOPIC_COORDINATES, 17, "coordinates: not finite, too large, in an unlikely unit")        \
    X(GLT_TOPIC_ATTRIBUTE, 18, "an attribute of a cloud")                                          \
    X(GLT_TOPIC_INPUTS, 19, "the inputs of a model, which a cloud or dataset lacks")               \
    X(GLT_TOPIC_LABELS, 20, "labels that fit no class, or are no ground truth")                    \
    X(GLT_TOPIC_CLASSES, 21, "classes and their names")                                            \
    X(GLT_TOPIC_CATEGORY, 22, "the category of a shape with parts")                                \
    X(GLT_TOPIC_SPLIT, 23, "a split of a dataset")                                                 \
    X(GLT_TOPIC_TASK, 24, "a model or dataset made for another task")                              \
    X(GLT_TOPIC_SHAPE, 25, "sizes that do not fit each other")                                     \
    X(GLT_TOPIC_CHECKPOINT, 26, "a checkpoint that could not be written or is not one")            \
    X(GLT_TOPIC_RESUME, 27, "a run that resumes with another configuration or other data")         \
    X(GLT_TOPIC_INIT, 28, "the model that a training run starts from")                             \
    X(GLT_TOPIC_STOPPED, 29, "work that was stopped and can be resumed")                           \
    X(GLT_TOPIC_DIGEST, 30, "content whose digest is another than the one written down")           \
    X(GLT_TOPIC_SIZE_LIMIT, 31, "more than the library reads or writes of something")              \
    X(GLT_TOPIC_UNSYNCED, 32, "a file that is written, but a power cut may undo that")

enum glt_topic {
#define X(topic, value, text) topic = value,
    GLT_TOPICS(X)
#undef X
};

/* Where in a file or in the work the error is. */
enum glt_place {
    GLT_PLACE_LINE,  /* of a text file, from 1 */
    GLT_PLACE_BYTE,  /* of a file, from 0 */
    GLT_PLACE_CHUNK, /* of a compressed file, from 0 */
    GLT_PLACE_PAGE,  /* of a paged file (E57), from 0 */
    GLT_PLACE_RANK,  /* of a process of a distributed run, from 0 */
    GLT_PLACE_POINT, /* of a cloud, from 0 */
    GLT_PLACES
};

/* This thread's last failure; each lives until the next one. */
GLT_API const char *glt_error_message(void); /* for people; "" if nothing failed */
GLT_API int glt_error_code(void);
GLT_API enum glt_topic glt_error_topic(void);
GLT_API const char *glt_error_name(void); /* the option, argument, attribute or class it is about */
GLT_API const char *glt_error_file(void); /* "" if it is about none */
GLT_API int64_t glt_error_place(enum glt_place kind); /* -1 if it has none of this kind */
GLT_API const char *glt_error_text(int code);         /* the short text of a code */
GLT_API const char *glt_topic_text(enum glt_topic topic);

/* --- log and progress --------------------------------------------------------------------- */

enum glt_log_level { GLT_LOG_DEBUG, GLT_LOG_INFO, GLT_LOG_WARNING };

/* Callbacks may arrive from any thread, one at a time. NULL switches off (the default). */
typedef void glt_log_fn(void *user, enum glt_log_level level, const char *message);
/* done of total units of the named activity; return non-zero to stop the work with
 * GLT_EINTERRUPTED. */
typedef int glt_progress_fn(void *user, const char *activity, int64_t done, int64_t total);
GLT_API void glt_log_set(glt_log_fn *fn, void *user);
GLT_API void glt_progress_set(glt_progress_fn *fn, void *user);

/* Removes the temporary files of all outputs that are being written: what is already at their place
 * stays. For a signal handler that ends the process with _exit, and may be called there; every
 * later write of the library waits for ever. */
GLT_API void glt_outputs_discard(void);

/* Threads used by everything that follows; 0 = GELATTO_THREADS or all cores. The results never
 * depend on it. A process forked from one in which several were at work uses one, whatever is set:
 * the others are not there. */
GLT_API int glt_threads_set(int threads);
/* What the library may hold at a time, in bytes; what would need more fails with GLT_ENOMEM before
 * it is taken. 0: no limit (the default). What the libraries below it hold while they read JSON or
 * inflate is not counted; it is bounded. */
GLT_API int glt_memory_limit(int64_t bytes);

/* --- context --- */

/* Threads, memory limit, callbacks and cancellation of the calls of one thread. */
struct glt_context;
struct glt_context_options {
    size_t size;          /* sizeof(struct glt_context_options) */
    int threads;          /* 0: as glt_threads_set says */
    int64_t memory_limit; /* bytes; 0: as glt_memory_limit says */
    glt_log_fn *log;      /* NULL: as glt_log_set says */
    void *log_user;
    glt_progress_fn *progress; /* NULL: as glt_progress_set says */
    void *progress_user;
};
GLT_API int glt_context_create(struct glt_context **out, const struct glt_context_options *options);
GLT_API struct glt_context *glt_context_use(struct glt_context *c);
GLT_API void glt_context_cancel(struct glt_context *c);
GLT_API void glt_context_free(struct glt_context *c);

/* --- doctor ----------------------------------------------------------------------------------- */

/* One finding about this build or this machine under a topic ("cpu", "blas", ...); fault is 1 when
 * it makes results untrustworthy. */
typedef void glt_finding_fn(void *user, const char *topic, const char *finding, int fault);
/* Tells every finding; GLT_EUNSUPPORTED if one was a fault. Takes a moment: it tries the BLAS. */
GLT_API int glt_doctor(glt_finding_fn *fn, void *user);

/* --- options -------------------------------------------------------------------------------- */

/* One row of the option table: the same keys serve the command line, config files, the environment
 * (GELATTO_<KEY>) and glt_config_set. */
struct glt_option {
    const char *key, *group, *type, *value, *choices, *help; /* value: the default */
    double min, max;
};
GLT_API int glt_option_count(void);
GLT_API int glt_option_at(int i, struct glt_option *out);
/* Name of preset i, NULL behind the last; summary may be NULL. */
GLT_API const char *glt_preset_at(int i, const char **summary);

/* Edits (insert, delete, replace, swap of neighbours) between two words: for "did you mean". */
GLT_API int glt_word_distance(const char *a, const char *b);

struct glt_config;
GLT_API int glt_config_create(struct glt_config **out); /* defaults, then the environment */
GLT_API int glt_config_set(struct glt_config *config, const char *key, const char *value);
/* Sets what a YAML file of "key: value" lines says; on failure nothing is changed. */
GLT_API int glt_config_read(struct glt_config *config, const char *path);
GLT_API int glt_config_get(const struct glt_config *config, const char *key, char *text,
                           size_t size);
/* "key: value" as glt_config_read takes it back, in quotes where YAML needs them. */
GLT_API int glt_config_line(const struct glt_config *config, const char *key, char *text,
                            size_t size);
GLT_API void glt_config_free(struct glt_config *config); /* accepts NULL */

/* --- clouds ------------------------------------------------------------------------------- */

/* Types of attribute values. */
enum glt_type {
    GLT_I8,
    GLT_U8,
    GLT_I16,
    GLT_U16,
    GLT_I32,
    GLT_U32,
    GLT_I64,
    GLT_U64,
    GLT_F32,
    GLT_F64
};

/* The points of one file with all their attributes. x, y and z are attributes like the others. */
struct glt_cloud;

/* The format is found by content, then by extension. options: NULL, or words "key=value" separated
 * by blanks: format=NAME, columns=x,y,z,label (text files; - skips one), vertices (meshes: their
 * vertices instead of a sampled surface), sample=N (of meshes alone), seed=N, box=x,y,X,Y (keep the
 * points in this rectangle; of COPC little else is read), salvage (of a damaged LAZ file the chunks
 * that are whole; a warning says what is lost). */
GLT_API int glt_cloud_read(struct glt_cloud **out, const char *path, const char *options);
/* The format is that of the extension. options: format=NAME, encoding=ascii|binary|big|compressed
 * (default: as the file came), labels (refuse formats that have no place for them). An existing
 * file is replaced only once all is written. Without a cloud (NULL) nothing is: path (its folder is
 * there and may be written) and options are judged, before work whose result goes there. */
GLT_API int glt_cloud_write(const struct glt_cloud *c, const char *path, const char *options);
GLT_API int glt_cloud_read_buffer(struct glt_cloud **out, const void *bytes, size_t len,
                                  const char *options);
GLT_API int glt_cloud_write_buffer(void **bytes, size_t *len, const struct glt_cloud *c,
                                   const char *options);
/* n points, up to 2^31 - 1; no attribute yet. */
GLT_API int glt_cloud_create(struct glt_cloud **out, int64_t n);
GLT_API int64_t glt_cloud_count(const struct glt_cloud *c);
/* Attribute number i (from 0); GLT_EARGUMENT after the last. width = values per point, 0 for a
 * list. The name lives until the cloud changes. */
GLT_API int glt_cloud_attribute(const struct glt_cloud *c, int i, const char **name,
                                enum glt_type *type, int *width);
/* Copies an attribute out or in as n values of `type`, `stride` bytes apart (0 = packed). */
GLT_API int glt_cloud_get(const struct glt_cloud *c, const char *name, enum glt_type type,
                          void *dst, size_t stride);
GLT_API int glt_cloud_set(struct glt_cloud *c, const char *name, enum glt_type type,
                          const void *src, size_t stride);
struct glt_column {
    size_t size; /* sizeof(struct glt_column) */
    enum glt_type type;
    int width;            /* values per point; 0 for a list */
    const void *data;     /* of the first point */
    size_t stride;        /* bytes from one point to the next */
    const int64_t *start; /* (n + 1) of a list: values start[i] .. start[i + 1] - 1; else NULL */
    double scale, offset; /* value = item * scale + offset; 1 and 0 if it is not scaled */
};
GLT_API int glt_cloud_column(const struct glt_cloud *c, const char *name, struct glt_column *out);
GLT_API int glt_cloud_borrow(struct glt_cloud *c, const char *name, enum glt_type type,
                             const void *src, size_t stride);
/* A new cloud of the given rows, in that order. */
GLT_API int glt_cloud_select(struct glt_cloud **out, const struct glt_cloud *c, const int64_t *rows,
                             int64_t n);
/* A changed copy. options: crop=x,y,z,X,Y,Z (smallest and largest corner), subsample=N, seed=N,
 * up=x|y|z (this axis becomes z: y turns x y z to z x y, x turns them to y z x, normals too),
 * scale=FACTOR|x,y,z, shift=x,y,z, map=old:new,... (labels and the names of their classes), done in
 * this order. Faces and other elements stay while all points do. Without a cloud (NULL) the options
 * are judged and *out stays as it is. */
GLT_API int glt_cloud_edit(struct glt_cloud **out, const struct glt_cloud *c, const char *options);
/* What the cloud holds, for people or as JSON; release with glt_free. */
GLT_API int glt_cloud_info(char **out, const struct glt_cloud *c, int json);
GLT_API void glt_free(void *block);               /* accepts NULL */
GLT_API void glt_cloud_free(struct glt_cloud *c); /* accepts NULL */

/* A picture as PNG. options: words as above: colours=A,B,... (panels side by side: rgb, label,
 * truth, error, confidence, height, or any attribute), label=NAME, truth=NAME (attributes that hold
 * the classes), width=900, height=700 (of a panel), azimuth=-60, elevation=56, fov=40 (degrees),
 * orthographic, zoom=1, up=z (the axis that points up), cut=0.85 (keep this share of the height,
 * from below; 1 = all; the default cuts what looks like a room), radius=0 (of a point in pixels; 0
 * = by spacing), shading=1, no_legend, dark, turntable=N (N pictures, _000 .. added to the name).
 * truth: a cloud of the same points whose label is the truth, or NULL. */
GLT_API int glt_cloud_render(const struct glt_cloud *c, const struct glt_cloud *truth,
                             const char *path, const char *options);

/* --- models --------------------------------------------------------------------------------- */

/* A network's parameters, the configuration that explains them, and the names of its classes. Any
 * number of threads may read one model at a time, as long as none changes it. */
struct glt_model;

/* Parameters drawn from the option seed; the classes are called class_0, class_1, ... */
GLT_API int glt_model_create(struct glt_model **out, const struct glt_config *config, int classes);
/* A file, the folder of a training (its best.safetensors), or the name of an installed model, which
 * a folder of the same name does not hide. */
GLT_API int glt_model_load(struct glt_model **out, const char *path);
/* The file that glt_model_load would read. */
GLT_API int glt_model_path(char *path, size_t size, const char *name);
/* options: NULL or "half": matrices as 16-bit floats, half the size. */
GLT_API int glt_model_save(const struct glt_model *m, const char *path, const char *options);
GLT_API int glt_model_load_buffer(struct glt_model **out, const void *bytes, size_t len);
GLT_API int glt_model_save_buffer(void **bytes, size_t *len, const struct glt_model *m,
                                  const char *options);
GLT_API void glt_model_free(struct glt_model *m); /* accepts NULL */

GLT_API int glt_model_classes(const struct glt_model *m);
GLT_API int glt_model_channels(const struct glt_model *m); /* besides xyz */
GLT_API int64_t glt_model_parameters(const struct glt_model *m);
/* The model's own value of an option, as text. */
GLT_API int glt_model_option(const struct glt_model *m, const char *key, char *text, size_t size);
/* The name lives as long as the model is not changed; name and colour (3 bytes) may be NULL. */
GLT_API int glt_model_class(const struct glt_model *m, int i, const char **name,
                            unsigned char *colour);
/* name NULL: it stays; colour NULL: it stays. */
GLT_API int glt_model_set_class(struct glt_model *m, int i, const char *name,
                                const unsigned char *colour);
/* Category i of a part network has the classes first .. first + count - 1; GLT_EARGUMENT behind
 * the last. Each of the three may be NULL. */
GLT_API int glt_model_category(const struct glt_model *m, int i, const char **name, int *first,
                               int *count);
/* A name of its own, in more than the case of its letters. */
GLT_API int glt_model_add_category(struct glt_model *m, const char *name, int first, int count);

/* Parameters per module and in all, options, classes, for people. options: NULL, or words of: json,
 * card (Markdown: what the model is, how it was trained, what clouds it knows), plan (the ops of
 * its inference, or with train of a training step, their shapes, bytes, FLOPs), clouds=1, points=N
 * (of the plan). Release with glt_free. */
GLT_API int glt_model_info(char **out, const struct glt_model *m, const char *options);

/* Tells every installed model: in the folders of GELATTO_MODELS (separated by colons), in models/
 * of the source tree (of a program in its build tree), in the share folder. The texts live during
 * the call. */
struct glt_installed {
    const char *name, *path, *task, *inputs, *preset;
    int classes;
    int64_t bytes;
};
typedef void glt_model_fn(void *user, const struct glt_installed *model);
GLT_API int glt_models(glt_model_fn *fn, void *user);

/* One cloud as arrays of the caller, small enough for one pass: a block of a scene, or a shape. */
struct glt_points {
    int64_t n;
    const void *xyz;       /* (n, 3) */
    enum glt_type type;    /* of xyz: GLT_F64, or GLT_F32 near the origin: far from it, at UTM
                            * coordinates, floats are half a metre apart */
    int channels;          /* of features: what the model's option inputs names besides xyz */
    const float *features; /* (n, channels): colours in 0..1 (GLT_EARGUMENT above), unit
                            * normals; NULL without any */
    const int32_t *labels; /* to learn from: (n), -1 for none; classification: one for the cloud */
    /* parts: of the shape, in any case of its letters, so that only its parts are answered, and
     * labels must be of them; or NULL */
    const char *category;
    /* 0: coordinates of any origin; a scene is moved to (middle, middle, floor), a shape to the
     * unit sphere if the option normalise says so. 1: exactly as the network shall see them. */
    int placed;
};

/* labels (n), probabilities (n, classes); one row each in classification. Either may be NULL. The
 * rows are those of the points; their order does not change the answer. */
GLT_API int glt_model_predict(const struct glt_model *m, const struct glt_points *p,
                              int32_t *labels, float *probabilities);
GLT_API int glt_model_feature_channels(const struct glt_model *m);
GLT_API int glt_model_features(const struct glt_model *m, const struct glt_points *p,
                               float *features);
/* Everything one pass used and made, as a safetensors file: docs/formats.md, "Trace". */
GLT_API int glt_model_explain(const struct glt_model *m, const struct glt_points *p,
                              const char *path);

/* The same for the sample that prediction first draws with one point of a cloud; options: NULL or
 * point=I (row 0). */
GLT_API int glt_cloud_explain(const struct glt_cloud *c, const struct glt_model *m,
                              const char *path, const char *options);
/* A picture (PNG) of a trace. options: kind=attention (of one point: columns are encoder levels,
 * rows the two blocks, the geometric head in red, the latent in green), grouping (its neighbours),
 * outputs (input, main and auxiliary outputs), panels (input, truth if the cloud has one,
 * prediction, errors) or levels (place and features of every level, principal components as
 * colours); point=ROW (of the file; the nearest that reaches level 4 is taken and logged),
 * channel=-1 (of the scores; -1 = their mean), width=320, height=320 (of one view). */
GLT_API int glt_trace_picture(const char *trace, const char *path, const char *options);
/* The frames of a film of the pass, frame_0000.png and so on: sample, group, attend, aggregate,
 * level by level, up again. options: point, channel, width=480, height=420 as above, frames=5 (of
 * a stage). *frames (may be NULL): how many there are. */
GLT_API int glt_trace_film(const char *trace, const char *folder, const char *options, int *frames);
/* How attention goes with distance: one row for each encoder level, block and head. */
struct glt_correlation {
    int level, block;       /* from 1 */
    const char *head;       /* "geometric", "latent" */
    int64_t centres;        /* that have at least 4 neighbours, not all of the same weight */
    double mean, deviation; /* over them: Spearman's rank correlation between the weights of the
                             * neighbours, each the mean of its channels, and their distances */
    double by_channel;      /* mean over them and the channels of each channel's own correlation */
};
enum { GLT_CORRELATIONS = 16 };
/* Adds the centres of a trace to rows that were zeros before the first. A head that is not there
 * leaves its rows without centres; GLT_EDATA if there is none at all. */
GLT_API int glt_trace_correlation(struct glt_correlation rows[GLT_CORRELATIONS], const char *trace);

/* What glt_model_predict needs besides the model, kept for many clouds; one per thread. The model
 * must outlive it and stay as it is. points: clouds up to this size run in the memory it has
 * (shapes that are brought to the unit sphere take some for it). */
struct glt_predictor;
GLT_API int glt_predictor_create(struct glt_predictor **out, const struct glt_model *m,
                                 int64_t points);
GLT_API int glt_predictor_run(struct glt_predictor *e, const struct glt_points *p, int32_t *labels,
                              float *probabilities);
GLT_API void glt_predictor_free(struct glt_predictor *e); /* accepts NULL */

/* Training of a model that must outlive the trainer: gradients, Adam's moments, memory for batches
 * of up to this many clouds of up to this many points. */
struct glt_trainer;
GLT_API int glt_trainer_create(struct glt_trainer **out, struct glt_model *m, int clouds,
                               int64_t points);
/* One step of Adam on a batch; lr 0: the option's; class_weights needs a data set and is not used
 * here. losses (6) may be NULL: the total, that of the main output, those of the four auxiliary
 * ones (0 without them). */
GLT_API int glt_trainer_step(struct glt_trainer *t, const struct glt_points *clouds, int n,
                             double lr, double *losses);
GLT_API void glt_trainer_free(struct glt_trainer *t); /* accepts NULL */
/* --- checking data --------------------------------------------------------------------------- */

/* Looks at every cloud of a data set (a folder, a YAML file, a cloud, "synth:rooms") and tells what
 * is there and what is wrong with it; every finding about a file names it and says what to do.
 * Topics: "set", "train", "val", "test", "missing", "odd file", "unreadable", "labels",
 * "duplicates", "columns", "units", "density", "points", "blocks", "levels", "balls", "radius".
 * config: inputs, block, points, levels, radius and k count; NULL: the defaults. GLT_EDATA if a
 * finding was a fault. */
GLT_API int glt_check(const char *data, const struct glt_config *config, glt_finding_fn *fn,
                      void *user);

/* How fast this machine runs the network of a configuration on made-up clouds. GLT_ELIMIT, before
 * any is made, if it has too little memory for it. */
struct glt_speed {
    double seconds;    /* of one batch, geometry included: the best of several */
    double geometry;   /* training: of which neighbour lists and sampling */
    double flops;      /* of its matrix products */
    double peak_flops; /* a second, of as many threads, measured beside it */
    int64_t bytes;     /* the most memory that was taken */
};
GLT_API int glt_speed_measure(struct glt_speed *out, const struct glt_config *config, int training,
                              int clouds, int64_t points, int repeats);

/* --- whole clouds --------------------------------------------------------------------------- */

struct glt_prediction {
    int answer;       /* classification: the class; parts: the category, -1 if there are none */
    float confidence; /* classification: its probability */
    int64_t points;   /* with finite coordinates: those the network saw */
    int64_t samples;  /* passes through the network */
    double seconds;   /* in it */
};
/* Labels every point of a cloud of any size: sets the attributes label (-1 where coordinates
 * are not finite) and confidence; a label the file came with stays as truth (255 where a point has
 * none, with up to 255 classes), unless a confidence beside it shows that it was predicted. The
 * truth of an earlier prediction is numbered anew, by the names of the classes. Warnings (log)
 * begin with the path the cloud was read from.
 * Classification: sets nothing, answers in out and probabilities (classes). Both may be NULL.
 * options: probabilities, second, margin, votes (further attributes), category=NAME (parts; else
 * the one with the largest sum), overlap=0 (further cuts of a scene, by shifted grids),
 * protocol=product (of a scene: as many points a pass as pays; paper: the model's number),
 * max_memory=0 (bytes; kept, or GLT_ELIMIT before the work starts). */
GLT_API int glt_cloud_predict(struct glt_cloud *c, const struct glt_model *m, const char *options,
                              struct glt_prediction *out, float *probabilities);
/* Calls back with the files a word of a command line means: a file, the clouds under a folder, or
 * those a pattern (* ? [..]) matches, sorted; `under` is the part of the path behind the folder.
 * Stops at a negative return. */
typedef int glt_file_fn(void *user, const char *path, const char *under);
GLT_API int glt_cloud_files(const char *word, glt_file_fn *fn, void *user);
/* Whether both paths lead to the same file that is there; 0 for NULL. */
GLT_API int glt_same_file(const char *a, const char *b);

/* One HTML file that needs no other about a predicted cloud: pictures, points and confidence per
 * class; with the attribute truth also IoU, accuracy and the confusion matrix. */
GLT_API int glt_cloud_report(const struct glt_cloud *c, const char *path, const char *title);
/* The same about a training run, by its folder: curves, the last validation, evaluations and
 * pictures (PNG) that lie in the folder or one below it, configuration, environment, log.
 * GLT_EARGUMENT for a path that would take the place of what the page is about. */
GLT_API int glt_run_report(const char *folder, const char *path, const char *title);

/* --- synthetic data ------------------------------------------------------------------------- */

/* Area_1 .. Area_6, each with furnished, scanned, labelled rooms <kind>_<number>.ply. options:
 * rooms=10 (per area), points=100000 (per room), seed=1, replace. Same options, same bytes. */
GLT_API int glt_synth_rooms(const char *folder, const char *options);
/* Small objects of labelled parts: train, val and test with a folder per category, shapes.yaml
 * for learning their parts, classes.yaml for classifying them. options: shapes=40 (per category),
 * points=2048, seed=1, replace. */
GLT_API int glt_synth_shapes(const char *folder, const char *options);
/* Towns and country seen by an airborne laser scanner, labelled by ASPRS numbers: train/area_N and
 * test/area_5 with <kind>_<number>.ply, and aerial.yaml. options: scenes=6 (per area), size=200
 * (metres), density=0 (points per square metre; 0: every scene its own, 1 to 60), seed=1,
 * format=ply (or las), replace. */
GLT_API int glt_synth_aerial(const char *folder, const char *options);

/* --- training ------------------------------------------------------------------------------- */

/* What a run is beside its configuration; zeros are the defaults. */
struct glt_train_options {
    const char *runs;   /* folder of all runs; NULL: "runs" */
    const char *name;   /* the run is <runs>/<name>1, 2, ..; NULL: "train" */
    const char *resume; /* the folder of a run to go on with, as if it had never stopped */
    const char *init;   /* a model to begin with; layers of other classes are drawn anew */
    int force;          /* go on in spite of another configuration or other data */
    int64_t steps;      /* the end comes after so many steps, if the epochs have as many; 0: after
                         * all epochs, or for resume where it was to come */
    int64_t save;       /* steps between checkpoints; 0: every ten minutes, and at epochs' ends a
                         * minute apart at least */
    int64_t validate;   /* epochs between validations; 0: 1, or for resume as before */
    const char *folder; /* exactly this one instead of runs and name: begun, or gone on with */
};

/* Told after each step. */
struct glt_train_status {
    const char *folder, *metric_name;
    int64_t epoch, epochs, step, steps; /* epoch and step count from 1 */
    int outputs;                        /* losses that there are: main, aux1 .. aux4 */
    double loss, losses[5], rate;       /* total, each, learning rate */
    double metric, best;                /* of the validation; NaN: none yet */
    double samples_per_second, seconds_left;
};
/* Return non-zero to stop: the step is done, a checkpoint is written, GLT_EINTERRUPTED returned. */
typedef int glt_train_fn(void *user, const struct glt_train_status *status);

/* Trains on a data set: S3DIS, ShapeNetPart, ModelNet, ScanNet, a folder by its YAML file, or
 * "synth:rooms". What was not set in the configuration the data set decides (task, inputs,
 * augmentation). data may be NULL with resume; fn and options may be NULL. */
GLT_API int glt_train(const struct glt_config *config, const char *data,
                      const struct glt_train_options *options, glt_train_fn *fn, void *user);

/* --- evaluation ------------------------------------------------------------------------------- */

struct glt_eval_options {
    const char *split;   /* "test" (NULL), "val" or "train"; val where there is no test split */
    const char *folder;  /* gets confusion.csv, confusion.svg, card.json, card.md; NULL: nothing.
                          * Not that of a run, which has its own: GLT_EARGUMENT */
    const char *command; /* stands on the card; may be NULL */
    int64_t seeds;       /* evaluations with other draws and neighbours; 0: 1 */
    int json;            /* the report is the card as JSON */
    /* Clouds lose points before anything else is done with them, and what is left is scored. Each
     * point stays with the chance keep * min(1, (range / d)^2), d its distance from a scanner in
     * the middle of a scene, 1.5 above its floor, or at two radii from the centre of a shape
     * along x, d in radii then. At least 16 points stay. */
    double keep;     /* in (0, 1]; 0: 1 */
    double range;    /* 0: no scanner */
    int64_t overlap; /* scenes: further cuts by shifted grids, up to 15 */
    /* scenes: "paper" (NULL), whose samples have the model's number of points, or "product", which
     * runs exactly what glt_cloud_predict does */
    const char *protocol;
};
/* Scores a model by the protocol of the data set, or on one labelled cloud. Settings of the data
 * (area, points, block, category, seed, ..) go over those of the model. *report is a table or JSON;
 * release it with glt_free. config and options may be NULL. */
GLT_API int glt_evaluate(char **report, const char *model, const char *data,
                         const struct glt_config *config, const struct glt_eval_options *options);

/* --- series of runs --------------------------------------------------------------------------- */

/* Runs that belong together, each in a folder of <runs>/<name>. What is finished there stays, what
 * was interrupted goes on, so the same call completes a series. Zeros are the defaults; fn may be
 * NULL. */
struct glt_series_options {
    const char *runs;    /* NULL: "runs" */
    const char *name;    /* NULL: "kfold", or the name of the grid */
    const char *init;    /* a model every run begins with; NULL: none */
    const char *command; /* stands on the card; may be NULL */
    const char *split;   /* that scores: "test" (NULL), "val" where choices are to follow */
    int64_t seeds;       /* ablation: runs of a row; 0: as the grid says */
    int64_t steps;       /* of a run; 0: all epochs, or as the grid says */
    int64_t save, validate;
    int json; /* the report is JSON */
};
/* Cross-validation over the areas of a data set of rooms: a run for each area that is held out,
 * scored on it. Folds one by one, pooled (one matrix of all) and averaged. The folder gets
 * card.json, card.md, confusion.csv and confusion.svg too. */
GLT_API int glt_kfold(char **report, const struct glt_config *config, const char *data,
                      const struct glt_series_options *options, glt_train_fn *fn, void *user);
/* Names of the grids that are shipped, with commas between them; cut to the size. */
GLT_API void glt_grids(char *names, size_t size);
/* Trains every row of a grid (a YAML file, or the name of one that is shipped; docs/training.md)
 * with every seed and makes a table in Markdown of mean and spread beside the paper's numbers; the
 * folder gets table.md, table.json and curves.svg (of the first ten rows) too. */
GLT_API int glt_ablate(char **report, const struct glt_config *config, const char *data,
                       const char *grid, const struct glt_series_options *options, glt_train_fn *fn,
                       void *user);

#ifdef __cplusplus
}
#endif
#endif
