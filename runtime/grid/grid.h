/* SPDX-License-Identifier: MIT
   runtime/grid/grid.h - which particles share a cell, and the one sweep over pairs that every solver uses.
   reads   positions, cell size          writes  the table of cells, the order of particles
   memory  4 bytes an entry, 8 a bucket  cost    O(particles) to build; one unit a visited candidate to sweep
   after   levels of cells: Ericson 2004, 7.2.1; Teschner et al. 2003; deviation: the prime hash names a block of cells, dense and row by row inside, so
           that a row of cells is one run of memory, and a counting sort replaces chains. A small box is one block */
#ifndef TPI_GRID_H
#define TPI_GRID_H
#include "../world/block.h"
#include "../world/box.h"
#include "../base/prime.h"
#include "../base/lanes.h"

/* A cell, moved into positive integers of 17 bits: 65536 is the cell at the origin. */
typedef struct tpi_cell {
    uint32_t at[3];
    uint32_t level;
} tpi_cell;

/* Particles begin .. end - 1 of the back set. */
typedef struct tpi_run {
    uint32_t begin, end;
} tpi_run;

/* A cluster of neighbours lies in a row of a block; one column more on either side holds
   candidates. */
#define TPI_COLUMNS_MAX (TPI_LANES == 1 ? 3u : 18u)
/* Every cell may be a run of its own: half a stencil and, of each coarser level, at most 5 cells
   along an axis (those within its width of a cell that is not wider: 4, and in a box the last
   one has another width). A cluster's nine rows are fewer. A lane alone has little stack: one
   layer of one coarser level at a time. */
#define TPI_RUNS_MAX       (TPI_LANES == 1 ? 28u : 14u + 125u * (TPI_LEVELS_MAX - 1u))
#define TPI_LEVELS_AT_ONCE (TPI_LANES == 1 ? 1u : TPI_LEVELS_MAX)

/* The blocks of a level around one of them. */
typedef struct tpi_surroundings {
    tpi_cell block;
    uint32_t first[27]; /* table entry of the blocks around, as far as they were looked up */
} tpi_surroundings;

/* Where the candidates of a cell's particles lie. A half stencil has the cells "after" this one,
   so that each pair is met once; run 0 is then the cell itself, to be begun behind the particle.
   A full stencil has all of them. */
typedef struct tpi_stencil {
    uint32_t own_begin;
    /* of the particles that take part in pairs: at most cell_max, lowest ids first */
    uint32_t own_end;
    uint32_t cell_end; /* of all particles of the cell */
    uint32_t run_count;
    bool is_wrapped; /* some candidates may be nearest by an image across the sides of the box */
    tpi_run runs[TPI_RUNS_MAX];
    uint32_t level;      /* of the cell */
    uint32_t part;       /* 0: its own cells, else layers of coarser levels so far */
    uint32_t part_level; /* of the first run */
    uint32_t levels_met; /* that one and the coarser ones */
    uint32_t rows;       /* and layers of them, of coarser levels: of the part, or of all at once */
    /* parts of each coarser level; or rows of each, see tpi_stencil_row */
    uint32_t layers[TPI_LEVELS_MAX];
    uint32_t level_begin;               /* run: of the level that was added last */
    uint32_t level_end[TPI_LEVELS_MAX]; /* run: behind those of a level, from the cell's own on */
    /* of a cluster only */
    bool is_cluster;
    /* candidates in each column from the one left of its first cell on */
    uint32_t columns[TPI_COLUMNS_MAX];
    /* in half units: 2 a particle, those of its cells, 1 a candidate of each particle */
    uint32_t cost;
    /* kept from cell to cell; is_known is false at first */
    bool is_known;
    tpi_surroundings around[TPI_LEVELS_AT_ONCE]; /* of the last cell, by level */
} tpi_stencil;

/* Whose cells a bucket of the table holds: one block's, or several blocks', and then cells are
   told apart exactly. */
