# SPDX-License-Identifier: MIT
# tests/interop/blender_addon.py - the add-on in a real Blender: installed from its zip, then used by its operators.
#   reads   blender -b --factory-startup --python blender_addon.py -- ADDON.zip FOLDER PROGRAM; FOLDER has what
#           tests/interop/addon puts there: caches, tables and converted sequences
#   writes  `ok NAME` or `FAILED NAME: why` per claim, then `blender_addon: done`
#   memory  one sequence      cost  a few hundred frame changes, and a second Blender that bakes
#   after   own design; positions are compared with tables that the program's own reader wrote
import csv
import os
import shutil
import sys
import traceback

import bpy
import numpy

ZIP, FOLDER, PROGRAM = sys.argv[sys.argv.index("--") + 1:]
claims = []


def claim(function):
    claims.append(function)
    return function


def at(*names):
    return os.path.join(FOLDER, *names)


def table(name):
    """{frame: {index: row of numbers}}"""
    frames = {}
    with open(at(name), newline="") as stream:
        for row in csv.DictReader(stream):
            frames.setdefault(int(row["frame"]), {})[int(row["index"])] = \
                {key: float(value) for key, value in row.items() if value}
    return frames


def locations(rows):
    return numpy.array([[row["x"], row["y"], row["z"]] for _, row in sorted(rows.items())]).reshape(-1, 3)


def vertices(target):
    values = numpy.empty(3 * len(target.data.vertices), "f4")
    target.data.vertices.foreach_get("co", values)
    return values.reshape(-1, 3)


def clear():
    for each in list(bpy.data.objects):
        bpy.data.objects.remove(each)
    bpy.context.scene.frame_set(1)


def preferences():
    return bpy.context.preferences.addons["tidepool"].preferences


def use_program(given):
    """Without a program its path is one that does not exist: nothing in PATH is taken then."""
    preferences().program = PROGRAM if given else "/none/tidepool"


def imported(path, **options):
    clear()
    assert bpy.ops.tidepool.import_sequence(filepath=path, **options) == {"FINISHED"}
    return bpy.context.active_object


def shows(target, want, bound=0.0):
    """Every frame forwards, then backwards in leaps: the vertices are the rows of the table."""
    frames = sorted(want)
    for frame in frames + frames[::-3]:
        bpy.context.scene.frame_set(frame)
        have, wanted = vertices(target), locations(want[frame])
        assert have.shape == wanted.shape, "frame %d: %d points, not %d" % (frame, len(have), len(wanted))
        worst = abs(have - wanted.astype("f4")).max() if len(have) else 0
        assert worst <= bound, "frame %d: %g apart" % (frame, worst)


def fails(operator, text, **options):
    """Operators raise what they report as an error."""
    try:
        operator(**options)
    except RuntimeError as fault:
        assert text in str(fault), "the message is %s" % fault
        return
    raise AssertionError("no error")


@claim
def sequences_are_read_without_the_program():
    use_program(False)
    for path in ("none/456D6974746572_000009_00.bphys", "light/456D6974746572_000009_00.bphys",
                 "heavy/456D6974746572_000009_00.bphys", "all.csv", "ply/p.0009.ply", "text/p.0009.ply",
                 "big/p.0009.ply", "npz/p.0009.npz", "rows/p.0009.csv"):
        print("  " + path)
        shows(imported(at(path)), table("all.csv"))


@claim
def unborn_and_dead_points_are_left_out():
    use_program(False)
    want = {frame: {index: row for index, row in rows.items() if row["birth"] <= frame < row["die"]}
            for frame, rows in table("all.csv").items()}
    assert sum(map(len, want.values())) < sum(map(len, table("all.csv").values()))
    target = imported(at("lives", "p_000009_00.bphys"))
    shows(target, want)
    bpy.context.scene.frame_set(9)
    ages = numpy.empty(len(target.data.vertices), "f4")
    target.data.attributes["age"].data.foreach_get("value", ages)
    assert abs(ages - [9 - row["birth"] for _, row in sorted(want[9].items())]).max() < 1e-5


