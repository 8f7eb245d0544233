/* SPDX-License-Identifier: MIT
   runtime/base/pass_cloth_end.h - the names of the files of cloth are the usual ones again.
   reads   nothing      writes  nothing: macros
   memory  none      cost    none
   after   own design; a part of pass_end.h, which includes it */
#undef cloth_are
#undef cloth_brake
#undef cloth_do
#undef cloth_ends
#undef cloth_ends_of
#undef cloth_force
#undef cloth_is_colour
#undef cloth_is_good
#undef cloth_is_limit
#undef cloth_is_pass
#undef cloth_join_ends
#undef cloth_limit
#undef cloth_limit_each
#undef cloth_limit_range
#undef cloth_phase_begin
#undef cloth_phase_colour
#undef cloth_phase_end
#undef cloth_phase_next
#undef cloth_phase_units
#undef cloth_place
#undef cloth_place_lanes
#undef cloth_place_living
#undef cloth_place_range
#undef cloth_prepare
#undef cloth_pull
#undef cloth_pull_range
#undef cloth_read
#undef cloth_read_both
#undef cloth_read_run
#undef cloth_share
#undef cloth_slice
#undef cloth_solve
#undef cloth_solve_all
#undef cloth_solve_each
#undef cloth_solve_range
#undef cloth_spring
#undef cloth_spring_range
#undef cloth_stiffness
#undef cloth_weigh
#undef cloth_work
#undef cloth_write
#undef cloth_write_both
#undef cloth_write_run
#undef touch_clamp
#undef touch_sum
#undef tpi_cloth_clamp
#undef tpi_cloth_close
#undef tpi_cloth_holds
#undef tpi_cloth_near
#undef tpi_cloth_open
#undef tpi_cloth_place
#undef tpi_cloth_run
#undef tpi_cloth_sum