#define TPI_OWNER_NONE  0xffffffffffffffffu
#define TPI_OWNER_MIXED 0xfffffffffffffffeu
TPI_INLINE uint64_t *tpi_grid_owners(const tp_world *world)
{
    return (uint64_t *)tpi_at(world, world->arrays.owner);
}

/* Cell of one coordinate. The cell is 1/128 wider than the radius: the product's rounding error
   is at most 2^-24 * 65536 = 1/256 cell, so that two points within the radius are never two
   cells apart. Monotone, hence still true where coordinates beyond the limit share the rim cell. */
TPI_INLINE uint32_t tpi_cell_coordinate(float coordinate, float cell_inverse)
{
    float place =
        tpi_clamp(coordinate * cell_inverse, -(float)TPI_CELL_LIMIT, (float)TPI_CELL_LIMIT);
    return (uint32_t)(tpi_floor(place) + 65536);
}

TPI_INLINE uint64_t tpi_cell_pack(tpi_cell cell)
{
    return (uint64_t)cell.level << 51 | (uint64_t)cell.at[2] << 34 | (uint64_t)cell.at[1] << 17 |
           cell.at[0];
}

/* The cell of a level that a finest cell lies in. */
TPI_INLINE uint32_t tpi_level_coordinate(const tpi_levels *levels, uint32_t level, uint32_t axis,
                                         uint32_t at)
{
    uint32_t width = levels->width[level][axis], cells = levels->cells[level][axis];
    uint32_t coarse = (at + 65536u * (width - 1u)) / width;
    return cells ? tpi_min_u32(coarse, 65535u + cells) : coarse;
}
TPI_INLINE tpi_cell tpi_level_cell(const tp_world *world, tpi_cell finest, uint32_t level)
{
    tpi_cell cell = finest;
    cell.level = level;
    for (uint32_t axis = 0; level > 0 && axis < tpi_dimensions(world); axis++)
        cell.at[axis] =
            tpi_level_coordinate(&world->constants.levels, level, axis, finest.at[axis]);
    return cell;
}

/* The finest cell of a position, and its place along an axis. */
TPI_INLINE uint32_t tpi_grid_coordinate(const tp_world *world, uint32_t axis, float position)
{
    const tpi_box *box = &world->constants.box;
    return box->cells[axis] ? tpi_box_cell(box, axis, position)
                            : tpi_cell_coordinate(position, world->constants.cell_inverse);
}
TPI_INLINE tpi_cell tpi_grid_cell(const tp_world *world, const float position[3])
{
    tpi_cell cell = {{0, 0, 65536}, 0};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        cell.at[axis] = tpi_grid_coordinate(world, axis, position[axis]);
    return cell;
}
/* Of a particle of the back set: its finest cell, its level, and its cell. */
TPI_INLINE tpi_cell tpi_grid_finest_of(const tp_world *world, uint32_t place)
{
    float position[3] = {0};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        position[axis] = tpi_back_x(world, axis)[place];
    return tpi_grid_cell(world, position);
}
TPI_INLINE uint32_t tpi_grid_level_of(const tp_world *world, uint32_t place)
{
    const tpi_levels *levels = &world->constants.levels;
    if (TPI_LIKELY(levels->count == 1u)) return 0;
    return levels->of_species[TPI_ORDER_SPECIES(tpi_words(world, world->arrays.order)[place])];
}
TPI_INLINE tpi_cell tpi_grid_cell_of(const tp_world *world, uint32_t place)
{
    return tpi_level_cell(world, tpi_grid_finest_of(world, place), tpi_grid_level_of(world, place));
}

/* The first entry of a bucket, of those of a level. */
TPI_INLINE uint32_t tpi_grid_first(const tpi_grid *grid, uint32_t bucket, uint32_t level)
{
    return (bucket << grid->cells_shift) + grid->level_entry[level];
}
/* What the owner of a bucket is called, and whether another block is in it. A single bucket
   belongs to all levels. */
TPI_INLINE uint64_t tpi_grid_name(const tpi_grid *grid, tpi_cell block)
{
    if (grid->bucket_count == 1u) block.level = 0;
    return tpi_cell_pack(block);
}