@claim
def other_formats_are_read_by_the_program():
    use_program(True)
    for path, bound in (("clip/p.tpc", 2e-3), ("vtk/p.0009.vtk", 0), ("packed.csv.gz", 0),
                        ("zstd/p_000009_00.bphys", 0)):
        print("  " + path)
        shows(imported(at(path)), table("all.csv"), bound)
    use_program(False)
    for path in ("vtk/p.0009.vtk", "zstd/p_000009_00.bphys"):
        clear()
        fails(bpy.ops.tidepool.import_sequence, "give its path in the preferences" if "vtk" in path
              else "give the path of the program", filepath=at(path))
        assert not bpy.data.objects


@claim
def y_up_files_are_turned():
    use_program(True)
    want = table("all.csv")
    for path in ("turned/p.usda", "turned/p.usdc", "turned/p.abc", "turned/p.0009.bgeo", "turned/p.0009.bgeo.sc",
                 "turned/p.0009.geo", "straight/p.usda", "straight/p.0009.prt"):
        print("  " + path)
        shows(imported(at(path)), want)
    for path, axis in (("turned/p.csv", "Y"), ("turned/p.0009.prt", "Y"), ("turned/p.usda", "Y"),
                       ("straight/p.abc", "Z"), ("all.csv", "Z")):
        print("  " + path)
        shows(imported(at(path), up_axis=axis), want)
    target = imported(at("turned/p.csv"))
    bpy.context.scene.frame_set(9)
    lying = vertices(target)
    assert abs(lying - locations(want[9])).max() > 0.1
    target.tidepool.up_axis = "Y"
    assert (vertices(target) == lying[:, [0, 2, 1]] * [1, -1, 1]).all()


@claim
def velocities_and_rotations_are_turned():
    use_program(True)
    read = []
    for path in ("spin.csv", "spin_000001_00.bphys", "turned/spin.abc"):
        layers, speed, turn = imported(at(path)).data.attributes, numpy.empty(3, "f4"), numpy.empty(4, "f4")
        layers["velocity"].data.foreach_get("vector", speed)
        layers["rotation"].data.foreach_get("color", turn)
        read.append((speed.tolist(), turn.tolist()))
    assert read[0][0] == [4, 5, 6] and abs(numpy.array(read[0][1]) - [0.5, -0.5, 0.7, 0.1]).max() < 1e-6, read
    assert read[0] == read[1] == read[2], read


@claim
def changed_frames_are_converted_anew():
    use_program(True)
    want = table("all.csv")
    target = imported(at("changing", "p.0009.vtk"))
    shutil.copy(at("vtk", "p.0012.vtk"), at("changing", "p.0010.vtk"))
    shutil.copy(at("vtk", "p.0012.vtk"), at("changing", "p.%04d.vtk" % (max(want) + 1)))
    assert bpy.ops.tidepool.reload() == {"FINISHED"}
    for frame, shown in ((9, 9), (10, 12), (max(want), max(want)), (max(want) + 1, 12)):
        bpy.context.scene.frame_set(frame)
        have, wanted = vertices(target), locations(want[shown]).astype("f4")
        assert have.shape == wanted.shape and (have == wanted).all(), "frame %d" % frame


@claim
def two_copies_of_a_sequence_stay_at_most():
    import tempfile
    import tidepool
    use_program(True)
    path = at("changing", "p.0009.vtk")
    start = "tidepool-" + tidepool.program.key_of(path).partition("-")[0]
    for count in range(4):
        with open(path, "ab") as stream:
            stream.write(b"\n")
        tidepool.program.converted(path)
        copies = [name for name in os.listdir(tempfile.gettempdir()) if name.startswith(start)]
        assert "tidepool-" + tidepool.program.key_of(path) in copies, copies
    assert len(copies) == 2, copies


