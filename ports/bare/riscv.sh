# SPDX-License-Identifier: MIT
# ports/bare/riscv.sh - common part of the RISC-V targets.
#   reads   port_cpu, port_emulator, set by the target      writes  the definitions that ports/one needs
#   memory  none      cost  none
#   after   own design; sourced at the end of a file `target`
port_packages="gcc-riscv64-unknown-elf qemu-system-misc"
port_prefix=riscv64-unknown-elf-
# -misa-spec=2.2: the multilibs do not know the separate Zicsr extension
port_machine="-misa-spec=2.2 -mcmodel=medany -fno-math-errno -fno-tree-loop-distribute-patterns $port_cpu"
port_start=ports/bare/riscv.c
port_libraries="-nostdlib -lgcc"
board_machine=virt
board_options="-bios none -serial stdio"
board_flash=0x80000000
board_ram=0x80800000
. ./ports/bare/board.sh
