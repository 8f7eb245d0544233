/* SPDX-License-Identifier: MIT
   ports/examples/replay.c - records a player's inputs to a file, and replays them on any machine
           with identical bits.
   reads   `replay play FILE`: the file      writes  `replay record FILE`: the file; standard output
   memory  one static block and the file's bytes     cost  whole frames, without a budget
   after   own design; linked with tidepool.c

   The file, little-endian: "TPIN", u32 TP_VERSION, u32 frames; then an i16 for the stick of each
   frame. After each second of 60 frames follows a u64, the hash of the world: it shows in which
   second two machines diverge. */
#include "tank.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SECOND_FRAMES 60u
#define HEAD_BYTES    12u
#define SECOND_BYTES  (2u * SECOND_FRAMES + 8u)
#define FILE_BYTES    (HEAD_BYTES + TANK_FRAMES / SECOND_FRAMES * SECOND_BYTES)

static _Alignas(16) unsigned char block[TANK_BYTES];
static unsigned char file[FILE_BYTES + 1]; /* one more, to detect a file that is too long */

static void put(unsigned char *at, uint32_t bytes, uint64_t value)
{
    for (uint32_t i = 0; i < bytes; i++) at[i] = (unsigned char)(value >> 8 * i);
}

static uint64_t get(const unsigned char *at, uint32_t bytes)
{
    uint64_t value = 0;
    for (uint32_t i = 0; i < bytes; i++) value |= (uint64_t)at[i] << 8 * i;
    return value;
}

static int get_stick(const unsigned char *at)
{
    int value = (int)get(at, 2);
    return value < 0x8000 ? value : value - 0x10000;
}

/* Simulates one second. When recording it stores the inputs and the hash at `at`; when playing it
   reads them from there. False: an error, or a different hash. */
static bool second(tp_world *world, tp_field gravity, uint32_t frame, unsigned char *at,
                   bool is_record)
{
    for (uint32_t f = 0; f < SECOND_FRAMES; f++, frame++, at += 2) {
        if (is_record) put(at, 2, (uint64_t)tank_stick(frame));
        if (tank_tilt(world, gravity, get_stick(at)) != TP_OK) return false;
        /* no budget: whole frames, see rollback.c */
        if (tp_frame(world, NULL, NULL) != TP_OK) return false;
    }
    uint64_t hash = tp_world_hash(world);
    if (is_record) put(at, 8, hash);
    printf("frame %" PRIu32 " hash %016" PRIx64 "\n", frame, hash);
    if (get(at, 8) == hash) return true;
    printf("the record has %016" PRIx64 ": inputs or code differ within the second before it\n",
           get(at, 8));
    return false;
}

static bool transfer(const char *name, bool is_record)
{
    FILE *stream = fopen(name, is_record ? "wb" : "rb");
    if (!stream) return false;
    size_t bytes =
        is_record ? fwrite(file, 1, FILE_BYTES, stream) : fread(file, 1, FILE_BYTES + 1u, stream);
    return fclose(stream) == 0 && bytes == FILE_BYTES;
}

int main(int count, char **arguments)
{
    bool is_record = count == 3 && strcmp(arguments[1], "record") == 0;
    if (count != 3 || (!is_record && strcmp(arguments[1], "play") != 0))
        return puts("usage: replay record FILE | replay play FILE"), 2;
    unsigned char head[HEAD_BYTES] = {'T', 'P', 'I', 'N'};
    put(head + 4, 4, TP_VERSION); /* other versions may compute other bits */
    put(head + 8, 4, TANK_FRAMES);
    if (is_record) memcpy(file, head, sizeof head);
    if (!is_record && (!transfer(arguments[2], false) || memcmp(file, head, sizeof head) != 0))
        return puts("no record of this version"), 1;

    tp_world_def def = tank_definition();
    tp_world *world;
    tp_field gravity;
    tp_result result = tp_world_create(&def, block, sizeof block, &world);
    if (result == TP_OK) result = tank_fill(world, &gravity);
    if (result != TP_OK) return puts(tp_result_text(result)), 1;
    for (uint32_t s = 0; s < TANK_FRAMES / SECOND_FRAMES; s++)
        if (!second(world, gravity, s * SECOND_FRAMES, file + HEAD_BYTES + s * SECOND_BYTES,
                    is_record))
            return 1;
    if (is_record && !transfer(arguments[2], true))
        return puts("the record could not be written"), 1;
    return 0;
}
