/* SPDX-License-Identifier: MIT
   runtime/base/pass_vortex_end.h - ends the names of vortices in a pass.
   reads   nothing      writes  nothing: macros
   memory  none      cost    none
   after   own design; a part of pass_end.h, which includes it */
#undef tpi_vortex_close
#undef tpi_vortex_holds
#undef tpi_vortex_open
#undef tpi_vortex_place
#undef tpi_vortex_run
#undef vortex_add_medium
#undef vortex_apart
#undef vortex_change_of
#undef vortex_cross
#undef vortex_do
#undef vortex_force
#undef vortex_half
#undef vortex_half_rows
#undef vortex_induce
#undef vortex_is_good
#undef vortex_pack
#undef vortex_place
#undef vortex_strength_of
#undef vortex_sum
#undef vortex_sum_changes
#undef vortex_sum_velocities
#undef vortex_targets
#undef vortex_targets_of
#undef vortex_tilt
#undef vortex_turn
