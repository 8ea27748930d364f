// gelatto.hpp: what its classes own they release, what fails throws, views show memory in place.
// script/check-cpp compiles it with both compilers, with the sanitizers too.
#include <gelatto.hpp>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#define EXPECT(condition)                                                                          \
    do                                                                                             \
        if (!(condition)) {                                                                        \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                   \
            std::exit(1);                                                                          \
        }                                                                                          \
    while (0)

template <class Error, class Function> static Error expect_throw(Function &&function)
{
    try {
        function();
    } catch (const Error &error) {
        return error;
    }
    std::fprintf(stderr, "an exception was expected\n");
    std::exit(1);
}

static gelatto::model tiny_model()
{
    gelatto::config config;
    config.set("preset", "tiny").set("inputs", "xyz").set("seed", "3");
    EXPECT(config.value("preset") == "tiny");
    return gelatto::model(config, 3);
}

static std::vector<double> some_points(std::size_t n)
{
    std::vector<double> xyz(3 * n);
    for (std::size_t i = 0; i < xyz.size(); i++)
        xyz[i] = static_cast<double>(i * 7919 % 1000) / 250;
    return xyz;
}

static gelatto::cloud cloud_of(const std::vector<double> &xyz)
{
    gelatto::cloud cloud(static_cast<std::int64_t>(xyz.size() / 3));
    cloud.borrow_xyz(xyz.data());
    return cloud;
}

static void errors_carry_code_topic_and_file()
{
    auto error =
        expect_throw<gelatto::error>([] { return gelatto::cloud::read("no/such/file.ply"); });
    EXPECT(error.code() == GLT_EIO && error.topic() == GLT_TOPIC_NOT_FOUND);
    EXPECT(error.file() == "no/such/file.ply" && error.place(GLT_PLACE_LINE) == -1);
    error = expect_throw<gelatto::error>([] { gelatto::config().set("nonsense", "1"); });
    EXPECT(error.topic() == GLT_TOPIC_UNKNOWN_OPTION && error.name() == "nonsense");
}

static void columns_are_shown_in_place()
{
    auto xyz = some_points(100);
    auto cloud = cloud_of(xyz);
    auto y = cloud.column<double>("y");
    EXPECT(y.data() == xyz.data() + 1 && y.stride() == 24 && y.size() == 100);
    double sum = 0;
    for (double value : y)
        sum += value;
    double wanted = 0;
    for (std::size_t i = 0; i < 100; i++)
        wanted += xyz[3 * i + 1];
    EXPECT(sum == wanted);
    expect_throw<std::invalid_argument>([&] { return cloud.column<float>("y"); });
    std::vector<std::uint8_t> labels(100, 2);
    cloud.set("label", labels);
    EXPECT(cloud.get<std::int32_t>("label")[99] == 2 && cloud.names().size() == 4);
    labels.pop_back();
    expect_throw<std::invalid_argument>([&] { cloud.set("label", labels); });
}

static void clouds_are_shared_selected_edited_and_written()
{
    auto xyz = some_points(50);
    auto cloud = cloud_of(xyz);
    cloud.name_class(4, "chair");
    auto shared = cloud.share();
    shared.remove("x");
    EXPECT(cloud.names().size() == 3 && shared.names().size() == 2);
    cloud.set("y", std::vector<double>(50, 7));
    auto second = cloud.share();
    cloud.remove("y");
    EXPECT(second.get<double>("y")[1] == 7 && shared.get<double>("y")[1] == xyz[4]);
    cloud.set("y", second.get<double>("y"));
    std::vector<std::int64_t> rows = {3, 1};
    auto two = cloud.select(gelatto::view<const std::int64_t>(rows.data(), rows.size()));
    EXPECT(two.size() == 2 && two.get<double>("x")[1] == xyz[3]);
    EXPECT(cloud.edit("shift=1,0,0").get<double>("x")[0] == xyz[0] + 1);
    auto bytes = cloud.write_buffer("format=ply");
    auto again = gelatto::cloud::read(bytes.data(), bytes.size());
    EXPECT(again.get<double>("z") == cloud.get<double>("z"));
    gelatto::cloud moved = std::move(again);
    EXPECT(moved.size() == 50 && moved.info(true)[0] == '{');
}

