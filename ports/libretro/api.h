/* SPDX-License-Identifier: MIT
   ports/libretro/api.h - own declarations of the part of libretro's binary interface that the core
           and its test use.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   libretro, API version 1: values and layouts are those of the interface; the comments are
           own */
#ifndef TIDEPOOL_LIBRETRO_API_H
#define TIDEPOOL_LIBRETRO_API_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define RETRO_CALL __declspec(dllexport)
#else
#define RETRO_CALL __attribute__((visibility("default")))
#endif
#define RETRO_VERSION 1u

/* Commands of the environment callback: queries and messages from a core to its frontend. */
enum {
    RETRO_SHUT_DOWN = 7,
    RETRO_SET_PIXELS = 10,  /* int: 1 is 0x00RRGGBB */
    RETRO_SET_BUTTONS = 11, /* retro_button[], terminated by one without a text */
    RETRO_GET_OPTION = 15,  /* retro_option: the core sets the key, the frontend sets the value */
    /* retro_option[], terminated by one without a key; value "Description; default|other|..." */
    RETRO_SET_OPTIONS = 16,
    RETRO_HAS_NEW_OPTIONS = 17,
    RETRO_SET_WITHOUT_GAME = 18,
    RETRO_GET_LOG = 27
};
enum {
    RETRO_PIXELS_24 = 1,
    RETRO_JOYPAD = 1,
    RETRO_LOG_INFORMATION = 1,
    RETRO_LOG_FAULT = 3,
    RETRO_RAM = 2
};
enum {
    RETRO_BUTTON_START = 3,
    RETRO_BUTTON_UP = 4,
    RETRO_BUTTON_DOWN = 5,
    RETRO_BUTTON_LEFT = 6,
    RETRO_BUTTON_RIGHT = 7
};

struct retro_button {
    unsigned port, device, index, id;
    const char *text;
};
struct retro_option {
    const char *key, *value;
};
struct retro_log {
    void (*print)(int level, const char *format, ...);
};
struct retro_game_info {
    const char *path;
    const void *data;
    size_t size;
    const char *meta;
};
struct retro_system_info {
    const char *library_name, *library_version, *valid_extensions;
    bool need_fullpath, block_extract;
};
struct retro_system_av_info {
    struct {
        unsigned base_width, base_height, max_width, max_height;
        float aspect_ratio;
    } geometry;
    struct {
        double fps, sample_rate;
    } timing;
};

typedef bool retro_environment(unsigned what, void *data);
typedef void retro_video(const void *pixels, unsigned width, unsigned height, size_t row_bytes);
typedef void retro_audio(int16_t left, int16_t right);
typedef size_t retro_audio_batch(const int16_t *samples, size_t frames);
typedef void retro_poll(void);
typedef int16_t retro_input(unsigned port, unsigned device, unsigned index, unsigned id);

/* Every function of a core: RETRO_FUNCTION(result, name, parameters). */
#define RETRO_FUNCTIONS(RETRO_FUNCTION)                                                      \
    RETRO_FUNCTION(unsigned, retro_api_version, (void))                                      \
    RETRO_FUNCTION(void, retro_set_environment, (retro_environment * call))                  \
    RETRO_FUNCTION(void, retro_set_video_refresh, (retro_video * call))                      \
    RETRO_FUNCTION(void, retro_set_audio_sample, (retro_audio * call))                       \
    RETRO_FUNCTION(void, retro_set_audio_sample_batch, (retro_audio_batch * call))           \
    RETRO_FUNCTION(void, retro_set_input_poll, (retro_poll * call))                          \
    RETRO_FUNCTION(void, retro_set_input_state, (retro_input * call))                        \
    RETRO_FUNCTION(void, retro_init, (void))                                                 \
    RETRO_FUNCTION(void, retro_deinit, (void))                                               \
    RETRO_FUNCTION(void, retro_get_system_info, (struct retro_system_info * info))           \
    RETRO_FUNCTION(void, retro_get_system_av_info, (struct retro_system_av_info * info))     \
    RETRO_FUNCTION(void, retro_set_controller_port_device, (unsigned port, unsigned device)) \
    RETRO_FUNCTION(void, retro_reset, (void))                                                \
    RETRO_FUNCTION(void, retro_run, (void))                                                  \
    RETRO_FUNCTION(size_t, retro_serialize_size, (void))                                     \
    RETRO_FUNCTION(bool, retro_serialize, (void *data, size_t size))                         \
    RETRO_FUNCTION(bool, retro_unserialize, (const void *data, size_t size))                 \
    RETRO_FUNCTION(void, retro_cheat_reset, (void))                                          \
    RETRO_FUNCTION(void, retro_cheat_set, (unsigned index, bool enabled, const char *code))  \
    RETRO_FUNCTION(bool, retro_load_game, (const struct retro_game_info *game))              \
    RETRO_FUNCTION(bool, retro_load_game_special,                                            \
                   (unsigned type, const struct retro_game_info *info, size_t count))        \
    RETRO_FUNCTION(void, retro_unload_game, (void))                                          \
    RETRO_FUNCTION(unsigned, retro_get_region, (void))                                       \
    RETRO_FUNCTION(void *, retro_get_memory_data, (unsigned id))                             \
    RETRO_FUNCTION(size_t, retro_get_memory_size, (unsigned id))

#endif
