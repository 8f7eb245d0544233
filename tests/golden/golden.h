/* SPDX-License-Identifier: MIT
   tests/golden/golden.h - the golden table: scene -> state hash, for every compiler, flag set and
           machine.
   reads   nothing      writes  nothing: a table, made by tests/golden/update
   memory  none         cost    none
   after   a change of a hash is a commit of its own that states the reason */
#define GOLDEN_TABLE(ITEM)                        \
    ITEM(fluid_2d, 0x68da1763b148bdf9u)           \
    ITEM(fluid_2d_compact, 0x68da1763b148bdf9u)   \
    ITEM(fluid_2d_sliced, 0x68da1763b148bdf9u)    \
    ITEM(compat_2d, 0x339cceeb76f59543u)          \
    ITEM(coarsen_2d, 0xe6ca024724b989b0u)         \
    ITEM(adaptive_2d, 0xb05a1aac756a8e45u)        \
    ITEM(adaptive_compat_2d, 0x42eae7358ebd95dcu) \
    ITEM(fluid_3d, 0xaede4a7756bf54ddu)           \
    ITEM(crowd_2d, 0x2a045b8dd076b672u)           \
    ITEM(crowd_2d_compact, 0x2a045b8dd076b672u)   \
    ITEM(fountain_3d, 0xce661b8bb549efa1u)        \
    ITEM(fields_kdk_3d, 0x6738c01cfa324cb3u)      \
    ITEM(moving_2d, 0xb12b32379e8126acu)          \
    ITEM(terrain_3d, 0x12eb5e88d0e589f3u)         \
    ITEM(recycle_2d, 0x51ee3560134c45f5u)         \
    ITEM(rewind_plain_2d, 0x5d436d2af4b794fcu)    \
    ITEM(rewind_2d, 0x5d436d2af4b794fcu)          \
    ITEM(between_2d, 0xaf44e07c2ff3c97bu)         \
    ITEM(grouped_2d, 0x7d45cfe17dce0e7cu)         \
    ITEM(acted_2d, 0xdc7951825e1aae7cu)           \
    ITEM(resumed_2d, 0xdc7951825e1aae7cu)         \
    ITEM(acted_tile_2d, 0xe23171a6cd10cdfdu)      \
    ITEM(resumed_groups_2d, 0xe23171a6cd10cdfdu)  \
    ITEM(film, 0xebd662014dd29e57u)               \
    ITEM(pair_3d, 0xce43cbc3f5f8eee7u)            \
    ITEM(pair_3d_compact, 0xce43cbc3f5f8eee7u)    \
    ITEM(pair_2d, 0xa22d80d12d18eba3u)            \
    ITEM(level_2d, 0xb8b5cba2b05d373fu)           \
    ITEM(level_2d_sliced, 0xb8b5cba2b05d373fu)    \
    ITEM(level_3d, 0x5569433905b8a1f7u)           \
    ITEM(level_3d_compact, 0x5569433905b8a1f7u)   \
    ITEM(hard_3d, 0x324e1c85bb35bb48u)            \
    ITEM(hard_3d_compact, 0x324e1c85bb35bb48u)    \
    ITEM(hard_2d, 0x649f2495351fcd6bu)            \
    ITEM(table_2d, 0xcc0c59fde07aa24du)           \
    ITEM(link_2d, 0xd778206b8c320bc0u)            \
    ITEM(link_2d_sliced, 0xd778206b8c320bc0u)     \
    ITEM(link_3d, 0xf9263ab89624bf53u)
