/* SPDX-License-Identifier: MIT
   tests/static/eva_checksum.c - Eva driver: the checksum of blocks of every size with any bytes.
   reads   unknown blocks      writes  nothing: Eva must report no alarm
   memory  the largest block      cost    a minute
   after   own design; blocks end where the array ends. eva_clip.c relies on the specification
           proved here */
#include "eva.h"
#include "../../runtime/codec/clip.c"

#define BLOCK_MAX (1u << TPI_CLIP_BLOCK_HIGHEST)
static uint8_t room[BLOCK_MAX];

int main(void)
{
    eva_fill(room, sizeof room);
    for (uint32_t bits = TPI_CLIP_BLOCK_LOWEST; bits <= TPI_CLIP_BLOCK_HIGHEST; bits++)
        (void)tpi_clip_block_crc(room + (BLOCK_MAX - (1u << bits)), 1u << bits);
    return 0;
}
