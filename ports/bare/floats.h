/* SPDX-License-Identifier: MIT
   ports/bare/floats.h - names of the float routines that ARM compilers call.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   the run-time ABI of the Arm architecture: floats are passed as their bits, in core
           registers */
#ifndef TIDEPOOL_BARE_FLOATS_H
#define TIDEPOOL_BARE_FLOATS_H
#include <stdint.h>

typedef uint32_t bits;

bits __aeabi_fmul(bits a, bits b);
bits __aeabi_fadd(bits a, bits b);
bits __aeabi_fsub(bits a, bits b);
bits __aeabi_frsub(bits a, bits b); /* b - a */
bits __aeabi_fdiv(bits a, bits b);
int __aeabi_fcmplt(bits a, bits b);
int __aeabi_fcmple(bits a, bits b);
int __aeabi_fcmpgt(bits a, bits b);
int __aeabi_fcmpge(bits a, bits b);
int __aeabi_fcmpeq(bits a, bits b);
int __aeabi_fcmpun(bits a, bits b); /* one is not a number */
int32_t __aeabi_f2iz(bits a);
uint32_t __aeabi_f2uiz(bits a);
bits __aeabi_i2f(int32_t number);
bits __aeabi_ui2f(uint32_t number);

#endif
