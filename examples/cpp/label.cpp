// Labels a cloud and counts the points of every class: label MODEL IN OUT
#include <gelatto.hpp>

#include <cstdio>
#include <map>

static void label(const std::string &model_path, const std::string &in, const std::string &out)
{
    auto model = gelatto::model::load(model_path);
    auto cloud = gelatto::cloud::read(in);
    gelatto::context::options options;
    options.log = [](glt_log_level level, std::string_view message) {
        if (level == GLT_LOG_WARNING)
            std::fprintf(stderr, "warning: %.*s\n", static_cast<int>(message.size()),
                         message.data());
    };
    gelatto::context context(std::move(options));
    context.run([&] { return cloud.predict(model); });

    std::map<int, std::size_t> counts;
    for (int class_number : cloud.get<std::int32_t>("label"))
        counts[class_number]++;
    for (auto [class_number, count] : counts)
        std::printf("%s\t%zu\n", class_number < 0 ? "-" : model.name(class_number).c_str(), count);
    cloud.write(out);
}

int main(int argc, char **argv)
{
    if (argc != 4) {
        std::fprintf(stderr, "usage: label MODEL IN OUT\n");
        return 2;
    }
    try {
        label(argv[1], argv[2], argv[3]);
    } catch (const gelatto::error &error) {
        std::fprintf(stderr, "label: %s\n", error.what());
        return 1;
    }
}