@claim
def every_file_of_a_sequence_counts():
    import tidepool
    list_of = at("changing", "p.pvd")
    with open(list_of, "w") as stream:
        stream.write('<VTKFile><Collection><DataSet timestep="1" file="p.0011.vtk"/></Collection></VTKFile>')
    for path, other in (("p_location.0009.npy", "p_velocity.0010.npy"), ("p_000009_00.bphys", "p_000000_00.bphys"),
                        ("p.0009.vtk", "p.0011.vtk"), ("p.pvd", "p.0011.vtk"), ("p.csv.gz", "p.csv.gz")):
        before = tidepool.program.key_of(at("changing", path))
        assert before == tidepool.program.key_of(at("changing", path)), path
        with open(at("changing", other), "ab") as stream:
            stream.write(b" ")
        assert before != tidepool.program.key_of(at("changing", path)), path


@claim
def points_have_attributes():
    use_program(False)
    want = table("all.csv")
    target = imported(at("all.csv"), radius=0.25)
    bpy.context.scene.frame_set(9)
    count = len(target.data.vertices)
    ids, speeds, radii = numpy.empty(count, "i4"), numpy.empty(3 * count, "f4"), numpy.empty(count, "f4")
    target.data.attributes["id"].data.foreach_get("value", ids)
    target.data.attributes["velocity"].data.foreach_get("vector", speeds)
    target.data.attributes["radius"].data.foreach_get("value", radii)
    assert list(ids) == sorted(want[9]) and (radii == 0.25).all()
    wanted = numpy.array([[row["vx"], row["vy"], row["vz"]] for _, row in sorted(want[9].items())], "f4")
    assert (speeds.reshape(-1, 3) == wanted).all() and abs(wanted).max() > 0


@claim
def points_are_a_cloud_with_a_radius():
    target = imported(at("all.csv"), radius=0.25)
    bpy.context.scene.frame_set(9)
    clouds = [each.object.data for each in bpy.context.evaluated_depsgraph_get().object_instances
              if each.object.type == "POINTCLOUD"]
    assert len(clouds) == 1 and len(clouds[0].points) == len(target.data.vertices) > 0
    assert abs(clouds[0].points[0].radius - 0.25) < 1e-6, clouds[0].points[0].radius
    assert [look.name for look in clouds[0].materials] == ["Tidepool points"]


@claim
def a_saved_file_plays_when_it_is_opened_again():
    want = table("all.csv")
    name = imported(at("all.csv")).name
    bpy.ops.wm.save_as_mainfile(filepath=at("saved.blend"))
    bpy.ops.wm.open_mainfile(filepath=at("saved.blend"))
    shows(bpy.data.objects[name], want)


@claim
def an_offset_shows_frames_later_and_reload_reads_anew():
    want = table("all.csv")
    shutil.copy(at("all.csv"), at("moving.csv"))
    target = imported(at("moving.csv"))
    target.tidepool.offset = 3
    bpy.context.scene.frame_set(12)
    assert (vertices(target) == locations(want[9]).astype("f4")).all()
    bpy.context.scene.frame_set(3)
    assert not len(target.data.vertices)
    with open(at("moving.csv"), "w") as stream:
        stream.write("frame,index,x,y,z\n1,0,7,8,9\n")
    bpy.context.scene.frame_set(4)
    assert bpy.ops.tidepool.reload() == {"FINISHED"}
    assert vertices(target).tolist() == [[7, 8, 9]]


@claim
def a_render_sees_the_points_of_its_frame():
    target = imported(at("all.csv"))
    seen = []
    bpy.app.handlers.depsgraph_update_post.clear()
    bpy.app.handlers.frame_change_post.append(
        lambda scene, graph: seen.append((scene.frame_current, len(target.evaluated_get(graph).data.vertices))))
    target.modifiers.clear()
    want = table("all.csv")
    for frame in sorted(want):
        bpy.context.scene.frame_set(frame)
    bpy.app.handlers.frame_change_post.pop()
    assert seen == [(frame, len(want[frame])) for frame in sorted(want)], seen


