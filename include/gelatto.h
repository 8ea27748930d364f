/* gelatto: label 3D point clouds with the Ge-Latto network.
 *
 * This header is the manual of the C library. Its sections follow the order of use: version,
 * errors, memory, log, context, configuration, clouds, viewer, models, prediction, training on
 * arrays, training runs, evaluation, explanation, checks, synthetic data.
 *
 * A complete program: a trained model labels four coloured points.
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
 *         points.size = sizeof points;
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
 * Conventions that hold for every function:
 *
 * - Functions that can fail return 0 or a negative GLT_E* code. Results go through pointers, which
 *   come first, and stay untouched on failure.
 * - Pointers must not be NULL unless the function says so; `options` and `user` always may be.
 *   NULL elsewhere is GLT_EARGUMENT, also from a function that returns a count.
 * - An object returned through an `out` pointer belongs to the caller, who releases it with the
 *   function of its type: glt_cloud_free, glt_model_free and so on. Strings and buffers are
 *   released with glt_free. All of these functions accept NULL.
 * - Different threads may call any functions at the same time on different objects. Any number of
 *   threads may read one object as long as none changes it.
 * - `options` is an option string: words `key=value` or `key`, separated by blanks. A backslash
 *   before a blank or a backslash makes it part of the value.
 * - Structs that the caller owns begin with `size`, which the caller sets to sizeof the struct,
 *   whether the caller or the library fills the rest: a later version of the library may add fields
 *   at the end. In a struct that the caller fills, zero stands for the default of every other
 *   field. Structs that a callback receives belong to the library and have no `size`: read them
 *   through the pointer, during the callback, and do not copy them whole.
 * - The library never prints, exits, or touches signals or locale. If the system refuses to start a
 *   thread, it works with fewer. Results never depend on the number of threads. */
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

/** @defgroup version Version
 * The version of the header as macros, and the version of the library at run time. Until 1.0 a new
 * minor version may change the interface.
 * @{ */

#define GLT_VERSION_MAJOR 0
#define GLT_VERSION_MINOR 1
#define GLT_VERSION_PATCH 0

/** The version of the library, as "0.1.0". */
GLT_API const char *glt_version(void);
/** The commit the library was built from, with "+changes" if its sources were changed; "unknown" if
 * they were not in a git repository. */
GLT_API const char *glt_commit(void);

/** @} */

/** @defgroup errors Errors
 * A failed call returns a code and stores the error for its thread: a message for people, and a
 * topic, a name, a file and a place for programs. The message says what is wrong, what was expected
 * and what to try; its wording may change in any version. Codes and topics never change. All
 * functions below report the last failure of the calling thread; the strings they return live until
 * its next failure.
 * @{ */

/** Every code with its value and a short text. Values never change; new ones go to the end. */
#define GLT_ERRORS(X)                                                                              \
    X(GLT_ENOMEM, -1, "out of memory")                                                             \
    X(GLT_EIO, -2, "a file could not be read or written")                                          \
    X(GLT_EFORMAT, -3, "a file is not what it claims to be")                                       \
    X(GLT_EUNSUPPORTED, -4, "valid, but not supported")                                            \
    X(GLT_EARGUMENT, -5, "an argument or option is out of its range")                              \
    X(GLT_EMODEL, -6, "a model does not fit")                                                      \
    X(GLT_EDATA, -7, "a dataset does not fit")                                                     \
    X(GLT_ELIMIT, -8, "a limit would be exceeded")                                                 \
    X(GLT_EEXISTS, -9, "something already exists")                                                 \
    X(GLT_ENUMERIC, -10, "a number is not finite")                                                 \
    X(GLT_EINTERRUPTED, -11, "stopped by request")

enum glt_error {
#define X(code, value, text) code = value,
    GLT_ERRORS(X)
#undef X
};

/** Every topic with its value and a short text: what the error is about, in more detail than its
 * code. Values never change; new ones go to the end. */
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
    X(GLT_TOPIC_DUPLICATE, 13, "something that occurs twice")                                      \
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
    X(GLT_TOPIC_DIGEST, 30, "content whose digest differs from the recorded one")                  \
    X(GLT_TOPIC_SIZE_LIMIT, 31, "something larger than the library reads or writes")               \
    X(GLT_TOPIC_UNSYNCED, 32, "a file that was written, but may be lost in a power cut")           \
    X(GLT_TOPIC_RANKS, 33, "processes that share a call: lost, too many, or different")

enum glt_topic {
#define X(topic, value, text) topic = value,
    GLT_TOPICS(X)
#undef X
};

/** Kinds of places: where in a file or in the work the error is. */
enum glt_place {
    GLT_PLACE_LINE,  /**< of a text file, from 1 */
    GLT_PLACE_BYTE,  /**< of a file, from 0 */
    GLT_PLACE_CHUNK, /**< of a compressed file, from 0 */
    GLT_PLACE_PAGE,  /**< of a paged file (E57), from 0 */
    GLT_PLACE_RANK,  /**< of a process of a distributed run, from 0 */
    GLT_PLACE_POINT, /**< of a cloud, from 0 */
    GLT_PLACES       /**< how many kinds there are */
};

/** The message, for people; "" if nothing has failed. */
GLT_API const char *glt_error_message(void);
/** The code that the failed call returned; 0 if nothing has failed. */
GLT_API int glt_error_code(void);
/** The topic; GLT_TOPIC_NONE if there is nothing to add to the code. */
GLT_API enum glt_topic glt_error_topic(void);
/** The name of the option, argument, attribute or class it is about; "" if there is none. */
GLT_API const char *glt_error_name(void);
/** The file or folder it is about; "" if there is none, "buffer" for a buffer. */
GLT_API const char *glt_error_file(void);
/** The place of this kind; -1 if the error has none. */
GLT_API int64_t glt_error_place(enum glt_place kind);
/** The short text of any code. */
GLT_API const char *glt_error_text(int code);
/** The short text of any topic. */
GLT_API const char *glt_topic_text(enum glt_topic topic);

/** @} */

/** @defgroup memory Memory
 * All memory of the library comes from one allocator, which the program may replace, and is
 * counted.
 * @{ */

/** The functions of an allocator; both may be called from any thread at any time. */
struct glt_allocator {
    size_t size;                                 /**< sizeof(struct glt_allocator) */
    void *(*allocate)(void *user, size_t bytes); /**< aligned as malloc does; NULL: no memory */
    void (*release)(void *user, void *block);    /**< never called with NULL */
    void *user;                                  /**< handed to both */
};

/** Replaces malloc and free from now on; NULL restores them. Call it before any other thread uses
 * the library. GLT_EEXISTS while the library holds memory, which must return to the allocator it
 * came from. The libraries that gelatto uses keep their own allocator. */
