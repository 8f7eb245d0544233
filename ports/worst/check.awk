# SPDX-License-Identifier: MIT
# ports/worst/check.awk - checks that no scene costs more than the recorded worst scenes.
#   reads   records, lines `kind figure SCENE`; measurements; -v slack=PERCENT, -v only="KIND..."; -v demo=SCENE, a scene whose
#           budgets have a record of their own
#   writes  one line per kind: figure, record, ratio; exit 1 if a figure exceeds its record by more than the slack
#   memory  one figure per kind      cost  O(lines)
#   after   own design; kinds vortex_STAGE are of the scenes that were recorded for them
#           a figure: instructions per unit of the worst slice, or call with a budget; instructions per call of other calls

FILENAME == ARGV[1] {
    if (!/^#/ && NF > 1) record[$1] = $2
    if (!/^#/ && NF > 2) name[scenes++ + 0] = $1
    next
}
$2 != "empty" {
    units = $7 < 64 ? 64 : $7
    has_budget = $2 !~ /^tp_/ || $2 ~ /^tp_(frame|query_update|query_region|query_nearest|query_sample|query_grid|query_ray|world_ray)$/
    value = has_budget ? $6 / units : $8
    if (value > figure[$2] + 0) figure[$2] = value
    vortex_kind = "vortex_" $2
    if (only == "" && name[$1] ~ /^vortex_/ && value > figure[vortex_kind] + 0) figure[vortex_kind] = value
    if ($2 == "budget") frames += $3
    if ($2 == "budget" && demo != "" && $1 == demo && value > figure["demo"] + 0) figure["demo"] = value
}
END {
    for (kind in record) {
        if (only == "" ? kind == "demo" : index(" " only " ", " " kind " ") == 0) continue
        if (!(kind in figure)) {
            print kind, "was not measured"
            failed = 1
            continue
        }
        printf "%s %.1f of %.1f, %.3f\n", kind, figure[kind], record[kind], figure[kind] / record[kind]
        if (figure[kind] <= record[kind] * (1 + slack / 100)) continue
        print kind ": more than recorded; if what it is for is worth it, write the figure there"
        failed = 1
    }
    print frames + 0, "frames"
    exit failed || !frames
}
