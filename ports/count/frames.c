/* SPDX-License-Identifier: MIT
   ports/count/frames.c - QEMU plugin: counts the instructions of a program between two addresses,
           each time it passes them.
   reads   begin=ADDRESS and end=ADDRESS, hexadecimal      writes  out=FILE: `times worst sum`
   memory  a few numbers      cost  one call per executed block
   after   QEMU's plugin interface; both addresses start a function, and so a translated block */
#include "qemu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FRAMES_KINDS = 3 }; /* elsewhere, the begin address, the end address */

static uint64_t frames_begin, frames_end, frames_running, frames_worst, frames_sum, frames_times;
static int frames_inside;
static const char *frames_path;

/* The context of a block is its number of instructions * FRAMES_KINDS + 0, 1 or 2: elsewhere,
   begin, end. */
static void frames_on_block(unsigned int cpu, void *context)
{
    uint64_t word = (uint64_t)(uintptr_t)context, kind = word % FRAMES_KINDS;
    (void)cpu;
    if (kind == 1) {
        frames_inside = 1;
        frames_running = 0;
    } else if (kind == 2 && frames_inside) {
        frames_inside = 0;
        frames_times++;
        frames_sum += frames_running;
        if (frames_running > frames_worst) frames_worst = frames_running;
    }
    frames_running += word / FRAMES_KINDS;
}

static void frames_on_translation(count_id id, struct qemu_plugin_tb *block)
{
    uint64_t address = qemu_plugin_tb_vaddr(block);
    uint64_t kind = address == frames_begin ? 1u : address == frames_end ? 2u : 0u;
    uint64_t word = qemu_plugin_tb_n_insns(block) * FRAMES_KINDS + kind;
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(block, frames_on_block, 0, (void *)(uintptr_t)word);
}

static void frames_on_exit(count_id id, void *context)
{
    FILE *file = fopen(frames_path, "w");
    (void)id, (void)context;
    if (!file) return;
    fprintf(file, "%llu %llu %llu\n", (unsigned long long)frames_times,
            (unsigned long long)frames_worst, (unsigned long long)frames_sum);
    fclose(file);
}

int qemu_plugin_install(count_id id, const struct qemu_info_t *info, int argc, char **argv)
{
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "begin=", 6) == 0) frames_begin = strtoull(argv[i] + 6, NULL, 16);
        if (strncmp(argv[i], "end=", 4) == 0) frames_end = strtoull(argv[i] + 4, NULL, 16);
        if (strncmp(argv[i], "out=", 4) == 0) frames_path = argv[i] + 4;
    }
    if (!frames_path || frames_begin == frames_end) return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, frames_on_translation);
    qemu_plugin_register_atexit_cb(id, frames_on_exit, NULL);
    return 0;
}
