/* SPDX-License-Identifier: MIT
   runtime/base/features.h - feature switches: parts that a small build leaves out.
   reads   the TP_WITHOUT_ macros of tidepool.h      writes  the TPI_HAS_ constants
   memory  none      cost    none: the compiler removes code behind a constant condition
   after   own design: definitions, blocks and hashes are those of a full build; only code is
           missing */
#ifndef TPI_FEATURES_H
#define TPI_FEATURES_H

#ifdef TP_WITHOUT_3D
#define TPI_HAS_3D 0
#else
#define TPI_HAS_3D 1
#endif
#ifdef TP_WITHOUT_SPH
#define TPI_HAS_SPH 0
#else
#define TPI_HAS_SPH 1
#endif
#if defined(TP_WITHOUT_SPH) || defined(TP_WITHOUT_DFSPH)
#define TPI_HAS_DFSPH 0
#else
#define TPI_HAS_DFSPH 1
#endif
#if defined(TP_WITHOUT_SPH) || defined(TP_WITHOUT_HEAT)
#define TPI_HAS_HEAT 0
#else
#define TPI_HAS_HEAT 1
#endif
#if defined(TP_WITHOUT_SPH) || defined(TP_WITHOUT_TENSION)
#define TPI_HAS_TENSION 0
#else
#define TPI_HAS_TENSION 1
#endif
#if defined(TP_WITHOUT_SPH) || defined(TP_WITHOUT_SPRINGS)
#define TPI_HAS_SPRINGS 0
#else
#define TPI_HAS_SPRINGS 1
#endif
#ifdef TP_WITHOUT_PAIR
#define TPI_HAS_PAIR 0
#else
#define TPI_HAS_PAIR 1
#endif
#ifdef TP_WITHOUT_CLOTH
#define TPI_HAS_CLOTH 0
#else
#define TPI_HAS_CLOTH 1
#endif
#ifdef TP_WITHOUT_VORTEX
#define TPI_HAS_VORTEX 0
#else
#define TPI_HAS_VORTEX TPI_HAS_3D
#endif
#ifdef TP_WITHOUT_HEAT
#define TPI_HAS_FIRE 0
#else
#define TPI_HAS_FIRE TPI_HAS_VORTEX
#endif
/* Periodic boxes and links, of pair forces and of fluids. */
#define TPI_HAS_BOX   TPI_HAS_PAIR
#define TPI_HAS_LINKS TPI_HAS_PAIR
#ifdef TP_WITHOUT_EMITTERS
#define TPI_HAS_EMITTERS 0
#else
#define TPI_HAS_EMITTERS 1
#endif
#ifdef TP_WITHOUT_COLLIDERS
#define TPI_HAS_COLLIDERS 0
#else
#define TPI_HAS_COLLIDERS 1
#endif
#if defined(TP_WITHOUT_COLLIDERS) || defined(TP_WITHOUT_LOADS)
#define TPI_HAS_LOADS 0
#else
#define TPI_HAS_LOADS 1
#endif
#ifdef TP_WITHOUT_CHANGES
#define TPI_HAS_CHANGES 0
#else
#define TPI_HAS_CHANGES 1
#endif
#ifdef TP_WITHOUT_EVENTS
#define TPI_HAS_EVENTS 0
#else
#define TPI_HAS_EVENTS 1
#endif
#define TPI_HAS_FEEDS (TPI_HAS_EVENTS && TPI_HAS_EMITTERS)
#if defined(TP_WITHOUT_COLLIDERS) || defined(TP_WITHOUT_QUERIES)
#define TPI_HAS_ROOMS 0
#else
#define TPI_HAS_ROOMS TPI_HAS_3D
#endif
#if defined(TP_WITHOUT_COLLIDERS) || defined(TP_WITHOUT_EDGES)
#define TPI_HAS_EDGES 0
#else
#define TPI_HAS_EDGES 1
#endif
#ifdef TP_WITHOUT_DRAW
#define TPI_HAS_DRAW 0
#else
#define TPI_HAS_DRAW 1
#endif
#if !TPI_HAS_LOADS || defined(TP_WITHOUT_BODIES)
#define TPI_HAS_BODIES 0
#else
#define TPI_HAS_BODIES 1
#endif
#ifdef TP_WITHOUT_FIELDS
#define TPI_HAS_FIELDS 0
#else
#define TPI_HAS_FIELDS 1
#endif
/* Fields with curves over age. */
#define TPI_HAS_AGES (TPI_HAS_DRAW && TPI_HAS_EMITTERS)

/* A message to the user. */
#ifdef TP_WITHOUT_TEXTS
#define TPI_TEXT(text) "left out by TP_WITHOUT_TEXTS"
#else
#define TPI_TEXT(text) text
#endif

#endif
