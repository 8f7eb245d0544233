/* SPDX-License-Identifier: MIT
   runtime/grid/grid.h - the cell list: a spatial hash of blocks of cells, levels of cells,
           stencils.
   reads   positions, cell size            writes  the table of cells, the order of particles
   memory  4 bytes per entry, 8 per bucket
   cost    O(particles) to build; one unit per visited candidate to sweep
   after   spatial hash of Teschner et al. 2003; hierarchical grid of Ericson 2004, 7.2.1.
           Deviation: the hash maps blocks of cells, not cells. Inside a block entries are dense and
           row by row, so that a row of cells is one run of particles, and a counting sort replaces
           chains. A small box is one block */
#ifndef TPI_GRID_H
#define TPI_GRID_H
#include "../world/block.h"
#include "../world/box.h"
#include "../world/team.h"

/* A cell. Coordinates are shifted to positive integers of 17 bits: 65536 is the cell at the
   origin. */
typedef struct tpi_cell {
    uint32_t at[3];
    uint32_t level;
} tpi_cell;

/* Particles begin .. end - 1 of the back set. */
typedef struct tpi_run {
    uint32_t begin, end;
} tpi_run;

/* The largest number of runs: each cell may be a run of its own. A half stencil has 14 cells. Of
   each coarser level there are at most 5 cells along an axis: 4 that can hold partners of a cell
   that is not wider, and in a box the last cell has another width. Builds without vectors have
   small stacks: they take one layer of one coarser level at a time. */
#define TPI_RUNS_MAX       (TPI_LANES == 1 ? 28u : 14u + 125u * (TPI_LEVELS_MAX - 1u))
#define TPI_LEVELS_AT_ONCE (TPI_LANES == 1 ? 1u : TPI_LEVELS_MAX)

/* A block of a level and the 26 blocks around it. */
typedef struct tpi_surroundings {
    tpi_cell block;
    uint32_t first[27]; /* first table entry of each block, if it was looked up */
} tpi_surroundings;

/* The runs of candidates of a cell's particles. A half stencil has the cells "after" this one, so
   that each pair is visited once; run 0 is then the rest of the cell itself, after the
   particle. A full stencil has all neighbouring cells. */
typedef struct tpi_stencil {
    uint32_t own_begin;
    /* particles of the cell that take part in pairs: at most cell_max, lowest ids first */
    uint32_t own_end;
    uint32_t cell_end; /* end of all particles of the cell */
    uint32_t run_count;
    /* bits of the axes along which candidates may have their minimum image across a side of the
       box */
    uint32_t wrapped;
    tpi_run runs[TPI_RUNS_MAX];
    uint32_t level; /* level of the cell */
    /* 0: cells of its own level; else the number of layers of coarser levels so far */
    uint32_t part;
    uint32_t part_level; /* level of the first run */
    uint32_t levels_met; /* number of levels: its own and the coarser ones */
    /* units for looking up the rows of coarser levels: of the part, or of all levels at once */
    uint32_t rows;
    /* number of parts of each coarser level; or of rows, see tpi_stencil_row */
    uint32_t layers[TPI_LEVELS_MAX];
    uint32_t level_begin;               /* first run of the level that was added last */
    uint32_t level_end[TPI_LEVELS_MAX]; /* end of the runs of each level, from the cell's own on */
    /* the members below are cached from cell to cell; is_known is false at first */
    bool is_known;
    /* the entry of the last cell, if its block has a bucket of its own; else TPI_ENTRY_NONE */
    uint32_t entry;
    tpi_surroundings around[TPI_LEVELS_AT_ONCE]; /* blocks around the last cell, by level */
} tpi_stencil;

#define TPI_ENTRY_NONE 0xffffffffu
/* The owner of a bucket: one block, or several (mixed); in a mixed bucket particles are compared by
   their exact cells. The lowest byte of a mixed owner has a bit for each colour of its blocks. */
#define TPI_OWNER_NONE  0xffffffffffffffffu
#define TPI_OWNER_MIXED 0xffffffffffff0000u
#define TPI_OWNER_MASK  0xffu
TPI_INLINE bool tpi_owner_is_mixed(uint64_t owner)
{
    return owner - TPI_OWNER_MIXED <= TPI_OWNER_MASK;
}
TPI_INLINE uint64_t *tpi_grid_owners(const tp_world *world)
{
    return (uint64_t *)tpi_at(world, world->arrays.owner);
}

