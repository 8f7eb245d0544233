/* SPDX-License-Identifier: MIT
   ports/worst/tell.h - messages from a program to the plugin that counts its instructions.
   reads   nothing      writes  nothing: names
   memory  none         cost    none
   after   own design; ports/count/slices.c describes the protocol, place.h sends the messages */
#ifndef TIDEPOOL_WORST_TELL_H
#define TIDEPOOL_WORST_TELL_H

#define WORST_SLICE_LEAST 64u /* units: the shortest slice that a budget can cause */

/* Meaning of a message; most carry a number. */
enum {
    WORST_STOP,        /* the count stops: end of an interval */
    WORST_GO,          /* the count restarts from 0: start of an interval */
    WORST_SLICE,       /* the interval before the last was a slice: kind << 24 | units */
    WORST_CALL,        /* the last interval was a call: kind << 24 | units */
    WORST_FRAME_BEGIN, /* a tp_frame follows */
    /* the intervals since FRAME_BEGIN were a frame: units of the budget plus one slice */
    WORST_FRAME,
    WORST_SCENE, /* a scene has ended: its number */
    WORST_ABOUT
};

/* Kinds: the stages of a world in order, `empty` (a slice without units), and the public calls. */
/* clang-format off */
#define WORST_STAGES(KIND) \
    KIND(recycle) KIND(links) KIND(move) KIND(grid) KIND(pairs) KIND(nearest) KIND(pressure) \
    KIND(force) KIND(collide) KIND(emit) KIND(commit) KIND(empty)
#define WORST_WORLD_CALLS(KIND) \
    KIND(tp_result_text) KIND(tp_stage_name) KIND(tp_pose_make) KIND(tp_pose_turn) \
    KIND(tp_pose_point) KIND(tp_world_default) KIND(tp_world_check) \
    KIND(tp_sph_incompressible) KIND(tp_sph_double_density) KIND(tp_sph_ideal_gas) \
    KIND(tp_sph_weakly_compressible) KIND(tp_sph_timestep_limit) \
    KIND(tp_world_memory) KIND(tp_world_memory_parts) KIND(tp_world_create) KIND(tp_world_at) \
    KIND(tp_world_definition) KIND(tp_world_view) KIND(tp_world_report) KIND(tp_world_hash) \
    KIND(tp_world_verify) KIND(tp_frame) KIND(tp_frame_worlds) KIND(tp_frame_together) \
    KIND(tp_particle_add) KIND(tp_particle_set) \
    KIND(tp_particles_clear) KIND(tp_particle_heat) KIND(tp_particle_strength) KIND(tp_vortex_air) KIND(tp_springs_set) KIND(tp_springs_get) \
    KIND(tp_world_events)
#define WORST_CHANGE_CALLS(KIND) \
    KIND(tp_world_change) KIND(tp_world_change_check) KIND(tp_emitter_set) KIND(tp_emitter_rate) \
    KIND(tp_emitter_set_check) KIND(tp_sink_set) KIND(tp_sink_rate) KIND(tp_sink_set_check) KIND(tp_collider_set) \
    KIND(tp_collider_set_check) KIND(tp_particles_find) KIND(tp_particles_remove) \
    KIND(tp_particles_word) KIND(tp_particles_species) KIND(tp_group_impulse) KIND(tp_group_move) \
    KIND(tp_group_remove) KIND(tp_group_measure) KIND(tp_particle_find) KIND(tp_particle_remove) \
    KIND(tp_world_between) KIND(tp_collider_between) KIND(tp_view_sort_depth) KIND(tp_world_lives) KIND(tp_curve_check) KIND(tp_world_curve) KIND(tp_world_draw)
#define WORST_ITEM_CALLS(KIND) \
    KIND(tp_emitter_default) KIND(tp_emitter_check) KIND(tp_emitter_add) KIND(tp_emitter_move) \
    KIND(tp_emitter_count) KIND(tp_emitter_remove) KIND(tp_sink_default) KIND(tp_sink_check) \
    KIND(tp_sink_add) KIND(tp_sink_remove) KIND(tp_field_default) KIND(tp_field_check) \
    KIND(tp_field_add) KIND(tp_field_set) KIND(tp_field_remove) KIND(tp_collider_default) \
    KIND(tp_collider_check) KIND(tp_collider_add) KIND(tp_collider_move) KIND(tp_collider_place) \
    KIND(tp_collider_remove) \
    KIND(tp_collider_load) KIND(tp_collider_bytes) KIND(tp_collider_room) \
    KIND(tp_body_default) KIND(tp_body_check) KIND(tp_body_add) KIND(tp_body_get) KIND(tp_body_set) \
    KIND(tp_body_impulse) KIND(tp_body_remove) \
    KIND(tp_link_default) KIND(tp_link_check) KIND(tp_link_add) KIND(tp_links_add) KIND(tp_link_set) KIND(tp_link_get) \
    KIND(tp_link_remove) KIND(tp_pair_measure) KIND(tp_pair_table_default) KIND(tp_pair_table_check) \
    KIND(tp_pair_table_distance) KIND(tp_pair_table_set) KIND(tp_cloth_default) KIND(tp_cloth_check) \
    KIND(tp_cloth_grid) KIND(tp_cloth_mesh) KIND(tp_cloth_pin) KIND(tp_cloth_measure) \
    KIND(tp_cloth_triangles) KIND(tp_cloth_block) KIND(tp_cloth_tie_default) \
    KIND(tp_cloth_tie_check) KIND(tp_cloth_tie) KIND(tp_cloth_untie) KIND(tp_cloth_pull)
