/* SPDX-License-Identifier: MIT
   tests/physics/theory.h - functions of exact solutions that fluids are compared with.
   reads   arguments      writes  nothing
   memory  none           cost    none of note
   after   Lamb 1932 */
#ifndef TIDEPOOL_TEST_THEORY_H
#define TIDEPOOL_TEST_THEORY_H
#include <stdint.h>

/* Bessel function of the first kind, of order 1. */
static inline double bessel(double x)
{
    double term = x / 2, sum = term;
    for (uint32_t k = 1; k < 40; k++) {
        term *= -x * x / 4 / (k * (k + 1.0));
        sum += term;
    }
    return sum;
}

#endif
