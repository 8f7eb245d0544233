/* SPDX-License-Identifier: MIT
   ports/screen/screen.c - a dam breaks on the machine's screen; the buttons tilt the tank.
   reads   the buttons      writes  the screen; after SCREEN_FRAMES the hash of the state and the
           cost of a frame
   memory  one static block, some tables      cost  per picture one simulated frame, and some
           rectangles per particle
   after   own design; freestanding: a port supplies the functions of screen.h */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include "screen.h"
#include "../../host_tools/render/glyphs.h"

#define SCREEN_NEIGHBOURS 32u
#define SCREEN_EDGE       4 /* pixels around the tank */
#define TEXT_SCALE        (SCREEN_WIDTH / 240)
#define TEXT_LINE         (11 * TEXT_SCALE)

/* The tank fills the screen between two lines of text. */
#define TANK_LEFT   SCREEN_EDGE
#define TANK_RIGHT  (SCREEN_WIDTH - SCREEN_EDGE)
#define TANK_TOP    (TEXT_LINE + 1)
#define TANK_BOTTOM (SCREEN_HEIGHT - TEXT_LINE - 1)
#define TANK_INSET  (4 * TEXT_SCALE) /* from the wall to the centre of a particle that touches it */
#define TANK_WIDTH  (TANK_RIGHT - TANK_LEFT - 2 * TANK_INSET)
#define TANK_HEIGHT (TANK_BOTTOM - TANK_TOP - 2 * TANK_INSET)
#define TANK_HALF_X SCREEN_TANK
#define TANK_HALF_Y (TANK_HALF_X * (float)TANK_HEIGHT / (float)TANK_WIDTH)
#define TANK_SCALE  ((float)TANK_WIDTH / (2.0f * TANK_HALF_X)) /* pixels per metre */

#define DAM_SPACING 0.1f
#define DAM_HALF_X  (TANK_HALF_X * 0.42f)
#define DAM_HALF_Y  (TANK_HALF_Y * 0.9f)

#define SCREEN_SHADES 8u /* colours of the fluid by speed */
enum {
    COLOUR_ROOM,
    COLOUR_TANK,
    COLOUR_WALL,
    COLOUR_DIM,
    COLOUR_TEXT,
    COLOUR_RIM,
    COLOUR_BODY = COLOUR_RIM + SCREEN_SHADES
};

static const screen_colour screen_colours[SCREEN_COLOURS] = {
    [COLOUR_ROOM] = {2, 2, 4},
    [COLOUR_TANK] = {1, 3, 8},
    [COLOUR_WALL] = {17, 20, 23},
    [COLOUR_DIM] = {15, 18, 21},
    [COLOUR_TEXT] = {30, 30, 29}, /* then the fluid, from rest to spray */
    {1, 5, 15},
    {1, 6, 16},
    {1, 8, 18},
    {1, 9, 19},
    {2, 11, 21},
    {4, 14, 23},
    {8, 18, 25},
    {13, 21, 27},
    {3, 10, 24},
    {3, 12, 26},
    {3, 15, 28},
    {4, 18, 29},
    {8, 22, 30},
    {14, 26, 31},
    {21, 29, 31},
    {29, 31, 31}};

static _Alignas(
    16) unsigned char screen_block[TP_WORLD_BYTES(2, SCREEN_PARTICLES, SCREEN_NEIGHBOURS, 4, 0)];

/* Half the widths of a disc's rows, from the middle row outwards. */
#define DISC_ROWS 16
typedef struct screen_disc {
    int32_t radius, half[DISC_ROWS];
} screen_disc;

typedef struct screen_state {
    tp_world *world;
    tp_field gravity;
    uint32_t buttons; /* of the previous frame */
    uint32_t units;   /* limit per picture; 0: whole frames */
    screen_disc rim, body;
    tp_report report;
    uint64_t hash;
    uint32_t simulated, simulated_longest, drawn; /* ticks: sum, longest, sum */
} screen_state;

static screen_state screen;

