/* gelatto for C++17: classes around the functions of gelatto.h that release what they own and throw
 * errors. Header-only; the manual is gelatto.h. The option strings are the same.
 *
 *     #include <gelatto.hpp>
 *
 *     int main()
 *     {
 *         auto model = gelatto::model::load("rooms");
 *         auto cloud = gelatto::cloud::read("scan.ply");
 *         cloud.predict(model);
 *         for (float p : cloud.column<float>("confidence"))
 *             ...
 *         cloud.write("labelled.ply");
 *     }
 *
 * Objects can be moved, not copied. A function that can fail throws gelatto::error. A callback may
 * throw: the work stops, and the exception comes out of the call. */
#ifndef GELATTO_HPP
#define GELATTO_HPP

#include "gelatto.h"

#include <cstring>
#include <exception>
#include <functional>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace gelatto
{

/** The last failure of this thread, as an exception. */
class error : public std::runtime_error
{
  public:
    error()
        : std::runtime_error(glt_error_message()), code_(glt_error_code()),
          topic_(glt_error_topic()), name_(glt_error_name()), file_(glt_error_file())
    {
        for (int kind = 0; kind < GLT_PLACES; kind++)
            places_[kind] = glt_error_place(static_cast<glt_place>(kind));
    }
    /** GLT_EIO, GLT_EFORMAT, ... */
    int code() const noexcept
    {
        return code_;
    }
    glt_topic topic() const noexcept
    {
        return topic_;
    }
    /** Of the option, argument, attribute or class; "" if there is none. */
    const std::string &name() const noexcept
    {
        return name_;
    }
    /** Or folder; "" if there is none. */
    const std::string &file() const noexcept
    {
        return file_;
    }
    /** -1 if it has none of this kind. */
    std::int64_t place(glt_place kind) const noexcept
    {
        return places_[kind];
    }

  private:
    int code_;
    glt_topic topic_;
    std::string name_, file_;
    std::int64_t places_[GLT_PLACES];
};

/** Throws the error of a call that failed; otherwise returns the result of the call. */
template <class Integer> Integer check(Integer code)
{
    if (code < 0)
        throw error();
    return code;
}

namespace detail
{

template <auto release> struct releaser {
    template <class T> void operator()(T *p) const noexcept
    {
        release(p);
    }
};
template <class T, auto release> using owner = std::unique_ptr<T, releaser<release>>;

/** NULL for an empty text: C functions then use their default. */
inline const char *or_null(const std::string &text)
{
    return text.empty() ? nullptr : text.c_str();
}

inline std::string take(char *text)
{
    owner<char, glt_free> owned(text);
    return text;
}

template <class T> constexpr glt_type type_of()
{
    using U = std::remove_cv_t<T>;
    static_assert(std::is_arithmetic_v<U> && !std::is_same_v<U, bool> && sizeof(U) <= 8 &&
                      !std::is_same_v<U, long double>,
                  "an attribute holds integers of 8 to 64 bits, float or double");
    if constexpr (std::is_floating_point_v<U>)
        return sizeof(U) == 4 ? GLT_F32 : GLT_F64;
    else if constexpr (std::is_signed_v<U>)
        return sizeof(U) == 1   ? GLT_I8
               : sizeof(U) == 2 ? GLT_I16
               : sizeof(U) == 4 ? GLT_I32
                                : GLT_I64;
    else
        return sizeof(U) == 1   ? GLT_U8
               : sizeof(U) == 2 ? GLT_U16
               : sizeof(U) == 4 ? GLT_U32
                                : GLT_U64;
}

/** The exception that a callback threw, until its call is over. */
struct thrown {
    std::exception_ptr error;

    template <class Function> bool guard(Function &&function) noexcept
    {
        try {
            return function();
        } catch (...) {
            error = std::current_exception();
            return true;
        }
    }
    int finish(int code)
    {
        if (error)
            std::rethrow_exception(std::exchange(error, nullptr));
        return check(code);
    }
};

} // namespace detail

/** Values `stride` bytes apart that belong to somebody else: a column of a cloud, an array. */
template <class T> class view
{
  public:
    class iterator
    {
      public:
        using iterator_category = std::forward_iterator_tag;
        using value_type = std::remove_cv_t<T>;
        using difference_type = std::ptrdiff_t;
        using pointer = T *;
        using reference = T &;

        iterator() = default;
        iterator(const view *v, std::size_t i) : v_(v), i_(i) {}
        reference operator*() const
        {
            return (*v_)[i_];
        }
        iterator &operator++()
        {
            i_++;
            return *this;
        }
        iterator operator++(int)
        {
            iterator old = *this;
            i_++;
            return old;
        }
        bool operator==(const iterator &other) const
        {
            return i_ == other.i_;
        }
        bool operator!=(const iterator &other) const
        {
            return i_ != other.i_;
        }

      private:
        const view *v_ = nullptr;
        std::size_t i_ = 0;
    };

    view() = default;
    view(T *data, std::size_t size, std::size_t stride = sizeof(T))
        : data_(data), size_(size), stride_(stride)
    {
    }
    template <class Container, class = decltype(std::declval<Container &>().data())>
    view(Container &values) : view(values.data(), values.size())
    {
    }

    T &operator[](std::size_t i) const
    {
        using byte = std::conditional_t<std::is_const_v<T>, const unsigned char, unsigned char>;
        return *reinterpret_cast<T *>(reinterpret_cast<byte *>(data_) + i * stride_);
    }
    T *data() const noexcept
    {
        return data_;
    }
    std::size_t size() const noexcept
    {
        return size_;
    }
    bool empty() const noexcept
    {
        return size_ == 0;
    }
    /** Bytes from one value to the next. */
    std::size_t stride() const noexcept
    {
        return stride_;
    }
    iterator begin() const
    {
        return {this, 0};
    }
    iterator end() const
    {
        return {this, size_};
    }

  private:
    T *data_ = nullptr;
    std::size_t size_ = 0, stride_ = sizeof(T);
};

/** Bytes that the library made. */
class buffer
{
  public:
    buffer(void *bytes, std::size_t size) : bytes_(bytes), size_(size) {}
    const unsigned char *data() const noexcept
    {
        return static_cast<const unsigned char *>(bytes_.get());
    }
    std::size_t size() const noexcept
    {
        return size_;
    }

  private:
    detail::owner<void, glt_free> bytes_;
    std::size_t size_;
};

/** The settings of a context; those not set take the default of the library. */
struct context_options {
    int threads = 0;
    std::int64_t memory_limit = 0;
    std::function<void(glt_log_level, std::string_view)> log;
    /** (activity, done, total); true stops the work */
    std::function<bool(std::string_view, std::int64_t, std::int64_t)> progress;
};

/** Threads, memory limit, log, progress and cancellation for the calls inside a scope. */
class context
{
  public:
    using options = context_options;

    explicit context(options o = {}) : state_(std::make_unique<state>(state{std::move(o), {}}))
    {
        const options &given = state_->given;
        glt_context_options raw{};
        raw.size = sizeof raw;
        raw.threads = given.threads;
        raw.memory_limit = given.memory_limit;
        raw.log = given.log ? on_log : nullptr;
        raw.progress = given.progress ? on_progress : nullptr;
        raw.log_user = raw.progress_user = state_.get();
        glt_context *made = nullptr;
        check(glt_context_create(&made, &raw));
        context_.reset(made);
    }
    /** From any thread: calls that work in this context throw GLT_EINTERRUPTED. */
    void cancel() noexcept
    {
        glt_context_cancel(context_.get());
    }
    glt_context *get() const noexcept
    {
        return context_.get();
    }

    /** All calls of the thread use this context until the scope ends. */
    class scope
    {
      public:
        explicit scope(const context &c) : before_(glt_context_use(c.get())) {}
        ~scope()
        {
            glt_context_use(before_);
        }
        scope(const scope &) = delete;
        scope &operator=(const scope &) = delete;

      private:
        glt_context *before_;
    };

    /** Runs a function in this context, and rethrows what one of its callbacks threw. */
    template <class Function> auto run(Function &&function) const
    {
        scope entered(*this);
        try {
            return function();
        } catch (...) {
            if (state_->thrown.error)
                std::rethrow_exception(std::exchange(state_->thrown.error, nullptr));
            throw;
        }
    }

  private:
    struct state {
        options given;
        detail::thrown thrown;
    };
    static void on_log(void *user, glt_log_level level, const char *message)
    {
        auto *s = static_cast<state *>(user);
        s->thrown.guard([&] { return s->given.log(level, message), false; });
    }
    static int on_progress(void *user, const char *activity, std::int64_t done, std::int64_t total)
    {
        auto *s = static_cast<state *>(user);
        return s->thrown.guard([&] { return s->given.progress(activity, done, total); });
    }

    std::unique_ptr<state> state_;
    detail::owner<glt_context, glt_context_free> context_;
};

/** The value of every option. */
class config
{
  public:
    config()
    {
        glt_config *made = nullptr;
        check(glt_config_create(&made));
        config_.reset(made);
    }
    config &set(const std::string &key, const std::string &value)
    {
        check(glt_config_set(get(), key.c_str(), value.c_str()));
        return *this;
    }
    config &read(const std::string &path)
    {
        check(glt_config_read(get(), path.c_str()));
        return *this;
    }
    std::string value(const std::string &key) const
    {
        char text[4096];
        check(glt_config_get(get(), key.c_str(), text, sizeof text));
        return text;
    }
    glt_config *get() const noexcept
    {
        return config_.get();
    }

  private:
    detail::owner<glt_config, glt_config_free> config_;
};

/** One cloud as arrays, for a single pass: see struct glt_points. */
struct points : glt_points {
    points() : glt_points{}
    {
        size = sizeof(glt_points);
    }
    template <class T> points(const T *coordinates, std::int64_t count) : points()
    {
        static_assert(std::is_floating_point_v<T>, "coordinates are float or double");
        xyz = coordinates;
        type = detail::type_of<T>();
        n = count;
    }
};

/** A trained network. */
class model
{
  public:
    explicit model(glt_model *owned) : model_(owned) {}
    model(const config &settings, int classes)
    {
        glt_model *made = nullptr;
        check(glt_model_create(&made, settings.get(), classes));
        model_.reset(made);
    }
    static model load(const std::string &path)
    {
        glt_model *made = nullptr;
        check(glt_model_load(&made, path.c_str()));
        return model(made);
    }
    static model load(const void *bytes, std::size_t len)
    {
        glt_model *made = nullptr;
        check(glt_model_load_buffer(&made, bytes, len));
        return model(made);
    }
    void save(const std::string &path, const std::string &options = "") const
    {
        check(glt_model_save(get(), path.c_str(), options.c_str()));
    }
    buffer save_buffer(const std::string &options = "") const
    {
        void *bytes = nullptr;
        std::size_t len = 0;
        check(glt_model_save_buffer(&bytes, &len, get(), options.c_str()));
        return {bytes, len};
    }
    int classes() const
    {
        return check(glt_model_classes(get()));
    }
    int channels() const
    {
        return check(glt_model_channels(get()));
    }
    std::int64_t parameters() const
    {
        return check(glt_model_parameters(get()));
    }
    std::string name(int label) const
    {
        const char *text = "";
        check(glt_model_class(get(), label, &text, nullptr));
        return text;
    }
    void rename(int label, const std::string &name)
    {
        check(glt_model_set_class(get(), label, name.c_str(), nullptr));
    }
    std::string option(const std::string &key) const
    {
        char text[4096];
        check(glt_model_option(get(), key.c_str(), text, sizeof text));
        return text;
    }
    std::string info(const std::string &options = "") const
    {
        char *text = nullptr;
        check(glt_model_info(&text, get(), options.c_str()));
        return detail::take(text);
    }
    bool classifies() const
    {
        return option("task") == "classify";
    }

    struct pass {
        std::vector<std::int32_t> labels; /**< (n), or one in classification */
        std::vector<float> probabilities; /**< (n, classes) */
    };
    /** One pass over points: as many as fit into one. */
    pass predict(const points &p) const
    {
        std::size_t rows = classifies() ? 1 : static_cast<std::size_t>(p.n);
        pass out{std::vector<std::int32_t>(rows),
                 std::vector<float>(rows * static_cast<std::size_t>(classes()))};
        check(glt_model_predict(get(), &p, out.labels.data(), out.probabilities.data()));
        return out;
    }
    /** The decoder's last features, (n, channels). */
    std::vector<float> features(const points &p) const
    {
        std::size_t rows = classifies() ? 1 : static_cast<std::size_t>(p.n);
        std::size_t width = static_cast<std::size_t>(check(glt_model_feature_channels(get())));
        std::vector<float> out(rows * width);
        check(glt_model_features(get(), &p, out.data()));
        return out;
    }
    void explain(const points &p, const std::string &path) const
    {
        check(glt_model_explain(get(), &p, path.c_str()));
    }
    glt_model *get() const noexcept
    {
        return model_.get();
    }

  private:
    detail::owner<glt_model, glt_model_free> model_;
};

/** Points and their attributes. */
class cloud
{
  public:
    explicit cloud(glt_cloud *owned) : cloud_(owned) {}
    explicit cloud(std::int64_t n)
        : cloud_(make([&](glt_cloud **out) { return glt_cloud_create(out, n); }))
    {
    }
    static cloud read(const std::string &path, const std::string &options = "")
    {
        return cloud(make(
            [&](glt_cloud **out) { return glt_cloud_read(out, path.c_str(), options.c_str()); }));
    }
    static cloud read(const void *bytes, std::size_t len, const std::string &options = "")
    {
        return cloud(make([&](glt_cloud **out) {
            return glt_cloud_read_buffer(out, bytes, len, options.c_str());
        }));
    }
    void write(const std::string &path, const std::string &options = "") const
    {
        check(glt_cloud_write(get(), path.c_str(), options.c_str()));
    }
    buffer write_buffer(const std::string &options) const
    {
        void *bytes = nullptr;
        std::size_t len = 0;
        check(glt_cloud_write_buffer(&bytes, &len, get(), options.c_str()));
        return {bytes, len};
    }

    std::size_t size() const
    {
        return static_cast<std::size_t>(check(glt_cloud_count(get())));
    }
    std::vector<std::string> names() const
    {
        std::vector<std::string> found;
        const char *name = "";
        glt_type type;
        int width;
        while (glt_cloud_attribute(get(), static_cast<int>(found.size()), &name, &type, &width) ==
               0)
            found.emplace_back(name);
        return found;
    }
    /** A copy, converted to T. */
    template <class T> std::vector<T> get(const std::string &name) const
    {
        std::vector<T> values(size());
        check(glt_cloud_get(get(), name.c_str(), detail::type_of<T>(), values.data(), 0));
        return values;
    }
    /** The values in place, until the cloud changes. std::invalid_argument unless they are of type
     * T, unscaled, and one for each point. */
    template <class T> view<const T> column(const std::string &name) const
    {
        glt_column found{};
        found.size = sizeof found;
        check(glt_cloud_column(get(), name.c_str(), &found));
        if (found.type != detail::type_of<T>() || found.width != 1 || found.scale != 1 ||
            found.offset != 0)
            throw std::invalid_argument("attribute " + name +
                                        " is stored in another type: use get, which converts");
        return {static_cast<const T *>(found.data), size(), found.stride};
    }
    /** Copies values in. */
    template <class T> void set(const std::string &name, view<T> values)
    {
        require(values.size(), name);
        check(glt_cloud_set(get(), name.c_str(), detail::type_of<T>(), values.data(),
                            values.stride()));
    }
    template <class T> void set(const std::string &name, const std::vector<T> &values)
    {
        set(name, view<const T>(values));
    }
    /** The same without a copy: the values must outlive the cloud. */
    template <class T> void borrow(const std::string &name, view<T> values)
    {
        require(values.size(), name);
        check(glt_cloud_borrow(get(), name.c_str(), detail::type_of<T>(), values.data(),
                               values.stride()));
    }
    /** Borrows x, y and z from an array (size, 3). */
    template <class T> void borrow_xyz(const T *xyz)
    {
        static const char *const names[] = {"x", "y", "z"};
        for (int d = 0; d < 3; d++)
            borrow(names[d], view<const T>(xyz + d, size(), 3 * sizeof(T)));
    }
    void remove(const std::string &name)
    {
        check(glt_cloud_remove(get(), name.c_str()));
    }
    void name_class(std::int32_t number, const std::string &name)
    {
        check(glt_cloud_set_class(get(), number, detail::or_null(name)));
    }

    /** Another cloud over the same values; a change of either is not seen in the other. Values that
     * this one has borrowed must outlive both. */
    cloud share() const
    {
        return cloud(make([&](glt_cloud **out) { return glt_cloud_share(out, get()); }));
    }
    cloud select(view<const std::int64_t> rows) const
    {
        std::vector<std::int64_t> packed(rows.begin(), rows.end());
        return cloud(make([&](glt_cloud **out) {
            return glt_cloud_select(out, get(), packed.data(),
                                    static_cast<std::int64_t>(packed.size()));
        }));
    }
    cloud edit(const std::string &options) const
    {
        return cloud(
            make([&](glt_cloud **out) { return glt_cloud_edit(out, get(), options.c_str()); }));
    }
    std::string info(bool json = false) const
    {
        char *text = nullptr;
        check(glt_cloud_info(&text, get(), json));
        return detail::take(text);
    }
    std::string provenance() const
    {
        char *text = nullptr;
        check(glt_cloud_provenance(&text, get()));
        return detail::take(text);
    }
    void render(const std::string &path, const std::string &options = "",
                const cloud *truth = nullptr) const
    {
        check(
            glt_cloud_render(get(), truth ? truth->get() : nullptr, path.c_str(), options.c_str()));
    }
    void report(const std::string &path, const std::string &title) const
    {
        check(glt_cloud_report(get(), path.c_str(), title.c_str()));
    }
    /** Writes a page that shows the cloud in a browser: see glt_view. */
    void write_page(const std::string &path, glt_view_options options = {}) const
    {
        options.size = sizeof options;
        const glt_cloud *shown = get();
        check(glt_view(&shown, 1, path.c_str(), &options));
    }
    /** The tiles that a person should correct next: see glt_next. */
    std::vector<glt_tile> next(const model &m, int tiles = 8, const std::string &options = "") const
    {
        std::vector<glt_tile> found(static_cast<std::size_t>(tiles > 0 ? tiles : 1));
        const glt_cloud *one = get();
        found[0].size = sizeof found[0];
        check(glt_next(found.data(), &tiles, m.get(), &one, 1, options.c_str()));
        found.resize(static_cast<std::size_t>(tiles));
        return found;
    }
    /** Applies the corrections of a patch file. */
    glt_patched patch(const std::string &path, const std::string &options = "")
    {
        glt_patched changed{};
        check(glt_patch(get(), path.c_str(), options.c_str(), &changed));
        return changed;
    }
    /** Labels every point: see glt_cloud_predict. probabilities (classes) may be NULL. */
    glt_prediction predict(const model &m, const std::string &options = "",
                           float *probabilities = nullptr)
    {
        glt_prediction found{};
        found.size = sizeof found;
        check(glt_cloud_predict(get(), m.get(), options.c_str(), &found, probabilities));
        return found;
    }
    void explain(const model &m, const std::string &path, const std::string &options = "") const
    {
        check(glt_cloud_explain(get(), m.get(), path.c_str(), options.c_str()));
    }
    glt_cloud *get() const noexcept
    {
        return cloud_.get();
    }

  private:
    template <class Function> static glt_cloud *make(Function &&function)
    {
        glt_cloud *made = nullptr;
        check(function(&made));
        return made;
    }
    void require(std::size_t values, const std::string &name) const
    {
        if (values != size())
            throw std::invalid_argument("attribute " + name + ": " + std::to_string(values) +
                                        " values for " + std::to_string(size()) + " points");
    }

    detail::owner<glt_cloud, glt_cloud_free> cloud_;
};

/** Runs a model over many small clouds; one per thread. The model must outlive it. */
class predictor
{
  public:
    predictor(const model &m, std::int64_t points)
    {
        glt_predictor *made = nullptr;
        check(glt_predictor_create(&made, m.get(), points));
        predictor_.reset(made);
    }
    /** labels (n), probabilities (n, classes), as glt_predictor_run; either may be NULL. */
    void run(const points &p, std::int32_t *labels, float *probabilities = nullptr)
    {
        check(glt_predictor_run(predictor_.get(), &p, labels, probabilities));
    }

  private:
    detail::owner<glt_predictor, glt_predictor_free> predictor_;
};

/** Single steps of Adam on arrays. The model must outlive it. */
class trainer
{
  public:
    trainer(model &m, int clouds, std::int64_t points)
    {
        glt_trainer *made = nullptr;
        check(glt_trainer_create(&made, m.get(), clouds, points));
        trainer_.reset(made);
    }
    /** The total loss; lr 0: the option's. */
    double step(const std::vector<points> &batch, double lr = 0)
    {
        double losses[6];
        std::vector<glt_points> raw(batch.begin(), batch.end());
        check(
            glt_trainer_step(trainer_.get(), raw.data(), static_cast<int>(raw.size()), lr, losses));
        return losses[0];
    }

  private:
    detail::owner<glt_trainer, glt_trainer_free> trainer_;
};

/** Receives the state after each step of a run; true stops it, and the call throws
 * GLT_EINTERRUPTED. */
using on_step = std::function<bool(const glt_train_status &)>;
/** Receives the findings of a check. */
using on_finding = std::function<void(const glt_finding &)>;

namespace detail
{

template <class Function> struct callback {
    const Function *function;
    thrown caught;
};

inline int step(void *user, const glt_train_status *status)
{
    auto *c = static_cast<callback<on_step> *>(user);
    return c->caught.guard([&] { return *c->function && (*c->function)(*status); });
}

struct findings : callback<on_finding> {
    bool error;

    static void add(void *user, const glt_finding *f)
    {
        auto *c = static_cast<findings *>(user);
        c->error = c->error || f->error;
        c->caught.guard([&] { return (*c->function)(*f), false; });
    }
    /** expected: the code of a check that found an error; any other means that it could not run. */
    bool finish(int code, int expected)
    {
        caught.finish(error && code == expected ? 0 : code);
        return !error;
    }
};

} // namespace detail

/** Trains on a dataset: see glt_train. The size of the options is set here. */
inline void train(const config &settings, const std::string &data, glt_train_options options = {},
                  const on_step &fn = nullptr)
{
    options.size = sizeof options;
    detail::callback<on_step> c{&fn, {}};
    c.caught.finish(glt_train(settings.get(), detail::or_null(data), &options, detail::step, &c));
}

/** Scores a model on a dataset; a table, or JSON if the options say so. */
inline std::string evaluate(const std::string &model, const std::string &data,
                            const config &settings = {}, glt_eval_options options = {})
{
    options.size = sizeof options;
    char *report = nullptr;
    check(glt_evaluate(&report, model.c_str(), data.c_str(), settings.get(), &options));
    return detail::take(report);
}

/** Checks a dataset; true if no finding was an error. */
inline bool check_data(const std::string &data, const on_finding &fn, const config &settings = {})
{
    detail::findings c{{&fn, {}}, false};
    return c.finish(glt_check(data.c_str(), settings.get(), c.add, &c), GLT_EDATA);
}

/** Checks this build and this machine; true if no finding was an error. */
inline bool doctor(const on_finding &fn)
{
    detail::findings c{{&fn, {}}, false};
    return c.finish(glt_doctor(c.add, &c), GLT_EUNSUPPORTED);
}

} // namespace gelatto

#endif
