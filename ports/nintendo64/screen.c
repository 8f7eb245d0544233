/* SPDX-License-Identifier: MIT
   ports/nintendo64/screen.c - screen through the video interface: two pictures of 320 x 240 in RAM,
           5 bits per colour component.
   reads   the first controller      writes  the pictures, uncached
   memory  two pictures, 300 KiB      cost    one store per four bytes inside wide rectangles
   after   registers of the video and the serial interface; values of the American standard */
#include "../screen/screen.h"

#define VIDEO  ((volatile uint32_t *)0xa4400000u)
#define SERIAL ((volatile uint32_t *)0xa4800000u)
#define PIF    0x1fc007c0u /* 64 bytes of PIF RAM, which exchange data with the controllers */

typedef struct screen_pictures {
    uint16_t pixels[2][SCREEN_HEIGHT][SCREEN_WIDTH];
} screen_pictures;

static __attribute__((section(".pictures"), aligned(64))) screen_pictures screen_shown;
static _Alignas(16) uint32_t screen_packet[16];
static uint16_t screen_words[SCREEN_COLOURS];
static uint32_t screen_page;

/* The uncached address of the same bytes. */
static uintptr_t screen_uncached(const volatile void *address)
{
    return (uintptr_t)address | 0x20000000u;
}
static uint32_t screen_physical(const volatile void *address)
{
    return (uint32_t)((uintptr_t)address & 0x1fffffffu);
}

void port_screen_begin(const screen_colour colours[SCREEN_COLOURS])
{
    /* 16 bits per pixel; the scale factors halve 640 x 480 */
    static const uint32_t registers[14] = {
        0x00003302, 0,          SCREEN_WIDTH, 2,          0,          0x03e52239, 0x0000020d,
        0x00000c15, 0x0c150c15, 0x006c02ec,   0x002501ff, 0x000e0204, 0x00000200, 0x00000400};
    for (uint32_t i = 0; i < SCREEN_COLOURS; i++)
        screen_words[i] =
            (uint16_t)(colours[i].red << 11 | colours[i].green << 6 | colours[i].blue << 1 | 1);
    for (uint32_t i = 1; i < 14; i++)
        VIDEO[i] = i == 1 ? screen_physical(&screen_shown) : registers[i];
    VIDEO[0] = registers[0];
    screen_page = 1;
}

void port_screen_fill(int32_t x, int32_t y, int32_t width, int32_t height, uint32_t colour)
{
    uint32_t word = screen_words[colour];
    for (int32_t row = y; row < y + height; row++) {
        uintptr_t from = screen_uncached(&screen_shown.pixels[screen_page][row][x]),
                  to = from + 2u * (uint32_t)width;
        if (from & 2u) *(volatile uint16_t *)from = (uint16_t)word, from += 2;
        for (; from + 4 <= to; from += 4) *(volatile uint32_t *)from = word << 16 | word;
        if (from < to) *(volatile uint16_t *)from = (uint16_t)word;
    }
}

/* The origin takes effect with the next picture; the current line is counted in half lines. */
void port_screen_show(void)
{
    VIDEO[1] = screen_physical(screen_shown.pixels[screen_page]);
    screen_page ^= 1u;
}

static void screen_serial_wait(void)
{
    while (SERIAL[6] & 3u) {}
}

/* Reads the buttons of the first controller; 0 without a controller. */
uint32_t port_screen_buttons(void)
{
    volatile uint32_t *packet = (volatile uint32_t *)screen_uncached(screen_packet);
    for (uint32_t i = 0; i < 16; i++) packet[i] = 0;
    packet[0] = 0xff010401u; /* send one byte, receive four: the state of the buttons */
    packet[1] = 0xffffffffu;
    packet[2] = 0xfe000000u;
    packet[15] = 1;
    screen_serial_wait();
    SERIAL[0] = screen_physical(screen_packet);
    SERIAL[4] = PIF;
    screen_serial_wait();
    SERIAL[0] = screen_physical(screen_packet);
    SERIAL[1] = PIF;
    screen_serial_wait();
    if (packet[0] & 0x0000c000u) return 0; /* no controller: error bits in the receive count */
    uint32_t held = packet[1] >> 16;
    return (held & 0x0200u ? SCREEN_LEFT : 0u) | (held & 0x0100u ? SCREEN_RIGHT : 0u) |
           (held & 0x0800u ? SCREEN_UP : 0u) | (held & 0x0400u ? SCREEN_DOWN : 0u) |
           (held & 0x1000u ? SCREEN_START : 0u);
}

uint32_t port_screen_clock(void)
{
    uint32_t count;
    __asm__ volatile("mfc0 %0, $9" : "=r"(count));
    return count;
}
