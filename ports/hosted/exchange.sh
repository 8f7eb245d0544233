# SPDX-License-Identifier: MIT
# ports/hosted/exchange.sh - tests that the host programs of another machine and of this one write the same bytes and read
#   each other's files.
#   reads   build/tidepool, build/scenes.inc, a bake of the tests' fixtures      writes  $folder/tidepool, $folder/exchange
#   memory  some MB below $folder      cost  one compile of everything, and some seconds
#   after   own design; sourced by ports/one for a target with port_exchanges=yes. A target that is not Linux defines
#           port_host FILE WORD..., which runs the host program, and port_host_words, further flags of the compiler

# Compiles the files in parallel; one after the other would take a minute.
exchange_build()
{
    rm -rf "$folder/host"
    mkdir -p "$folder/host"
    # The inner shell splits the flags into words. -Wno-type-limits: on 32-bit machines some size checks are always false.
    find runtime host_tools platform/posix platform/jobs_posix ${port_host_folder:-} -name '*.c' ! -path '*/tables/*' ! -path '*/view/*' |
        xargs -P "$(nproc 2>/dev/null || echo 2)" -I {} sh -c '"$0-gcc" $1 -c {} -o "$2/$(echo {} | tr / _).o"' \
            "$port_triple" "-std=c11 -O1 -ffp-contract=off -Wall -Wextra -Wno-type-limits -Wpedantic -Wshadow -Werror $port_machine ${port_host_words:-} -D_POSIX_C_SOURCE=200809L
                -D_FILE_OFFSET_BITS=64 -Iruntime -Ihost_tools -Iplatform -Ibuild" "$folder/host" || return 1
    "$port_triple-gcc" $port_machine -static "$folder"/host/*.o -o "$folder/tidepool" -lm -pthread
}

ours() { build/tidepool "$@"; }
theirs()
{
    if offers port_host; then
        port_host "$folder/tidepool" "$@"
    else
        tests/limited "$port_seconds" "$port_emulator" "$folder/tidepool" "$@"
    fi
}

hosts_exchange_files()
{
    exchange_build || return 1
    bake=tests/fixtures/blender/newton_s1/none
    out=$folder/exchange
    rm -rf "$out"
    mkdir -p "$out/ours" "$out/theirs"
    for side in ours theirs; do
        $side convert "$bake" "$out/$side/lossy.tpc" --error 1e-3 --quiet || return 1
        $side convert "$bake" "$out/$side/exact.tpc" --exact --quiet || return 1
        $side view "$bake" "$out/$side/page.html" --quiet || return 1
    done
    # each side reads the files of the other side
    ours convert "$out/theirs/lossy.tpc" "$out/ours/lossy.csv" --quiet && theirs convert "$out/ours/lossy.tpc" "$out/theirs/lossy.csv" --quiet || return 1
    ours convert "$out/theirs/exact.tpc" "$out/ours/bake" --to bphys --quiet && theirs convert "$out/ours/exact.tpc" "$out/theirs/bake" --to bphys --quiet || return 1
    [ "$(find "$out/ours" -type f | wc -l)" -gt 40 ] && diff -r "$out/ours" "$out/theirs"
}
