/* SPDX-License-Identifier: MIT
   ports/gamecube/screen.c - screen through the video interface: two pictures of 640 x 480 in YCbCr
           4:2:2.
   reads   the first controller      writes  the pictures, uncached
   memory  two pictures, 1200 KiB      cost    one store per four bytes inside wide rectangles
   after   registers of the video and the serial interface; BT.601 in limited range; values of NTSC,
           interlaced */
#include "../screen/screen.h"

#define VIDEO(at)      (*(volatile uint16_t *)(0xcc002000u + (at)))
#define VIDEO_WIDE(at) (*(volatile uint32_t *)(0xcc002000u + (at)))
#define SERIAL(at)     (*(volatile uint32_t *)(0xcc006400u + (at)))

typedef struct screen_pictures {
    uint8_t bytes[2][SCREEN_HEIGHT][SCREEN_WIDTH * 2];
} screen_pictures;

static __attribute__((section(".pictures"), aligned(32))) screen_pictures screen_shown;
static uint32_t screen_words[SCREEN_COLOURS]; /* two pixels: Y Cb Y Cr */
static uint32_t screen_page;

static uint32_t screen_word(screen_colour colour)
{
    int32_t red = colour.red << 3 | colour.red >> 2, green = colour.green << 3 | colour.green >> 2,
            blue = colour.blue << 3 | colour.blue >> 2;
    int32_t bright = (16829 * red + 33039 * green + 6416 * blue + 32768) / 65536 + 16;
    int32_t to_blue = (-9714 * red - 19071 * green + 28784 * blue + 128 * 65536 + 32768) / 65536;
    int32_t to_red = (28784 * red - 24103 * green - 4681 * blue + 128 * 65536 + 32768) / 65536;
    return (uint32_t)bright << 24 | (uint32_t)to_blue << 16 | (uint32_t)bright << 8 |
           (uint32_t)to_red;
}

/* Interlaced: one field shows the even rows; the other, one row further, shows the odd rows. */
static void screen_point(const void *picture)
{
    uint32_t address = (uint32_t)((uintptr_t)picture & 0x01ffffffu);
    VIDEO_WIDE(0x1c) = 0x10000000u | address >> 5;
    VIDEO_WIDE(0x24) = 0x10000000u | (address + SCREEN_WIDTH * 2u) >> 5;
}

/* Waits for the first answer of the controller, at most two pictures. */
static void screen_wait_for_controller(void)
{
    uint32_t start = port_screen_clock();
    while (!(SERIAL(0x38) & 0x20000000u) && port_screen_clock() - start < 1350000u) {}
}

void port_screen_begin(const screen_colour colours[SCREEN_COLOURS])
{
    static const uint16_t registers[][2] = {
        {0x00, 0x0f06}, {0x02, 0x0001}, {0x04, 0x4769}, {0x06, 0x01ad}, {0x08, 0x02ea},
        {0x0a, 0x5140}, {0x0c, 0x0003}, {0x0e, 0x0018}, {0x10, 0x0002}, {0x12, 0x0019},
        {0x14, 0x410c}, {0x16, 0x410c}, {0x18, 0x40ed}, {0x1a, 0x40ed}, {0x48, 0x2850},
        {0x4a, 0x0100}, {0x6c, 0x0000}, {0x70, 0x0280}};
    for (uint32_t i = 0; i < SCREEN_COLOURS; i++) screen_words[i] = screen_word(colours[i]);
    for (uint32_t i = 1; i < sizeof registers / sizeof registers[0]; i++)
        VIDEO(registers[i][0]) = registers[i][1];
    screen_point(&screen_shown);
    VIDEO(0x02) = registers[1][1];
    screen_page = 1;
    SERIAL(0x00) = 0x00400300u; /* poll the controller continuously */
    SERIAL(0x30) = 0x00f70280u;
    SERIAL(0x38) = 0x80000000u;
    screen_wait_for_controller();
}

/* Two pixels share their chroma: the pixel drawn last decides. Uncached memory supports only
   whole-word stores. */
static void screen_pixel(uintptr_t pair, uint32_t keeps, uint32_t word)
{
    volatile uint32_t *both = (volatile uint32_t *)pair;
    *both = (*both & keeps) | (word & ~keeps);
}

void port_screen_fill(int32_t x, int32_t y, int32_t width, int32_t height, uint32_t colour)
{
    uint32_t word = screen_words[colour];
    for (int32_t row = y; row < y + height; row++) {
        uintptr_t line =
            ((uintptr_t)screen_shown.bytes[screen_page][row] & 0x01ffffffu) | 0xc0000000u;
        uint32_t from = (uint32_t)x, to = (uint32_t)(x + width);
        if (from & 1u) screen_pixel(line + 2u * (from - 1u), 0xff000000u, word), from++;
        for (; from + 2 <= to; from += 2) *(volatile uint32_t *)(line + 2u * from) = word;
        if (from < to) screen_pixel(line + 2u * from, 0x0000ff00u, word);
    }
}

void port_screen_show(void)
{
    screen_point(screen_shown.bytes[screen_page]);
    screen_page ^= 1u;
}

uint32_t port_screen_buttons(void)
{
    uint32_t first = SERIAL(0x04);
    if (first & 0xc0000000u) return 0; /* no controller */
    uint32_t held = first >> 16;
    return (held & 0x01u ? SCREEN_LEFT : 0u) | (held & 0x02u ? SCREEN_RIGHT : 0u) |
           (held & 0x08u ? SCREEN_UP : 0u) | (held & 0x04u ? SCREEN_DOWN : 0u) |
           (held & 0x1000u ? SCREEN_START : 0u);
}

/* The time base: a quarter of the bus clock, 40.5 MHz. */
uint32_t port_screen_clock(void)
{
    uint32_t ticks;
    __asm__ volatile("mftb %0" : "=r"(ticks));
    return ticks;
}