/* Cell of a coordinate. A cell is 1/128 wider than the cutoff: the rounding error of the product is
   at most 2^-24 * 65536 = 1/256 cell, so that two particles within the cutoff are never two cells
   apart. The mapping is monotone, so this also holds beyond the limit, where positions share the
   outermost cell. */
TPI_INLINE uint32_t tpi_cell_coordinate(float coordinate, float cell_inverse)
{
    float position =
        tpi_clamp(coordinate * cell_inverse, -(float)TPI_CELL_LIMIT, (float)TPI_CELL_LIMIT);
    return (uint32_t)(tpi_floor(position) + 65536);
}

TPI_INLINE uint64_t tpi_cell_pack(tpi_cell cell)
{
    return (uint64_t)cell.level << 51 | (uint64_t)cell.at[2] << 34 | (uint64_t)cell.at[1] << 17 |
           cell.at[0];
}

/* The cell of a level that contains a finest cell. */
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

/* The finest cell of a position, and its coordinate along an axis. */
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
/* The finest cell, the level, and the cell of the particle at an index of the back set. */
TPI_INLINE tpi_cell tpi_grid_finest_of(const tp_world *world, uint32_t index)
{
    float position[3] = {0};
    for (uint32_t axis = 0; axis < tpi_dimensions(world); axis++)
        position[axis] = tpi_back_x(world, axis)[index];
    return tpi_grid_cell(world, position);
}
TPI_INLINE uint32_t tpi_grid_level_of(const tp_world *world, uint32_t index)
{
    const tpi_levels *levels = &world->constants.levels;
    if (TPI_LIKELY(levels->count == 1u)) return 0;
    return levels->of_species[TPI_ORDER_SPECIES(tpi_words(world, world->arrays.order)[index])];
}
TPI_INLINE tpi_cell tpi_grid_cell_of(const tp_world *world, uint32_t index)
{
    return tpi_level_cell(world, tpi_grid_finest_of(world, index), tpi_grid_level_of(world, index));
}

/* The first entry of a level in a bucket. */
TPI_INLINE uint32_t tpi_grid_first(const tpi_grid *grid, uint32_t bucket, uint32_t level)
{
    return (bucket << grid->cells_shift) + grid->level_entry[level];
}
/* The name of a block, as stored in the owner of a bucket. A single bucket holds all levels, so its
   name has none. */
TPI_INLINE uint64_t tpi_grid_name(const tpi_grid *grid, tpi_cell block)
{
    if (grid->bucket_count == 1u) block.level = 0;
    return tpi_cell_pack(block);
}

/* The block of a cell. */
TPI_INLINE tpi_cell tpi_grid_block(const tp_world *world, tpi_cell cell)
{
    const uint32_t *shift = world->grid.shift;
    return (tpi_cell){{cell.at[0] >> shift[0], cell.at[1] >> shift[1], cell.at[2] >> shift[2]},
                      cell.level};
}
/* The bucket of a block; levels have places of their own. The blocks of a district have buckets one
   after the other, so that none of them share one, and neighbours are near each other in memory.
   Districts are placed by an additive recurrence (R-sequence, Roberts 2018): the table times the
   fraction of a sum of multiples of 1 / r, 1 / r^2 and 1 / r^3, r^4 = r + 1, whose multipliers here
   are the nearest primes. Such sums of small whole numbers keep far from whole ones, so that
   districts near each other have places far apart with any number of buckets. At random places
   two of the few districts of a tank overlap at some sizes: a third of all blocks were not alone,
   and a step took twice the time. */
