/* SPDX-License-Identifier: MIT
   ports/golden/print.h - prints numbers, for programs whose only output is port_puts.
   reads   its arguments      writes  the port's console
   memory  some bytes of stack      cost  O(digits)
   after   own design */
#ifndef TIDEPOOL_PORT_PRINT_H
#define TIDEPOOL_PORT_PRINT_H
#include "port.h"
#include <stdint.h>

static inline void port_put_number(const char *label, uint64_t number)
{
    char text[21];
    uint32_t at = 20;
    text[at] = 0;
    do text[--at] = (char)('0' + number % 10u);
    while (number /= 10u);
    port_puts(label);
    port_puts(text + at);
}

static inline void port_put_hash(const char *label, uint64_t hash)
{
    char text[17];
    for (uint32_t i = 0; i < 16; i++) text[i] = "0123456789abcdef"[hash >> (60u - 4u * i) & 15u];
    text[16] = 0;
    port_puts(label);
    port_puts(text);
}

#endif
