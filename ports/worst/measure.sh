# SPDX-License-Identifier: MIT
# ports/worst/measure.sh - builds ports/worst/worst.c for a target and measures instructions per unit of scenes, by slice and call.
#   reads   the target's definitions; a file of scenes, each line a name and its numbers      writes  below $folder
#   memory  below build/      cost  a second to build, then a second for some hundred million instructions
#   after   own design; sourced by scripts that define port_build and port_execute and set $folder and $port_flags

# Compiles the runtime and the program, once for all scenes.
worst_compile()
{
    port_compile ports/worst/worst.c "$folder/worst_program.o"
}

# Prints the scenes as a C file.
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

# Lists the addresses of the marker functions, and runs the program with the plugin. QEMU does not report its plugin version,
# so versions are tried until one is accepted.
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

# OUT has lines `scene kind times units instructions worst_instructions worst_units most`.
worst_measure() # SCENES FRAMES PERIOD OUT
{
    worst_scenes_of "$1" "$2" "$3" >"$folder/worst_scenes.c" &&
        port_compile "$folder/worst_scenes.c" "$folder/worst_scenes.o" -I. &&
        "${port_prefix}ld" -r "$folder/worst_program.o" "$folder/worst_scenes.o" -o "$folder/worst_linked.o" &&
        (board_ram_bytes=288K port_linked= && port_build "$folder/worst_linked.o" "$folder/worst") && worst_execute "$folder/worst" "$4" &&
        if grep 'units: ' "$folder/worst_log.txt"; then false; fi
}

# Fails unless some of the scenes that were just measured have vortons in a grid, and some have nodes that may split, and ran to
# their end.
worst_have_kinds() # SCENES
{
    awk 'FNR == 1 { file++ }
         file == 1 { if (!/^#/ && NF >= 3) at[$1] = ++fields + 1; next }
         file == 2 && !/^#/ && NF > 1 {
             has_air[scenes + 0] = $at["solver"] == 7 && $at["vortons"] > 0 && $at["air_grid"] > 0
             has_splits[scenes + 0] = $at["solver"] == 6 && $at["dimensions"] == 3 && $at["tear"] > 0 && $at["splits"] > 0
             scenes++
         }
         file == 3 && $1 == "scene" && NF == 3 && length($3) == 16 { air += has_air[$2]; splits += has_splits[$2] }
         END {
             if (!air) print "no scene has vortons in a grid"
             if (!splits) print "no scene has cloth that may split"
             exit !air || !splits
         }' ports/worst/fields "$1" "$folder/worst_log.txt"
}

# Extracts the scenes of a file of records (lines `kind figure SCENE`), each named by its kind.
worst_recorded() # RECORDS OUT
{
    awk '!/^#/ && NF > 2 { line = $1; for (i = 3; i <= NF; i++) line = line " " $i; print line }' "$1" >"$2"
    [ -s "$2" ]
}

# No scene costs more than its record plus PERCENT, in runs of 4 and of 64 frames.
worst_are_as_recorded() # RECORDS PERCENT
{
    worst_recorded "$1" "$folder/worst_recorded.txt" || return 1
    for frames_and_period in "4 3" "64 8"; do
        worst_measure "$folder/worst_recorded.txt" $frames_and_period "$folder/worst_measured.txt" || return 1
        cat "$folder/worst_measured.txt"
    done >"$folder/worst_both.txt"
    awk -v slack="$2" -f ports/worst/check.awk "$1" "$folder/worst_both.txt"
}

# Makes one round of children of the worst known scenes: unchanged, or with small worlds and budgets.
worst_children() # KNOWN SEED ROUND IS_SMALL OUT
{
    awk -v seed="$2" -v round="$3" -f ports/worst/mutate.awk ports/worst/fields "$1" >"$5" || return 1
    [ "$4" = 0 ] || { awk -v round="$3" -f ports/worst/small.awk ports/worst/fields "$5" >"$5.small" && mv "$5.small" "$5"; }
}

# Runs 2048 frames of such scenes: none may exceed the recorded instructions for its budget plus one slice. The first scene
# has the demo's size, fluid, budget and slice, and has its own record.
worst_frames() # RECORDS SEED ROUND
{
    worst_children "$1" "$2" "$3" 1 "$folder/worst_drawn.txt" &&
        awk 'NR == 1 {
                $2 = 2; $3 = 1; $4 = 200; $5 = 32; $6 = 64; $7 = 1; $8 = 2048; $9 = 30000; $10 = 2; $11 = 0; $31 = 15
                for (field = 38; field <= NF; field++) $field = 0
            }
            { print }' "$folder/worst_drawn.txt" >"$folder/worst_children.txt" &&
        worst_measure "$folder/worst_children.txt" 64 8 "$folder/worst_measured.txt" &&
        worst_have_kinds "$folder/worst_children.txt" &&
        awk -v slack=0 -v demo=0 -v only="budget demo" -f ports/worst/check.awk "$1" "$folder/worst_measured.txt"
}

worst_frames_stay_in_their_budget() { worst_frames "$1" 1 0; }

# ---- every public call, at three sets of capacities ("rooms") ----

# OUT has lines `call unit|call FIGURE...`, one figure per room: instructions per unit of budget and slice, or per call.
worst_calls_measure() # OUT
{
    (
        board_ram_bytes=3M
        port_build ports/worst/calls.c "$folder/worst_calls"
    ) && worst_execute "$folder/worst_calls" "$folder/worst_calls.txt" || return 1
    cat "$folder/worst_log.txt"
    [ "$(grep -c ': done$' "$folder/worst_log.txt")" = 3 ] && awk -f ports/worst/calls.awk "$folder/worst_calls.txt" | sort >"$1"
}

# Every public call of the header is measured, and none costs more than its record plus 2 %.
worst_calls_are_as_recorded() # RECORDS
{
    worst_calls_measure "$folder/worst_calls_measured.txt" &&
        awk -v slack=2 -f ports/worst/calls_check.awk build/tidepool.h "$1" "$folder/worst_calls_measured.txt"
}
