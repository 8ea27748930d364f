// Learns to separate low points from high ones, on arrays alone, and labels others: arrays
#include <gelatto.hpp>

#include <cstdio>
#include <random>

struct sample {
    std::vector<float> xyz;
    std::vector<std::int32_t> labels;
};

static sample draw(std::mt19937 &random, std::size_t n)
{
    std::uniform_real_distribution<float> uniform(0, 2);
    sample s;
    for (std::size_t i = 0; i < 3 * n; i++)
        s.xyz.push_back(uniform(random));
    for (std::size_t i = 0; i < n; i++)
        s.labels.push_back(s.xyz[3 * i + 2] > 1);
    return s;
}

int main()
{
    try {
        gelatto::config config;
        config.set("preset", "tiny").set("inputs", "xyz").set("aux", "0");
        gelatto::model model(config, 2);
        model.rename(0, "low");
        model.rename(1, "high");

        std::mt19937 random(1);
        gelatto::trainer trainer(model, 1, 512);
        for (int i = 0; i < 20; i++) {
            sample s = draw(random, 512);
            gelatto::points points(s.xyz.data(), 512);
            points.labels = s.labels.data();
            double loss = trainer.step({points}, 2e-3);
            if (i % 19 == 0)
                std::printf("step %d: loss %.3f\n", i + 1, loss);
        }
        sample s = draw(random, 512);
        auto found = model.predict(gelatto::points(s.xyz.data(), 512));
        int right = 0;
        for (std::size_t i = 0; i < s.labels.size(); i++)
            right += found.labels[i] == s.labels[i];
        std::printf("%d of 512 points are right\n", right);
    } catch (const gelatto::error &error) {
        std::fprintf(stderr, "arrays: %s\n", error.what());
        return 1;
    }
}
