/* Random streams: see random.h. */
#include "core/random.h"

#include "core/error.h"

#include <Random123/philox.h>

struct random_stream random_stream(uint64_t seed, uint32_t epoch, uint32_t sample, uint32_t purpose)
{
    philox4x32_key_t key = {{(uint32_t)seed, (uint32_t)(seed >> 32)}};
    philox4x32_ctr_t counter = {{epoch, sample, purpose, 0x67656c61}};
    philox4x32_ctr_t out = philox4x32(counter, key);
    return (struct random_stream){{out.v[0], out.v[1]}, {out.v[2], out.v[3]}};
}

void random_block(uint32_t word[4], const struct random_stream *s, uint32_t lane, uint32_t index)
{
    philox4x32_key_t key = {{s->key[0], s->key[1]}};
    philox4x32_ctr_t counter = {{index, lane, s->base[0], s->base[1]}};
    philox4x32_ctr_t out = philox4x32(counter, key);
    for (int i = 0; i < 4; i++)
        word[i] = out.v[i];
}

struct random random_start(struct random_stream s, uint32_t lane)
{
    return (struct random){.stream = s, .lane = lane};
}

uint32_t random_u32(struct random *r)
{
    if (r->left == 0) {
        random_block(r->word, &r->stream, r->lane, r->index++);
        r->left = 4;
    }
    return r->word[4 - r->left--];
}

/* Lemire's multiply-and-reject: no modulo bias. */
uint32_t random_below(struct random *r, uint32_t n)
{
    ASSERT(n > 0);
    uint64_t product = (uint64_t)random_u32(r) * n;
    if ((uint32_t)product < n) {
        uint32_t threshold = -n % n;
        while ((uint32_t)product < threshold)
            product = (uint64_t)random_u32(r) * n;
    }
    return (uint32_t)(product >> 32);
}

double random_uniform(struct random *r)
{
    uint64_t high = random_u32(r) >> 5, low = random_u32(r) >> 6;
    return (double)(high << 26 | low) * 0x1p-53;
}

/* Wichura's AS 241 inverts the normal distribution with rational functions. Its tails need log and
 * sqrt. The logarithm of libm differs between systems; the one below is made of additions and
 * multiplications, so all of them draw the same numbers. */
static double natural_log(double x) /* 0 < x <= 1 */
{
    int exponent = 0;
    while (x < 0.70710678118654752440) {
        x *= 2;
        exponent--;
    }
    double t = (x - 1) / (x + 1), t2 = t * t, sum = 0;
    for (int k = 27; k >= 1; k -= 2) /* 2 atanh(t), |t| <= 0.172: terms below 1e-20 are gone */
        sum = sum * t2 + 1.0 / k;
    return 2 * t * sum + exponent * 0.69314718055994530942;
}

static double square_root(double x) /* IEEE: correctly rounded everywhere */
{
    return __builtin_sqrt(x);
}

static double polynomial(const double *c, int n, double x)
{
    double sum = c[n - 1];
    for (int i = n - 2; i >= 0; i--)
        sum = sum * x + c[i];
    return sum;
}

