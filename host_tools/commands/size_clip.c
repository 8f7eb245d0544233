/* SPDX-License-Identifier: MIT
   host_tools/commands/size_clip.c - `tidepool size CLIP.tpc`: prints the memory of a player of a
           clip.
   reads   a clip      writes  standard output
   memory  two blocks of the clip      cost    O(groups)
   after   own design */
#include "commands.h"
#include "../common/text.h"
#include "../common/host.h"
#include "size_clip.h"
#include "tidepool.h"
#include <string.h>

static uint32_t read_file(void *context, uint64_t offset, void *bytes, uint32_t size)
{
    FILE *stream = context;
    if (offset > INT64_MAX || fseeko(stream, (off_t)offset, SEEK_SET)) return 0;
    return (uint32_t)fread(bytes, 1, size, stream);
}

/* The block of a player, part by part; then its size with 0 kept frames (whole frames only), 2
   (interpolation), and key_interval + 1 (fast reverse). */
static void print_players(tp_player_def def, const tp_clip_info *info)
{
    const uint32_t kept[3] = {0, 2, info->key_interval + 1u};
    tp_memory_part parts[TP_MEMORY_PARTS_MAX];
    size_t bytes[3] = {0, 0, 0};
    uint32_t count = 0;
    for (uint32_t k = 0; k < 3; k++) {
        def.frames_kept = kept[k];
        if (tp_player_memory(&def, &bytes[k]) != TP_OK)
            bytes[k] = 0; /* not possible: a block is smaller than 4 GiB */
    }
    def.frames_kept = 0;
    if (tp_player_memory_parts(&def, parts, &count) != TP_OK) return;
    printf("\n%-20s %12s %9s\n", "part of a player", "bytes", "/point");
    for (uint32_t i = 0; i < count; i++)
        printf("%-20s %12u %9.2f\n", parts[i].name, parts[i].bytes,
               parts[i].bytes / (double)def.points_max);
    printf("%-20s %12zu %9.2f\n", "sum, whole frames", bytes[0], (double)bytes[0] / def.points_max);
    printf("%-20s %12zu %9.2f\n", "with interpolation", bytes[1],
           (double)bytes[1] / def.points_max);
    printf("%-20s %12zu %9.2f\n", "with fast reverse", bytes[2], (double)bytes[2] / def.points_max);
}

bool size_is_clip(const char *path)
{
    size_t length = strlen(path);
    return length > 4 && strcmp(path + length - 4, ".tpc") == 0;
}

int size_clip(const char *path, bool is_quiet)
{
    static uint8_t scratch[65536];
    tp_clip_info info;
    FILE *stream = fopen(path, "rb");
    if (!stream) return host_error(HOST_IO, path, HOST_NO_OFFSET, "cannot open");
    tp_clip_storage storage = {.read = read_file, .context = stream};
    tp_result result = tp_clip_look(&storage, scratch, sizeof scratch, &info);
    fclose(stream);
    if (result != TP_OK)
        return host_error(HOST_BAD_INPUT, path, info.fault.offset, "expected %s",
                          info.fault.expected);
    tp_player_def def = tp_player_default(&info);
    const char *wrong = tp_player_check(&def);
    if (wrong) return host_error(HOST_BAD_INPUT, path, HOST_NO_OFFSET, "no player: %s", wrong);
    if (is_quiet) return HOST_DONE;
    printf(
        "%s: %u points, tiles of at most %u bytes, blocks of %u, groups of %u frames; positions\n",
        text_shown(path), info.points_max, info.piece_max, info.block_bytes, info.key_interval);
    print_players(def, &info);
    return HOST_DONE;
}
