/* SPDX-License-Identifier: MIT
   ports/examples/game/main.c - the game in a window of SDL2, or without one from recorded inputs.
   reads   keys and mouse; `--play FILE`: inputs, lines of frames, buttons, x, y
   writes  the window; `--record FILE`: inputs; `--picture FILE`: the last picture
   memory  the game's and a picture      cost  4 ms of simulation per picture
   after   own design; linked with tidepool.c, a platform and SDL2, or -DGAME_WITHOUT_SDL */
#define PAINT_FILES
#include "game.h"
#include "platform.h"
#include "jobs_posix/jobs.h"
#include <stdlib.h>
#include <string.h>

#define WIDTH  960
#define HEIGHT 540

static uint32_t pixels[WIDTH * HEIGHT];
static const paint picture = {pixels, WIDTH, HEIGHT, WIDTH / GAME_WIDTH};
static tp_budget budget = {.clock_us = platform_clock_us};
static FILE *played, *record;
static game_input now = {GAME_PUMP, 128, 190};

/* From the file, which begins again at its end, or what the window has seen last. */
static game_input game_player(void)
{
    static unsigned run, buttons, x, y;
    for (int tries = 0; played && run == 0; tries++) {
        if (tries == 2) puts("--play: a file of inputs is expected"), exit(1);
        if (fscanf(played, "%u %u %u %u", &run, &buttons, &x, &y) != 4) run = 0, rewind(played);
    }
    if (played) run--, now = (game_input){(uint8_t)buttons, (uint8_t)x, (uint8_t)y};
    if (record) fprintf(record, "1 %u %u %u\n", now.buttons, now.x, now.y);
    return now;
}

#ifdef GAME_WITHOUT_SDL
static bool show(void) { return puts("without SDL2 --play is needed"), exit(2), false; }
#else
#include <SDL.h>

/* P and G are switches; B and R act while they are held. False: the window is closed. */
static bool take_events(void)
{
    for (SDL_Event event; SDL_PollEvent(&event);) {
        bool is_down = event.type == SDL_KEYDOWN, is_up = event.type == SDL_KEYUP;
        SDL_Keycode key = (is_down || is_up) && !event.key.repeat ? event.key.keysym.sym : 0;
        if (event.type == SDL_QUIT || key == SDLK_ESCAPE) return false;
        for (int k = 0; k < 4; k++)
            if (key == "pgbr"[k] && (is_down || k >= 2)) now.buttons ^= (uint8_t)(1u << k);
        if (event.type != SDL_MOUSEMOTION) continue;
        now.x = (uint8_t)(paint_bound((float)event.motion.x / WIDTH, 0, 1) * 255);
        now.y = (uint8_t)(255 - paint_bound((float)event.motion.y / HEIGHT, 0, 1) * 255);
    }
    return true;
}

/* The picture at 60 Hz: vertical sync where there is one, else a pause. */
static bool show(void)
{
    static SDL_Renderer *renderer;
    static SDL_Texture *texture;
    static uint32_t shown;
    if (!texture && SDL_Init(SDL_INIT_VIDEO) == 0) {
        renderer = SDL_CreateRenderer(
            SDL_CreateWindow("Tidepool: mouse paddle, P pump, G gate, B boat, R rewind, Esc",
                             SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED, WIDTH, HEIGHT, 0),
            -1, SDL_RENDERER_PRESENTVSYNC);
        texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888, SDL_TEXTUREACCESS_STREAMING,
                                    WIDTH, HEIGHT);
    }
    if (!texture) puts(SDL_GetError()), exit(1);
    SDL_UpdateTexture(texture, NULL, pixels, (int)(WIDTH * sizeof *pixels));
    SDL_RenderCopy(renderer, texture, NULL, NULL);
    SDL_RenderPresent(renderer);
    uint32_t took = SDL_GetTicks() - shown;
    if (took < 16) SDL_Delay(16 - took);
    shown = SDL_GetTicks();
    return take_events();
}
#endif

static void draw(void) { game_draw(&picture, budget.units ? budget.units : 2000000); }

/* `frames`: 0: until the window is closed. */
static tp_result run(uint32_t frames)
{
    uint32_t given = 0, pictures = 0, late = 0, over = 0, longest = 0, most = 0;
    uint64_t time = 0, units = 0;
    tp_result result = TP_OK;
    for (bool is_open = true; result >= TP_OK && is_open; pictures++) {
        if (!frames || given < frames)
            given += game_owe();
        else if (g.owed == 0)
            break;
        uint64_t started = platform_clock_us(NULL);
        result = game_frame(&budget);
        uint32_t took = (uint32_t)(platform_clock_us(NULL) - started), work = g.units;
        late += result == TP_MORE;
        over += (budget.units && work > budget.units) ||
                (budget.microseconds && took > budget.microseconds);
        longest = took > longest ? took : longest, time += took;
        most = work > most ? work : most, units += work;
        if (!played) draw(), is_open = show();
    }
    printf("%u pictures, %u over the budget, %u late\n", pictures, over, late);
    printf("mean %.0f us, %.0f units; largest %u us, %u units\n", (double)time / pictures,
           (double)units / pictures, longest, most);
    return result;
}

int main(int count, char **arguments)
{
    static platform_jobs pool;
    static const char *names[] = {"--play",  "--record", "--picture", "--hash", "--frames",
                                  "--units", "--us",     "--workers", "--lanes"};
    const char *values[9] = {NULL, NULL, NULL, NULL, "0", "0", "4000", "2", "0"};
    char hash[17];
    for (int i = 1; i + 1 < count; i += 2)
        for (uint32_t k = 0; k < 9; k++)
            if (strcmp(arguments[i], names[k]) == 0) values[k] = arguments[i + 1];
    budget.units = (uint32_t)atoi(values[5]);
    budget.microseconds = (uint32_t)atoi(values[6]);
    budget.lanes_max = (uint8_t)atoi(values[8]);
    if (platform_jobs_start(&pool, (uint32_t)atoi(values[7]))) budget.jobs = &pool.jobs;
    if (values[0] && !(played = fopen(values[0], "r"))) return perror("--play"), 1;
    if (values[1] && !(record = fopen(values[1], "w"))) return perror("--record"), 1;
    tp_result result = game_start();
    if (result == TP_OK) result = run((uint32_t)atoi(values[4]));
    if (result < TP_OK) return puts(tp_result_text(result)), 1;
    snprintf(hash, sizeof hash, "%016llx", (unsigned long long)tp_world_hash(g.world));
    printf("%.0f J\nhash %s\n", (double)g.now.energy, hash);
    draw();
    if (record && fclose(record) != 0) return perror("--record"), 1;
    if (values[2] && !paint_save(&picture, values[2])) return perror("--picture"), 1;
    if (values[3] && strcmp(values[3], hash) != 0) return puts("another hash was expected"), 1;
    return 0;
}
