/* SPDX-License-Identifier: MIT
   ports/libretro/frontend.c - a frontend that tests a core: its functions, pictures, buttons,
           options and states.
   reads   CORE.so      writes  by command: `text CORE` the log, `screen CORE PICTURE.ppm` frames
           and a picture, `state CORE FILE` a state, `check CORE` one line per check, `exchange CORE
           OWN OTHER` the same with state files of the core's build and of another build; exit code
           1 at the first failed check
   memory  pictures and states      cost    some hundred frames
   after   own design; POSIX's dlopen */
#define TIDEPOOL_IMPLEMENTATION
#include "tidepool.h"
#include "api.h"
#include "core.h"
#include <dlfcn.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PIXELS (SCREEN_WIDTH * SCREEN_HEIGHT)

/* ---- the core ---- */

static struct core_functions {
#define FIELD(result, name, parameters) result(*name) parameters;
    RETRO_FUNCTIONS(FIELD)
#undef FIELD
} core;

/* State of the frontend: values for the core, and messages from it. */
static struct seen {
    uint32_t buttons; /* held: one bit per button id */
    const char *work; /* the option's value */
    bool has_new_work, without_game, has_options, has_buttons, shuts_down;
    int pixels, ends; /* result of the program; -1: none reported */
    uint32_t picture[PIXELS];
    uint32_t pictures, sounds, polls;
} seen = {.ends = -1};

static int fail(const char *what)
{
    printf("not so: %s\n", what);
    exit(1);
}

static void need(bool is_true, const char *what)
{
    if (!is_true) fail(what);
}

static void holds(bool is_true, const char *what)
{
    need(is_true, what);
    printf("ok %s\n", what);
}

/* The line `port ends CODE` reports the end of a program. */
static void print_log(int level, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (sscanf(line, "port ends %d", &seen.ends) != 1)
        fputs(line, level == RETRO_LOG_FAULT ? stderr : stdout);
}

static bool option(struct retro_option *wanted)
{
    wanted->value = strcmp(wanted->key, "tidepool_work") == 0 ? seen.work : NULL;
    return wanted->value != NULL;
}

static bool environment(unsigned what, void *data)
{
    bool had_new = seen.has_new_work;
    switch (what) {
    case RETRO_GET_LOG: ((struct retro_log *)data)->print = print_log; return true;
    case RETRO_SET_PIXELS: seen.pixels = *(int *)data; return seen.pixels == RETRO_PIXELS_24;
    case RETRO_SET_WITHOUT_GAME: seen.without_game = *(bool *)data; return true;
    case RETRO_SET_OPTIONS:
        seen.has_options = ((struct retro_option *)data)->key != NULL;
        return true;
    case RETRO_SET_BUTTONS:
        seen.has_buttons = ((struct retro_button *)data)->text != NULL;
        return true;
    case RETRO_GET_OPTION: return option(data);
    case RETRO_HAS_NEW_OPTIONS:
        *(bool *)data = had_new;
        seen.has_new_work = false;
        return true;
    case RETRO_SHUT_DOWN: seen.shuts_down = true; return true;
    default: return false;
    }
}

static void video(const void *pixels, unsigned width, unsigned height, size_t row_bytes)
{
    need(width == SCREEN_WIDTH && height == SCREEN_HEIGHT && row_bytes >= 4 * width,
         "the picture's size");
    for (uint32_t row = 0; row < height; row++)
        memcpy(&seen.picture[row * width], (const char *)pixels + row * row_bytes, 4 * width);
    seen.pictures++;
}

static void audio(int16_t left, int16_t right) { (void)left, (void)right; }

static size_t audio_batch(const int16_t *samples, size_t frames)
{
    (void)samples;
    seen.sounds += (uint32_t)frames;
    return frames;
}

static void poll(void) { seen.polls++; }

