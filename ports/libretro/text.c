/* SPDX-License-Identifier: MIT
   ports/libretro/text.c - runs a text program in a core, during the first picture.
   reads   nothing      writes  the lines of the program to the frontend's log; at the end `port
           ends CODE`
   memory  256 bytes and a dark picture      cost    that of the program
   after   own design: the golden scenes run inside a core, in the frontend's process and with its
           floating-point settings */
#include "core.h"

#define LINE_BYTES 256u

static char text_line[LINE_BYTES];
static uint32_t text_letters;

static void text_end(void)
{
    text_line[text_letters] = 0;
    text_letters = 0;
    core_log(false, text_line);
}

void port_puts(const char *text)
{
    for (; *text; text++) {
        if (*text != '\n') text_line[text_letters++] = *text;
        if (*text == '\n' || text_letters + 1u == LINE_BYTES) text_end();
    }
}

bool shown_begin(void) { return true; }

bool shown_next(uint32_t buttons)
{
    (void)buttons;
    port_puts(port_main() ? "port ends 1\n" : "port ends 0\n");
    return false;
}

const uint32_t *shown_picture(void)
{
    static const uint32_t dark[SCREEN_HEIGHT * SCREEN_WIDTH];
    return dark;
}

/* ---- no state to save ---- */

void shown_limit(uint32_t units) { (void)units; }
size_t shown_state_bytes(void) { return 0; }
void shown_save(void *to) { (void)to; }

bool shown_restore(const void *from)
{
    (void)from;
    return false;
}

void *shown_memory(size_t *bytes)
{
    *bytes = 0;
    return NULL;
}