#define TPI_LEVEL_PRIME 0x9e3779b1u
#define TPI_DISTRICT_X  0xd1b54a2du
#define TPI_DISTRICT_Y  0xabc98383u
#define TPI_DISTRICT_Z  0x8cb92ba1u
TPI_INLINE uint32_t tpi_grid_bucket(const tpi_grid *grid, tpi_cell block)
{
    if (grid->bucket_count <= 1u) return 0;
    const uint8_t *shift = grid->district;
    uint32_t x = block.at[0], y = block.at[1], z = block.at[2];
    uint32_t inside = (x & ((1u << shift[0]) - 1u)) + ((y & ((1u << shift[1]) - 1u)) << shift[0]) +
                      ((z & ((1u << shift[2]) - 1u)) << (shift[0] + shift[1]));
    uint32_t hash = TPI_DISTRICT_X * (x >> shift[0]) + TPI_DISTRICT_Y * (y >> shift[1]) +
                    TPI_DISTRICT_Z * (z >> shift[2]) + TPI_LEVEL_PRIME * block.level;
    uint32_t bucket = (uint32_t)((uint64_t)hash * grid->bucket_count >> 32) + inside;
    return bucket >= grid->bucket_count ? bucket - grid->bucket_count : bucket;
}
TPI_INLINE uint32_t tpi_grid_inside(const tp_world *world, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t *shift = world->grid.shift, *stride = world->grid.stride;
    return (z & ((1u << shift[2]) - 1u)) * stride[2] + (y & ((1u << shift[1]) - 1u)) * stride[1] +
           (x & ((1u << shift[0]) - 1u));
}

/* Colours of blocks: the parities of their coordinates. Half stencils of two blocks of one colour
   have no cell in common: they extend by one cell, and blocks are at least two cells wide. */
#define TPI_COLOURS_2D 4u
#define TPI_COLOURS_3D 8u
TPI_INLINE uint32_t tpi_block_colour(uint64_t name)
{
    return (uint32_t)((name & 1u) | (name >> 16 & 2u) | (name >> 32 & 4u));
}
/* The owner of a bucket after another block has come to it. */
TPI_INLINE uint64_t tpi_owner_mixed(uint64_t owner, uint64_t name)
{
    uint64_t colours = UINT64_C(1) << tpi_block_colour(name);
    if (!tpi_owner_is_mixed(owner))
        owner = TPI_OWNER_MIXED | UINT64_C(1) << tpi_block_colour(owner);
    return owner | colours;
}

/* Table entry of a cell, the bucket of its block, and the block's name. */
typedef struct tpi_entry {
    uint32_t entry, bucket;
    uint64_t block;
} tpi_entry;

/* The part of the back set that a particle is in. There are at most TPI_STRETCHES_MAX parts; they
   depend on the number of particles only. */
TPI_INLINE tpi_run tpi_part_of(const tpi_step *step, uint32_t index)
{
    uint32_t size = (step->count + TPI_STRETCHES_MAX - 1u) / TPI_STRETCHES_MAX;
    size = tpi_max_u32((size + 15u) & ~15u, TPI_PART_LEAST);
    uint32_t begin = index / size * size;
    return (tpi_run){begin, tpi_min_u32(begin + size, step->count)};
}

/* the key of a particle that is left out of the back set */
#define TPI_KEY_DEAD 0xffffffffu
/* the entry of a key; flag: the particle may be the first one of its block */
#define TPI_KEY_ENTRY 0x7fffffffu
#define TPI_KEY_NEW   0x80000000u

/* The stencil of the cell of particle `index`. Fast if the same stencil was used for a cell of the
   same block just before; set `is_known` to false at first. The half stencil also has all cells of
   coarser levels that may hold partners, at once or part by part; the full stencil has cells of its
   own level only. */
TPI_FUNC void tpi_stencil_half(const tp_world *world, uint32_t index, tpi_stencil *stencil);
/* The same with the cells of each column together, as in a group: the cell and the next one in its
   row, then those of the other rows, one column after the other. In 2D there is no difference. */
TPI_FUNC void tpi_stencil_columns(const tp_world *world, uint32_t index, tpi_stencil *stencil);
/* A group of cells: neighbours in a row of a block, with few particles. Candidates have slots:
   first those in the row, up to the cell after the last, then those of the other rows, column by
   column. So those of a cell are two ranges of slots, ordered as in tpi_stencil_columns. */
#define TPI_GROUP_CELLS    16u /* in 2D; in 3D: */
#define TPI_GROUP_CELLS_3D 4u
/* The row, which may extend into the next block, and four other rows of a half stencil, cell by
   cell. In 2D: two of the row, and three of the other row, where cells of a block are one run. */
