/* SPDX-License-Identifier: MIT
   runtime/world/check.h - table rows for the fields of a definition: range, and message for a
           value outside.
   reads   tp_world_def      writes  nothing
   memory  constant tables   cost    O(rows)
   after   own design: the rows of a solver's fields are in the solver's folder */
#ifndef TPI_CHECK_H
#define TPI_CHECK_H
#include "block.h"

/* Texts are arrays inside the rows: a table of pointers would be writable data in
   position-independent code. */
#ifdef TP_WITHOUT_TEXTS
#define TPI_ROW_TEXT(text)
#define TPI_ROW_FAULT(row) TPI_TEXT("")
#else
#define TPI_ROW_TEXT(text) text
#define TPI_ROW_FAULT(row) (row).text
#endif
typedef struct tpi_integer_row {
    uint32_t offset, low, high;
    TPI_ROW_TEXT(char text[76];)
} tpi_integer_row;
typedef struct tpi_number_row {
    uint32_t offset;
    float low, high;
    TPI_ROW_TEXT(char text[76];)
} tpi_number_row;

#define TPI_ROW(field, low, high)                              \
    {                                                          \
        (uint32_t) offsetof(tp_world_def, field), low, high,   \
            TPI_ROW_TEXT(#field " must be " #low " to " #high) \
    }
/* Limits are written as the message shows them: without the suffix of a float. */
#define TPI_NUMBER_ROW(field, low, high)                                       \
    {                                                                          \
        (uint32_t) offsetof(tp_world_def, field), (float)(low), (float)(high), \
            TPI_ROW_TEXT(#field " must be " #low " to " #high)                 \
    }

TPI_FUNC const char *tpi_check_rows(const tp_world_def *def, const tpi_integer_row *integers,
                                    size_t integer_count, const tpi_number_row *numbers,
                                    size_t number_count);
#define TPI_CHECK_ROWS(def, integers, numbers)                                     \
    tpi_check_rows(def, integers, sizeof(integers) / sizeof(integers)[0], numbers, \
                   sizeof(numbers) / sizeof(numbers)[0])

/* Particles per m^2 or m^3 of the default fluid at rest. */
#define TPI_REST_DENSITY_2D 82.0f
#define TPI_REST_DENSITY_3D 1041.0f

/* s: length of a frame */
TPI_INLINE float tpi_frame_seconds(const tp_world_def *def)
{
    return (float)def->frames_per_second_denominator / (float)def->frames_per_second_numerator;
}

#endif
