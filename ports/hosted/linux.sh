# SPDX-License-Identifier: MIT
# ports/hosted/linux.sh - common part of targets that are Linux on another processor, run with QEMU's user-mode emulation.
#   reads   port_triple, port_emulator, port_machine, set by the target      writes  the other definitions that ports/one needs
#   memory  none      cost  none
#   after   own design; sourced at the end of a file `target`
port_tools="$port_triple-gcc $port_emulator"
port_prefix=$port_triple-
port_counts=yes
port_links=yes

port_compile() # SOURCE OBJECT [FLAG...]
{
    source=$1 object=$2
    shift 2
    "$port_triple-gcc" $port_flags $port_machine "$@" -c "$source" -o "$object"
}

port_build() # PROGRAM OUT
{
    "$port_triple-gcc" $port_flags $port_machine -static "$1" ports/hosted/port.c $port_linked -o "$2" -lm
}

port_execute() # FILE [OPTION_OF_THE_EMULATOR...]
{
    file=$1
    shift
    tests/limited "$port_seconds" "$port_emulator" "$@" "$file" </dev/null 2>&1
}
