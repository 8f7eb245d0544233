/* SPDX-License-Identifier: MIT
   ports/examples/game/main.c - the game in a window of SDL2, or without one from recorded inputs.
   reads   keys and mouse; `--play FILE`: inputs      writes  the window; `--record FILE`: inputs;
           `--picture FILE`: the last picture
   memory  the game's, a picture and the inputs      cost  4 ms of simulation per picture
   after   own design; linked with game.c, draw.c, tidepool.c, a platform and SDL2, or with
           -DGAME_WITHOUT_SDL */
#include "game.h"
#include "platform.h"
#include "jobs_posix/jobs.h"
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifndef GAME_WITHOUT_SDL
#include <SDL.h>
#endif

#define WIDTH      960u
#define HEIGHT     540u
#define INPUTS_MAX 40000u /* 11 minutes */

static uint32_t pixels[WIDTH * HEIGHT];
static tp_budget budget = {.clock_us = platform_clock_us};
static uint32_t bar_units = 3000000; /* length of the bar without a budget of units */

/* Inputs by frame. A file has a line for each run of equal ones: frames, buttons, x, y. */
static struct inputs {
    game_input list[INPUTS_MAX], now;
    uint32_t count, next, last;
} inputs;

static bool read_inputs(const char *name)
{
    FILE *file = fopen(name, "r");
    unsigned frames, buttons, x, y;
    while (file && fscanf(file, "%u %u %u %u", &frames, &buttons, &x, &y) == 4)
        while (frames-- && inputs.count < INPUTS_MAX)
            inputs.list[inputs.count++] = (game_input){(uint8_t)buttons, (uint8_t)x, (uint8_t)y};
    return file && fclose(file) == 0 && inputs.count > 0;
}

static bool write_inputs(const char *name)
{
    FILE *file = fopen(name, "w");
    for (uint32_t i = 0, run = 1; file && i < inputs.count; i++, run++) {
        game_input a = inputs.list[i];
        if (i + 1 < inputs.count && memcmp(&a, &inputs.list[i + 1], sizeof a) == 0) continue;
        fprintf(file, "%u %u %u %u\n", (unsigned)run, a.buttons, a.x, a.y);
        run = 0;
    }
    return file && fclose(file) == 0;
}

static bool write_picture(const char *name)
{
    FILE *file = fopen(name, "wb");
    if (!file) return false;
    fprintf(file, "P6 %u %u 255\n", WIDTH, HEIGHT);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
        for (int shift = 16; shift >= 0; shift -= 8) putc((int)(pixels[i] >> shift & 255u), file);
    return fclose(file) == 0;
}

static void draw(void)
{
    game_draw(pixels, WIDTH, HEIGHT, budget.units ? budget.units : bar_units);
}

/* ---- without a window ---- */

static bool next_played(void *context, game_input *input)
{
    (void)context;
    *input = inputs.list[inputs.next % inputs.count];
    return inputs.next < inputs.last && ++inputs.next;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static void print(const char *name, uint32_t *values, uint32_t count)
{
    qsort(values, count, sizeof *values, compare);
    printf("%s: median %u, 99 %% %u, largest %u\n", name, (unsigned)values[count / 2],
           (unsigned)values[(count - 1) * 99 / 100], (unsigned)values[count - 1]);
}

static int play(const char *hash)
{
    static uint32_t times[2 * INPUTS_MAX], units[2 * INPUTS_MAX];
    uint32_t count = 0, late = 0, over = 0, owed = 0;
    tp_result result = TP_OK;
    while (result >= TP_OK && (inputs.next < inputs.last || result == TP_MORE) &&
           count < 2 * INPUTS_MAX) {
        uint64_t started = platform_clock_us(NULL);
        result = game_frame(&budget, next_played, NULL);
        times[count] = (uint32_t)(platform_clock_us(NULL) - started);
        units[count] = (uint32_t)game_look()->units;
        late += result == TP_MORE;
        over += (budget.microseconds && times[count] > budget.microseconds) ||
                (budget.units && units[count] > budget.units);
        owed = game_look()->owed > owed ? game_look()->owed : owed;
        count++;
    }
    if (result < TP_OK) return puts(tp_result_text(result)), 1;
    print("microseconds", times, count);
    print("units", units, count);
    printf("%u pictures, %u over the budget, %u late, at most %u frames owed\n", (unsigned)count,
           (unsigned)over, (unsigned)late, (unsigned)owed);
    printf("%u particles, %.0f J\n", (unsigned)tp_world_report(game_look()->water).particles,
           (double)game_look()->state.energy);
    for (uint32_t b = 0; b < GAME_BOATS; b++) { /* its pixel in the picture */
        tp_body_state boat = {0};
        if (tp_body_get(game_look()->water, game_look()->bodies[b], &boat) != TP_OK) return 1;
        printf("boat %u %d %d\n", (unsigned)b + 1,
               (int)(boat.pose.position.x * (WIDTH / GAME_WIDTH)),
               (int)((GAME_HEIGHT - boat.pose.position.y) * (WIDTH / GAME_WIDTH)));
    }
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, game_hash());
    printf("hash %s\n", text);
    return hash && strcmp(hash, text) != 0 ? puts("the recorded hash is another one"), 1 : 0;
}