@claim
def damage_is_told_with_its_file_and_byte():
    use_program(False)
    for name, text in (("cut", "byte 70: cut; 20 points take 580 bytes"), ("other", "byte 0: not a point cache")):
        clear()
        fails(bpy.ops.tidepool.import_sequence, text, filepath=at(name, "456D6974746572_000001_00.bphys"))
    clear()
    fails(bpy.ops.tidepool.import_sequence, "no columns x and y", filepath=at("columns.csv"))
    # one damaged frame of a good sequence: the object says it, and the other frames play on
    target = imported(at("late", "456D6974746572_000001_00.bphys"))
    bpy.context.scene.frame_set(9)
    assert "000009_00.bphys" in target.tidepool.fault, target.tidepool.fault
    bpy.context.scene.frame_set(10)
    assert not target.tidepool.fault and len(target.data.vertices) == len(table("all.csv")[10])


@claim
def a_cache_is_played_in_one_click():
    use_program(False)
    want = table("dam.csv")
    clear()
    assert bpy.ops.tidepool.external_cache(filepath=at("dam", "dam_break_000001_00.bphys")) == {"FINISHED"}
    system = bpy.data.objects["dam_break"].particle_systems[0]
    assert bpy.context.scene.frame_end >= max(want)
    for frame in sorted(want)[::4]:
        bpy.context.scene.frame_set(frame)
        now = bpy.data.objects["dam_break"].evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0]
        alive = {i: tuple(p.location) for i, p in enumerate(now.particles) if p.alive_state == "ALIVE"}
        assert sorted(alive) == sorted(want[frame]), "frame %d: %d alive" % (frame, len(alive))
        have = numpy.array([alive[i] for i in sorted(alive)])
        assert abs(have - locations(want[frame])).max() < 1e-4
    assert system.point_cache.use_external


@claim
def other_formats_are_converted_to_be_played():
    use_program(True)
    want = table("dam.csv")
    clear()
    assert bpy.ops.tidepool.external_cache(filepath=at("dam.csv")) == {"FINISHED"}
    bpy.context.scene.frame_set(9)
    now = bpy.context.scene.objects[0].evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0]
    have = numpy.array([p.location[:] for p in now.particles if p.alive_state == "ALIVE"])
    assert len(have) == len(want[9]) and abs(have - locations(want[9])).max() < 1e-4


@claim
def y_up_files_are_turned_to_be_played():
    use_program(True)
    want = table("dam.csv")
    for path, axis in (("turned/dam.abc", "AUTO"), ("turned/dam.usda", "AUTO"), ("turned/dam.usda", "Y"),
                       ("dam.csv", "Z")):
        clear()
        assert bpy.ops.tidepool.external_cache(filepath=at(path), up_axis=axis) == {"FINISHED"}
        bpy.context.scene.frame_set(9)
        now = bpy.context.scene.objects[0].evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0]
        have = numpy.array([p.location[:] for p in now.particles if p.alive_state == "ALIVE"])
        assert len(have) == len(want[9]) and abs(have - locations(want[9])).max() < 1e-4, path


def sheet(count):
    mesh = bpy.data.meshes.new("sheet")
    mesh.from_pydata([(0.1 * i, 0.1 * (i % 2), 0) for i in range(count)], [], [(i, i + 1, i + 2) for i in range(count - 2)])
    target = bpy.data.objects.new("sheet", mesh)
    bpy.context.scene.collection.objects.link(target)
    bpy.context.view_layer.objects.active = target
    return target


@claim
def cloths_move_the_active_mesh():
    use_program(False)
    want, path = table("cloth.csv"), at("cloth", "5368656574_000001_00.bphys")
    count = len(want[5])
    for way in ("cache", "vertices"):
        clear()
        target = sheet(count)
        if way == "cache":
            assert bpy.ops.tidepool.external_cache(filepath=path) == {"FINISHED"}
        else:
            target.location, target.rotation_euler, target.scale = (1, 2, 3), (0.3, 0.2, 0.1), (2, 2, 2)
            bpy.context.view_layer.update()
            target.tidepool.keeps_faces, target.tidepool.path = True, path
        for frame in sorted(want)[1:]:
            bpy.context.scene.frame_set(frame)
            now = target.evaluated_get(bpy.context.evaluated_depsgraph_get())
            have = numpy.array([(now.matrix_world @ v.co)[:] for v in now.data.vertices])
            assert abs(have - locations(want[frame])).max() < 1e-5
        assert len(target.data.polygons) == count - 2
    clear()
    sheet(count - 1)
    fails(bpy.ops.tidepool.external_cache, "select its mesh first", filepath=path)