GLT_API int glt_allocator_set(const struct glt_allocator *allocator);
/** Sets how many bytes the library may hold at a time; a call that needs more fails with GLT_ENOMEM
 * or GLT_ELIMIT instead of taking it. 0: no limit (the default). Memory that other libraries hold
 * while they inflate or parse is bounded, but not counted. Thread-safe. */
GLT_API int glt_memory_limit(int64_t bytes);
/** Releases a text or buffer that the library returned. */
GLT_API void glt_free(void *block);

/** @} */

/** @defgroup log Log, progress and threads
 * Callbacks for warnings and progress, and the number of threads: the defaults of every context.
 * A callback may come from any thread, one at a time for each context, and may call the library.
 * All three setters are thread-safe.
 * @{ */

/** Levels of the log, in ascending order. */
enum glt_log_level { GLT_LOG_DEBUG, GLT_LOG_INFO, GLT_LOG_WARNING };

/** Receives one line of the log, without the newline. */
typedef void glt_log_fn(void *user, enum glt_log_level level, const char *message);
/** Receives progress: `done` of `total` units of the named activity. Return non-zero to stop the
 * work, which then fails with GLT_EINTERRUPTED. */
typedef int glt_progress_fn(void *user, const char *activity, int64_t done, int64_t total);

/** Sets where log lines go; NULL: nowhere (the default). */
GLT_API void glt_log_set(glt_log_fn *fn, void *user);
/** Within a log callback: the topic of a warning, as for errors; GLT_TOPIC_NONE for other lines and
 * outside callbacks. */
GLT_API enum glt_topic glt_log_topic(void);
/** Within a log callback: the name of the option, attribute, class or quantity that the warning is
 * about; "" if there is none. It lives during the callback. */
GLT_API const char *glt_log_name(void);
/** Sets where progress goes; NULL: nowhere (the default). */
GLT_API void glt_progress_set(glt_progress_fn *fn, void *user);
/** Sets how many threads calls use; 0: the environment variable GELATTO_THREADS, or all cores. A
 * process forked from one in which several threads were at work uses one, whatever is set. */
GLT_API int glt_threads_set(int threads);
/** Removes the temporary files of all outputs that are being written; existing files in their place
 * stay. It may be called in a signal handler, which must then end the process with _exit: every
 * later write of the library waits for ever. */
GLT_API void glt_outputs_discard(void);

/** @} */

/** @defgroup context Context
 * A context holds threads, memory limit, log, progress and cancellation for some calls only. A
 * thread selects one for its calls with glt_context_use. Other threads are not affected: one of
 * four concurrent predictions can be cancelled alone. Without a context, calls use the defaults of
 * the setters above.
 *
 * The context belongs to the thread and is not an argument of each call, as with uselocale or
 * cuCtxSetCurrent. A thread uses one context for all of its calls, including those that read and
 * write files or release memory. As an argument it would be in every signature, NULL in most calls,
 * and two calls that belong together could be given different ones. A binding for another language
 * wraps the two calls that set and restore it in a scope of that language.
 * @{ */

/** Opaque; may be used by several threads at a time. */
struct glt_context;

/** What a context holds; a field that is 0 or NULL takes the default of its setter. */
struct glt_context_options {
    size_t size;               /**< sizeof(struct glt_context_options) */
    int threads;               /**< see glt_threads_set */
    int64_t memory_limit;      /**< see glt_memory_limit: it counts all the library holds */
    glt_log_fn *log;           /**< see glt_log_set */
    void *log_user;            /**< handed to log */
    glt_progress_fn *progress; /**< see glt_progress_set */
    void *progress_user;       /**< handed to progress */
};

/** Makes a context. options NULL: the defaults as they are now. */
GLT_API int glt_context_create(struct glt_context **out, const struct glt_context_options *options);
/** Makes c the context of all later calls of this thread, and returns the one before. NULL stands
 * for the defaults. A callback that switches goes back to the one before when it is done; that one
 * may belong to the work, and then lives only as long. */
GLT_API struct glt_context *glt_context_use(struct glt_context *c);
/** Stops the calls that use c: they fail with GLT_EINTERRUPTED at their next report of progress. A
 * training run abandons its current step and writes a checkpoint first. The context stays
 * cancelled. May be called from any thread or signal handler. */
GLT_API void glt_context_cancel(struct glt_context *c);
/** Releases a context that no thread uses any more. */
GLT_API void glt_context_free(struct glt_context *c);

/** @} */

/** @defgroup config Configuration
 * A configuration is the value of every option: of the network, the data, the training. The same
 * keys serve the command line, YAML files, the environment (GELATTO_KEY) and glt_config_set.
 * @{ */

/** One row of the option table; the texts are static. */
struct glt_option {
    size_t size;         /**< set by the caller: sizeof(struct glt_option) */
    const char *key;     /**< its name */
    const char *group;   /**< the section it belongs to */
    const char *type;    /**< "integer", "number", "choice" or "text" */
    const char *value;   /**< the default, as text */
    const char *choices; /**< "a|b|c" of a choice; of a number a word that stands for 0; else
                          * NULL */
    const char *help;    /**< what it does */
    double min, max;     /**< the range of a number */
};

/** How many options there are. */
GLT_API int glt_option_count(void);
/** Option number i, from 0; GLT_EARGUMENT after the last. */
GLT_API int glt_option_at(int i, struct glt_option *out);
/** The name of preset i, a named configuration; NULL after the last. summary may be NULL. */
GLT_API const char *glt_preset_at(int i, const char **summary);

/** Opaque: the value of every option. */
struct glt_config;

/** Makes a configuration from the defaults, then the environment. */
GLT_API int glt_config_create(struct glt_config **out);
/** Sets an option from text. GLT_EARGUMENT (topic OPTION or UNKNOWN_OPTION, name: the key) if that
 * is not possible. */
GLT_API int glt_config_set(struct glt_config *config, const char *key, const char *value);
/** Sets options from a YAML file of "key: value" lines; on failure nothing is changed, and the
 * error has the line. */
GLT_API int glt_config_read(struct glt_config *config, const char *path);
/** Copies the value of an option as text; GLT_EARGUMENT if `size` bytes do not hold it. */
GLT_API int glt_config_get(const struct glt_config *config, const char *key, char *text,
                           size_t size);
/** Copies it as a line "key: value", which glt_config_read accepts. */
GLT_API int glt_config_line(const struct glt_config *config, const char *key, char *text,
                            size_t size);
/** Releases a configuration. */
GLT_API void glt_config_free(struct glt_config *config);

/** @} */

/** @defgroup cloud Clouds
 * A cloud holds the points of one file with all their attributes: x, y and z are attributes like
 * the others, in the type of the file. Canonical names are x y z, red green blue, nx ny nz,
 * intensity, label, instance, confidence and classification; other names are kept.
 *
 * Clouds come from files, from buffers, or from arrays: glt_cloud_create, then glt_cloud_set or
 * glt_cloud_borrow for each attribute.
 * @{ */

