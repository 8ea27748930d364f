/* labels: full slow nightly
 * library: f64
 * The same tests on the double build, with gradients. */
#include "test_engine_oracle.c"
