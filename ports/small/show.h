/* SPDX-License-Identifier: MIT
   ports/small/show.h - what the programs for 64 KiB of RAM share: pictures of letters, errors, the
           end of a frame.
   reads   nothing      writes  nothing: definitions
   memory  a picture on the stack      cost    a picture: one pass over the particles
   after   own design */
#ifndef TIDEPOOL_SMALL_SHOW_H
#define TIDEPOOL_SMALL_SHOW_H

#define SHOW_COLUMNS 40u
#define SHOW_ROWS    12u

/* Draws the particles of width x height metres as text: a darker letter means more particles in the
   cell. */
__attribute__((noinline)) static void show_draw(const tp_world *world, float width, float height)
{
    unsigned char cells[SHOW_ROWS][SHOW_COLUMNS] = {{0}};
    tp_view view = tp_world_view(world);
    for (uint32_t i = 0; i < view.count; i++) {
        float column = view.x[i] * (1.0f / width) * (float)SHOW_COLUMNS;
        float row = (height - view.y[i]) * (1.0f / height) * (float)SHOW_ROWS;
        if (column < 0.0f || column >= (float)SHOW_COLUMNS || row < 0.0f || row >= (float)SHOW_ROWS)
            continue;
        cells[(uint32_t)row][(uint32_t)column]++;
    }
    for (uint32_t row = 0; row < SHOW_ROWS; row++) {
        char line[SHOW_COLUMNS + 2];
        for (uint32_t column = 0; column < SHOW_COLUMNS; column++)
            line[column] = " .oO@"[cells[row][column] < 4 ? cells[row][column] : 4];
        line[SHOW_COLUMNS] = '\n';
        line[SHOW_COLUMNS + 1] = 0;
        port_puts(line);
    }
}

/* The exit code of a program that ends with an error. */
static int show_error(tp_result result)
{
    port_puts(tp_result_text(result));
    port_puts("\n");
    return 1;
}

/* Marks the end of a frame for the plugin that counts instructions. */
__attribute__((noinline)) static void show_frame_over(void) { __asm__ volatile("" ::: "memory"); }

#endif