/** Types of attribute values. */
enum glt_type {
    GLT_I8,  /**< int8_t */
    GLT_U8,  /**< uint8_t */
    GLT_I16, /**< int16_t */
    GLT_U16, /**< uint16_t */
    GLT_I32, /**< int32_t */
    GLT_U32, /**< uint32_t */
    GLT_I64, /**< int64_t */
    GLT_U64, /**< uint64_t */
    GLT_F32, /**< float */
    GLT_F64  /**< double */
};

/** Opaque: points and their attributes. */
struct glt_cloud;

/** Reads a file. Its format is detected from the content, then from the extension. The paths "-",
 * "/dev/stdin" and "/dev/fd/N" also take a pipe, which is read to its end. Options: format=NAME,
 * columns=x,y,z,label (text files; - skips one), label_attribute=NAME (the attribute that holds the
 * labels; by default label and its other names), vertices (meshes: their vertices instead of a
 * sampled surface), sample=N (meshes only), seed=N, box=x,y,X,Y (keep the points in this rectangle;
 * from COPC files little else is read), salvage (read the intact chunks of a damaged LAZ file; a
 * warning says what is lost). Errors: GLT_EIO, GLT_EFORMAT with the place, GLT_EUNSUPPORTED,
 * GLT_EDATA if there are no coordinates. */
GLT_API int glt_cloud_read(struct glt_cloud **out, const char *path, const char *options);
/** Writes a file in the format of its extension. Options: format=NAME,
 * encoding=ascii|binary|big|compressed (default: that of the file that was read), labels (refuse
 * formats that cannot store them). An existing file is replaced only once all is written. c may be
 * NULL: path and options are checked, before long work, and nothing is written. */
GLT_API int glt_cloud_write(const struct glt_cloud *c, const char *path, const char *options);
/** Reads `len` bytes of a file in memory, which may be freed afterwards. Options as glt_cloud_read;
 * text and KITTI scans cannot be recognised by content and need format=NAME. */
GLT_API int glt_cloud_read_buffer(struct glt_cloud **out, const void *bytes, size_t len,
                                  const char *options);
/** Writes to memory; release *bytes with glt_free. Options as glt_cloud_write; format=NAME is
 * required. The bytes are those of a file, but a KITTI scan loses its labels, which belong in a
 * second file. */
GLT_API int glt_cloud_write_buffer(void **bytes, size_t *len, const struct glt_cloud *c,
                                   const char *options);
/** Makes a cloud of n points, up to 2^31 - 1, without attributes. */
GLT_API int glt_cloud_create(struct glt_cloud **out, int64_t n);
/** How many points it has. */
GLT_API int64_t glt_cloud_count(const struct glt_cloud *c);
/** Attribute number i, from 0; GLT_EARGUMENT after the last. width: values per point, 0 for a list.
 * The name lives until the cloud changes. */
GLT_API int glt_cloud_attribute(const struct glt_cloud *c, int i, const char **name,
                                enum glt_type *type, int *width);
/** Copies an attribute out as n values of `type`, `stride` bytes apart (0: packed). Numbers are
 * converted: integers saturate, reals round to the nearest. GLT_EDATA (topic ATTRIBUTE) if the
 * cloud has none of that name. */
GLT_API int glt_cloud_get(const struct glt_cloud *c, const char *name, enum glt_type type,
                          void *dst, size_t stride);
/** Copies an attribute in, replacing one of the same name. */
GLT_API int glt_cloud_set(struct glt_cloud *c, const char *name, enum glt_type type,
                          const void *src, size_t stride);
/** The same without a copy: the values still belong to the caller, who keeps them until the cloud
 * is freed or the attribute is replaced. The library only reads them. Each must be aligned to its
 * size, and stride (0: packed) a multiple of it. Three columns of an (n, 3) array have stride
 * 3 * size. */
GLT_API int glt_cloud_borrow(struct glt_cloud *c, const char *name, enum glt_type type,
                             const void *src, size_t stride);

/** Where the values of an attribute are in memory. */
struct glt_column {
    size_t size;          /**< set by the caller: sizeof(struct glt_column) */
    enum glt_type type;   /**< of a value */
    int width;            /**< values per point; 0 for a list */
    const void *data;     /**< those of the first point */
    size_t stride;        /**< bytes from one point to the next */
    const int64_t *start; /**< (n + 1) of a list: values start[i] .. start[i + 1] - 1; else NULL */
    double scale, offset; /**< number = value * scale + offset; 1 and 0 if it is not scaled */
};

/** Gives access to an attribute without a copy. The pointers live until the cloud changes or is
 * freed. */
GLT_API int glt_cloud_column(const struct glt_cloud *c, const char *name, struct glt_column *out);
/** Makes a cloud of the same points that has the values of c without a copy of them. A change of
 * either is not seen in the other, and either may be freed first. Values that c has borrowed must
 * outlive both. Several threads may share the same cloud. */
GLT_API int glt_cloud_share(struct glt_cloud **out, const struct glt_cloud *c);
/** Removes an attribute. GLT_EDATA (topic ATTRIBUTE) if the cloud has none of that name. */
GLT_API int glt_cloud_remove(struct glt_cloud *c, const char *name);
/** Label and name of the i-th class that the cloud names, from 0; either may be NULL. GLT_EARGUMENT
 * after the last. The name lives until the cloud changes. */
GLT_API int glt_cloud_class(const struct glt_cloud *c, int i, int32_t *number, const char **name);
/** Names the class that has this label, 0 or more. name NULL: removes the name. */
GLT_API int glt_cloud_set_class(struct glt_cloud *c, int32_t number, const char *name);
/** Makes a cloud of the given rows, in that order. */
GLT_API int glt_cloud_select(struct glt_cloud **out, const struct glt_cloud *c, const int64_t *rows,
                             int64_t n);
/** Makes a changed copy. Options, in the order in which they are applied: crop=x,y,z,X,Y,Z
 * (smallest and largest corner), subsample=N, seed=N, up=x|y|z (this axis becomes z: y turns x y z
 * to z x y, x turns them to y z x, normals too), scale=FACTOR|x,y,z, shift=x,y,z,
 * rename=old:new,... (attributes), map=old:new,... (labels and the names of their classes). Faces
 * and other elements are kept if all points are. c may be NULL: only the options are checked. */
GLT_API int glt_cloud_edit(struct glt_cloud **out, const struct glt_cloud *c, const char *options);
/** Describes the cloud, for people or as JSON; release the text with glt_free. */
GLT_API int glt_cloud_info(char **out, const struct glt_cloud *c, int json);
/** Which model labelled the cloud, and how; release the text with glt_free. Lines "key text":
 * version and commit of the library, time (only with the environment variable SOURCE_DATE_EPOCH),
 * model, digest (of the model's file), protocol (of scenes), options, and one line "warning" for
 * each value in which the cloud differs from the training clouds. "" if no model labelled it. PLY,
 * PCD and text files keep it in comments, LAS and LAZ in a record, NPZ in an array. */
