# SPDX-License-Identifier: MIT
# ports/worst/measure.sh - builds ports/worst/worst.c for a target and measures scenes: instructions a unit, by slice and call.
#   reads   what the target's file gives, a file of scenes: a name and its numbers a line      writes  below $folder
#   memory  below build/      cost  a second to build, then a second for some hundred million instructions
#   after   own design; sourced where port_build and port_execute are, with $folder and $port_flags set

# The runtime with the program around it, once.
worst_compile()
{
    port_compile ports/worst/worst.c "$folder/worst_program.o"
}

# The scenes as a C file.
worst_scenes_of() # SCENES FRAMES PERIOD
{
    awk -v frames="$2" -v period="$3" '
        BEGIN { print "#include \"ports/worst/scene.h\"\nconst worst_scene worst_scenes[] = {" }
        /^#/ || NF < 2 { next }
        { line = "{" $2; for (i = 3; i <= NF; i++) line = line ", " $i; print line "},"; count++ }
        END {
            printf "};\nconst uint32_t worst_scene_count = %du, worst_frames = %du, worst_period = %du;\n",
                count, frames, period
        }' "$1"
}

# Where the program tells, and the plugin in the version that this QEMU takes: QEMU names its version only by refusing others.
worst_execute() # PROGRAM OUT
{
    "${port_prefix}nm" "$1" | awk '
        BEGIN { for (i = 0; i < 16; i++) code["worst_digit_" sprintf("%x", i)] = i }
        { name = $3; sub(/[.].*/, "", name) }
        name ~ /^worst_tell_[0-9]$/ { print $1, 16 + substr(name, 12) }
        name in code { print $1, code[name] }' >"$folder/worst_table.txt"
    worst_version=${worst_version:-1}
    while :; do
        ${CC:-cc} -std=c11 -O2 -Wall -Wextra -Werror -D_POSIX_C_SOURCE=200809L -DCOUNT_VERSION="$worst_version" -shared -fPIC \
            ports/count/slices.c -o "$folder/slices.so" || return 1
        rm -f "$2"
        port_execute "$1" -plugin "$folder/slices.so,table=$folder/worst_table.txt,out=$2" >"$folder/worst_log.txt"
        [ -s "$2" ] && return 0
        worst_version=$((worst_version + 1))
        [ "$worst_version" -le 6 ] || { cat "$folder/worst_log.txt"; return 1; }
    done
}

# OUT: `scene kind times units instructions worst_instructions worst_units most` a line.
worst_measure() # SCENES FRAMES PERIOD OUT
{
    worst_scenes_of "$1" "$2" "$3" >"$folder/worst_scenes.c" &&
        port_compile "$folder/worst_scenes.c" "$folder/worst_scenes.o" -I. &&
        "${port_prefix}ld" -r "$folder/worst_program.o" "$folder/worst_scenes.o" -o "$folder/worst_linked.o" &&
        port_build "$folder/worst_linked.o" "$folder/worst" && worst_execute "$folder/worst" "$4"
}
