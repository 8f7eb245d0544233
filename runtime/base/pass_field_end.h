/* SPDX-License-Identifier: MIT
   runtime/base/pass_field_end.h - ends the names of dense grids in a pass.
   reads   nothing      writes  nothing: macros
   memory  none      cost    none
   after   own design; a part of pass_end.h, which includes it */
#undef curl_across
#undef curl_across_one
#undef curl_along
#undef curl_along_one
#undef curl_half
#undef curl_is_wide
#undef curl_lanes
#undef curl_line
#undef curl_line_of
#undef curl_node
#undef curl_row
#undef multigrid_around
#undef multigrid_around_of
#undef multigrid_at
#undef multigrid_coarsen
#undef multigrid_correct
#undef multigrid_do
#undef multigrid_four
#undef multigrid_half
#undef multigrid_half_of
#undef multigrid_laplacian
#undef multigrid_laplacian_end
#undef multigrid_level
#undef multigrid_lower
#undef multigrid_next
#undef multigrid_pass
#undef multigrid_place
#undef multigrid_prepare
#undef multigrid_relax
#undef multigrid_residual
#undef multigrid_restrict
#undef multigrid_row
#undef multigrid_rows
#undef multigrid_rows_of
#undef multigrid_store
#undef multigrid_subtract
#undef multigrid_upper
#undef tpi_curl_row
#undef tpi_dense_cells
#undef tpi_dense_cells_of
#undef tpi_dense_edge
#undef tpi_dense_mix
#undef tpi_dense_sample
#undef tpi_dense_sample_four
#undef tpi_dense_sample_gradient
#undef tpi_dense_sample_parts
#undef tpi_dense_sample_points
#undef tpi_multigrid_run