@claim
def particles_are_exported():
    use_program(True)
    clear()
    assert bpy.ops.tidepool.external_cache(filepath=at("dam", "dam_break_000001_00.bphys")) == {"FINISHED"}
    bpy.context.view_layer.objects.active = bpy.data.objects["dam_break"]
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 3, 6
    want = table("dam.csv")
    for name in ("out.csv", "out.gsd"):
        assert bpy.ops.tidepool.export_sequence(filepath=at(name)) == {"FINISHED"}
        have = table(name) if name == "out.csv" else None
        if have is None:
            os.system("'%s' convert '%s' '%s' --quiet" % (PROGRAM, at(name), at("back.csv")))
            have = table("back.csv")
        assert sorted(have)[-4:] == [3, 4, 5, 6]
        assert all(abs(locations(have[frame]) - locations(want[frame])).max() < 1e-4 for frame in (3, 6))


@claim
def vertices_are_exported():
    clear()
    target = sheet(5)
    target.location = (1, 2, 3)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 2
    assert bpy.ops.tidepool.export_sequence(filepath=at("mesh.csv")) == {"FINISHED"}
    want = numpy.array([(1 + 0.1 * i, 2 + 0.1 * (i % 2), 3) for i in range(5)])
    have = table("mesh.csv")
    assert sorted(have) == [1, 2] and abs(locations(have[2]) - want).max() < 1e-6


def written(name):
    """The rows of a file as the program reads it, not turned."""
    assert os.system("'%s' convert '%s' '%s' --quiet" % (PROGRAM, at(name), at("back.csv"))) == 0
    return table("back.csv")


@claim
def exports_have_the_up_axis_of_their_format():
    use_program(True)
    clear()
    target = sheet(5)
    target.location = (1, 2, 3)
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 0, 2
    want = numpy.array([(1 + 0.1 * i, 2 + 0.1 * (i % 2), 3) for i in range(5)])
    turned = want[:, [0, 2, 1]] * [1, 1, -1]
    for name, axis, rows in (("axis.abc", "AUTO", turned), ("axis.bgeo", "AUTO", turned), ("axis.geo", "Z", want),
                             ("axis_z.usda", "AUTO", want), ("axis_y.usda", "Y", turned), ("axis.ply", "AUTO", want),
                             ("axis_y.csv", "Y", turned), ("axis_y.ply", "Y", turned), ("axis.tpc", "AUTO", want)):
        print("  %s %s" % (name, axis))
        assert bpy.ops.tidepool.export_sequence(filepath=at(name), up_axis=axis) == {"FINISHED"}
        have = written(name)
        assert sorted(have) == [0, 1, 2] and abs(locations(have[0]) - rows).max() < 1e-6, have[0]
    for name, text in (("axis_z.usda", 'upAxis = "Z"'), ("axis_y.usda", 'upAxis = "Y"')):
        with open(at(name)) as stream:
            assert text in stream.read()
    fails(bpy.ops.tidepool.export_sequence, "is always z-up", filepath=at("axis_y.tpc"), up_axis="Y")


