/* SPDX-License-Identifier: MIT
   tests/fuzz/main.c - runs the corpus and fixed mutations of it; with -DFUZZ_ENGINE libFuzzer's
           entry.
   reads   files: `fuzz SEEDS NAME FILE...`; `fuzz replay NAME FILE` runs one input unchanged;
           libFuzzer: FUZZ_TARGET=NAME
   writes  build/fuzz/running-NAME, the current input: after a crash, the input that crashed
   memory  two inputs      cost  files * SEEDS runs
   after   own design; mutations: flipped bits, edited bytes, cut, repeated and swapped pieces,
           hostile numbers */
#include "fuzz.h"
#include "common/host.h"
#include <stdlib.h>
#include <string.h>

static const fuzz_target *find_target(const char *name)
{
    for (size_t i = 0; i < fuzz_target_count; i++)
        if (strcmp(fuzz_targets[i].name, name) == 0) return &fuzz_targets[i];
    return NULL;
}

uint32_t fuzz_change_step(void)
{
    static uint32_t step; /* 0: not read yet */
    const char *text = getenv("FUZZ_CHANGES");
    if (step == 0 && (!text || !host_parse_u32(text, &step) || step == 0 || step > 255)) step = 1;
    return step;
}

uint32_t fuzz_change_first(size_t byte) { return (uint32_t)(byte % fuzz_change_step()); }

#ifdef FUZZ_ENGINE
static const fuzz_target *engine_target;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *name = getenv("FUZZ_TARGET");
    (void)argc, (void)argv;
    engine_target = name ? find_target(name) : NULL;
    if (!engine_target) {
        fprintf(stderr, "FUZZ_TARGET names no target\n");
        exit(2);
    }
    host_quiet(true);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    engine_target->run(bytes, size);
    return 0;
}
#else

static uint32_t next_random(uint32_t *state)
{
    *state ^= *state << 13; /* xorshift32, Marsaglia 2003 */
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void put_number(uint8_t *at, uint32_t number)
{
    for (uint32_t k = 0; k < 4; k++) at[k] = (uint8_t)(number >> 8 * k);
}

/* Applies one mutation; the size stays within 1 .. FUZZ_INPUT_MAX. */
static size_t mutate(uint8_t *bytes, size_t size, uint32_t *state)
{
    static const uint32_t numbers[] = {0,           1,           0x7fffffffu, 0x80000000u,
                                       0xffffffffu, 0x7fc00000u, 0x7f800000u, 0x3f800000u,
                                       0xbf800000u, 16777215u,   65536u,      100u};
    static const char *const words[] = {"nan", "-inf", "1e39", "-1", "4294967296", ",",
                                        "\n",  "\"",   "[",    "=",  "0x",         "e"};
    size_t at = next_random(state) % size, left = size - at;
    uint32_t kind = next_random(state) % 8u, value = next_random(state);
    size_t length = 1 + value % (left < 64 ? left : 64);
    if (kind == 0) bytes[at] ^= (uint8_t)(1u << value % 8u);
    if (kind == 1) bytes[at] = (uint8_t)(value >> 8);
    if (kind == 2 && left >= 4) put_number(bytes + at, numbers[value % 12u]);
    if (kind == 3 && size > length) {
        memmove(bytes + at, bytes + at + length, left - length);
        size -= length;
    }
    if (kind == 4 && size + length <= FUZZ_INPUT_MAX) {
        memmove(bytes + at + length, bytes + at, left);
        size += length;
    }
    if (kind == 5)
        memmove(bytes + at, bytes + (size - length) / 2, length < left ? length / 2 : left / 2);
    if (kind == 6)
        memcpy(bytes + at, words[value % 12u],
               strlen(words[value % 12u]) < left ? strlen(words[value % 12u]) : left);
    if (kind == 7 && value % 4u == 0) size = at + 1;
    return size ? size : 1;
}

static void run_input(const fuzz_target *target, const uint8_t *bytes, size_t size)
{
    char path[64];
    static FILE *running;
    snprintf(path, sizeof path, "build/fuzz/running-%s", target->name);
    fuzz_leave(&running, path, bytes, size);
    target->run(bytes, size);
}

static int fuzz_file(const fuzz_target *target, const char *path, uint32_t seeds)
{
    static uint8_t input[FUZZ_INPUT_MAX + 64];
    uint8_t *bytes;
    size_t size;
    int code = host_read_file(path, &bytes, &size);
    if (code != HOST_DONE) return code;
    size_t kept = size < FUZZ_INPUT_MAX ? size : FUZZ_INPUT_MAX;
    run_input(target, bytes, kept);
    for (uint32_t seed = 1; seed <= seeds && kept > 0; seed++) {
        uint32_t state = seed * 2654435761u + (uint32_t)size;
        size_t length = kept;
        memcpy(input, bytes, kept);
        for (uint32_t change = 0; change <= seed % 6u; change++)
            length = mutate(input, length, &state);
        run_input(target, input, length);
    }
    free(bytes);
    return HOST_DONE;
}

int main(int argc, char **argv)
{
    const fuzz_target *target = argc > 3 ? find_target(argv[2]) : NULL;
    uint32_t seeds = 0;
    if (!target || (strcmp(argv[1], "replay") != 0 && !host_parse_u32(argv[1], &seeds))) {
        fprintf(stderr, "usage: fuzz SEEDS NAME FILE...\n       fuzz replay NAME FILE...\n");
        return 2;
    }
    host_quiet(true);
    for (int i = 3; i < argc; i++)
        if (fuzz_file(target, argv[i], seeds) != HOST_DONE) return 1;
    printf("%d files, %u changed copies each\n", argc - 3, (unsigned)seeds);
    return 0;
}
#endif