static tp_result screen_fill_tank(void)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    gravity.vector.y = -9.81f;
    tp_result result = tp_field_add(screen.world, &gravity, &screen.gravity);

    tp_collider_def tank = tp_collider_default(TP_COLLIDER_BOX);
    tp_collider collider;
    tank.half = (tp_vector){TANK_HALF_X, TANK_HALF_Y, 1.0f};
    tank.is_hollow = true;
    if (result == TP_OK) result = tp_collider_add(screen.world, &tank, &collider);

    tp_emitter_def dam = tp_emitter_default();
    tp_emitter emitter;
    dam.shape = TP_EMITTER_BOX;
    dam.pose.position =
        (tp_vector){DAM_HALF_X - TANK_HALF_X + 0.02f, DAM_HALF_Y - TANK_HALF_Y + 0.02f, 0.0f};
    dam.size = (tp_vector){DAM_HALF_X, DAM_HALF_Y, 0.0f};
    dam.burst_count = SCREEN_PARTICLES;
    dam.lattice_spacing = DAM_SPACING;
    if (result == TP_OK) result = tp_emitter_add(screen.world, &dam, &emitter);
    return result;
}

static tp_result screen_begin_world(void)
{
    tp_world_def def = tp_world_default(2);
    screen.buttons = 0;
    def.particles_max = SCREEN_PARTICLES;
    def.emitters_max = def.fields_max = def.colliders_max = 1;
    def.sinks_max = 0;
    def.solver = TP_SOLVER_SPH;
    def.sph.formulation = TP_SPH_DOUBLE_DENSITY;
    def.substeps.count = SCREEN_SUBSTEPS;
    def.sph.neighbours_max = SCREEN_NEIGHBOURS;
    tp_result result = tp_world_create(&def, screen_block, sizeof screen_block, &screen.world);
    return result == TP_OK ? screen_fill_tank() : result;
}

static void screen_make_disc(screen_disc *disc, float radius)
{
    float squared = radius * radius;
    disc->radius = 0;
    for (int32_t row = 0; row < DISC_ROWS && (float)(row * row) <= squared; row++) {
        int32_t half = 0;
        while ((float)((half + 1) * (half + 1) + row * row) <= squared) half++;
        disc->half[row] = half;
        disc->radius = row;
    }
}

/* Buttons set the direction of gravity, from the next step on. */
static tp_result screen_tilt(uint32_t buttons)
{
    tp_field_def gravity = tp_field_default(TP_FIELD_GRAVITY);
    float across = (buttons & SCREEN_RIGHT ? 1.0f : 0.0f) - (buttons & SCREEN_LEFT ? 1.0f : 0.0f);
    gravity.vector.x = across * 7.0f;
    gravity.vector.y = buttons & SCREEN_UP ? 9.81f : buttons & SCREEN_DOWN ? -19.62f : -9.81f;
    screen.buttons = buttons;
    return tp_field_set(screen.world, screen.gravity, &gravity);
}

static void screen_fill(int32_t left, int32_t top, int32_t right, int32_t bottom, uint32_t colour)
{
    if (left < TANK_LEFT) left = TANK_LEFT;
    if (right > TANK_RIGHT) right = TANK_RIGHT;
    if (top < TANK_TOP || bottom > TANK_BOTTOM || left >= right) return;
    port_screen_fill(left, top, right - left, bottom - top, colour);
}

static void screen_draw_disc(const screen_disc *disc, int32_t x, int32_t y, uint32_t colour)
{
    for (int32_t row = -disc->radius; row <= disc->radius; row++) {
        int32_t half = disc->half[row < 0 ? -row : row];
        screen_fill(x - half, y + row, x + half + 1, y + row + 1, colour);
    }
}

static uint32_t screen_shade(float speed_squared)
{
    /* (m/s)^2 */
    static const float limits[SCREEN_SHADES - 1] = {0.25f, 0.8f, 1.7f, 3.0f, 5.0f, 8.0f, 12.0f};
    uint32_t shade = 0;
    while (shade < SCREEN_SHADES - 1 && speed_squared > limits[shade]) shade++;
    return shade;
}

