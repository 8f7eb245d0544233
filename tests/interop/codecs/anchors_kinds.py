# SPDX-License-Identifier: MIT
# tests/interop/codecs/anchors_kinds.py - the motions that anchors.py and decode.py measure.
#   reads   nothing      writes  nothing
#   memory  none         cost    none
#   after   own design
import motions

ONE_GROUP = ("--key-interval", "128")
KINDS = {  # what, how its points move, seeds, options of convert
    "bounce": ("3000 x 128, bounces in a box", motions.bounces, (41,), ONE_GROUP),
    "high": ("3000 x 128, bounces without air", motions.bounces_high, (42,), ONE_GROUP),
    "thrown": ("3000 x 128, thrown alike", motions.thrown, (43,), ONE_GROUP),
    "pulled": ("3000 x 128, own accelerations", motions.pulled, (44,), ONE_GROUP),
    "rain": ("3000 x 128, rain", motions.rain, (45,), ONE_GROUP),
    "fluid": ("200 x 20, fluid", motions.fluid, (46, 47, 48), ()),
    "ball": ("169 x 38, cloth on a ball", motions.sheet, (49, 50, 51), ()),
    "springs": ("169 x 38, cloth of damped springs", motions.springs, (56, 57), ()),
    "hang": ("169 x 38, hanging cloth", motions.hanging, (52, 53, 54), ()),
    "hair": ("1600 x 60, hair", motions.hair, (55,), ()),
}
