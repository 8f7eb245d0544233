/* SPDX-License-Identifier: MIT
   host_tools/formats/vertex_cache.h - the vertices of one mesh at sampled times, in one file: .pc2
           and .mdd.
   reads   .pc2, .mdd                      writes  the same
   memory  20 bytes per sample; one or two frames of vertices    cost    O(vertices) per frame
   after   J. Burnett's description of PointCache2 (header of 32 bytes, little-endian; first frame,
           frames per sample), and LightWave's Motion Designer files as commonly used (big-endian; a
           table of times in seconds). Neither stores the up axis; 3ds Max and LightWave differ, so
           --axis sets it */
#ifndef TIDEPOOL_VERTEX_CACHE_H
#define TIDEPOOL_VERTEX_CACHE_H
#include "formats.h"

/* Default frame rate to convert times in seconds to frames. */
#define VERTEX_CACHE_FPS 24.0

/* ---- functions for the table in formats.c (vertex_cache.c, vertex_cache_sink.c) */
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