/* Draws all rims first, so that the bodies of neighbouring particles join. */
static void screen_draw_fluid(const screen_disc *disc, uint32_t colour)
{
    tp_view view = tp_world_view(screen.world);
    for (uint32_t i = 0; i < view.count; i++) {
        int32_t x = TANK_LEFT + TANK_INSET + (int32_t)((view.x[i] + TANK_HALF_X) * TANK_SCALE);
        int32_t y = TANK_TOP + TANK_INSET + (int32_t)((TANK_HALF_Y - view.y[i]) * TANK_SCALE);
        uint32_t shade = screen_shade(view.vx[i] * view.vx[i] + view.vy[i] * view.vy[i]);
        screen_draw_disc(disc, x, y, colour + shade);
    }
}

static int32_t screen_letter(int32_t x, int32_t y, char letter, uint32_t colour)
{
    const uint8_t *glyph = glyphs[letter - GLYPH_FIRST];
    for (int32_t row = 0; row < GLYPH_HEIGHT; row++)
        for (int32_t column = 0; column < GLYPH_WIDTH; column++)
            if (glyph[row] >> (GLYPH_WIDTH - 1 - column) & 1)
                port_screen_fill(x + column * TEXT_SCALE, y + row * TEXT_SCALE, TEXT_SCALE,
                                 TEXT_SCALE, colour);
    return x + (GLYPH_WIDTH + 1) * TEXT_SCALE;
}

static int32_t screen_text(int32_t x, int32_t y, const char *text, uint32_t colour)
{
    while (*text) x = screen_letter(x, y, *text++, colour);
    return x;
}

/* Formats a number with at least `digits` digits, in base 10 or 16. */
static const char *screen_digits(char text[21], uint64_t number, uint32_t base, uint32_t digits)
{
    uint32_t at = 20;
    text[at] = 0;
    do text[--at] = "0123456789abcdef"[number % base];
    while ((number /= base) != 0 || 20u - at < digits);
    return text + at;
}

static void screen_draw_text(void)
{
    char text[21];
    int32_t below = SCREEN_HEIGHT - TEXT_LINE + TEXT_SCALE;
    int32_t x = screen_text(TANK_LEFT, TEXT_SCALE, "Tidepool  ", COLOUR_TEXT);
    x = screen_text(x, TEXT_SCALE, screen_digits(text, screen.report.particles, 10, 1),
                    COLOUR_TEXT);
    x = screen_text(x, TEXT_SCALE, " particles  frame ", COLOUR_DIM);
    screen_text(x, TEXT_SCALE, screen_digits(text, screen.report.frames, 10, 1), COLOUR_TEXT);
    x = screen_text(TANK_LEFT, below, screen_digits(text, screen.report.units, 10, 1), COLOUR_TEXT);
    x = screen_text(x, below, " units  hash ", COLOUR_DIM);
    screen_text(x, below, screen_digits(text, screen.hash, 16, 16), COLOUR_TEXT);
}

static void screen_draw(void)
{
    port_screen_fill(0, 0, SCREEN_WIDTH, SCREEN_HEIGHT, COLOUR_ROOM);
    port_screen_fill(TANK_LEFT - 2, TANK_TOP, TANK_RIGHT - TANK_LEFT + 4,
                     TANK_BOTTOM - TANK_TOP + 2, COLOUR_WALL);
    port_screen_fill(TANK_LEFT, TANK_TOP, TANK_RIGHT - TANK_LEFT, TANK_BOTTOM - TANK_TOP,
                     COLOUR_TANK);
    screen_draw_fluid(&screen.rim, COLOUR_RIM);
    screen_draw_fluid(&screen.body, COLOUR_BODY);
    screen_draw_text();
    port_screen_show();
}

static tp_result screen_frame(void)
{
    tp_budget budget = {.units = screen.units, .frames_max = 1};
    uint32_t buttons = port_screen_buttons(), start = port_screen_clock();
    tp_result result = TP_OK;
    if (buttons & SCREEN_START) result = screen_begin_world();
    if (result == TP_OK && buttons != screen.buttons) result = screen_tilt(buttons);
    if (result == TP_OK) result = tp_frame(screen.world, &budget, &screen.report);
    screen.hash = tp_world_hash(screen.world);
    uint32_t simulated = port_screen_clock();
    screen_draw();
    screen.drawn += port_screen_clock() - simulated;
    screen.simulated += simulated - start;
    if (simulated - start > screen.simulated_longest) screen.simulated_longest = simulated - start;
    return result;
}

