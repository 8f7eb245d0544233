/* SPDX-License-Identifier: MIT
   host_tools/commands/convert_implied.h - births and deaths that the presence of points implies.
   reads   the first and last frames of a sequence      writes  nothing
   memory  8 bytes per point, a frame      cost    O(bytes) of one or two frames, usually
   after   own design */
#ifndef HOST_CONVERT_IMPLIED_H
#define HOST_CONVERT_IMPLIED_H
#include "../formats/formats.h"

/* Sets *same if the times of the sequence, which must be known, are those that the presence of each
   point in the frames implies. HOST_DONE, or an error printed. */
int convert_implied(host_sequence *input, bool *same);

#endif