GLT_API int glt_cloud_provenance(char **out, const struct glt_cloud *c);
/** Draws a PNG image. Options: colours=A,B,... (panels side by side: rgb, label, truth, error,
 * confidence, height, or any attribute), label=NAME, truth=NAME (attributes that hold the classes),
 * width=900, height=700 (of a panel), azimuth=-60, elevation=56, fov=40 (degrees), orthographic,
 * zoom=1, up=z (the axis that points up), cut=0.85 (keep this share of the height, from below; 1:
 * all; by default rooms are cut), radius=0 (of a point in pixels; 0: by spacing), shading=1,
 * no_legend, dark, map_view (from above, north up), turntable=N (N images, _000 .. added to the
 * name). truth: a cloud of the same points whose label is the ground truth, or NULL. */
GLT_API int glt_cloud_render(const struct glt_cloud *c, const struct glt_cloud *truth,
                             const char *path, const char *options);
/** Writes one HTML file about a predicted cloud: images, points and confidence per class; with the
 * attribute truth also IoU, accuracy and the confusion matrix. */
GLT_API int glt_cloud_report(const struct glt_cloud *c, const char *path, const char *title);
/** Releases a cloud; borrowed values stay. */
GLT_API void glt_cloud_free(struct glt_cloud *c);

/** @} */

/** @defgroup viewer Viewer
 * A page shows clouds in a browser, where their labels can be corrected. It saves the corrections
 * as a patch file (docs/reference/patch-files.md), which glt_patch applies to the cloud.
 * @{ */

/** A square of a scene that a person should look at next. */
struct glt_tile {
    size_t size;            /**< set by the caller in the first row: sizeof(struct glt_tile) */
    int cloud;              /**< number of the cloud, from 0 */
    double low[3], high[3]; /**< corners, in the coordinates of the file */
    int64_t points;         /**< in it that are not reviewed */
    double score;           /**< how much there is to learn: the mean of the next three, each
                             * divided by its own mean over the tiles; less for a tile with less
                             * than a quarter of the mean points */
    double doubt;           /**< mean over the points: 1 - the gap between the best two classes */
    double votes;           /**< how far passes over the tile, each turned by 90 degrees, disagree,
                             * 0..1 */
    double auxiliary;       /**< how far auxiliary outputs disagree with the main one, 0..1 */
};

/** What a page shows. */
struct glt_view_options {
    size_t size;            /**< sizeof(struct glt_view_options) */
    int64_t points;         /**< maximum shown of a cloud; 0: 3,000,000 */
    const char *attributes; /**< to colour by besides the usual ones, separated by commas */
    const char *classes;    /**< names of further classes to choose from, separated by commas */
    const char *title;      /**< NULL: the path of the first cloud */
    /** Adds forward passes of this model over the first cloud, to explore every level, block and
     * head from any point. NULL: none. */
    const struct glt_model *model;
    const int64_t *rows; /**< (n_rows) of the cloud: a pass over the sample around each of them */
    int n_rows;          /**< 0: one, around the point nearest to the middle of the cloud */
    /** (n_tiles) tiles to look at one after the other, as glt_next ranks them: the page lists them
     * and opens at the first. Their field cloud counts the clouds of the page. */
    const struct glt_tile *tiles;
    int n_tiles; /**< 0: none */
    /** The folder of a training run, instead of clouds: the page shows the validation cloud of the
     * run as it was labelled after each validation, beside its ground truth and the curve of the
     * score. */
    const char *run;
};

/** Writes one HTML file that shows n clouds (1 to 8) side by side. It needs no other file, no
 * server and no network. Larger clouds are thinned evenly; each point that is shown stands for the
 * points nearest to it. The same clouds give the same bytes. options may be NULL. GLT_EDATA (topic
 * MISSING) for a run that has no validation cloud: see glt_run_report. */
GLT_API int glt_view(const struct glt_cloud *const *clouds, int n, const char *path,
                     const struct glt_view_options *options);

/** What a patch changed. */
struct glt_patched {
    int64_t rows;    /**< shown points that the patch names */
    int64_t points;  /**< those rows, and the points they stand for */
    int64_t changed; /**< of these points, those whose label changed */
};

/** Applies the corrections of a patch file to the labels of a cloud. It also sets the attribute
 * reviewed (u8, added with zeros if missing) to 1 where the patch says something. A cloud without
 * labels gets them. Options: reviewed=false (leaves that attribute alone). out may be NULL. Errors:
 * GLT_EDATA, topic DIGEST if the patch belongs to other points, topic CLASSES if the cloud has
 * another name for a class; GLT_EFORMAT for a file that is not a patch. On failure the cloud is
 * unchanged. */
GLT_API int glt_patch(struct glt_cloud *c, const char *path, const char *options,
                      struct glt_patched *out);

/** @} */

/** @defgroup model Models
 * A model is a network's parameters, the configuration that explains them, and its classes. Any
 * number of threads may predict with one model at a time.
 * @{ */

/** Opaque: parameters, configuration, classes. */
struct glt_model;

/** Makes a model whose parameters are drawn from the option seed; its classes, 2 to 65,535, are
 * called class_0, class_1 and so on. */
GLT_API int glt_model_create(struct glt_model **out, const struct glt_config *config, int classes);
/** Loads a file, the folder of a training run (its best.safetensors), or an installed model by its
 * name, even if a folder has that name. GLT_EIO (topic NOT_FOUND) if there is none; GLT_EFORMAT or
 * GLT_EMODEL if it is not a model of this library, GLT_ENUMERIC if a number is not finite. */
GLT_API int glt_model_load(struct glt_model **out, const char *path);
/** Loads a model file from memory, which may be freed afterwards. */
GLT_API int glt_model_load_buffer(struct glt_model **out, const void *bytes, size_t len);
/** Copies the path of the file that glt_model_load would read. */
GLT_API int glt_model_path(char *path, size_t size, const char *name);
/** Writes a model file. Options: half (matrices as 16-bit floats, half the size). */
GLT_API int glt_model_save(const struct glt_model *m, const char *path, const char *options);
/** The same to memory; release *bytes with glt_free. */
GLT_API int glt_model_save_buffer(void **bytes, size_t *len, const struct glt_model *m,
                                  const char *options);
/** Releases a model, once no predictor or trainer uses it. */
GLT_API void glt_model_free(struct glt_model *m);

/** How many classes it has. */
GLT_API int glt_model_classes(const struct glt_model *m);
/** How many input channels it has besides xyz. */
GLT_API int glt_model_channels(const struct glt_model *m);
/** How many parameters training changes. */
GLT_API int64_t glt_model_parameters(const struct glt_model *m);
/** Copies the model's own value of an option as text. */
GLT_API int glt_model_option(const struct glt_model *m, const char *key, char *text, size_t size);
/** Name and colour (3 bytes) of class i; either may be NULL. The name lives until the model
 * changes. */