#define TPI_GROUP_RUNS    (2u + 4u * (TPI_GROUP_CELLS_3D + 2u))
#define TPI_GROUP_RUNS_2D 5u
#define TPI_BLOCK_WIDTH   16u /* cells of a block along x: in 2D; in 3D 8 */
/* The rows of a half stencil, the first being that of the cells. */
typedef struct tpi_group_rows {
    /* the block's first entry in the row of the cells; TPI_ENTRY_NONE: not looked up yet */
    uint32_t entry;
    bool is_plain; /* no block shares its bucket: else there are no groups */
    /* the particles of the cells, from that before the block to that behind it */
    tpi_run cells[5][TPI_BLOCK_WIDTH + 2u];
    uint32_t sizes[TPI_BLOCK_WIDTH + 2u]; /* how many the rows across have in each column */
} tpi_group_rows;
typedef struct tpi_group_cell {
    tpi_run own;
    uint32_t beside; /* number of candidates in its row, its own particles included */
    tpi_run across;  /* slots of its candidates in the other rows */
} tpi_group_cell;
typedef struct tpi_group {
    uint32_t count; /* 0: no group */
    uint32_t particles, candidates;
    uint32_t filled; /* cells with particles */
    uint32_t beside; /* slots of the row */
    uint32_t slots;
    tpi_group_cell cells[TPI_GROUP_CELLS];
    uint32_t run_count;
    tpi_run runs[TPI_GROUP_RUNS]; /* the particles of the slots, in order */
    tpi_group_rows rows;          /* cached from group to group; rows.entry is set at first */
} tpi_group;
/* Upper limits of a group; candidates are those of all particles. */
typedef struct tpi_group_limits {
    uint32_t cells, particles, candidates, slots; /* cells: at most TPI_GROUP_CELLS or _3D */
} tpi_group_limits;
/* The group that begins with the cell of `index`, if that is its first particle; else, or if the
   limits are exceeded, tpi_stencil_columns. */
TPI_FUNC void tpi_stencil_group(const tp_world *world, uint32_t index, tpi_group_limits limits,
                                tpi_stencil *stencil, tpi_group *group);
/* Replaces the runs by those of part number `part`, from 1 on; false if there is no such part. */
TPI_FUNC bool tpi_stencil_part(const tp_world *world, uint32_t index, uint32_t part,
                               tpi_stencil *stencil);
/* Units of a cell: 1, and 1 for each of the 2 (2D) or 5 (3D) rows that a half stencil looks up at
   its own level. */
TPI_INLINE uint32_t tpi_cell_units(const tp_world *world)
{
    return tpi_dimensions(world) == 3 ? 6u : 3u;
}
TPI_FUNC void tpi_stencil_full(const tp_world *world, uint32_t index, tpi_stencil *stencil);

/* All cells of all levels that hold partners of particle `index`, in rows of at most TPI_ROW_CELLS
   cells: tpi_stencil_count_rows first counts the rows, tpi_stencil_row gets the runs of one; false
   if there is no such row. stencil->level is the level of the row. */
#define TPI_ROW_CELLS 24u
TPI_FUNC void tpi_stencil_count_rows(const tp_world *world, uint32_t index, tpi_stencil *stencil);
TPI_FUNC bool tpi_stencil_row(const tp_world *world, uint32_t index, uint32_t row,
                              tpi_stencil *stencil);

/* Number of candidates in all runs. */
TPI_INLINE uint32_t tpi_stencil_candidates(const tpi_stencil *stencil)
{
    uint32_t count = 0;
    for (uint32_t r = 0; r < stencil->run_count; r++)
        count += stencil->runs[r].end - stencil->runs[r].begin;
    return count;
}

#if TPI_LANES > 1
/* Particles that one thread works on while others work on blocks of the same colour: those of a
   block, or of a cell if its block shares a bucket. */
typedef struct tpi_lot {
    tpi_run run;
    bool is_whole; /* all particles of a bucket */
} tpi_lot;
/* The first lot of a colour that ends behind particle `begin`; false if there is none before the
   bucket of particle `end`. O(buckets between) */
TPI_FUNC bool tpi_grid_lot(const tp_world *world, uint32_t begin, uint32_t end, uint32_t colour,
                           tpi_lot *lot);
/* The first particle from `index` on that is the first of a bucket, or the number of particles. */
TPI_FUNC uint32_t tpi_grid_bucket_from(const tp_world *world, uint32_t index);
/* The part of the back set that a particle is in if parts consist of whole buckets: those that
   begin in one part of tpi_part_of. */
TPI_FUNC tpi_run tpi_grid_part_of(const tp_world *world, uint32_t index);
#endif

#endif