/* The block of a cell, and the cell's number in it: row by row. */
TPI_INLINE tpi_cell tpi_grid_block(const tp_world *world, tpi_cell cell)
{
    const uint32_t *shift = world->grid.shift;
    return (tpi_cell){{cell.at[0] >> shift[0], cell.at[1] >> shift[1], cell.at[2] >> shift[2]},
                      cell.level};
}
/* The hash of a block. */
#define TPI_LEVEL_PRIME 0x9e3779b1u
TPI_INLINE uint32_t tpi_grid_hash(tpi_cell block)
{
    uint32_t hash =
        tpi_prime_hash((int32_t)block.at[0], (int32_t)block.at[1], (int32_t)block.at[2]);
    return hash + block.level * TPI_LEVEL_PRIME;
}
TPI_INLINE uint32_t tpi_grid_inside(const tp_world *world, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t *shift = world->grid.shift, *stride = world->grid.stride;
    return (z & ((1u << shift[2]) - 1u)) * stride[2] + (y & ((1u << shift[1]) - 1u)) * stride[1] +
           (x & ((1u << shift[0]) - 1u));
}

/* Table entry of a cell, its block's bucket and its block's name. */
typedef struct tpi_entry {
    uint32_t entry, bucket;
    uint64_t block;
} tpi_entry;
TPI_FUNC tpi_entry tpi_grid_entry(const tp_world *world, tpi_cell cell);

/* Builds the table and the back set from the front set and the kicked velocities in `force`;
   particles whose key says dead are left out. Resumable: cursor.phase and cursor.i. */
#define TPI_KEY_DEAD 0xffffffffu
TPI_FUNC uint32_t tpi_grid_build(tp_world *world, const tp_jobs *jobs, uint32_t units, bool *done);

/* The stencil of the cell that particle `place` lies in. Fast where the same stencil served a
   cell of the same block just before: hand in `is_known` false at first. The half one has all
   cells of coarser levels within reach too, at once or part by part; the full one is of the
   cell's own level alone. */
TPI_FUNC void tpi_stencil_half(const tp_world *world, uint32_t place, tpi_stencil *stencil);
/* Part number `part` from 1 on, whose runs replace those of the one before; false where there is
   none. */
TPI_FUNC bool tpi_stencil_part(const tp_world *world, uint32_t place, uint32_t part,
                               tpi_stencil *stencil);
/* Units of a cell: itself and the 2 or 5 rows of cells that a half stencil looks up at its own
   level. */
TPI_INLINE uint32_t tpi_cell_units(const tp_world *world)
{
    return tpi_dimensions(world) == 3 ? 6u : 3u;
}
TPI_FUNC void tpi_stencil_full(const tp_world *world, uint32_t place, tpi_stencil *stencil);

/* Of all cells, of all levels, that hold partners of particle `place`: those of row number
   `row`, of at most TPI_ROW_CELLS; false where there are no more rows, which are counted first.
   Runs are of the stencil's level. */
#define TPI_ROW_CELLS 24u
TPI_FUNC void tpi_stencil_count_rows(const tp_world *world, uint32_t place, tpi_stencil *stencil);
TPI_FUNC bool tpi_stencil_row(const tp_world *world, uint32_t place, uint32_t row,
                              tpi_stencil *stencil);

/* The full stencil of a cluster: at most `most` particles from `place` on, in cells of one row
   that stand next to each other. Candidates of any of them are all there; own_begin .. own_end -
   1 are the particles, none where `place` is one of a crowded cell's left over. */
TPI_FUNC void tpi_stencil_cluster(const tp_world *world, uint32_t place, uint32_t most,
                                  tpi_stencil *stencil);

/* For each particle with more neighbours than the cap: the distance and id of the last one kept.
   Resumable. */
TPI_FUNC uint32_t tpi_grid_nearest(tp_world *world, uint32_t units, bool *done);

#endif