#define WORST_CACHE_CALLS(KIND) \
    KIND(tp_world_source) KIND(tp_cache_default) KIND(tp_cache_check) KIND(tp_cache_memory) \
    KIND(tp_cache_memory_parts) KIND(tp_cache_create) KIND(tp_cache_at) KIND(tp_cache_definition) \
    KIND(tp_cache_request) KIND(tp_cache_record) KIND(tp_cache_rewind) KIND(tp_cache_input) \
    KIND(tp_cache_resume) KIND(tp_cache_bake) KIND(tp_cache_protect) KIND(tp_cache_unprotect) \
    KIND(tp_cache_clear) KIND(tp_cache_clear_after) KIND(tp_cache_clear_before) \
    KIND(tp_cache_clear_frame) KIND(tp_cache_edit_particle) KIND(tp_cache_packet) \
    KIND(tp_cache_take_packet) KIND(tp_cache_flush) KIND(tp_cache_changed) KIND(tp_cache_detach) \
    KIND(tp_cache_report) KIND(tp_cache_frame_at) KIND(tp_cache_has)
#define WORST_CLIP_CALLS(KIND) \
    KIND(tp_clip_look) KIND(tp_player_default) KIND(tp_player_want) KIND(tp_player_check) \
    KIND(tp_player_memory) KIND(tp_player_memory_parts) KIND(tp_player_create) KIND(tp_player_at) \
    KIND(tp_player_definition) KIND(tp_player_request) KIND(tp_player_activity) \
    KIND(tp_player_reopen) KIND(tp_player_report) KIND(tp_timeline_default) KIND(tp_timeline_check) \
    KIND(tp_timeline_memory) KIND(tp_timeline_create) KIND(tp_timeline_at) KIND(tp_timeline_add) \
    KIND(tp_timeline_clear) KIND(tp_timeline_look) KIND(tp_timeline_request) \
    KIND(tp_timeline_activity)
#define WORST_QUERY_CALLS(KIND) \
    KIND(tp_query_default) KIND(tp_query_check) KIND(tp_query_memory) KIND(tp_query_memory_parts) \
    KIND(tp_query_create) KIND(tp_query_at) KIND(tp_query_definition) KIND(tp_query_update) \
    KIND(tp_query_clear) KIND(tp_query_state) KIND(tp_query_region) KIND(tp_query_nearest) \
    KIND(tp_query_sample) KIND(tp_query_grid) KIND(tp_query_ray) KIND(tp_world_ray)
#define WORST_LIGHT_CALLS(KIND) \
    KIND(tp_light_check) KIND(tp_light_reach) KIND(tp_light_falloff) KIND(tp_light_points) \
    KIND(tp_light_particles) KIND(tp_shadow_update) \
    KIND(tp_sh_add) KIND(tp_sh_add_sky) KIND(tp_sh_add_lights) KIND(tp_sh_rotate) KIND(tp_sh_flip) \
    KIND(tp_sh_radiance) KIND(tp_sh_irradiance) \
    KIND(tp_patches_check) KIND(tp_patches_open) KIND(tp_patches_update) KIND(tp_patches_sh)
#define WORST_KIND_LIST(KIND) \
    WORST_STAGES(KIND) WORST_WORLD_CALLS(KIND) WORST_ITEM_CALLS(KIND) WORST_CACHE_CALLS(KIND) \
    WORST_CLIP_CALLS(KIND) WORST_QUERY_CALLS(KIND) WORST_LIGHT_CALLS(KIND) \
    WORST_CHANGE_CALLS(KIND)
/* clang-format on */

enum {
#define WORST_ENUM(name) WORST_OF_##name,
    WORST_KIND_LIST(WORST_ENUM)
#undef WORST_ENUM
        WORST_KINDS
};

#endif