GLT_API int glt_model_class(const struct glt_model *m, int i, const char **name,
                            unsigned char *colour);
/** Changes name and colour of class i; NULL keeps the old one. Names must be unique. */
GLT_API int glt_model_set_class(struct glt_model *m, int i, const char *name,
                                const unsigned char *colour);
/** Category i of a part-segmentation model has the classes first .. first + count - 1; each of the
 * three may be NULL. GLT_EARGUMENT after the last. */
GLT_API int glt_model_category(const struct glt_model *m, int i, const char **name, int *first,
                               int *count);
/** Adds a category. Its name must be unique, ignoring case. */
GLT_API int glt_model_add_category(struct glt_model *m, const char *name, int first, int count);
/** Sets a note about the model: key "licence", "credit", "use" or "replay" (synthetic data like its
 * training data, "synth:rooms real", to mix in when it learns from reviewed points). The text is
 * one line, kept in the model's file and shown on the card; "" removes it. */
GLT_API int glt_model_note(struct glt_model *m, const char *key, const char *text);
/** Describes the model; release the text with glt_free. Options: json, card (Markdown: what the
 * model is, how it was trained, on what clouds), plan (the ops of its inference, or with train of a
 * training step: shapes, bytes, FLOPs), clouds=N (1; of a training step the option
 * batch), points=N (of the plan). */
GLT_API int glt_model_info(char **out, const struct glt_model *m, const char *options);

/** An installed model; the texts live during the callback. */
struct glt_installed {
    const char *name;    /**< accepted by glt_model_load */
    const char *path;    /**< of its file */
    const char *task;    /**< "segment", "parts" or "classify" */
    const char *inputs;  /**< what it needs besides coordinates */
    const char *preset;  /**< the network */
    int classes;         /**< how many */
    int64_t bytes;       /**< of its file */
    const char *licence; /**< its terms of use, "" if not stated */
    const char *use;     /**< its purpose, "" if not stated */
};
/** Receives one installed model. */
typedef void glt_model_fn(void *user, const struct glt_installed *model);
/** Lists the installed models: those in the folders of GELATTO_MODELS (separated by colons), in
 * models/ of the source tree (for a program in its build tree) and in the share folder. */
GLT_API int glt_models(glt_model_fn *fn, void *user);
/** Copies the name of the installed model of scenes that suits a cloud best, by its attributes,
 * density, extent and height; "" if none does. */
GLT_API int glt_model_propose(char *name, size_t size, const struct glt_cloud *c);

/** @} */

/** @defgroup predict Prediction
 * Two ways: glt_cloud_predict labels a cloud of any size; glt_model_predict and predictors run the
 * network once over arrays that are small enough for one pass: a tile of a scene, or a shape.
 * @{ */

/** What a prediction of a whole cloud found. */
struct glt_prediction {
    size_t size;      /**< set by the caller: sizeof(struct glt_prediction) */
    int label;        /**< of the whole cloud. Classification: its class; parts: its category;
                       * -1 if there is none */
    float confidence; /**< classification: the probability of that class */
    int64_t points;   /**< labelled points: those with finite coordinates */
    int64_t samples;  /**< passes through the network */
    double seconds;   /**< elapsed; the next three are sums over the threads */
    double geometry;  /**< in tilings, sampling and neighbours */
    double network;   /**< in the network itself */
    double votes;     /**< in soft-max, votes and labels */
};

/** Labels every point of a cloud: sets the attributes label (-1 where coordinates are not finite)
 * and confidence. A label that was read from the file becomes the attribute truth (255 where a
 * point has none, with up to 255 classes), unless a confidence beside it shows that it was
 * predicted. Points whose attribute reviewed is set keep their label, with confidence 1. Warnings
 * (log) begin with the path the cloud was read from. Classification sets no attribute: the result
 * is in out and in probabilities (classes); both may be NULL. Options: probabilities, second,
 * margin, votes (further attributes), category=NAME (parts; else the one with the largest sum),
 * up=x|y|z (the axis of the cloud that points up, by default that of the model: the model sees the
 * cloud turned, the cloud itself does not change), headings=1 (shapes: turned about that axis to N
 * headings, whose probabilities are averaged), overlap=0 (further tilings of a scene, by shifted
 * grids), protocol=product (scenes: as many points a pass as is efficient; paper: the model's
 * number), spacing=0 (scenes: the network sees one point of each cube of this edge, and every other
 * point gets the label of the nearest of them; 0: it sees all points), vegetation_heights=0.5,2
 * (scenes: vegetation becomes high vegetation or, by its height above the predicted ground, low or
 * medium vegetation, two classes after those of the model), min_confidence=0 (points below it get
 * no label), map=NAME:N,.. (LAS: the numbers of classes), keep_classification (LAS: the
 * classification stays, and labels are extra bytes), halo=0 (scenes; above 0: tiles of a grid that
 * begins at 0, 0 of the coordinates instead of the cloud's corner, so that parts of a scene get the
 * tiles of the whole: see glt_predict_files), max_memory=0 (bytes; GLT_ELIMIT before the work
 * starts if that is too little). Errors: GLT_EMODEL (topic INPUTS) if the cloud lacks what the
 * model needs. A shape with more than twice the points that the model was trained on (its option
 * points) is thinned to that number at random; the other points get the parts of the nearest ones.
 * On failure or cancellation the cloud is unchanged. */
GLT_API int glt_cloud_predict(struct glt_cloud *c, const struct glt_model *m, const char *options,
                              struct glt_prediction *out, float *probabilities);

/** Receives one file; `under` is the part of its path after the folder. A negative return stops.
 */
typedef int glt_file_fn(void *user, const char *path, const char *under);
/** Calls back with the files that an operand of a command line stands for, sorted: a file, the
 * clouds under a folder, or those that a pattern (* ? [..]) matches. GLT_EIO (topic NOT_FOUND) if
 * there is none. */
GLT_API int glt_cloud_files(const char *word, glt_file_fn *fn, void *user);

/** The outcome for one file of glt_predict_files. Lives during the callback. */
struct glt_labelled {
    const char *input;                /**< its path */
    const char *output;               /**< its path, "" if nothing is written */
    int number;                       /**< of the file, from 1 */
    int total;                        /**< files of this run */
    int code;                         /**< 0, or why it failed: glt_error_message says more */
    int finished;                     /**< an earlier run labelled it; nothing was done */
    struct glt_prediction prediction; /**< what was found, now or then */
    int classes;                      /**< of counts or probabilities */
    const int64_t *counts;            /**< (classes + 1) points of each class, then those without a
                                       * label; NULL for a classification */
    const float *probabilities;       /**< (classes) of a classification; else NULL */
    const char *provenance;           /**< as glt_cloud_provenance gives it; "" if finished */
};
/** Receives one file. A negative return stops. */
typedef int glt_labelled_fn(void *user, const struct glt_labelled *file);