static void models_predict_clouds_and_arrays()
{
    auto model = tiny_model();
    model.rename(1, "wall");
    EXPECT(model.name(1) == "wall" && model.classes() == 3 && model.parameters() > 0);
    auto xyz = some_points(300);
    auto cloud = cloud_of(xyz);
    EXPECT(cloud.predict(model, "probabilities").points == 300);
    EXPECT(cloud.column<float>("confidence").size() == 300);
    gelatto::points points(xyz.data(), 300);
    auto pass = model.predict(points);
    std::vector<std::int32_t> labels(300);
    gelatto::predictor(model, 300).run(points, labels.data());
    EXPECT(labels == pass.labels && pass.probabilities.size() == 900);
    EXPECT(!model.features(points).empty());
    auto bytes = model.save_buffer();
    auto again = gelatto::model::load(bytes.data(), bytes.size());
    EXPECT(again.predict(points).probabilities == pass.probabilities);
}

static void contexts_cancel_report_and_rethrow()
{
    auto model = tiny_model();
    auto xyz = some_points(300);
    int reports = 0;
    gelatto::context::options options;
    options.threads = 1;
    options.progress = [&](std::string_view, std::int64_t, std::int64_t) {
        return ++reports > 1000;
    };
    gelatto::context context(std::move(options));
    auto cloud = cloud_of(xyz);
    EXPECT(context.run([&] { return cloud.predict(model); }).points == 300 && reports > 0);
    context.cancel();
    auto error =
        expect_throw<gelatto::error>([&] { context.run([&] { return cloud.predict(model); }); });
    EXPECT(error.code() == GLT_EINTERRUPTED);
    cloud.predict(model); // outside of it

    gelatto::context::options throwing;
    throwing.progress = [](std::string_view, std::int64_t, std::int64_t) -> bool {
        throw std::domain_error("enough");
    };
    gelatto::context other(std::move(throwing));
    expect_throw<std::domain_error>([&] { other.run([&] { return cloud.predict(model); }); });
}

static void threads_predict_at_once()
{
    auto model = tiny_model();
    auto xyz = some_points(300);
    auto alone = cloud_of(xyz);
    alone.predict(model);
    auto wanted = alone.get<std::int32_t>("label");
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&] {
            auto cloud = cloud_of(xyz);
            cloud.predict(model);
            EXPECT(cloud.get<std::int32_t>("label") == wanted);
        });
    for (auto &thread : threads)
        thread.join();
}

static void runs_report_steps_and_what_callbacks_throw(const std::string &folder)
{
    gelatto::config config;
    config.set("preset", "tiny").set("points", "256").set("block_min", "16").set("batch", "1");
    const std::string data = "synth:rooms rooms=1 points=600";
    glt_train_options options{};
    options.runs = folder.c_str();
    options.steps = 2;
    int steps = 0;
    gelatto::train(config, data, options, [&](const glt_train_status &status) {
        EXPECT(status.step == ++steps);
        return false;
    });
    EXPECT(steps == 2);
    expect_throw<std::out_of_range>([&] {
        gelatto::train(config, data, options,
                       [](const glt_train_status &) -> bool { throw std::out_of_range("step"); });
    });
    std::string card = gelatto::evaluate(folder + "/train1/last.safetensors", data, config);
    EXPECT(card.find("mIoU") != std::string::npos);
}

static void checks_report_findings(const std::string &folder)
{
    int findings = 0;
    EXPECT(gelatto::doctor([&](const glt_finding &finding) {
        EXPECT(*finding.topic);
        findings++;
    }));
    EXPECT(findings > 3);
    expect_throw<gelatto::error>(
        [] { gelatto::check_data("no/such/folder", [](const auto &) {}); });
    // a folder without clouds: nothing was checked, which is not "no error"
    std::filesystem::create_directories(folder + "/empty");
    auto error = expect_throw<gelatto::error>(
        [&] { gelatto::check_data(folder + "/empty", [](const auto &) {}); });
    EXPECT(error.code() == GLT_EDATA);
}
int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    errors_carry_code_topic_and_file();
    columns_are_shown_in_place();
    clouds_are_shared_selected_edited_and_written();
    models_predict_clouds_and_arrays();
    contexts_cancel_report_and_rethrow();
    threads_predict_at_once();
    runs_report_steps_and_what_callbacks_throw(argv[1]);
    checks_report_findings(argv[1]);
    std::puts("gelatto.hpp: all is well");
}
