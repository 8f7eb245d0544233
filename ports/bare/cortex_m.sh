# SPDX-License-Identifier: MIT
# ports/bare/cortex_m.sh - common part of all Cortex-M targets.
#   reads   port_cpu, board_machine and, to override defaults, board_*, set by the target; board_library: sources that replace
#           routines of the compiler's library
#   writes  the definitions that ports/one needs      memory  none      cost  none
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

# The default script puts the symbol _stack at 0x80000, where it would name the code behind it: the code begins above.
port_link() # OBJECT OUT
{
    "${port_prefix}gcc" -std=c11 -O2 $port_machine "$1" $board_library -nostartfiles -Wl,-e,tp_world_create -Wl,-Ttext=0x100000 \
        $port_libraries -o "$2"
}