static int16_t input(unsigned port, unsigned device, unsigned index, unsigned id)
{
    need(seen.polls == seen.pictures + 1, "asked for buttons after they were polled");
    return port == 0 && device == RETRO_JOYPAD && index == 0 && id < 16 &&
           (seen.buttons >> id & 1u);
}

static void load(const char *path)
{
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) fail(dlerror());
#define FIND(result, name, parameters)            \
    *(void **)&core.name = dlsym(library, #name); \
    need(core.name != NULL, "the core has " #name);
    RETRO_FUNCTIONS(FIND)
#undef FIND
    need(core.retro_api_version() == RETRO_VERSION, "the interface is version 1");
    core.retro_set_environment(environment);
    core.retro_set_video_refresh(video);
    core.retro_set_audio_sample(audio);
    core.retro_set_audio_sample_batch(audio_batch);
    core.retro_set_input_poll(poll);
    core.retro_set_input_state(input);
    core.retro_init();
    need(seen.without_game, "the core runs without a game");
    need(core.retro_load_game(NULL), "the core begins");
}

/* ---- the world, from the core's memory: a copy of its block is a world ---- */

static _Alignas(16) unsigned char world_block[1 << 20];

static tp_world *world(void)
{
    size_t bytes = core.retro_get_memory_size(RETRO_RAM);
    need(bytes > 0 && bytes <= sizeof world_block, "the core shows its memory");
    memcpy(world_block, core.retro_get_memory_data(RETRO_RAM), bytes);
    tp_world *found = tp_world_at(world_block, bytes);
    if (!found) fail("the memory holds a world");
    return found;
}

static uint64_t frames(void) { return tp_world_report(world()).frames; }
static uint64_t hash(void) { return tp_world_hash(world()); }

static void run(uint32_t frames, uint32_t buttons)
{
    seen.buttons = buttons;
    for (uint32_t i = 0; i < frames; i++) core.retro_run();
}

/* ---- checks ---- */

static int show_text(void)
{
    for (uint32_t i = 0; i < 10 && !seen.shuts_down; i++) core.retro_run();
    need(seen.shuts_down && seen.ends >= 0, "the program ends");
    return seen.ends;
}

static int write_picture(const char *path)
{
    FILE *file = fopen(path, "wb");
    if (!file) return 1;
    fprintf(file, "P6\n%d %d\n255\n", SCREEN_WIDTH, SCREEN_HEIGHT);
    for (uint32_t i = 0; i < PIXELS; i++)
        for (int shift = 16; shift >= 0; shift -= 8)
            fputc((int)(seen.picture[i] >> shift & 255u), file);
    return fclose(file) != 0;
}

static int show_screen(const char *path)
{
    for (uint32_t quarter = 1; quarter <= 4; quarter++) {
        run(SCREEN_FRAMES / 4u, 0);
        tp_report report = tp_world_report(world());
        printf("frame %" PRIu64 ", particles %" PRIu32 ", units %" PRIu64 ", hash %016" PRIx64 "\n",
               (uint64_t)report.frames, report.particles, (uint64_t)report.units, hash());
    }
    return write_picture(path);
}

static unsigned char *save(size_t bytes)
{
    unsigned char *state = malloc(bytes + 1);
    if (!state) fail("there is memory for a state");
    need(core.retro_serialize(state + 1, bytes), "a state is given"); /* at an odd address */
    return state;
}

/* Goes back by eight frames and runs them again: the state must have the same bytes and the picture
   must be the same. Before going back the buttons are `buttons_then`, so that a core that does not
   save the buttons misses a change. */
static void check_states(uint32_t buttons, uint32_t buttons_then)
{
    static uint32_t picture[PIXELS];
    size_t bytes = core.retro_serialize_size();
    run(3, buttons);
    unsigned char *state = save(bytes);
    run(8, buttons_then);
    uint64_t first = hash();
    unsigned char *after = save(bytes);
    memcpy(picture, seen.picture, sizeof picture);
    run(5, buttons_then);
    need(hash() != first, "time goes on");
    need(core.retro_unserialize(state + 1, bytes), "a state is taken back");
    run(8, buttons_then);
    unsigned char *again = save(bytes);
    holds(hash() == first, "after a state is taken back, eight frames end where they did");
    holds(memcmp(picture, seen.picture, sizeof picture) == 0, "and show the same picture");
    holds(memcmp(after + 1, again + 1, bytes) == 0,
          "and are the same state to the byte, as peers compare it");
    need(core.retro_serialize_size() == bytes, "states are always as large");
    free(state);
    free(after);
    free(again);
}

static void check_bad_states(void)
{
    size_t bytes = core.retro_serialize_size();
    uint64_t before = hash();
    unsigned char *state = save(bytes);
    holds(!core.retro_serialize(state + 1, bytes - 1),
          "a state is not written into too little room");
    holds(!core.retro_unserialize(state + 1, bytes - 1), "half a state is refused");
    for (size_t at = 1; at <= bytes; at += at < 40 ? 1 : 997) {
        state[at] ^= 0x10;
        need(!core.retro_unserialize(state + 1, bytes), "a state with a flipped bit is refused");
        state[at] ^= 0x10;
    }
    holds(hash() == before, "states with a flipped bit are refused and change nothing");
    need(core.retro_unserialize(state + 1, bytes), "the state itself is good");
    free(state);
}

static void check_buttons(void)
{
    static const unsigned ids[] = {RETRO_BUTTON_LEFT, RETRO_BUTTON_RIGHT, RETRO_BUTTON_UP,
                                   RETRO_BUTTON_DOWN};
    uint64_t hashes[5];
    for (uint32_t i = 0; i < 5; i++) {
        core.retro_reset();
        run(40, i < 4 ? 1u << ids[i] : 0);
        hashes[i] = hash();
        for (uint32_t k = 0; k < i; k++)
            need(hashes[k] != hashes[i], "every direction moves the fluid otherwise");
    }
    holds(true, "every direction moves the fluid otherwise");
    core.retro_reset();
    run(1, 0);
    uint64_t first = hash();
    run(20, 1u << RETRO_BUTTON_LEFT);
    run(1, 1u << RETRO_BUTTON_START);
    holds(hash() == first, "the start button breaks the dam anew");
}

/* Sets the work option; the core reads it at its next picture. */
static void limit(const char *work)
{
    seen.work = work, seen.has_new_work = true;
    run(1, 0);
}

/* If the limit per picture is less than a frame's work, frames take longer but stay the same. */
static void check_budget(void)
{
    core.retro_reset();
    run(10, 0);
    uint64_t tenth = hash();
    uint64_t whole = frames();
    core.retro_reset();
    seen.work = "5000", seen.has_new_work = true;
    run(10, 0);
    uint64_t fewer = frames();
    for (uint32_t i = 0; i < 1000 && frames() < whole; i++) run(1, 0);
    holds(whole == 10 && fewer < whole, "a budget of work holds frames back");
    holds(hash() == tenth, "and changes none of them");
    check_states(1u << RETRO_BUTTON_RIGHT, 0); /* also with an incomplete frame */
    check_states(0, 1u << RETRO_BUTTON_RIGHT);
    limit("no limit");
}

/* Saves a state under one value of the option and restores it under another: the new value stays in
   force, and the frames are the same. */
static void check_option(const char *at_save, const char *then)
{
    size_t bytes = core.retro_serialize_size();
    limit(at_save);
    core.retro_reset();
    run(7, 0);
    uint64_t start = frames();
    unsigned char *state = save(bytes);
    while (frames() < start + 4) run(1, 0);
    uint64_t fourth = hash();
    limit(then);
    need(core.retro_unserialize(state + 1, bytes), "a state is taken back");
    run(4, 0);
    holds((frames() == start + 4) == (strcmp(then, "no limit") == 0),
          "the option of work stays when a state is taken back");
    for (uint32_t i = 0; i < 1000 && frames() < start + 4; i++) run(1, 0);
    holds(hash() == fourth, "and changes no frame");
    limit("no limit");
    free(state);
}

static int check(void)
{
    struct retro_system_info info = {0};
    struct retro_system_av_info pictures = {0};
    core.retro_get_system_info(&info);
    core.retro_get_system_av_info(&pictures);
    holds(info.library_name && info.library_version && info.valid_extensions,
          "the core has a name");
    holds(pictures.geometry.max_width == SCREEN_WIDTH &&
              pictures.geometry.max_height == SCREEN_HEIGHT && pictures.timing.fps > 59.0 &&
              pictures.timing.fps < 61.0,
          "pictures have a size, and a rate");
    holds(seen.has_options && seen.has_buttons, "options and buttons have names");
    uint64_t first = hash();
    check_states(0, 0);
    check_states(1u << RETRO_BUTTON_LEFT, 1u << RETRO_BUTTON_LEFT);
    check_states(1u << RETRO_BUTTON_LEFT, 0);
    check_states(0, 1u << RETRO_BUTTON_LEFT);
    check_bad_states();
    check_buttons();
    check_budget();
    check_option("no limit", "5000");
    check_option("5000", "no limit");
    core.retro_reset();
    holds(hash() == first, "a reset is the beginning");
    holds(seen.polls == seen.pictures && seen.sounds == seen.pictures * 735u,
          "every picture has its poll and its silence");
    return 0;
}

/* ---- states of other processes. The world of another build cannot be opened here, so states are
   compared ---- */

static int write_state(const char *path)
{
    size_t bytes = core.retro_serialize_size();
    FILE *file = fopen(path, "wb");
    if (!file) return 1;
    run(40, 1u << RETRO_BUTTON_LEFT);
    unsigned char *state = save(bytes);
    bool is_written = fwrite(state + 1, 1, bytes, file) == bytes;
    free(state);
    return fclose(file) != 0 || !is_written;
}

static unsigned char *read_state(const char *path, size_t bytes)
{
    unsigned char *state = malloc(bytes + 1);
    FILE *file = fopen(path, "rb");
    need(state && file && fread(state + 1, 1, bytes, file) == bytes && fgetc(file) == EOF,
         "the file is as large as a state");
    fclose(file);
    return state;
}

static void need_same(const unsigned char *expected, size_t bytes, const char *what)
{
    unsigned char *state = save(bytes);
    holds(memcmp(expected + 1, state + 1, bytes) == 0, what);
    free(state);
}

static int exchange(const char *own_path, const char *other_path)
{
    size_t bytes = core.retro_serialize_size();
    unsigned char *own = read_state(own_path, bytes), *other = read_state(other_path, bytes);
    run(40, 1u << RETRO_BUTTON_LEFT);
    run(8, 1u << RETRO_BUTTON_RIGHT);
    unsigned char *after = save(bytes);
    core.retro_reset();
    run(1, 1u << RETRO_BUTTON_RIGHT);
    holds(core.retro_unserialize(own + 1, bytes), "a state of the same build is taken");
    need_same(own, bytes, "and is the state");
    holds(!core.retro_unserialize(other + 1, bytes),
          "a state of a build with another layout is refused");
    need_same(own, bytes, "and changes nothing");
    run(8, 1u << RETRO_BUTTON_RIGHT);
    need_same(after, bytes, "and the game goes on");
    free(own);
    free(other);
    free(after);
    return 0;
}

int main(int count, char **words)
{
    if (count < 3) return 2;
    load(words[2]);
    int code = strcmp(words[1], "text") == 0                     ? show_text()
               : strcmp(words[1], "screen") == 0 && count == 4   ? show_screen(words[3])
               : strcmp(words[1], "state") == 0 && count == 4    ? write_state(words[3])
               : strcmp(words[1], "exchange") == 0 && count == 5 ? exchange(words[3], words[4])
                                                                 : check();
    core.retro_unload_game();
    core.retro_deinit();
    return fflush(stdout) == 0 ? code : 1;
}
