/* SPDX-License-Identifier: MIT
   ports/nintendo64/start.c - text output through the emulated IS-Viewer.
   reads   nothing      writes  the IS-Viewer's registers in the cartridge's space
   memory  none         cost    one store per four letters
   after   IS-Viewer 64: text from offset 0x20 on; writing its length to 0x14 prints it */
#include "../bare/bare.h"

#define VIEWER ((volatile uint32_t *)0xb3ff0000u)

extern uint32_t n64_stack[], n64_stack_top[];

void n64_main(void);

void bare_line(const char *line)
{
    uint32_t count = 0, word = 0;
    while (line[count]) {
        word |= (uint32_t)(unsigned char)line[count] << (24u - 8u * (count & 3u));
        if ((++count & 3u) == 0) VIEWER[7u + count / 4u] = word, word = 0;
    }
    VIEWER[8u + count / 4u] = word | (uint32_t)'\n' << (24u - 8u * (count & 3u));
    VIEWER[5] = count + 1u;
}

void n64_main(void) { bare_run(n64_stack, n64_stack_top); }