static void screen_say(const char *label, uint64_t number, uint32_t base, uint32_t digits)
{
    char text[21];
    port_puts(label);
    port_puts(screen_digits(text, number, base, digits));
}

static void screen_report(void)
{
    screen_say("frame ", screen.report.frames, 10, 1);
    screen_say(", particles ", screen.report.particles, 10, 1);
    screen_say(", units ", screen.report.units, 10, 1);
    screen_say(", hash ", screen.hash, 16, 16);
    port_puts("\n");
}

bool screen_begin(void)
{
    float pixels = DAM_SPACING * TANK_SCALE;
    screen_make_disc(&screen.rim, pixels * 0.62f);
    screen_make_disc(&screen.body, pixels * 0.45f);
    if (screen_begin_world() != TP_OK) return false;
    port_screen_begin(screen_colours);
    return true;
}

int port_main(void)
{
    if (!screen_begin()) return 1;
    for (uint32_t frame = 1; frame <= SCREEN_FRAMES; frame++) {
        if (screen_frame() < TP_OK) return 1;
        if (frame % (SCREEN_FRAMES / 4u) == 0) screen_report();
    }
    screen_say("timer: simulated ", screen.simulated / SCREEN_FRAMES, 10, 1);
    screen_say(", longest ", screen.simulated_longest, 10, 1);
    screen_say(", drawn ", screen.drawn / SCREEN_FRAMES, 10, 1);
    port_puts(" ticks a frame\n");
    return 0;
}

#ifndef SCREEN_ENDS
void port_again(void)
{
    if (screen_frame() < TP_OK) screen_begin_world();
}
#endif

#ifdef SCREEN_CALLED

/* ---- saved states ---- */

#define SAVED_MARK (0x54506c72u + TP_VERSION) /* differs if read in the other byte order */

/* Head of a saved state; the block follows. The bytes of a block depend on byte order and on the
   layout of the build, which includes the vector width. The handle of gravity is the same in every
   tank, and the limit is the player's setting: neither is saved. */
typedef struct screen_saved {
    uint32_t mark, block_bytes;
    uint64_t check; /* of all bytes after it */
    uint32_t buttons, reserved;
} screen_saved;

/* FNV-1a hash over words. A state from a file or a network with a flipped bit is refused. */
static uint64_t screen_check(const screen_saved *saved, const unsigned char *block)
{
    uint64_t hash = 0xcbf29ce484222325u;
    hash = (hash ^ ((uint64_t)saved->buttons << 32 | saved->reserved)) * 0x100000001b3u;
    for (size_t at = 0; at < sizeof screen_block; at += sizeof(uint32_t)) {
        uint32_t word;
        memcpy(&word, block + at, sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    return hash;
}

void screen_limit(uint32_t units) { screen.units = units; }
size_t screen_state_bytes(void) { return sizeof(screen_saved) + sizeof screen_block; }

void *screen_memory(size_t *bytes)
{
    *bytes = sizeof screen_block;
    return screen_block;
}

void screen_save(void *to)
{
    screen_saved saved = {SAVED_MARK, sizeof screen_block, 0, screen.buttons, 0};
    saved.check = screen_check(&saved, screen_block);
    memcpy(to, &saved, sizeof saved);
    memcpy((unsigned char *)to + sizeof saved, screen_block, sizeof screen_block);
}

/* True if this build can use the world. The check needs the head of the world at its final address,
   so the head is copied there and restored afterwards. */
static bool screen_can_use(const unsigned char *block)
{
    unsigned char start[sizeof(tp_world)];
    memcpy(start, screen_block, sizeof start);
    memcpy(screen_block, block, sizeof start);
    bool can = tp_world_at(screen_block, sizeof screen_block) != NULL;
    memcpy(screen_block, start, sizeof start);
    return can;
}

bool screen_restore(const void *from)
{
    const unsigned char *block = (const unsigned char *)from + sizeof(screen_saved);
    screen_saved saved;
    memcpy(&saved, from, sizeof saved);
    if (saved.mark != SAVED_MARK || saved.block_bytes != sizeof screen_block) return false;
    if (saved.check != screen_check(&saved, block) || !screen_can_use(block)) return false;
    memcpy(screen_block, block, sizeof screen_block);
    screen.buttons = saved.buttons;
    return true;
}
#endif
