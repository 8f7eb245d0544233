# SPDX-License-Identifier: MIT
# ports/count/ranges.awk - address ranges of the code of each stage, for plugin.c.
#   reads   the output of `nm -n --synthetic`      writes  lines `low high name`, one per range; exit 1 if a stage of the demo has none
#   memory  one line     cost  O(symbols)
#   after   the calls of step_run in runtime/step/step.c; a compiler may add .constprop, .isra, .part or .cold to a name

# Assigns all of `functions` to the stage `name`.
function enters(name, functions,    list, count, i)
{
    count = split(functions, list, " ")
    for (i = 1; i <= count; i++) name_of[list[i]] = name
}

function finish(high)
{
    if (open != "" && high != low) print low, high, open
    open = ""
}

BEGIN {
    enters("outside", "port_main")
    enters("frame", "tp_frame frame_work tpi_step_advance step_run")
    enters("recycle", "tpi_step_recycle")
    enters("links", "tpi_links")
    enters("move", "tpi_step_move")
    enters("grid", "tpi_grid_build")
    enters("pairs", "tpi_pair_list tpi_sph_density")
    enters("nearest", "tpi_grid_nearest")
    enters("pressure", "tpi_sph_pressure")
    enters("force", "tpi_hard_collide tpi_pair_force tpi_sph_force")
    enters("collide", "tpi_step_collide")
    enters("emit", "tpi_step_emit")
    enters("commit", "stage_commit")
}
$2 ~ /^[tTwW]$/ {
    finish($1)
    name = $3
    sub(/^\./, "", name)
    sub(/\..*/, "", name)
    low = $1
    if (name in name_of) {
        open = name_of[name]
        found[name]
    }
}
END {
    wanted = "port_main tp_frame tpi_step_move tpi_grid_build tpi_sph_density tpi_sph_pressure tpi_sph_force tpi_step_collide tpi_step_emit stage_commit"
    count = split(wanted, list, " ")
    for (i = 1; i <= count; i++) {
        if (list[i] in found) continue
        print "ports/count/ranges.awk: no code of its own: " list[i] >"/dev/stderr"
        failed = 1
    }
    exit failed
}
