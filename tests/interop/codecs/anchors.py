# SPDX-License-Identifier: MIT
# tests/interop/codecs/anchors.py - sizes of clips and packed clips beside a general compressor of the whole clip.
#   reads   build/tidepool (second argument); motions.py
#   writes  below FOLDER (first argument); a table, then `N passed, M failed`
#   memory  200 MB      cost    two minutes
#   after   the anchor: coordinates rounded to twice the error, second differences over all frames, as words and as
#           byte planes in three orders; the smallest by xz -9e and zstd -19. It has no random access
import lzma
import subprocess
import sys

import numpy as np
from anchors_kinds import KINDS

CLIP_MOST, PACKED_MOST = 1.05, 0.85
ERRORS = (1e-3, 1e-4)  # of the largest side of the bounding box


def zstd(data):
    return len(subprocess.run(["zstd", "-19", "-q", "-c"], input=data, stdout=subprocess.PIPE, check=True).stdout)


def anchor(points, error):
    """Bytes of all coordinates, each within `error`."""
    words = np.round(points.astype("f8") / (2 * error)).astype("i4")
    for order in (1, 2):
        words[order:] = np.diff(words, axis=0)[order - 1 :]
    least = None
    for axes in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
        row = np.ascontiguousarray(words.transpose(axes))
        planes = row.view("u1").reshape(-1, 4).T
        for data in (row.tobytes(), planes.tobytes()):
            size = min(len(lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)), zstd(data))
            least = size if least is None else min(least, size)
    return least


def clip(folder, error, options):
    """Bytes of the file that tidepool makes."""
    path = f"{folder}/out.tpc"
    command = [program, "convert", f"{folder}/points.npy", path, "--error", f"{error:.9g}", "--quiet", *options]
    subprocess.run(command, check=True)
    with open(path, "rb") as file:
        return len(file.read())


def compare(what, points, options):
    """One row of the table; returns the ratios of each error."""
    np.save(f"{folder}/points.npy", points)
    side, count = np.ptp(points.reshape(-1, 3), axis=0).max(), points.shape[0] * points.shape[1]
    cells, ratios = [], []
    for share in ERRORS:
        least = anchor(points, share * side)
        sizes = [clip(folder, share * side, (*options, *more)) for more in ((), ("--packed",))]
        ratios.append([size / least for size in sizes])
        cells.append(f"{sizes[0] / count:7.3f}{sizes[1] / count:8.3f}{least / count:8.3f}{ratios[-1][0]:7.2f}{ratios[-1][1]:7.2f}")
    print(f"{what:32s}" + " |".join(cells), flush=True)
    return ratios


folder, program, chosen = sys.argv[1], sys.argv[2], sys.argv[3:] or list(KINDS)
heads = [f"{'clip':>7s}{'packed':>8s}{'anchor':>8s}{'ratios':>10s}    "] * len(ERRORS)
print(f"{'bytes per point and frame':32s}" + " |".join(heads))
passed = failed = 0
for kind in chosen:
    what, motion, seeds, options = KINDS[kind]
    for seed in seeds:
        for share, (size, packed) in zip(ERRORS, compare(f"{what}, {seed}", motion(seed), options)):
            for name, ratio, most in (("clip", size, CLIP_MOST), ("packed clip", packed, PACKED_MOST)):
                passed += ratio <= most
                failed += ratio > most
                if ratio > most:
                    print(f"  {name} at {share:g}: {ratio:.3f} of the anchor, expected at most {most}")
print(f"{passed} passed, {failed} failed")
sys.exit(failed > 0)
