/* SPDX-License-Identifier: MIT
   ports/count/plugin.c - QEMU plugin: counts the executed instructions of a program by stage.
   reads   a table of lines `low high name`, hexadecimal addresses      writes  a file of lines
           `name count`
   memory  two tables of fixed size      cost  one call per executed block
   after   QEMU's plugin interface

   Instructions in a range of the table count for the name of the range. Code outside of all ranges
   is a helper and counts for the last name entered. A QEMU block ends at every jump and call, so it
   lies completely in one range. */
#include "qemu.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT_RANGES 2048u
#define COUNT_NAMES  32u

typedef struct count_range {
    uint64_t low, high;
    uint32_t name;
} count_range;

static count_range count_ranges[COUNT_RANGES];
static uint32_t count_range_count;
static char count_names[COUNT_NAMES][32];
static uint64_t count_totals[COUNT_NAMES];
static uint32_t count_name_count, count_entered;
static const char *count_path;

static uint32_t count_name_of(const char *name)
{
    for (uint32_t i = 0; i < count_name_count; i++)
        if (strcmp(count_names[i], name) == 0) return i;
    if (count_name_count == COUNT_NAMES) exit(2);
    memcpy(count_names[count_name_count], name, strlen(name) + 1);
    return count_name_count++;
}

/* The index of the range that contains an address, or count_range_count. */
static uint32_t count_range_of(uint64_t address)
{
    uint32_t i = 0;
    while (i < count_range_count &&
           (address < count_ranges[i].low || address >= count_ranges[i].high))
        i++;
    return i;
}

/* The context of a block is its number of instructions * (COUNT_NAMES + 1), plus 1 + the index of
   its name, or plus 0. */
static void count_on_block(unsigned int cpu, void *context)
{
    uint64_t word = (uint64_t)(uintptr_t)context;
    uint32_t name = (uint32_t)(word % (COUNT_NAMES + 1u));
    (void)cpu;
    if (name) count_entered = name - 1u;
    count_totals[count_entered] += word / (COUNT_NAMES + 1u);
}

static void count_on_translation(count_id id, struct qemu_plugin_tb *block)
{
    uint32_t range = count_range_of(qemu_plugin_tb_vaddr(block));
    uint32_t name = range < count_range_count ? count_ranges[range].name + 1u : 0;
    uint64_t word = qemu_plugin_tb_n_insns(block) * (COUNT_NAMES + 1u) + name;
    (void)id;
    qemu_plugin_register_vcpu_tb_exec_cb(block, count_on_block, 0, (void *)(uintptr_t)word);
}

static void count_on_exit(count_id id, void *context)
{
    FILE *file = fopen(count_path, "w");
    (void)id;
    (void)context;
    if (!file) return;
    for (uint32_t i = 0; i < count_name_count; i++)
        fprintf(file, "%s %llu\n", count_names[i], (unsigned long long)count_totals[i]);
    fclose(file);
}

static int count_read(const char *path)
{
    unsigned long long low, high;
    char name[32];
    FILE *file = fopen(path, "r");
    if (!file) return 1;
    count_entered = count_name_of("outside");
    while (count_range_count < COUNT_RANGES &&
           fscanf(file, "%llx %llx %31s", &low, &high, name) == 3)
        count_ranges[count_range_count++] = (count_range){low, high, count_name_of(name)};
    int more = getc(file) != '\n' && !feof(file);
    fclose(file);
    return more || count_range_count == 0;
}

int qemu_plugin_install(count_id id, const struct qemu_info_t *info, int argc, char **argv)
{
    const char *table = NULL;
    (void)info;
    for (int i = 0; i < argc; i++) {
        if (strncmp(argv[i], "table=", 6) == 0) table = argv[i] + 6;
        if (strncmp(argv[i], "out=", 4) == 0) count_path = strdup(argv[i] + 4);
    }
    if (!table || !count_path || count_read(table) != 0) return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, count_on_translation);
    qemu_plugin_register_atexit_cb(id, count_on_exit, NULL);
    return 0;
}
