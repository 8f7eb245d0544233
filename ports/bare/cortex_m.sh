# SPDX-License-Identifier: MIT
# ports/bare/cortex_m.sh - what all Cortex-M boards have in common.
#   reads   port_cpu, board_machine and, where they differ from here, board_* as the target says
#   writes  what ports/one asks for      memory  none      cost  none
#   after   own design; sourced at the end of a file `target`
port_packages="gcc-arm-none-eabi libnewlib-arm-none-eabi qemu-system-arm"
port_prefix=arm-none-eabi-
port_emulator=qemu-system-arm
port_machine="-mthumb $port_cpu"
port_start=ports/bare/cortex_m.c
port_libraries="--specs=nosys.specs -lm" # newlib: memory functions, and square roots where there is no unit
board_options="-serial null -semihosting-config enable=on,target=native"
: "${board_flash:=0x00000000}" "${board_ram:=0x20000000}"
. ./ports/bare/board.sh

port_link() # OBJECT OUT
{
    "${port_prefix}gcc" $port_machine "$1" -nostartfiles -Wl,-e,tp_world_create $port_libraries -o "$2"
}
