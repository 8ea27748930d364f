/* labels: quick
 * library: f64
 * The same tests on the double build. */
#include "test_gemm.c"
