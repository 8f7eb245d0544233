# SPDX-License-Identifier: MIT
# ports/bare/board.sh - common part of targets without an operating system: compile, link, emulate.
#   reads   port_prefix, port_emulator, port_machine, port_start, port_libraries, board_*, set by the family and the target
#   writes  the other definitions that ports/one needs      memory  none      cost  none
#   after   own design; sourced by cortex_m.sh and riscv.sh
port_tools="${port_prefix}gcc ${port_prefix}size $port_emulator"
port_counts=yes
port_links=${board_links:-yes} # no: the target sets an optimisation level of its own
port_machine="$port_machine -ffreestanding -ffunction-sections -fdata-sections -DGOLDEN_BLOCK_BYTES=65536u"
: "${board_ram_bytes:=96K}" "${board_flash_bytes:=768K}" "${board_stack_bytes:=16K}"

port_compile() # SOURCE OBJECT [FLAG...]
{
    source=$1 object=$2
    shift 2
    "${port_prefix}gcc" $port_flags $port_machine "$@" -c "$source" -o "$object"
}

# A target may have other stacks for some of its programs.
board_stack_of() { echo "$board_stack_bytes"; } # OUT

port_build() # PROGRAM OUT
{
    "${port_prefix}gcc" $port_flags $port_machine "$1" ports/bare/board.c "$port_start" $board_library $port_linked -nostartfiles \
        -Wl,--defsym=board_flash="$board_flash",--defsym=board_flash_bytes="$board_flash_bytes" \
        -Wl,--defsym=board_ram="$board_ram",--defsym=board_ram_bytes="$board_ram_bytes" \
        -Wl,--defsym=board_stack_bytes="$(board_stack_of "$2")" \
        -T ports/bare/board.ld -Wl,--gc-sections $port_libraries -o "$2"
}

port_execute() # FILE [OPTION_OF_THE_EMULATOR...]
{
    file=$1
    shift
    tests/limited "$port_seconds" "$port_emulator" -M "$board_machine" $board_options -nographic -monitor none "$@" \
        -kernel "$file" </dev/null 2>&1
}
