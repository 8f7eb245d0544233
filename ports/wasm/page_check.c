/* SPDX-License-Identifier: MIT
   ports/wasm/page_check.c - runs the pages' proofs on this machine: the hashes must be those that
           the pages show.
   reads   nothing      writes  a line `page HASH NAME HASH play HASH HASH`, and any difference
   memory  the page's block     cost    a few hundred frames of 2000 particles
   after   own design; linked with page.c, page_golden.c, ports/hosted/port.c and the runtime */
#include "page.h"
#include "play.h"
#include "../golden/port.h"

static void check_print_hash(uint64_t hash)
{
    char text[17];
    for (uint32_t i = 0; i < 16; i++) text[i] = "0123456789abcdef"[hash >> (60u - 4u * i) & 15u];
    text[16] = 0;
    port_puts(text);
}

/* The same run under a budget, and with one rewind, must end with the same hash. */
static uint64_t check_with_rewind(void)
{
    if (page_start(PAGE_PROOF_PARTICLES, PAGE_PROOF_SHAPE, TP_OVERLOAD_CARRY) != TP_OK) return 0;
    uint32_t call = 0;
    bool has_rewound = false;
    while (page_numbers()[PAGE_FRAME] < PAGE_PROOF_FRAMES && call++ < 20u * PAGE_PROOF_FRAMES) {
        if (page_frame(150000u) < TP_OK) return 0;
        if (has_rewound || page_numbers()[PAGE_FRAME_LAST] < PAGE_PROOF_FRAMES / 2u) continue;
        if (page_rewind(PAGE_PROOF_FRAMES / 3u, 1) != TP_OK) return 0;
        if (page_overload(TP_OVERLOAD_CARRY) != TP_OK) return 0;
        has_rewound = true;
    }
    return page_hash();
}

/* Returns the number of plays whose hash differs. */
static int check_plays(void)
{
    int wrong = 0;
    port_puts(" play");
    for (uint32_t play = 0; play < PLAY_PLAYS; play++) {
        const uint64_t hash = play_proof(play);
        port_puts(" ");
        check_print_hash(hash);
        if (hash != play_proof_hash(play)) port_puts(" is not the hash of play.h"), wrong++;
    }
    return wrong;
}

int port_main(void)
{
    uint64_t hash = page_proof(), again = check_with_rewind(), golden = page_golden();
    port_puts("page ");
    check_print_hash(hash);
    if (hash != PAGE_PROOF_HASH) port_puts(" is not the hash of page.h");
    if (again != hash)
        port_puts(", and within budgets, rewound on the way, it is "), check_print_hash(again);
    port_puts(" ");
    port_puts(page_golden_name());
    port_puts(" ");
    check_print_hash(golden);
    if (golden != page_golden_hash()) port_puts(" is not the hash of golden.h");
    const int wrong = check_plays();
    port_puts("\n");
    return hash != PAGE_PROOF_HASH || again != hash || golden != page_golden_hash() || wrong;
}
