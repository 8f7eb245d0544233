/* SPDX-License-Identifier: MIT
   host_tools/commands/activity.h - what the files of `tidepool activity` share.
   reads   -      writes  -
   memory  -      cost    -
   after   own design */
#ifndef TIDEPOOL_ACTIVITY_COMMAND_H
#define TIDEPOOL_ACTIVITY_COMMAND_H
#include "../formats/activity.h"

/* The sums that are shown for regions: keys, or motion if there are no keys. */
static inline const double *activity_sums(const activity *result)
{
    return result->has_keys ? result->regions.keys : result->regions.motion;
}
/* Sum over all regions; 0: nothing happens. */
double activity_total(const activity *result);
/* "a1" for the first column of the first row. */
void activity_region_name(const activity *result, uint32_t region, char name[8]);
/* Writes the chart. HOST_DONE, or an error was printed. */
int activity_draw(const char *path, const host_sequence *sequence, const activity *result);

#endif