/* ---- with a window ---- */

#ifndef GAME_WITHOUT_SDL
static bool next_now(void *context, game_input *input)
{
    (void)context;
    *input = inputs.now;
    if (inputs.count < INPUTS_MAX) inputs.list[inputs.count++] = inputs.now;
    return true;
}

static bool take_events(void)
{
    SDL_Event event;
    while (SDL_PollEvent(&event)) {
        if (event.type == SDL_QUIT ||
            (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_ESCAPE))
            return false;
        if (event.type == SDL_MOUSEMOTION) {
            int x = event.motion.x * 255 / (int)WIDTH, y = 255 - event.motion.y * 255 / (int)HEIGHT;
            inputs.now.x = (uint8_t)(x < 0 ? 0 : x > 255 ? 255 : x);
            inputs.now.y = (uint8_t)(y < 0 ? 0 : y > 255 ? 255 : y);
        }
        if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_p)
            inputs.now.buttons ^= GAME_PUMP;
        if (event.type == SDL_KEYDOWN && event.key.keysym.sym == SDLK_g)
            inputs.now.buttons ^= GAME_GATE;
    }
    const Uint8 *keys = SDL_GetKeyboardState(NULL);
    inputs.now.buttons &= GAME_PUMP | GAME_GATE;
    if (keys[SDL_SCANCODE_B]) inputs.now.buttons |= GAME_DROP;
    if (keys[SDL_SCANCODE_R] || keys[SDL_SCANCODE_BACKSPACE]) inputs.now.buttons |= GAME_REWIND;
    return true;
}

/* Pictures at 60 Hz: vertical sync where there is one, else a pause. `pictures`: 0: until the
   window is closed. */
static int show(uint32_t pictures)
{
    const char *title = "Tidepool: mouse paddle, P pump, G gate, B boat, R rewind, Esc";
    if (SDL_Init(SDL_INIT_VIDEO) != 0) return puts(SDL_GetError()), 1;
    SDL_Window *window = SDL_CreateWindow(title, SDL_WINDOWPOS_CENTERED, SDL_WINDOWPOS_CENTERED,
                                          (int)WIDTH, (int)HEIGHT, SDL_WINDOW_RESIZABLE);
    SDL_Renderer *renderer = SDL_CreateRenderer(window, -1, SDL_RENDERER_PRESENTVSYNC);
    SDL_Texture *texture = SDL_CreateTexture(renderer, SDL_PIXELFORMAT_ARGB8888,
                                             SDL_TEXTUREACCESS_STREAMING, (int)WIDTH, (int)HEIGHT);
    SDL_RenderSetLogicalSize(renderer, (int)WIDTH, (int)HEIGHT);
    inputs.now = (game_input){GAME_PUMP, 128, 190};
    tp_result result = TP_OK;
    for (uint32_t count = 0;
         result >= TP_OK && take_events() && (pictures == 0 || count < pictures); count++) {
        uint32_t started = SDL_GetTicks();
        result = game_frame(&budget, next_now, NULL);
        draw();
        SDL_UpdateTexture(texture, NULL, pixels, (int)(WIDTH * sizeof *pixels));
        SDL_RenderCopy(renderer, texture, NULL, NULL);
        SDL_RenderPresent(renderer);
        uint32_t took = SDL_GetTicks() - started;
        if (took < 16) SDL_Delay(16 - took);
    }
    SDL_Quit();
    return result < TP_OK ? (puts(tp_result_text(result)), 1) : 0;
}
#endif

int main(int count, char **arguments)
{
    static platform_jobs pool;
    const char *names[] = {"--play",   "--record", "--picture", "--hash",
                           "--frames", "--units",  "--us",      "--workers"};
    const char *values[8] = {NULL, NULL, NULL, NULL, "0", "0", "4000", "1"};
    for (int i = 1; i + 1 < count; i += 2)
        for (uint32_t k = 0; k < 8; k++)
            if (strcmp(arguments[i], names[k]) == 0) values[k] = arguments[i + 1];
    uint32_t workers = (uint32_t)strtoul(values[7], NULL, 10);
    inputs.last = (uint32_t)strtoul(values[4], NULL, 10);
    budget.units = (uint32_t)strtoul(values[5], NULL, 10);
    budget.microseconds = (uint32_t)strtoul(values[6], NULL, 10);
    if (workers > 1 && platform_jobs_start(&pool, workers)) budget.jobs = &pool.jobs;
    if (values[0] && !read_inputs(values[0]))
        return puts("--play: a file of inputs is expected"), 1;
    if (values[0] && inputs.last == 0) inputs.last = inputs.count;
    tp_result result = game_start();
    if (result != TP_OK) return puts(tp_result_text(result)), 1;
#ifdef GAME_WITHOUT_SDL
    int code = values[0] ? play(values[3]) : (puts("built without SDL2: --play FILE is needed"), 2);
#else
    int code = values[0] ? play(values[3]) : show(inputs.last);
#endif
    if (values[0]) draw();
    if (values[2] && !write_picture(values[2])) return puts("the picture could not be written"), 1;
    if (values[1] && !values[0] && !write_inputs(values[1]))
        return puts("the inputs could not be written"), 1;
    return code;
}
