/* SPDX-License-Identifier: MIT
   ports/count/slices.c - QEMU plugin: counts the instructions of slices and calls of a program that
           marks where they end.
   reads   messages of the program, a table of marker addresses      writes  one line per scene and
           stage, and per scene and call
   memory  a record of fixed size      cost  one call per executed block
   after   QEMU's plugin interface

   Only some versions of the interface can read the program's memory, but all see executed blocks.
   So the program sends a number by calling worst_digit_0 to worst_digit_f, highest digit first,
   then worst_tell_K with the meaning K of the message (ports/worst/tell.h). The table has a line
   `address code` for each of these functions: the digit, or 16 + K. */
#include "qemu.h"
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../worst/tell.h"

#define COUNT_CODES (16u + WORST_ABOUT)

/* Counts of slices or calls of one kind. The worst one has the most instructions per unit. Fewer
   units than WORST_SLICE_LEAST count as WORST_SLICE_LEAST, because no budget makes a slice
   shorter. */
typedef struct count_of {
    uint64_t times, units, instructions;
    uint64_t worst_instructions, worst_units;
    uint64_t most; /* instructions of the longest one */
} count_of;

static struct {
    uint64_t running;     /* instructions since the last WORST_GO */
    uint64_t now, before; /* instructions of the last two intervals */
    uint64_t call_instructions, call_units;
    uint32_t number; /* received so far */
    count_of kinds[WORST_KINDS];
    count_of frames; /* units: the budget plus one slice */
} count;

static uint64_t count_addresses[COUNT_CODES];
static FILE *count_file;

static uint64_t count_units_at_least(uint64_t units)
{
    return units < WORST_SLICE_LEAST ? WORST_SLICE_LEAST : units;
}

static void count_note(count_of *of, uint64_t instructions, uint64_t units)
{
    bool is_worse = instructions * count_units_at_least(of->worst_units) >
                    of->worst_instructions * count_units_at_least(units);
    of->times++;
    of->units += units;
    of->instructions += instructions;
    if (instructions > of->most) of->most = instructions;
    if (!is_worse) return;
    of->worst_instructions = instructions;
    of->worst_units = units;
}

static void count_print(uint32_t scene, const char *name, const count_of *of)
{
    if (!of->times) return;
    fprintf(count_file, "%u %s %llu %llu %llu %llu %llu %llu\n", (unsigned)scene, name,
            (unsigned long long)of->times, (unsigned long long)of->units,
            (unsigned long long)of->instructions, (unsigned long long)of->worst_instructions,
            (unsigned long long)of->worst_units, (unsigned long long)of->most);
}

static void count_end_scene(uint32_t scene)
{
    static const char *const names[WORST_KINDS] = {
#define WORST_NAME(name) #name,
        WORST_KIND_LIST(WORST_NAME)};
    for (uint32_t kind = 0; kind < WORST_KINDS; kind++)
        count_print(scene, names[kind], &count.kinds[kind]);
    count_print(scene, "budget", &count.frames);
    memset(&count, 0, sizeof count);
}

static void count_message(uint32_t about, uint32_t number)
{
    uint32_t kind = number >> 24 < WORST_KINDS ? number >> 24 : WORST_KINDS - 1u,
             units = number & 0xffffffu;
    switch (about) {
    case WORST_STOP:
        count.before = count.now;
        count.now = count.running;
        count.call_instructions += count.running;
        break;
    case WORST_GO: count.running = 0; break;
    case WORST_SLICE:
        count.call_units += units;
        count_note(&count.kinds[kind], count.before, units);
        break;
    case WORST_CALL: count_note(&count.kinds[kind], count.now, units); break;
    case WORST_FRAME:
        count_note(&count.kinds[WORST_OF_tp_frame], count.call_instructions, count.call_units);
        count_note(&count.frames, count.call_instructions, units);
        break;
    case WORST_FRAME_BEGIN: count.call_instructions = count.call_units = 0; break;
    default: count_end_scene(number);
    }
}

/* The context of a block is its number of instructions * (COUNT_CODES + 1), plus 1 + the code that
   it sends, or plus 0. */
static void count_on_block(unsigned int cpu, void *context)
{
    uint64_t word = (uint64_t)(uintptr_t)context;
    uint32_t code = (uint32_t)(word % (COUNT_CODES + 1u));
    (void)cpu;
    count.running += word / (COUNT_CODES + 1u);
    if (code == 0) return;
    if (code <= 16u) {
        count.number = count.number << 4 | (code - 1u);
        return;
    }
    count_message(code - 17u, count.number);
    count.number = 0;
}

static void count_on_translation(count_id id, struct qemu_plugin_tb *block)
{
    uint64_t address = qemu_plugin_tb_vaddr(block);
    uint32_t code = 0;
    (void)id;
    while (code < COUNT_CODES && count_addresses[code] != address) code++;
    uint64_t word =
        qemu_plugin_tb_n_insns(block) * (COUNT_CODES + 1u) + (code < COUNT_CODES ? code + 1u : 0);
    qemu_plugin_register_vcpu_tb_exec_cb(block, count_on_block, 0, (void *)(uintptr_t)word);
}

static void count_on_exit(count_id id, void *context)
{
    (void)id;
    (void)context;
    fclose(count_file);
}

static int count_read(const char *path)
{
    unsigned long long address;
    unsigned code, found = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 1;
    for (; fscanf(file, "%llx %u", &address, &code) == 2 && code < COUNT_CODES; found++)
        count_addresses[code] = address;
    fclose(file);
    return found != COUNT_CODES;
}

int qemu_plugin_install(count_id id, const struct qemu_info_t *info, int argc, char **argv)
{
    const char *table = NULL;
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "table=", 6) == 0) table = argv[i] + 6;
        if (strncmp(argv[i], "out=", 4) == 0) count_file = fopen(argv[i] + 4, "w");
    }
    if (!table || !count_file || count_read(table) != 0) return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, count_on_translation);
    qemu_plugin_register_atexit_cb(id, count_on_exit, NULL);
    return 0;
}
