/* SPDX-License-Identifier: MIT
   host_tools/formats/steps.c - numbers the frames of a trajectory by their time steps.
   reads   time steps                      writes  frame numbers
   memory  4 bytes per frame               cost    O(frames)
   after   own design; as in dumps of LAMMPS, frame 1 is step 0 */
#include "formats.h"

static uint64_t divisor(uint64_t a, uint64_t b)
{
    while (b) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

/* The common interval of steps that ascend; 0: they do not, or there is one. */
static int64_t interval(const int64_t *steps, size_t count)
{
    uint64_t apart = 0;
    for (size_t i = 1; i < count; i++) {
        if (steps[i] <= steps[i - 1]) return 0;
        apart = divisor((uint64_t)steps[i] - (uint64_t)steps[i - 1], apart);
    }
    return apart > INT64_MAX ? 1 : (int64_t)apart;
}

static int64_t divide_down(int64_t number, int64_t by) { return number / by - (number % by < 0); }

static int number_frame(host_sequence *sequence, size_t i, int64_t number)
{
    if (number < INT32_MIN || number > INT32_MAX)
        return host_error(HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                          "frame %lld is too high, at most %d", (long long)number, INT32_MAX);
    sequence->numbers[i] = (int32_t)number;
    return HOST_DONE;
}

int host_sequence_number_steps(host_sequence *sequence, const int64_t *steps, int64_t apart)
{
    const size_t count = sequence->frame_count;
    const int64_t common = interval(steps, count);
    const bool ascends = count < 2 || common > 0;
    int code = HOST_DONE;
    if (!apart) apart = common > 0 ? common : 1;
    const int64_t stride = sequence->stride ? (int64_t)sequence->stride : apart;
    sequence->numbers = host_allocate(count, sizeof *sequence->numbers);
    if (!sequence->numbers) return host_out_of_memory("the list of frames");
    if (!ascends)
        host_note(sequence->path, HOST_NO_OFFSET,
                  "the steps of the frames do not ascend: frames are counted from 1");
    for (size_t i = 0; i < count && !code; i++) {
        code =
            number_frame(sequence, i, ascends ? divide_down(steps[i], stride) + 1 : (int64_t)i + 1);
        if (!code && i && sequence->numbers[i] == sequence->numbers[i - 1])
            code = host_error(
                HOST_BAD_INPUT, sequence->path, HOST_NO_OFFSET,
                "expected a --stride of at most the %lld steps between two frames, found %lld",
                (long long)(steps[i] - steps[i - 1]), (long long)stride);
    }
    if (!code && ascends && !sequence->stride && apart > 1)
        host_note(sequence->path, HOST_NO_OFFSET, "the steps are %lld apart: frame 1 is step %lld",
                  (long long)apart, (long long)(steps[0] - divide_down(steps[0], apart) * apart));
    return code;
}
