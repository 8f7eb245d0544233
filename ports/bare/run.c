/* SPDX-License-Identifier: MIT
   ports/bare/run.c - start and end of a program on a console without an operating system; buffers
           text into lines.
   reads   nothing      writes  the stack below its caller, lines through bare_line
   memory  256 bytes    cost    one pass over the stack
   after   own design */
#include "bare.h"

#define STACK_PAINT 0x7ea5e77eu /* a value that programs rarely store */
#define LINE_BYTES  256u

static char bare_letters[LINE_BYTES];
static uint32_t bare_count;

void port_puts(const char *text)
{
    for (; *text; text++) {
        if (*text != '\n') bare_letters[bare_count++] = *text;
        if (*text != '\n' && bare_count + 1u < LINE_BYTES) continue;
        bare_letters[bare_count] = 0;
        bare_count = 0;
        bare_line(bare_letters);
    }
}

void bare_number(const char *before, uint32_t number, const char *behind)
{
    char text[11];
    uint32_t at = 10;
    text[at] = 0;
    do text[--at] = (char)('0' + number % 10u);
    while (number /= 10u);
    port_puts(before);
    port_puts(text + at);
    port_puts(behind);
}

__attribute__((weak)) void port_again(void) {}
__attribute__((weak)) bool bare_is_whole(void) { return true; }

void bare_run(uint32_t *stack, const uint32_t *stack_top)
{
    uintptr_t top = (uintptr_t)stack_top - 256u;
    for (volatile uint32_t *to = stack; (uintptr_t)to < top; to++) *to = STACK_PAINT;
    uint32_t code = (uint32_t)port_main();
    const volatile uint32_t *lowest = stack;
    while (lowest < stack_top && *lowest == STACK_PAINT) lowest++;
    if (*stack != STACK_PAINT || !bare_is_whole()) {
        port_puts("the stack overflowed: make it larger in the linker script\n");
        code = 1;
    }
    bare_number("stack used ", (uint32_t)((uintptr_t)stack_top - (uintptr_t)lowest), " bytes\n");
    bare_number("port ends ", code, "\n");
    for (;;) port_again();
}
