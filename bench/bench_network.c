/* Inference and training of a preset: seconds, shares of the FMA peak, bytes.
 * bench_network infer|train [preset [clouds [points [key=value ...]]]] */
#include "core/error.h"
#include "task/speed.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv)
{
    struct config c;
    struct speed s;
    int train = argc > 1 && !strcmp(argv[1], "train");
    config_default(&c);
    int code = config_set(&c, "preset", argc > 2 ? argv[2] : "paper");
    int clouds = argc > 3 ? atoi(argv[3]) : train ? 2 : 1;
    int points = argc > 4 ? atoi(argv[4]) : 6144;
    for (int i = 5; i < argc && code == 0; i++)
        code = config_set_pair(&c, argv[i]);
    if (code == 0)
        code = speed_measure(&s, &c, train, clouds, points, 5);
    if (code < 0) {
        fprintf(stderr, "bench_network: %s\n", glt_error_message());
        return 1;
    }
    printf("%s\t%.4f s\tgeometry %.4f s\t%.2f GFLOP\t%.1f GFLOP/s of %.1f\t%.0f %%\t%.1f MB\n",
           argc > 1 ? argv[1] : "infer", s.seconds, s.geometry, 2e-9 * s.macs,
           2e-9 * s.macs / s.seconds, 1e-9 * s.peak_flops, 200 * s.macs / s.seconds / s.peak_flops,
           1e-6 * (double)s.bytes);
    return 0;
}