/** How to label files. */
struct glt_files_options {
    size_t size;         /**< sizeof(struct glt_files_options) */
    const char *read;    /**< options of glt_cloud_read; NULL: none */
    const char *predict; /**< options of glt_cloud_predict; NULL: none. With halo=R a file's tiles
                          * get points of the files around it, at least those within R: labels do
                          * not depend on where a scene was cut */
    const char *folder;  /**< that contains all outputs: records are kept in FOLDER/.gelatto, for
                          * skip_finished and glt_gather. NULL: no records */
    int shard;           /**< label only this share of the files, from 1, */
    int shards;          /**< number of shares, balanced by size; 0 and 0: all */
    int skip_finished;   /**< skip files that are finished, by the digests of input, model, options
                          * and output. Needs folder */
    int64_t max_memory;  /**< bytes that reading and predicting may take; 0: no limit */
};

/** Labels n files: inputs[i] becomes outputs[i], with the folders above it (ignored by models that
 * classify). Outputs are put in place when they are complete. A file that fails is reported to fn,
 * and the others are still labelled; the first error is returned after the last file. Any number of
 * processes may work on shards of one list, in any order, even two on the same shard: the outputs
 * have the bytes of a single run. All need the same list, in whatever order. */
GLT_API int glt_predict_files(const struct glt_model *m, const char *const *inputs,
                              const char *const *outputs, int n,
                              const struct glt_files_options *options, glt_labelled_fn *fn,
                              void *user);

/** Checks the outputs of a job that ran in shards, by its folder (glt_files_options): which files
 * are missing, outdated or broken. The report (release it with glt_free) adds up the summaries of
 * all others; it is also written as HTML to `page` (NULL: no page). *unfinished, which may be NULL,
 * becomes the number of files that are not finished. Options: json, inputs (compare the inputs,
 * too). GLT_EDATA (topic MISSING) if the folder has no plan. */
GLT_API int glt_gather(char **report, int *unfinished, const char *folder, const char *page,
                       const char *options);

/** One cloud as arrays of the caller. */
struct glt_points {
    size_t size;           /**< sizeof(struct glt_points) */
    int64_t n;             /**< points */
    const void *xyz;       /**< (n, 3) */
    enum glt_type type;    /**< of xyz: GLT_F64, or GLT_F32 near the origin: at UTM coordinates
                            * floats are half a metre apart */
    int channels;          /**< of features: what the model's option inputs names besides xyz */
    const float *features; /**< (n, channels): colours in 0..1 (GLT_EARGUMENT above 1.1), unit
                            * normals; NULL without any */
    const int32_t *labels; /**< training: (n), -1 for none; classification: one for the cloud */
    const char *category;  /**< parts: of the shape, ignoring case: only its parts are predicted,
                            * and labels must be among them; or NULL */
    int placed;            /**< 0: coordinates of any origin; a scene is moved to (middle, middle,
                            * floor), a shape to the unit sphere if the option normalise says so. 1:
                            * exactly as the network is to see them */
};

/** Runs the network once: labels (n), probabilities (n, classes); one row each in classification.
 * Either may be NULL. The rows are those of the points; their order does not change the result. */
GLT_API int glt_model_predict(const struct glt_model *m, const struct glt_points *p,
                              int32_t *labels, float *probabilities);
/** How many features glt_model_features gives for a point. */
GLT_API int glt_model_feature_channels(const struct glt_model *m);
/** Runs the network once and copies the decoder's last features: (n, channels) in the rows of the
 * points, or one row of the whole cloud in classification. */
GLT_API int glt_model_features(const struct glt_model *m, const struct glt_points *p,
                               float *features);

/** Ranks tiles of scenes by how much a model would learn if a person corrected them: those where it
 * doubts, where passes or outputs disagree, and which differ from the tiles ranked before them and
 * from reviewed ones. A tile has the model's edge `block`. Points whose attribute reviewed is set
 * do not count, and tiles that are nearly all reviewed are left out. tiles (*n): gets the best *n;
 * *n becomes their number. Options: passes=4 (over a tile, 1 to 4), seed=N (of the draws; the
 * model's). Errors: GLT_EMODEL (topic TASK) if the model is not one of scenes, topic INPUTS if a
 * cloud lacks what the model needs. */
GLT_API int glt_next(struct glt_tile *tiles, int *n, const struct glt_model *m,
                     const struct glt_cloud *const *clouds, int n_clouds, const char *options);

/** Opaque: what glt_model_predict needs besides the model, kept for many clouds. One per thread. */
struct glt_predictor;
/** Makes a predictor for clouds of up to `points` points, which then run without allocating; larger
 * ones make it grow. The model must outlive it and stay as it is. */
GLT_API int glt_predictor_create(struct glt_predictor **out, const struct glt_model *m,
                                 int64_t points);
/** As glt_model_predict. */
GLT_API int glt_predictor_run(struct glt_predictor *e, const struct glt_points *p, int32_t *labels,
                              float *probabilities);
/** Releases a predictor. */
GLT_API void glt_predictor_free(struct glt_predictor *e);

/** @} */

/** @defgroup trainer Training on arrays
 * A trainer takes single steps of Adam on batches that the caller makes: for data that is in memory
 * or comes from a simulation. For datasets on disk use glt_train.
 * @{ */

/** Opaque: gradients, Adam's moments, memory for a batch. */
struct glt_trainer;
/** Makes a trainer for a model, which must outlive it, and for batches of up to `clouds` clouds of
 * up to `points` points. */
GLT_API int glt_trainer_create(struct glt_trainer **out, struct glt_model *m, int clouds,
                               int64_t points);
/** Takes one step on a batch of n clouds; lr 0: the option's. losses (6) may be NULL: the total,
 * that of the main output, those of the four auxiliary ones (0 without them). The option
 * class_weights needs a dataset and is not used here. GLT_ENUMERIC if the loss is not finite,
 * GLT_EINTERRUPTED in a cancelled context: the model is then unchanged. */
GLT_API int glt_trainer_step(struct glt_trainer *t, const struct glt_points *clouds, int n,
                             double lr, double *losses);
/** Releases a trainer; the model stays. */
GLT_API void glt_trainer_free(struct glt_trainer *t);

/** @} */

/** @defgroup train Training runs
 * glt_train trains on a dataset and writes a folder: checkpoints, models, records and a log. A run
 * that was stopped resumes as if it had never stopped.
 * @{ */

/** The settings of a run besides its configuration. */
struct glt_train_options {
    size_t size;        /**< sizeof(struct glt_train_options) */
    const char *runs;   /**< folder of all runs; NULL: "runs" */
    const char *name;   /**< the run is RUNS/NAME1, 2, ..; NULL: "train" */
    const char *resume; /**< the folder of a run to resume */
    const char *init;   /**< a model to start from; layers of other classes are drawn anew */
    int force;          /**< resume in spite of another configuration or other data */
    int64_t steps;      /**< stop after this step; 0: after all epochs, or for resume as before */
    int64_t save;       /**< steps between checkpoints; 0: every two minutes, and at the ends of
                         * epochs at least a minute apart */
    int64_t validate;   /**< epochs between validations; 0: 1, or for resume as before */
    const char *folder; /**< of the run, instead of runs and name: started or resumed */
};

