# SPDX-License-Identifier: MIT
# ports/hosted/exchange.sh - the host program of another processor and this machine's write the same bytes and read each other's.
#   reads   build/tidepool, build/scenes.inc, a bake of the tests' fixtures      writes  $folder/exchange
#   memory  some MB below $folder      cost  one compile of everything, and some seconds
#   after   own design; sourced by ports/one for a target that says port_exchanges=yes

exchange_build()
{
    "$port_triple-gcc" -std=c11 -O1 -ffp-contract=off $port_machine -D_POSIX_C_SOURCE=200809L -D_FILE_OFFSET_BITS=64 -Iruntime -Ihost_tools -Iplatform \
        -Ibuild -static $(find runtime host_tools -name '*.c' ! -path '*/tables/*') platform/posix/*.c platform/jobs_posix/*.c \
        -o "$folder/tidepool" -lm -pthread
}

ours() { build/tidepool "$@"; }
theirs() { timeout "$port_seconds" "$port_emulator" "$folder/tidepool" "$@"; }

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
    done
    # each reads what the other wrote
    ours convert "$out/theirs/lossy.tpc" "$out/ours/lossy.csv" --quiet && theirs convert "$out/ours/lossy.tpc" "$out/theirs/lossy.csv" --quiet || return 1
    ours convert "$out/theirs/exact.tpc" "$out/ours/bake" --to bphys --quiet && theirs convert "$out/ours/exact.tpc" "$out/theirs/bake" --to bphys --quiet || return 1
    [ "$(find "$out/ours" -type f | wc -l)" -gt 40 ] && diff -r "$out/ours" "$out/theirs"
}
