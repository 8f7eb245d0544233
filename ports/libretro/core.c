/* SPDX-License-Identifier: MIT
   ports/libretro/core.c - a libretro core: the frontend requests pictures, supplies buttons, saves
           and restores states.
   reads   the frontend's joypad and options      writes  pictures, silence and a log by the
           frontend's calls
   memory  the frontend's callbacks, and one picture's time of silence      cost    that of the
           program shown
   after   libretro, API version 1; own design. A state is a whole world of fixed size, with
           everything that later frames depend on except the work option. So the frontend implements
           rewind, run-ahead and netplay. The work option changes only when a frame completes; peers
           that compare states after each picture must set the same value */
#include "core.h"
#include "api.h"

#define CORE_FPS     60
#define CORE_RATE    44100
#define CORE_SILENCE (CORE_RATE / CORE_FPS)

#define RETRO_FUNCTION(result, name, parameters) RETRO_CALL result name parameters;
RETRO_FUNCTIONS(RETRO_FUNCTION)
#undef RETRO_FUNCTION

static struct core_frontend {
    retro_environment *ask;
    retro_video *video;
    retro_audio_batch *audio;
    retro_poll *poll;
    retro_input *input;
    struct retro_log log;
} frontend;

void core_log(bool is_fault, const char *line)
{
    if (frontend.log.print)
        frontend.log.print(is_fault ? RETRO_LOG_FAULT : RETRO_LOG_INFORMATION, "%s\n", line);
}

/* ---- information for the frontend ---- */

static const struct retro_option core_options[] = {
    {"tidepool_work", "Work a picture (units); no limit|40000|20000|10000|5000"}, {NULL, NULL}};

static const struct retro_button core_buttons[] = {
    {0, RETRO_JOYPAD, 0, RETRO_BUTTON_LEFT, "Tilt to the left"},
    {0, RETRO_JOYPAD, 0, RETRO_BUTTON_RIGHT, "Tilt to the right"},
    {0, RETRO_JOYPAD, 0, RETRO_BUTTON_UP, "Turn upside down"},
    {0, RETRO_JOYPAD, 0, RETRO_BUTTON_DOWN, "Press down"},
    {0, RETRO_JOYPAD, 0, RETRO_BUTTON_START, "Break the dam anew"},
    {0, 0, 0, 0, NULL}};

unsigned retro_api_version(void) { return RETRO_VERSION; }

/* The interface takes non-const pointers even for data that it does not change. */
void retro_set_environment(retro_environment *call)
{
    bool without_game = true;
    frontend.ask = call;
    call(RETRO_SET_WITHOUT_GAME, &without_game);
    call(RETRO_SET_OPTIONS, (void *)(uintptr_t)core_options);
}

void retro_set_video_refresh(retro_video *call) { frontend.video = call; }
void retro_set_audio_sample(retro_audio *call) { (void)call; }
void retro_set_audio_sample_batch(retro_audio_batch *call) { frontend.audio = call; }
void retro_set_input_poll(retro_poll *call) { frontend.poll = call; }
void retro_set_input_state(retro_input *call) { frontend.input = call; }

void retro_get_system_info(struct retro_system_info *info)
{
    *info = (struct retro_system_info){"Tidepool", "0.1.0", "", false, false};
}

void retro_get_system_av_info(struct retro_system_av_info *info)
{
    *info = (struct retro_system_av_info){{SCREEN_WIDTH, SCREEN_HEIGHT, SCREEN_WIDTH, SCREEN_HEIGHT,
                                           (float)SCREEN_WIDTH / (float)SCREEN_HEIGHT},
                                          {CORE_FPS, CORE_RATE}};
}

unsigned retro_get_region(void) { return 0; /* NTSC: 60 pictures per second */ }

/* ---- a game ---- */

void retro_init(void)
{
    if (!frontend.ask(RETRO_GET_LOG, &frontend.log)) frontend.log.print = NULL;
}

void retro_deinit(void) { frontend.log.print = NULL; }

/* The limit is the number formed by the value's digits; a value without digits means no limit. */
static void core_read_options(void)
{
    struct retro_option work = {core_options[0].key, NULL};
    uint32_t units = 0;
    if (!frontend.ask(RETRO_GET_OPTION, &work) || !work.value) return;
    for (const char *letter = work.value; *letter >= '0' && *letter <= '9'; letter++)
        units = units * 10u + (uint32_t)(*letter - '0');
    shown_limit(units);
}

bool retro_load_game(const struct retro_game_info *game)
{
    int pixels = RETRO_PIXELS_24;
    (void)game;
    if (!frontend.ask(RETRO_SET_PIXELS, &pixels)) {
        core_log(true, "Tidepool needs pictures with 24 bits a pixel");
        return false;
    }
    frontend.ask(RETRO_SET_BUTTONS, (void *)(uintptr_t)core_buttons);
    core_read_options();
    return shown_begin();
}

void retro_reset(void) { (void)shown_begin(); }
void retro_unload_game(void) {}

bool retro_load_game_special(unsigned type, const struct retro_game_info *info, size_t count)
{
    (void)type, (void)info, (void)count;
    return false;
}

static uint32_t core_held(void)
{
    static const struct core_key {
        unsigned id;
        uint32_t button;
    } keys[] = {{RETRO_BUTTON_LEFT, SCREEN_LEFT},
                {RETRO_BUTTON_RIGHT, SCREEN_RIGHT},
                {RETRO_BUTTON_UP, SCREEN_UP},
                {RETRO_BUTTON_DOWN, SCREEN_DOWN},
                {RETRO_BUTTON_START, SCREEN_START}};
    uint32_t held = 0;
    frontend.poll();
    for (uint32_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        if (frontend.input(0, RETRO_JOYPAD, 0, keys[i].id)) held |= keys[i].button;
    return held;
}

/* Silence is sent because frontends also pace themselves by audio. */
void retro_run(void)
{
    static const int16_t silence[2 * CORE_SILENCE];
    bool has_new = false;
    if (frontend.ask(RETRO_HAS_NEW_OPTIONS, &has_new) && has_new) core_read_options();
    if (!shown_next(core_held())) frontend.ask(RETRO_SHUT_DOWN, NULL);
    frontend.video(shown_picture(), SCREEN_WIDTH, SCREEN_HEIGHT, SCREEN_WIDTH * sizeof(uint32_t));
    frontend.audio(silence, CORE_SILENCE);
}

/* ---- states ---- */

size_t retro_serialize_size(void) { return shown_state_bytes(); }

bool retro_serialize(void *data, size_t size)
{
    if (size < shown_state_bytes()) return false;
    shown_save(data);
    return true;
}

bool retro_unserialize(const void *data, size_t size)
{
    return size >= shown_state_bytes() && shown_restore(data);
}

void *retro_get_memory_data(unsigned id)
{
    size_t bytes;
    return id == RETRO_RAM ? shown_memory(&bytes) : NULL;
}

size_t retro_get_memory_size(unsigned id)
{
    size_t bytes = 0;
    if (id == RETRO_RAM) (void)shown_memory(&bytes);
    return bytes;
}

/* ---- functions without a use here ---- */

void retro_set_controller_port_device(unsigned port, unsigned device) { (void)port, (void)device; }
void retro_cheat_reset(void) {}
void retro_cheat_set(unsigned index, bool enabled, const char *code)
{
    (void)index, (void)enabled, (void)code;
}
