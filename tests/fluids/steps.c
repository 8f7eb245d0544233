/* SPDX-License-Identifier: MIT
   tests/fluids/steps.c - lengths and Courant numbers of all steps of a run, as a chart.
   reads   the table of tidepool run --steps-csv      writes  fluid_steps.svg
   memory  the values, static      cost    O(steps)
   after   own design */
#include "plot.h"
#include <stdlib.h>

#define STEPS_MOST 20000u

static double at[STEPS_MOST], length[STEPS_MOST], courant[STEPS_MOST];

static unsigned steps_read(const char *path)
{
    char line[256];
    unsigned count = 0;
    FILE *file = fopen(path, "r");
    if (!file || !fgets(line, sizeof line, file)) return 0;
    while (count < STEPS_MOST && fgets(line, sizeof line, file))
        if (sscanf(line, "%*u,%*u,%lf,%lf,%lf", &at[count], &length[count], &courant[count]) == 3)
            count++;
    fclose(file);
    return count;
}

int main(int count, char **words)
{
    unsigned steps = count == 4 ? steps_read(words[1]) : 0;
    if (steps == 0) {
        fprintf(stderr, "usage: steps TABLE.csv TARGET PICTURE.svg\n");
        return 1;
    }
    const double target = strtod(words[2], NULL), ends[2] = {0, 8}, both[2] = {target, target};
    /* both are near 0.2: a step in centiseconds, and the Courant number */
    for (unsigned k = 0; k < steps; k++) length[k] *= 100;
    plot chart = plot_begin(words[3], (plot_axis){"time, s", 0, 8, 1, false},
                            (plot_axis){"step, 1/100 s; Courant number", 0, 0.6, 0.1, false});
    plot_line(&chart, "Courant number", at, courant, steps);
    plot_line(&chart, "step, 1/100 s", at, length, steps);
    plot_line(&chart, "target", ends, both, 2);
    return plot_end(&chart) ? 0 : 1;
}