@claim
def velocities_are_turned_in_exports():
    use_program(True)
    clear()
    assert bpy.ops.tidepool.external_cache(filepath=at("dam", "dam_break_000001_00.bphys")) == {"FINISHED"}
    bpy.context.view_layer.objects.active = bpy.data.objects["dam_break"]
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 5, 6
    read = []
    for name, axis in (("z.csv", "Z"), ("y.csv", "Y"), ("y.abc", "Y")):
        assert bpy.ops.tidepool.export_sequence(filepath=at(name), up_axis=axis) == {"FINISHED"}
        rows = sorted((table(name) if name.endswith(".csv") else written(name))[6].items())
        read.append(numpy.array([[row[key] for key in ("x", "y", "z", "vx", "vy", "vz", "size", "birth", "die")]
                                 for _, row in rows], "f4"))
    assert abs(read[0][:, 5]).max() > 0.01
    assert (read[0][:, [0, 2, 1, 3, 5, 4, 6, 7, 8]] * numpy.array([1, 1, -1, 1, 1, -1, 1, 1, 1], "f4") == read[1]).all()
    assert (read[1] == read[2]).all()


@claim
def caches_are_checked():
    import tidepool
    use_program(False)
    clear()
    target = sheet(5)
    assert "has no particles" in tidepool.cache.faults_of(target)[0]
    for folder, text in (("dam", None), ("none", "no info file"), ("late", "000009_00.bphys: byte")):
        clear()
        name = "dam_break" if folder == "dam" else "456D6974746572"
        assert bpy.ops.tidepool.external_cache(filepath=at(folder, name + "_000001_00.bphys")) == {"FINISHED"} \
            if folder != "late" else True
        if folder == "late":
            bpy.ops.tidepool.external_cache(filepath=at("none", name + "_000001_00.bphys"))
            bpy.context.scene.objects[0].particle_systems[0].point_cache.filepath = at("late", "")
        for given in (False, True):
            use_program(given)
            faults = tidepool.cache.faults_of(bpy.context.scene.objects[0])
            assert any(text in fault for fault in faults) if text else not faults, faults
        use_program(False)
        assert bpy.ops.tidepool.verify() == {"FINISHED"} if bpy.context.active_object else True
    bpy.context.scene.objects[0].particle_systems[0].point_cache.filepath = at("nothing", "")
    assert "no files to check" in tidepool.cache.faults_of(bpy.context.scene.objects[0])[0]


def lives(target):
    now = target.evaluated_get(bpy.context.evaluated_depsgraph_get()).particle_systems[0]
    return [(p.alive_state, tuple(round(value, 4) for value in p.location)) if p.alive_state == "ALIVE"
            else (p.alive_state,) for p in now.particles]


@claim
def a_bake_in_the_background_plays_what_blender_simulates():
    clear()
    bpy.ops.mesh.primitive_plane_add()
    target = bpy.context.active_object
    target.modifiers.new("rain", "PARTICLE_SYSTEM")
    settings = target.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end, settings.lifetime = 60, 1, 10, 8
    bpy.context.scene.frame_start, bpy.context.scene.frame_end = 1, 20
    want = {}
    for frame in range(1, 21):
        bpy.context.scene.frame_set(frame)
        want[frame] = lives(target)
    bpy.ops.wm.save_as_mainfile(filepath=at("bake.blend"))
    assert bpy.ops.tidepool.bake() == {"FINISHED"}
    assert target.particle_systems[0].point_cache.use_external
    for frame in (1, 5, 9, 12, 16, 20, 7):
        bpy.context.scene.frame_set(frame)
        have = lives(target)
        assert have == want[frame], "frame %d: %s" % (frame, [p for p in zip(have, want[frame]) if p[0] != p[1]][:2])
    assert sum(state[0] == "ALIVE" for state in want[9]) > 10 and any(state[0] == "DEAD" for state in want[16])


@claim
def it_goes_without_a_trace():
    imported(at("all.csv"))
    bpy.ops.preferences.addon_disable(module="tidepool")
    assert not hasattr(bpy.types.Object, "tidepool")
    bpy.context.scene.frame_set(5)


def main():
    bpy.ops.preferences.addon_install(filepath=ZIP, overwrite=True)
    bpy.ops.preferences.addon_enable(module="tidepool")
    for function in claims:
        try:
            function()
            print("ok %s" % function.__name__, flush=True)
        except Exception as fault:  # each claim is told, whatever it met
            print("FAILED %s: %s" % (function.__name__, fault), flush=True)
            traceback.print_exc()
    print("blender_addon: done", flush=True)


main()
