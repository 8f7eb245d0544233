/* SPDX-License-Identifier: MIT
   host_tools/formats/vertex_cache.h - the vertices of one mesh at sampled times, in one file: .pc2 and .mdd.
   reads   .pc2, .mdd                      writes  the same
   memory  8 bytes a sample and a frame or two of vertices    cost    O(vertices) a frame
   after   J. Burnett's description of PointCache2 (32 bytes of header, little-endian; first frame and frames a sample)
           and the common use of LightWave's Motion Designer files (big-endian; a table of times in seconds). Neither
           tells the up axis: 3ds Max and LightWave, whose formats these are, differ, so it is left to --axis */
#ifndef TIDEPOOL_VERTEX_CACHE_H
#define TIDEPOOL_VERTEX_CACHE_H
#include "formats.h"

/* The frame rate for times in seconds, unless one is given. */
#define VERTEX_CACHE_FPS 24.0

/* ---- the rows of the registry's table (vertex_cache.c, vertex_cache_sink.c) */
bool pc2_recognises(const uint8_t *start, size_t size);
bool mdd_recognises(const uint8_t *start, size_t size);
int pc2_open(host_sequence *sequence, const char *path);
int mdd_open(host_sequence *sequence, const char *path);
int mdd_retime(host_sequence *sequence, double fps);
int vertex_cache_load(host_sequence *sequence, size_t position, host_frame *frame);
void vertex_cache_close(host_sequence *sequence);
int pc2_create(host_sink *sink, const char *path);
int mdd_create(host_sink *sink, const char *path);
int vertex_cache_write(host_sink *sink, const host_frame *frame);
int vertex_cache_finish(host_sink *sink);
void vertex_cache_abandon(host_sink *sink);

#endif