double random_normal(struct random *r)
{
    static const double a[] = {3.3871328727963666080e0,  1.3314166789178437745e+2,
                               1.9715909503065514427e+3, 1.3731693765509461125e+4,
                               4.5921953931549871457e+4, 6.7265770927008700853e+4,
                               3.3430575583588128105e+4, 2.5090809287301226727e+3};
    static const double b[] = {1.0,
                               4.2313330701600911252e+1,
                               6.8718700749205790830e+2,
                               5.3941960214247511077e+3,
                               2.1213794301586595867e+4,
                               3.9307895800092710610e+4,
                               2.8729085735721942674e+4,
                               5.2264952788528545610e+3};
    static const double c[] = {1.42343711074968357734e0,  4.63033784615654529590e0,
                               5.76949722146069140550e0,  3.64784832476320460504e0,
                               1.27045825245236838258e0,  2.41780725177450611770e-1,
                               2.27238449892691845833e-2, 7.74545014278341407640e-4};
    static const double d[] = {1.0,
                               2.05319162663775882187e0,
                               1.67638483018380384940e0,
                               6.89767334985100004550e-1,
                               1.48103976427480074590e-1,
                               1.51986665636164571966e-2,
                               5.47593808499534494600e-4,
                               1.05075007164441684324e-9};
    static const double e[] = {6.65790464350110377720e0,  5.46378491116411436990e0,
                               1.78482653991729133580e0,  2.96560571828504891230e-1,
                               2.65321895265761230930e-2, 1.24266094738807843860e-3,
                               2.71155556874348757815e-5, 2.01033439929228813265e-7};
    static const double f[] = {1.0,
                               5.99832206555887937690e-1,
                               1.36929880922735805310e-1,
                               1.48753612908506148525e-2,
                               7.86869131145613259100e-4,
                               1.84631831751005468180e-5,
                               1.42151175831644588870e-7,
                               2.04426310338993978564e-15};
    double p = random_uniform(r) + 0x1p-54; /* in (0, 1): the last sum would round to 1 */
    p = p < 1 ? p : 1 - 0x1p-53;
    double q = p - 0.5;
    if (q >= -0.425 && q <= 0.425) {
        double t = 0.180625 - q * q;
        return q * polynomial(a, 8, t) / polynomial(b, 8, t);
    }
    double t = square_root(-natural_log(q < 0 ? p : 1 - p));
    double x = t <= 5 ? polynomial(c, 8, t - 1.6) / polynomial(d, 8, t - 1.6)
                      : polynomial(e, 8, t - 5) / polynomial(f, 8, t - 5);
    return q < 0 ? -x : x;
}

void random_shuffle(struct random *r, int32_t *items, int32_t n)
{
    for (int32_t i = n - 1; i > 0; i--) {
        int32_t j = (int32_t)random_below(r, (uint32_t)i + 1), item = items[i];
        items[i] = items[j];
        items[j] = item;
    }
}

/* Ascending, in place: parted by one bit after the other, which suits evenly spread values. */
static void sort_by_bits(int32_t *items, int32_t n, int bit)
{
    while (n > 16 && bit >= 0) {
        int32_t low = 0, high = n;
        while (low < high) {
            int32_t item = items[low];
            if (item >> bit & 1) {
                items[low] = items[--high];
                items[high] = item;
            } else {
                low++;
            }
        }
        sort_by_bits(items + low, n - low, --bit);
        n = low;
    }
    for (int32_t i = 1; i < n; i++) {
        int32_t item = items[i], j = i;
        for (; j > 0 && items[j - 1] > item; j--)
            items[j] = items[j - 1];
        items[j] = item;
    }
}

/* Drawing with replacement until k different ones are there gives every set of k the same chance.
 * Draws come in batches of what is missing, so there are never more than k. */
static void sample_few(struct random *r, int32_t *out, int32_t k, int32_t n)
{
    int top = 31 - __builtin_clz((uint32_t)n | 1);
    for (int32_t have = 0; have < k;) {
        for (int32_t i = have; i < k; i++)
            out[i] = (int32_t)random_below(r, (uint32_t)n);
        sort_by_bits(out, k, top);
        have = 1;
        for (int32_t i = 1; i < k; i++) {
            if (out[i] != out[have - 1])
                out[have++] = out[i];
        }
    }
}

/* Selection sampling (Knuth, algorithm S): each item is taken with chance needed / remaining. */
static void sample_many(struct random *r, int32_t *out, int32_t k, int32_t n)
{
    int32_t taken = 0;
    for (int32_t i = 0; i < n && taken < k; i++) {
        if ((int32_t)random_below(r, (uint32_t)(n - i)) < k - taken)
            out[taken++] = i;
    }
}

void random_sample(struct random *r, int32_t *out, int32_t k, int32_t n)
{
    ASSERT(k <= n);
    if (k <= n / 4)
        sample_few(r, out, k, n);
    else
        sample_many(r, out, k, n);
}
