/* SPDX-License-Identifier: MIT
   ports/examples/game/main.c - the game in a window of SDL2, or without one from recorded inputs.
   reads   keys and mouse; `--play FILE`: inputs, lines of frames, buttons, x, y
   writes  the window; `--record FILE`: inputs; `--picture FILE`: the last picture
   memory  the game's and a picture      cost  4 ms of simulation per picture
   after   own design; linked with game.c, tidepool.c, a platform and SDL2, or -DGAME_WITHOUT_SDL */
#define PAINT_FILES
#include "game.h"
#include "platform.h"
#include "jobs_posix/jobs.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#ifndef GAME_WITHOUT_SDL
#include <SDL.h>
#endif

#define WIDTH  960
#define HEIGHT 540

static uint32_t pixels[WIDTH * HEIGHT];
static const paint picture = {pixels, WIDTH, HEIGHT, WIDTH / GAME_WIDTH};
static tp_budget budget = {.clock_us = platform_clock_us};

static void draw(void) { game_draw(&picture, budget.units ? budget.units : 2000000); }

/* The next input of a file, which begins again at its end; false: it has none. */
static bool read_input(FILE *file, game_input *input)
{
    static unsigned run, buttons, x, y;
    for (int tries = 0; run == 0 && tries < 2; tries++)
        if (fscanf(file, "%u %u %u %u", &run, &buttons, &x, &y) != 4) run = 0, rewind(file);
    *input = (game_input){(uint8_t)buttons, (uint8_t)x, (uint8_t)y};
    return run > 0 && run--;
}

static tp_result play(FILE *file, uint32_t frames)
{
    uint32_t given = 0, pictures = 0, late = 0, over = 0, longest = 0, most = 0;
    uint64_t time = 0, units = 0;
    tp_result result = TP_OK;
    for (game_input input; result >= TP_OK && (given < frames || game_look().owed); pictures++) {
        if (given < frames && game_look().owed < GAME_OWED) {
            if (!read_input(file, &input)) puts("--play: a file of inputs is expected"), exit(1);
            given += game_add(input);
        }
        uint64_t started = platform_clock_us(NULL);
        result = game_frame(&budget);
        uint32_t took = (uint32_t)(platform_clock_us(NULL) - started), work = game_look().units;
        late += result == TP_MORE;
        over += (budget.units && work > budget.units) ||
                (budget.microseconds && took > budget.microseconds);
        longest = took > longest ? took : longest, time += took;
        most = work > most ? work : most, units += work;
    }
    printf("%u pictures, %u over the budget, %u late\n", pictures, over, late);
    printf("mean %.0f us, %.0f units; largest %u us, %u units\n", (double)time / pictures,
           (double)units / pictures, longest, most);
    return result;
}

#ifndef GAME_WITHOUT_SDL
static bool take_events(game_input *now)
{
    const Uint8 *keys = SDL_GetKeyboardState(NULL);
    now->buttons &= GAME_PUMP | GAME_GATE;
    for (SDL_Event event; SDL_PollEvent(&event);) {
        if (event.type == SDL_QUIT || keys[SDL_SCANCODE_ESCAPE]) return false;
        if (event.type == SDL_MOUSEMOTION) {
            now->x = (uint8_t)(paint_bound((float)event.motion.x / WIDTH, 0, 1) * 255);
            now->y = (uint8_t)(255 - paint_bound((float)event.motion.y / HEIGHT, 0, 1) * 255);
        }
        if (event.type != SDL_KEYDOWN || event.key.repeat) continue;
        if (event.key.keysym.sym == SDLK_p) now->buttons ^= GAME_PUMP;
        if (event.key.keysym.sym == SDLK_g) now->buttons ^= GAME_GATE;
    }
    if (keys[SDL_SCANCODE_B]) now->buttons |= GAME_DROP;
    if (keys[SDL_SCANCODE_R]) now->buttons |= GAME_REWIND;
    return true;
}

/* Pictures at 60 Hz: vertical sync where there is one, else a pause. `pictures`: 0: until the
   window is closed. */
static tp_result show(uint32_t pictures, FILE *record)
{
    SDL_Window *window;
    SDL_Renderer *renderer;
    SDL_SetHint(SDL_HINT_RENDER_VSYNC, "1");
    if (SDL_Init(SDL_INIT_VIDEO) != 0 ||
        SDL_CreateWindowAndRenderer(WIDTH, HEIGHT, SDL_WINDOW_RESIZABLE, &window, &renderer) != 0)
        puts(SDL_GetError()), exit(1);
    SDL_SetWindowTitle(window, "Tidepool: mouse paddle, P pump, G gate, B boat, R rewind, Esc");
    SDL_RenderSetLogicalSize(renderer, WIDTH, HEIGHT);
    SDL_Texture *texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888,
                                             SDL_TEXTUREACCESS_STREAMING, WIDTH, HEIGHT);
    game_input now = {GAME_PUMP, 128, 190};
    tp_result result = TP_OK;
    for (uint32_t k = 0; result >= TP_OK && take_events(&now) && (!pictures || k < pictures); k++) {
        uint32_t started = SDL_GetTicks();
        if (game_add(now) && record) fprintf(record, "1 %u %u %u\n", now.buttons, now.x, now.y);
        result = game_frame(&budget);
        draw();
        SDL_UpdateTexture(texture, NULL, pixels, (int)(WIDTH * sizeof *pixels));
        SDL_RenderCopy(renderer, texture, NULL, NULL);
        SDL_RenderPresent(renderer);
        uint32_t took = SDL_GetTicks() - started;
        if (took < 16) SDL_Delay(16 - took);
    }
    SDL_Quit();
    return result;
}
#else
static tp_result show(uint32_t pictures, FILE *record)
{
    (void)pictures, (void)record, puts("without SDL2 --play is needed"), exit(2);
}
#endif

int main(int count, char **arguments)
{
    static platform_jobs pool;
    static const char *names[] = {"--play",   "--record", "--picture", "--hash",
                                  "--frames", "--units",  "--us",      "--workers"};
    const char *values[8] = {NULL, NULL, NULL, NULL, "0", "0", "4000", "2"};
    char hash[17];
    for (int i = 1; i + 1 < count; i += 2)
        for (uint32_t k = 0; k < 8; k++)
            if (strcmp(arguments[i], names[k]) == 0) values[k] = arguments[i + 1];
    uint32_t frames = (uint32_t)strtoul(values[4], NULL, 10);
    budget.units = (uint32_t)strtoul(values[5], NULL, 10);
    budget.microseconds = (uint32_t)strtoul(values[6], NULL, 10);
    if (platform_jobs_start(&pool, (uint32_t)strtoul(values[7], NULL, 10)))
        budget.jobs = &pool.jobs;
    FILE *in = values[0] ? fopen(values[0], "r") : NULL;
    FILE *out = values[1] ? fopen(values[1], "w") : NULL;
    if ((values[0] && !in) || (values[1] && !out)) return perror("--play, --record"), 1;
    tp_result result = game_start();
    if (result == TP_OK) result = in ? play(in, frames) : show(frames, out);
    if (result < TP_OK) return puts(tp_result_text(result)), 1;
    snprintf(hash, sizeof hash, "%016" PRIx64, game_hash());
    printf("%u particles, %.0f J\nhash %s\n", game_look().particles, (double)game_look().energy,
           hash);
    draw();
    if (out && fclose(out) != 0) return perror("--record"), 1;
    if (values[2] && !paint_save(&picture, values[2])) return perror("--picture"), 1;
    if (values[3] && strcmp(values[3], hash) != 0) return puts("another hash was expected"), 1;
    return 0;
}
