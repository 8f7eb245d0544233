/* SPDX-License-Identifier: MIT
   host_tools/formats/columns.c - components of a point by column name: x, vx, size, ...
   reads   names                           writes  -
   memory  -                               cost    O(columns)
   after   own design; synonyms as written by MeshLab, OVITO, ParaView and LAMMPS */
#include "columns.h"
#include <string.h>

const point_column point_columns[POINT_COLUMNS] = {
    {"index", POINT_INDEX, 0}, {"x", POINT_LOCATION, 0},  {"y", POINT_LOCATION, 1},
    {"z", POINT_LOCATION, 2},  {"vx", POINT_VELOCITY, 0}, {"vy", POINT_VELOCITY, 1},
    {"vz", POINT_VELOCITY, 2}, {"rw", POINT_ROTATION, 0}, {"rx", POINT_ROTATION, 1},
    {"ry", POINT_ROTATION, 2}, {"rz", POINT_ROTATION, 3}, {"ax", POINT_ANGULAR, 0},
    {"ay", POINT_ANGULAR, 1},  {"az", POINT_ANGULAR, 2},  {"size", POINT_SIZE, 0},
    {"birth", POINT_TIMES, 0}, {"die", POINT_TIMES, 1},   {"life", POINT_TIMES, 2},
};

static const point_column other_columns[] = {
    {"radius", POINT_SIZE, 0},         {"velocity_x", POINT_VELOCITY, 0},
    {"velocity_y", POINT_VELOCITY, 1}, {"velocity_z", POINT_VELOCITY, 2},
    {"omegax", POINT_ANGULAR, 0},      {"omegay", POINT_ANGULAR, 1},
    {"omegaz", POINT_ANGULAR, 2},
};

typedef struct stream_name {
    const char *name;
    uint32_t stream;
} stream_name;

static const stream_name other_streams[] = {
    {"id", POINT_INDEX},
    {"pos", POINT_LOCATION},
    {"position", POINT_LOCATION},
    {"vel", POINT_VELOCITY},
    {"velo", POINT_VELOCITY},
    {"velocities", POINT_VELOCITY},
    {"orientation", POINT_ROTATION},
    {"omega", POINT_ANGULAR},
    {"angular_velocity", POINT_ANGULAR},
    {"radius", POINT_SIZE},
};

static bool same(const char *name, const char *text, size_t length)
{
    return strlen(name) == length && memcmp(name, text, length) == 0;
}

const point_column *point_column_named(const char *name, size_t length)
{
    for (size_t c = 0; c < POINT_COLUMNS; c++)
        if (same(point_columns[c].name, name, length)) return &point_columns[c];
    for (size_t c = 0; c < sizeof other_columns / sizeof other_columns[0]; c++)
        if (same(other_columns[c].name, name, length)) return &other_columns[c];
    return NULL;
}

/* Compares without regard to case: Velocity, VELOCITY. */
static bool alike(const char *name, const char *text, size_t length)
{
    size_t i = 0;
    if (strlen(name) != length) return false;
    while (i < length && (text[i] >= 'A' && text[i] <= 'Z' ? text[i] + 32 : text[i]) == name[i])
        i++;
    return i == length;
}

bool point_stream_named(const char *name, size_t length, uint32_t *stream)
{
    for (uint32_t s = 0; s < POINT_STREAMS; s++)
        if (alike(point_streams[s].name, name, length)) {
            *stream = s;
            return true;
        }
    for (size_t i = 0; i < sizeof other_streams / sizeof other_streams[0]; i++)
        if (alike(other_streams[i].name, name, length)) {
            *stream = other_streams[i].stream;
            return true;
        }
    return false;
}
