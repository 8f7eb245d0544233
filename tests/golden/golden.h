/* SPDX-License-Identifier: MIT
   tests/golden/golden.h - the golden table: scene -> state hash, for every compiler, flag set and
           machine.
   reads   nothing      writes  nothing: a table, made by tests/golden/update
   memory  none         cost    none
   after   a change of a hash is a commit of its own that states the reason */
#define GOLDEN_TABLE(ITEM)                               \
    ITEM(fluid_2d, 0xcab3d6be6b309791u)                  \
    ITEM(fluid_2d_compact, 0xcab3d6be6b309791u)          \
    ITEM(fluid_2d_sliced, 0xcab3d6be6b309791u)           \
    ITEM(compat_2d, 0x339cceeb76f59543u)                 \
    ITEM(coarsen_2d, 0x657274a13c6ab127u)                \
    ITEM(adaptive_2d, 0x70c9062bc2ec2015u)               \
    ITEM(adaptive_compat_2d, 0xe876d63c37618eddu)        \
    ITEM(fluid_3d, 0xc7350f7f0e8dad91u)                  \
    ITEM(crowd_2d, 0x59f211054f763bcdu)                  \
    ITEM(crowd_2d_compact, 0x59f211054f763bcdu)          \
    ITEM(fountain_3d, 0xce661b8bb549efa1u)               \
    ITEM(fields_kdk_3d, 0x6738c01cfa324cb3u)             \
    ITEM(moving_2d, 0x4ddd2e040e88c058u)                 \
    ITEM(incompressible_2d, 0xdc539902b3651c0du)         \
    ITEM(incompressible_2d_compact, 0xdc539902b3651c0du) \
    ITEM(incompressible_3d, 0x60693a095b8a4820u)         \
    ITEM(incompressible_3d_sliced, 0x60693a095b8a4820u)  \
    ITEM(phases_2d, 0xf0f9b8d0913d68ecu)                 \
    ITEM(phases_3d, 0xc7a31bbe792e45f1u)                 \
    ITEM(drop_2d, 0x7f31e49168fa4623u)                   \
    ITEM(drop_2d_compact, 0x7f31e49168fa4623u)           \
    ITEM(honey_3d, 0xb6facbe1f44e583cu)                  \
    ITEM(honey_3d_sliced, 0xb6facbe1f44e583cu)           \
    ITEM(tait_2d, 0x936a532c1efbac3eu)                   \
    ITEM(tait_2d_compact, 0x936a532c1efbac3eu)           \
    ITEM(gas_3d, 0x81678adf5b93e0d5u)                    \
    ITEM(gas_3d_sliced, 0x81678adf5b93e0d5u)             \
    ITEM(heat_2d, 0x99ba072483592862u)                   \
    ITEM(heat_2d_compact, 0x99ba072483592862u)           \
    ITEM(heat_3d, 0x11307804a2a370d5u)                   \
    ITEM(heat_3d_sliced, 0x11307804a2a370d5u)            \
    ITEM(springs_2d, 0xff5525d0f82415b2u)                \
    ITEM(springs_2d_sliced, 0xff5525d0f82415b2u)         \
    ITEM(springs_rewound_2d, 0xff5525d0f82415b2u)        \
    ITEM(springs_3d, 0xcdb35ce37eebfcbeu)                \
    ITEM(springs_3d_compact, 0xcdb35ce37eebfcbeu)        \
    ITEM(terrain_3d, 0xe1dd5ad8c2438af9u)                \
    ITEM(recycle_2d, 0x0d73268e09641ec8u)                \
    ITEM(rewind_plain_2d, 0x15f5d41aac612f47u)           \
    ITEM(rewind_2d, 0x15f5d41aac612f47u)                 \
    ITEM(between_2d, 0xbc1b49ae3ce570d8u)                \
    ITEM(grouped_2d, 0x289b7471e31c0465u)                \
    ITEM(acted_2d, 0x54f6e810c21da8b1u)                  \
    ITEM(resumed_2d, 0x54f6e810c21da8b1u)                \
    ITEM(acted_tile_2d, 0x651ea5ffdde6092cu)             \
    ITEM(resumed_groups_2d, 0x651ea5ffdde6092cu)         \
    ITEM(film, 0xebd662014dd29e57u)                      \
    ITEM(pair_3d, 0xce43cbc3f5f8eee7u)                   \
    ITEM(pair_3d_compact, 0xce43cbc3f5f8eee7u)           \
    ITEM(pair_2d, 0xa22d80d12d18eba3u)                   \
    ITEM(level_2d, 0xb8b5cba2b05d373fu)                  \
    ITEM(level_2d_sliced, 0xb8b5cba2b05d373fu)           \
    ITEM(level_3d, 0x5569433905b8a1f7u)                  \
    ITEM(level_3d_compact, 0x5569433905b8a1f7u)          \
    ITEM(hard_3d, 0x324e1c85bb35bb48u)                   \
    ITEM(hard_3d_compact, 0x324e1c85bb35bb48u)           \
    ITEM(hard_2d, 0x649f2495351fcd6bu)                   \
    ITEM(table_2d, 0xcc0c59fde07aa24du)                  \
    ITEM(link_2d, 0xd778206b8c320bc0u)                   \
    ITEM(link_2d_sliced, 0xd778206b8c320bc0u)            \
    ITEM(link_3d, 0xf9263ab89624bf53u)
