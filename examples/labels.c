/* Counts the points of every label in a cloud: labels FILE */
#include <gelatto.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

static int count(const char *path)
{
    struct glt_cloud *cloud = NULL;
    int code = glt_cloud_read(&cloud, path, NULL);
    if (code < 0)
        return code;
    size_t n = (size_t)glt_cloud_count(cloud);
    int32_t *label = malloc(n * sizeof *label + 1);
    code = label ? glt_cloud_get(cloud, "label", GLT_I32, label, 0) : GLT_ENOMEM;
    if (code == 0) {
        qsort(label, n, sizeof *label, by_value);
        for (size_t i = 0, first = 0; i < n; i++)
            if (i + 1 == n || label[i + 1] != label[i]) {
                printf("%" PRId32 "\t%zu\n", label[i], i + 1 - first);
                first = i + 1;
            }
    }
    free(label);
    glt_cloud_free(cloud);
    return code;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: labels FILE\n");
        return 2;
    }
    if (count(argv[1]) < 0) {
        fprintf(stderr, "labels: %s\n", glt_error_message());
        return 1;
    }
    return 0;
}
