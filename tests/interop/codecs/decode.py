# SPDX-License-Identifier: MIT
# tests/interop/codecs/decode.py - times of decoding clips, beside another version of this tree.
#   reads   build/tidepool and build/tidepool.h of both trees; motions.py
#   writes  below FOLDER (first argument); a table
#   memory  30 MB      cost    two minutes
#   after   own design: the same points, converted by the program of each tree and played by the runtime of the same
#           tree (decode.c), in alternating rounds; medians
import os
import shlex
import statistics
import subprocess
import sys

import motions
import numpy as np
from anchors_kinds import KINDS

ROUNDS = 9
FLAGS = ("-std=c11", "-O3", "-ffp-contract=off")


def build(tree, number):
    """The player of a tree."""
    path = f"{folder}/decode{number}"
    flags = (*FLAGS, *shlex.split(os.environ.get("CFLAGS", "")))
    subprocess.run([os.environ.get("CC", "cc"), *flags, f"-I{tree}/build", f"{own}/decode.c", "-lm", "-o", path], check=True)
    return path


def medians(kind, error, options, passes, mode):
    """Nanoseconds per point and frame of each tree."""
    times = [[] for _ in trees]
    for k, tree in enumerate(trees):
        command = [f"{tree}/build/tidepool", "convert", f"{folder}/{kind}.npy", f"{folder}/{kind}{k}.tpc", "--error", f"{error:g}r"]
        subprocess.run([*command, "--quiet", *options], check=True)
    for _ in range(ROUNDS):
        for k, player in enumerate(players):
            command = [player, f"{folder}/{kind}{k}.tpc", str(passes), *mode]
            times[k].append(float(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout))
    return [statistics.median(each) for each in times]


folder, trees = sys.argv[1], sys.argv[2:]
own = os.path.dirname(os.path.abspath(__file__))
players = [build(tree, number) for number, tree in enumerate(trees)]
print("ns per point and frame: " + ", ".join(trees))
for kind, (what, motion, seeds, options) in KINDS.items():
    points = motion(seeds[0])
    np.save(f"{folder}/{kind}.npy", points)
    for mode in ((), ("whole",)):
        cells = []
        for error in (1e-3, 1e-4):
            each = medians(kind, error, options, 2 if points.size > 500000 else 30, mode)
            ratios = "".join(f"{one / each[0]:6.2f}" for one in each[1:])
            cells.append("".join(f"{one:8.2f}" for one in each) + ratios)
        print(f"{what:36s}{mode[0] if mode else 'played':8s}" + " |".join(cells), flush=True)
