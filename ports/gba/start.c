/* SPDX-License-Identifier: MIT
   ports/gba/start.c - text output through the emulator's debug registers, and the timers.
   reads   timers 0 and 1      writes  the emulator's debug registers
   memory  none                cost    one store per letter
   after   mGBA's debug registers: unlock at 0x04fff780, text at 0x04fff600, send at 0x04fff700 */
#include "gba.h"
#include "../bare/bare.h"

#define GBA_BELOW_WORDS 256u /* the KiB of board.ld */

extern uint32_t gba_stack[], gba_stack_top[], gba_below_stack[];
extern unsigned char gba_fast[], gba_fast_end[], gba_fast_load[], gba_data[], gba_data_end[];

void gba_main(void);

void bare_line(const char *line)
{
    volatile unsigned char *text = (volatile unsigned char *)0x04fff600;
    do *text++ = (unsigned char)*line;
    while (*line++);
    GBA_REGISTER(0x04fff700) = 0x103; /* send, with log level info */
}

uint32_t gba_cycles(void)
{
    uint32_t high, low;
    do {
        high = GBA_REGISTER(0x04000104);
        low = GBA_REGISTER(0x04000100);
    } while (high != GBA_REGISTER(0x04000104));
    return high << 16 | low;
}

/* Below the stack is the end of the large RAM, whose mirrors fill the addresses up to there: it
   stays zero unless the stack was too deep. The code in the small RAM is compared with the
   cartridge's. */
bool bare_is_whole(void)
{
    for (uint32_t word = 0; word < GBA_BELOW_WORDS; word++)
        if (gba_below_stack[word]) return false;
    for (const unsigned char *at = gba_fast, *from = gba_fast_load; at < gba_fast_end; at++, from++)
        if ((at < gba_data || at >= gba_data_end) && *at != *from) return false;
    return true;
}

void gba_main(void)
{
    for (uint32_t word = 0; word < GBA_BELOW_WORDS; word++) gba_below_stack[word] = 0;
    GBA_REGISTER(0x04fff780) = 0xc0de;
    GBA_REGISTER(0x04000104) = 0;
    GBA_REGISTER(0x04000106) = 0x84; /* timer 1 counts overflows of timer 0 */
    GBA_REGISTER(0x04000100) = 0;
    GBA_REGISTER(0x04000102) = 0x80; /* timer 0 counts cycles */
    bare_line("port starts");
    bare_run(gba_stack, gba_stack_top);
}
