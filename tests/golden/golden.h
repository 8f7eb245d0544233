/* SPDX-License-Identifier: MIT
   tests/golden/golden.h - the golden table: scene -> state hash, for every compiler, flag set and
           machine.
   reads   nothing      writes  nothing: a table, made by tests/golden/update
   memory  none         cost    none
   after   a change of a hash is a commit of its own that states the reason */
#define GOLDEN_TABLE(ITEM)                        \
    ITEM(fluid_2d, 0x6cfc2137a198c7c5u)           \
    ITEM(fluid_2d_compact, 0x6cfc2137a198c7c5u)   \
    ITEM(fluid_2d_sliced, 0x6cfc2137a198c7c5u)    \
    ITEM(compat_2d, 0x339cceeb76f59543u)          \
    ITEM(coarsen_2d, 0xa6f19f7b618cc870u)         \
    ITEM(adaptive_2d, 0xedc720af7bc41a8cu)        \
    ITEM(adaptive_compat_2d, 0xd554bcd8911d200bu) \
    ITEM(fluid_3d, 0x2899dee3147a44c3u)           \
    ITEM(crowd_2d, 0xb7957048657aab7bu)           \
    ITEM(crowd_2d_compact, 0xb7957048657aab7bu)   \
    ITEM(fountain_3d, 0xce661b8bb549efa1u)        \
    ITEM(fields_kdk_3d, 0x6738c01cfa324cb3u)      \
    ITEM(moving_2d, 0x025ca997f36ebad0u)          \
    ITEM(terrain_3d, 0x12eb5e88d0e589f3u)         \
    ITEM(recycle_2d, 0x747c30f48b2d55b9u)         \
    ITEM(rewind_plain_2d, 0x09c83ed76a7c5bfcu)    \
    ITEM(rewind_2d, 0x09c83ed76a7c5bfcu)          \
    ITEM(between_2d, 0x8e5300942e16bab3u)         \
    ITEM(grouped_2d, 0xd8d66b39b9bc9831u)         \
    ITEM(acted_2d, 0x8c63deab88a6631cu)           \
    ITEM(resumed_2d, 0x8c63deab88a6631cu)         \
    ITEM(acted_tile_2d, 0xb648bbe7c54da076u)      \
    ITEM(resumed_groups_2d, 0xb648bbe7c54da076u)  \
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