/** The state of a run after a step. */
struct glt_train_status {
    const char *folder;        /**< of the run */
    const char *metric_name;   /**< what validation measures */
    int64_t epoch, epochs;     /**< from 1 */
    int64_t step, steps;       /**< from 1 */
    int outputs;               /**< how many losses there are: main, aux1 .. aux4 */
    double loss, losses[5];    /**< the total, and each */
    double rate;               /**< learning rate */
    double metric, best;       /**< of the validation; NaN: none yet */
    double samples_per_second; /**< speed */
    double seconds_left;       /**< estimate */
};
/** Receives the state after each step. Return non-zero to stop: a checkpoint is written, and the
 * call fails with GLT_EINTERRUPTED (topic STOPPED, file: the run's folder). */
typedef int glt_train_fn(void *user, const struct glt_train_status *status);

/** Trains on a dataset: S3DIS, ShapeNetPart, ModelNet, ScanNet, a folder by its YAML file, or
 * "synth:rooms". The dataset decides what the configuration leaves open (task, inputs,
 * augmentation). data may be NULL if a run is resumed; fn and options may be NULL. Errors: GLT_EIO
 * (topic CHECKPOINT, name: the run) if the disk is full, GLT_EEXISTS (topic LOCKED) if another
 * process trains there, topic RESUME if configuration or data differ from those of the run. */
GLT_API int glt_train(const struct glt_config *config, const char *data,
                      const struct glt_train_options *options, glt_train_fn *fn, void *user);
/** Writes one HTML file about a run, by its folder: curves, the last validation, evaluations and
 * PNG images in the folder or one below it, configuration, environment, log. GLT_EARGUMENT for the
 * path of a file of the run. */
GLT_API int glt_run_report(const char *folder, const char *path, const char *title);

/** Runs that belong together, each in a folder of RUNS/NAME. Finished runs are kept and interrupted
 * ones resumed, so repeating the call completes a series. */
struct glt_series_options {
    size_t size;         /**< sizeof(struct glt_series_options) */
    const char *runs;    /**< NULL: "runs" */
    const char *name;    /**< NULL: "kfold", or the name of the grid */
    const char *init;    /**< a model every run starts from; NULL: none */
    const char *command; /**< stands on the card; may be NULL */
    const char *split;   /**< ablation: to score: "test" (NULL), or "val" if choices depend on the
                          * scores */
    int64_t seeds;       /**< ablation: runs of a row; 0: as the grid says */
    int64_t steps;       /**< of a run; 0: all epochs, or as the grid says */
    int64_t save;        /**< as in glt_train_options */
    int64_t validate;    /**< as in glt_train_options */
    int json;            /**< the report is JSON */
};

/** Cross-validation over the areas of a dataset of rooms: one run for each area, which is held out
 * and scored. The report (release it with glt_free) has the scores of the folds, pooled (one matrix
 * of all) and averaged; the folder also gets card.json, card.md, confusion.csv and confusion.svg.
 */
GLT_API int glt_kfold(char **report, const struct glt_config *config, const char *data,
                      const struct glt_series_options *options, glt_train_fn *fn, void *user);
/** Trains every row of a grid (a YAML file, or the name of a shipped one; docs/how-to/cross-
 * validate-and-ablate.md) with every seed. The report (release it with glt_free) is a Markdown
 * table of mean and spread beside the paper's numbers; the folder gets table.md, table.json and
 * curves.svg (the first ten rows). */
GLT_API int glt_ablate(char **report, const struct glt_config *config, const char *data,
                       const char *grid, const struct glt_series_options *options, glt_train_fn *fn,
                       void *user);

/** @} */

/** @defgroup evaluate Evaluation
 * glt_evaluate scores a model by the protocol of a dataset; glt_speed_measure measures speed.
 * @{ */

/** How to score. */
struct glt_eval_options {
    size_t size;         /**< sizeof(struct glt_eval_options) */
    const char *split;   /**< "test" (NULL), "val" or "train"; val if there is no test split */
    const char *folder;  /**< gets confusion.csv, confusion.svg, card.json, card.md; NULL: none.
                          * GLT_EARGUMENT for the folder of a run, which has its own */
    const char *command; /**< stands on the card; may be NULL */
    int64_t seeds;       /**< evaluations, each with other random draws and neighbours; 0: 1 */
    int json;            /**< the report is the card as JSON */
    /** Share of the points to keep, in (0, 1]; 0: 1. Points are removed before anything else is
     * done, and only the rest is scored. Each point stays with the probability keep * min(1,
     * (range / d)^2), d its distance from a scanner in the middle of a scene, 1.5 above its floor,
     * or at two radii from the centre of a shape along x, d in radii then. At least 16 points stay.
     */
    double keep;
    double range;    /**< of that scanner; 0: no scanner */
    int64_t overlap; /**< scenes: further tilings by shifted grids, up to 15 */
    /** scenes: "paper" (NULL), whose samples have the model's number of points, or "product", which
     * runs exactly what glt_cloud_predict does */
    const char *protocol;
    double density; /**< scenes keep at most this many points per square unit; 0: all. */
    /** Turn each cloud about its up axis by up to this angle, in degrees either way, up to 180.
     * Each seed draws other angles. */
    double turn;
};

/** Scores a model (as glt_model_load takes it) on a dataset, or on one labelled cloud. Settings of
 * the data (area, points, block, category, seed, ..) override those of the model. *report is a
 * table or JSON; release it with glt_free. config and options may be NULL. */
GLT_API int glt_evaluate(char **report, const char *model, const char *data,
                         const struct glt_config *config, const struct glt_eval_options *options);

/** How fast this machine runs a network. */
struct glt_speed {
    size_t size;       /**< set by the caller: sizeof(struct glt_speed) */
    double seconds;    /**< of one batch, geometry included: the fastest of several */
    double geometry;   /**< training: the share of neighbour lists and sampling, in seconds */
    double flops;      /**< of its matrix products */
    double peak_flops; /**< per second, of as many threads, measured beside it */
    int64_t bytes;     /**< peak of memory */
};
/** Measures the speed of a configuration on synthetic clouds. GLT_ELIMIT, before any work, if the
 * machine has too little memory. */
GLT_API int glt_speed_measure(struct glt_speed *out, const struct glt_config *config, int training,
                              int clouds, int64_t points, int repeats);

/** @} */

/** @defgroup explain Explanation
 * A trace is a safetensors file of everything one pass of a network computed
 * (docs/reference/model-files.md, "Trace"). It can be drawn and measured.
 * @{ */

