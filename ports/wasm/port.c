/* SPDX-License-Identifier: MIT
   ports/wasm/port.c - WebAssembly without a C library: text leaves through one imported function.
   reads   nothing      writes  text, to whoever runs the module
   memory  none         cost    that of the program; memory is copied by the machine's own instructions
   after   own design */
#include "../golden/port.h"
#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int value, size_t size);

/* With bulk memory each of these is one instruction and no call. */
void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
    return __builtin_memcpy(to, from, size);
}
void *memmove(void *to, const void *from, size_t size) { return __builtin_memmove(to, from, size); }
void *memset(void *to, int value, size_t size) { return __builtin_memset(to, value, size); }

__attribute__((import_module("port"), import_name("text"))) void port_text(const char *text, size_t size);

void port_puts(const char *text)
{
    size_t size = 0;
    while (text[size]) size++;
    port_text(text, size);
}
