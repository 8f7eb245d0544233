/* SPDX-License-Identifier: MIT
   ports/worst/tell.h - what worst.c tells the plugin that counts its instructions.
   reads   nothing      writes  nothing: names
   memory  none         cost    none
   after   own design; ports/count/slices.c says how numbers are told */
#ifndef TIDEPOOL_WORST_TELL_H
#define TIDEPOOL_WORST_TELL_H

#define WORST_SLICE_LEAST 64u /* units: no budget cuts a slice shorter */

/* What a number is about. */
enum {
    WORST_STOP,        /* the count stands still */
    WORST_GO,          /* and goes on, from 0 */
    WORST_SLICE,       /* the stretch before the last: kind << 24 | units */
    WORST_CALL,        /* the last stretch: kind << 24 | units */
    WORST_FRAME_BEGIN, /* a tp_frame is next */
    WORST_FRAME,       /* all stretches since then: units of the budget and one slice */
    WORST_SCENE,       /* a scene is over: its number */
    WORST_ABOUT
};

/* Kinds: the stages of a world, a slice that had no unit to do, then calls. */
enum {
    WORST_EMPTY = 11,
    WORST_TP_FRAME,
    WORST_TP_VIEW,
    WORST_TP_REPORT,
    WORST_TP_HASH,
    WORST_TP_COLLIDER_MOVE,
    WORST_TP_EMITTER_MOVE,
    WORST_TP_FIELD_SET,
    WORST_TP_PARTICLE_SET,
    WORST_TP_PARTICLE_ADD,
    WORST_KINDS
};

#define WORST_NAMES                                                                                 \
    "recycle", "links", "move", "grid", "pairs", "nearest", "pressure", "force", "collide", "emit", \
        "commit", "empty", "tp_frame", "tp_world_view", "tp_world_report", "tp_world_hash",         \
        "tp_collider_move", "tp_emitter_move", "tp_field_set", "tp_particle_set", "tp_particle_add"

#endif