/** Writes the trace of one pass over arrays. */
GLT_API int glt_model_explain(const struct glt_model *m, const struct glt_points *p,
                              const char *path);
/** Writes the trace of the first sample with one point of a cloud, by the protocol "paper".
 * Options: point=I (row 0). */
GLT_API int glt_cloud_explain(const struct glt_cloud *c, const struct glt_model *m,
                              const char *path, const char *options);
/** Draws a PNG image of a trace. Options:
 *
 * kind=attention (of one point: columns are encoder levels, rows the two blocks, the geometric head
 * in red, the latent in green), scores (all of its scores, of all levels, in one view), grouping
 * (the input of each level, its neighbours in both blocks, and the radius of each), graph (two
 * centres: points, patches, chosen neighbours, the graph of each head), outputs (input, main and
 * auxiliary outputs), panels (input, ground truth if the cloud has one, prediction, errors) or
 * levels (place and features of every level, principal components as colours);
 *
 * point=ROW (of the file; the nearest that reaches level 4 is taken and logged), other=ROW,
 * level=2, block=1 (graph: second centre, by default one whose neighbourhood overlaps, and which
 * lists);
 *
 * channel=mean|random|N (of the scores; four of these with commas between are one for each level;
 * random draws another for each level, block and head), seed=0 (of random channels);
 *
 * up=x|y|z (z), cut=SHARE (of the height that views of all points show; 0.85 for rooms, else 1),
 * width, height (of one view: 320; 480 of scores, 400 of graph). */
GLT_API int glt_trace_image(const char *trace, const char *path, const char *options);
/** Draws a film of the pass: sample, group, attend, aggregate, level by level, and up again with
 * the auxiliary outputs. A path that ends in .png becomes one animated PNG, any other a folder of
 * frames, frame_0000.png and so on. Options: point, channel, seed, up, cut, width=480, height=420
 * as above, frames=5 (per stage), fps=10. *frames (may be NULL): how many
 * there are. */
GLT_API int glt_trace_film(const char *trace, const char *path, const char *options, int *frames);
/** Writes the neighbourhoods of a pass as a directed graph, an edge from each neighbour to its
 * centre, by the extension of path: .graphml (an XML that networkx, Gephi and igraph read) or .npz
 * (arrays with the names of PyTorch Geometric: x, pos, y, batch, ptr, edge_index, edge_attr,
 * edge_type; docs/reference/model-files.md lists them). Options: level=1..4, block=1|2 (default:
 * all), channel, seed as above (of the weights). */
GLT_API int glt_trace_graph(const char *trace, const char *path, const char *options);

/** How attention depends on distance, for one encoder level, block and head. */
struct glt_correlation {
    size_t size;      /**< set by the caller in the first row: sizeof(struct glt_correlation) */
    int level, block; /**< from 1 */
    const char *head; /**< "geometric" or "latent" */
    int64_t centres;  /**< with at least 4 neighbours whose weights are not all the same */
    double mean, deviation; /**< over them: Spearman's rank correlation between the weights of the
                             * neighbours, each the mean of its channels, and their distances */
    double by_channel; /**< mean over them and the channels of each channel's own correlation */
};
enum { GLT_CORRELATIONS = 16 /**< rows of a network */ };
/** Adds the centres of a trace to rows that were zeros, but for the first size, before the first
 * call. A head that the model does not have leaves its rows without centres; GLT_EDATA if there is
 * none at all. */
GLT_API int glt_trace_correlation(struct glt_correlation rows[GLT_CORRELATIONS], const char *trace);

/** How attention spreads over neighbours, for one encoder level, block and head. */
struct glt_attention {
    size_t size;      /**< set by the caller in the first row: sizeof(struct glt_attention) */
    int level, block; /**< from 1 */
    const char *head; /**< "geometric" or "latent" */
    int64_t centres; /**< with at least 8 neighbours; the rest is a mean over them and the scores */
    double entropy;  /**< of the weights, as a share of that of uniform weights: 1 is a mean */
    double saturation; /**< share of scores with one weight above 0.99: an arg-max */
};
enum { GLT_ATTENTION_ROWS = 16 /**< of a network */ };
/** Adds the centres of a trace to rows that were zeros, but for the first size, before the first
 * call. A head that the model does not have leaves its rows without centres; GLT_EDATA if there is
 * none at all. */
GLT_API int glt_trace_attention(struct glt_attention rows[GLT_ATTENTION_ROWS], const char *trace);

/** @} */

/** @defgroup check Checks and synthetic data
 * Checks of a dataset before training and of this machine, and labelled data made from a seed.
 * @{ */

/** One finding of a check; the texts live during the callback. */
struct glt_finding {
    const char *topic;   /**< "cpu", "products", "labels", ... */
    const char *text;    /**< for people: the file, what was found and what to do */
    const char *file;    /**< the file or folder it is about; "" if there is none */
    const char *options; /**< a proposal: "key=value" of the configuration; "" if there is none */
    int error;           /**< 1 if it makes results untrustworthy, 0 if it is worth knowing */
};
/** Receives one finding. */
typedef void glt_finding_fn(void *user, const struct glt_finding *finding);
/** Reports findings about this build and this machine; GLT_EUNSUPPORTED if one was an error. */
GLT_API int glt_doctor(glt_finding_fn *fn, void *user);
/** Looks at every cloud of a dataset (a folder, a YAML file, a cloud, "synth:rooms") and reports
 * what is there and what is wrong. Topics: "set", "train", "val", "test", "missing", "unused file",
 * "unreadable", "labels", "duplicates", "columns", "units", "density", "points", "tiles", "levels",
 * "balls", "radius". Of config (NULL: the defaults) inputs, block, points, levels, radius and k
 * count. GLT_EDATA if a finding was an error. */
GLT_API int glt_check(const char *data, const struct glt_config *config, glt_finding_fn *fn,
                      void *user);

/** Area_1 .. Area_6, each with furnished, scanned, labelled rooms KIND_NUMBER.ply. options:
 * rooms=10 (per area), points=100000 (per room), seed=1, real (like reconstructions of depth
 * cameras), replace. Same options, same bytes. */
GLT_API int glt_synth_rooms(const char *folder, const char *options);
/** Small objects of labelled parts: train, val and test with a folder per category, shapes.yaml
 * for learning their parts, classes.yaml for classifying them. options: shapes=40 (per category),
 * points=2048, seed=1, replace. */
GLT_API int glt_synth_shapes(const char *folder, const char *options);
/** Towns and country seen by an airborne laser scanner, labelled by ASPRS numbers: train/area_N and
 * test/area_5 with KIND_NUMBER.ply, and aerial.yaml. options: scenes=8 (per area), size=200
 * (metres), density=0 (points per square metre; 0: every scene its own, 1 to 60), seed=1,
 * format=ply (or las, laz), replace. */
GLT_API int glt_synth_aerial(const char *folder, const char *options);

/** @} */

#ifdef __cplusplus
}
#endif
#endif
