/* SPDX-License-Identifier: MIT
   tests/golden/golden.h - the golden table: scene -> state hash, for every compiler, flag set and
           machine.
   reads   nothing      writes  nothing: a table, made by tests/golden/update
   memory  none         cost    none
   after   a change of a hash is a commit of its own that states the reason */
#define GOLDEN_TABLE(ITEM)                        \
    ITEM(fluid_2d, 0xe7263d7c6cb01112u)           \
    ITEM(fluid_2d_compact, 0xe7263d7c6cb01112u)   \
    ITEM(fluid_2d_sliced, 0xe7263d7c6cb01112u)    \
    ITEM(compat_2d, 0xe9cf82dfcf978b64u)          \
    ITEM(coarsen_2d, 0x39392b73025d1af5u)         \
    ITEM(adaptive_2d, 0x6fee8f34d11684b0u)        \
    ITEM(adaptive_compat_2d, 0x478aad6855f4b1f8u) \
    ITEM(fluid_3d, 0xa4405959dade5db4u)           \
    ITEM(crowd_2d, 0xfeeb624e842ff4e1u)           \
    ITEM(crowd_2d_compact, 0xfeeb624e842ff4e1u)   \
    ITEM(fountain_3d, 0xce661b8bb549efa1u)        \
    ITEM(fields_kdk_3d, 0x6738c01cfa324cb3u)      \
    ITEM(moving_2d, 0xae5050adadf2e156u)          \
    ITEM(terrain_3d, 0x12eb5e88d0e589f3u)         \
    ITEM(recycle_2d, 0x13e9414c7d6045d4u)         \
    ITEM(rewind_plain_2d, 0x7af4a6b57682ce6du)    \
    ITEM(rewind_2d, 0x7af4a6b57682ce6du)          \
    ITEM(between_2d, 0x06d5a9831e9ce882u)         \
    ITEM(grouped_2d, 0x9aa7f2f9f72f9484u)         \
    ITEM(acted_2d, 0x12f9fc5233eecfe9u)           \
    ITEM(resumed_2d, 0x12f9fc5233eecfe9u)         \
    ITEM(acted_tile_2d, 0x71a506160dc64a96u)      \
    ITEM(resumed_groups_2d, 0x71a506160dc64a96u)  \
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
