# SPDX-License-Identifier: MIT
# host_tools/blender/show.py - a sequence as the vertices of a mesh, with attributes, that follow the frame of the scene.
#   reads   sequences of points      writes  meshes of objects with a sequence
#   memory  one frame per object, and open tables      cost  one file per object and frame
#   after   Blender's documented Python interface, 3.4 to 5.0. The handler runs before a frame is evaluated, so that
#           renders, modifiers and geometry nodes see the points of that frame
import bpy
import numpy
from bpy.app.handlers import persistent

from . import points, program

open_sequences = {}  # (path, up axis): Sequence
shown = {}  # object and address of its mesh: (path, frame that the mesh holds)


def sequence_of(path, up_axis):
    key = path, up_axis
    if key not in open_sequences:
        open_sequences[key] = program.open_sequence(path, up_axis)
    return open_sequences[key]


def forget(path):
    """Reads a sequence anew when it is next shown."""
    for key in [key for key in open_sequences if key[0] == path]:
        del open_sequences[key]
    shown.clear()


# ---- meshes ----


def set_attribute(mesh, name, kind, field, values):
    layer = mesh.attributes.get(name)
    if layer and layer.data_type != kind:
        mesh.attributes.remove(layer)
        layer = None
    layer = layer or mesh.attributes.new(name, kind, "POINT")
    layer.data.foreach_set(field, numpy.ascontiguousarray(values).reshape(-1))


def set_points(mesh, frame_points, radius, frame):
    """The points as vertices, with velocity, id, radius, age and rotation as attributes."""
    location = numpy.ascontiguousarray(frame_points["location"], "f4")
    count = len(location)
    if len(mesh.vertices) != count or mesh.edges or mesh.polygons:
        mesh.clear_geometry()
        mesh.vertices.add(count)
    mesh.vertices.foreach_set("co", location.reshape(-1))
    set_attribute(mesh, "id", "INT", "value", frame_points["index"].astype("i4"))
    size = frame_points.get("size")
    set_attribute(mesh, "radius", "FLOAT", "value",
                  numpy.full(count, radius, "f4") if size is None else size.astype("f4"))
    if "velocity" in frame_points:
        set_attribute(mesh, "velocity", "FLOAT_VECTOR", "vector", frame_points["velocity"].astype("f4"))
    if "times" in frame_points:
        age = frame - frame_points["times"][:, 0]
        set_attribute(mesh, "age", "FLOAT", "value", age.astype("f4"))
    if "rotation" in frame_points:  # w x y z
        set_attribute(mesh, "rotation", "FLOAT_COLOR", "color", frame_points["rotation"].astype("f4"))
    mesh.update()


def set_vertices(target, frame_points):
    """The vertices of a mesh with faces, such as a cloth, whose points are in world space."""
    mesh, location = target.data, numpy.asarray(frame_points["location"], "f8")
    if len(mesh.vertices) != len(location):
        raise points.Fault("%s has %d vertices, the sequence %d points" %
                           (target.name, len(mesh.vertices), len(location)))
    inverse = numpy.array(target.matrix_world.inverted())
    local = location @ inverse[:3, :3].T + inverse[:3, 3]
    mesh.vertices.foreach_set("co", numpy.ascontiguousarray(local, "f4").reshape(-1))
    mesh.update()


def show(target, frame):
    """Lets an object show a frame of its sequence."""
    setting = target.tidepool
    sequence = sequence_of(setting.path, setting.up_axis)
    wanted = sequence.at(int(frame - setting.offset))
    key = (target.name, target.data.as_pointer())
    if shown.get(key) == (setting.path, wanted):
        return
    if setting.keeps_faces:
        set_vertices(target, sequence.read(sequence.frames[0] if wanted is None else wanted))
    elif wanted is None:
        target.data.clear_geometry()
    else:
        set_points(target.data, sequence.read(wanted), setting.radius, wanted)
    shown[key] = (setting.path, wanted)


def show_all(scene):
    for target in scene.objects:
        if target.type != "MESH" or not target.tidepool.path:
            continue
        try:
            show(target, scene.frame_current)
            target.tidepool.fault = ""
        except (points.Fault, OSError) as fault:
            if target.tidepool.fault != str(fault):
                print("tidepool: %s" % fault)
                target.tidepool.fault = str(fault)


@persistent
def on_frame(scene, _graph=None):
    show_all(scene)


@persistent
def on_undo(scene, _graph=None):
    """Undoing brings back older meshes, and maybe settings."""
    shown.clear()
    show_all(scene)


@persistent
def on_load(_file=None):
    open_sequences.clear()
    shown.clear()
    for scene in bpy.data.scenes:
        show_all(scene)


def on_change(setting, context):
    """A setting of an object was changed by hand."""
    shown.clear()
    if setting.path:
        show_all(context.scene)


# ---- nodes that make points visible ----


def add_socket(group, name, kind, is_output):
    if hasattr(group, "interface"):  # from Blender 4.0 on
        return group.interface.new_socket(name, in_out="OUTPUT" if is_output else "INPUT", socket_type=kind)
    return (group.outputs if is_output else group.inputs).new(kind, name)


def point_nodes():
    """A node group that turns vertices into a point cloud with the radius of the points and a material."""
    group = bpy.data.node_groups.get("Tidepool points")
    if group:
        return group
    group = bpy.data.node_groups.new("Tidepool points", "GeometryNodeTree")
    add_socket(group, "Geometry", "NodeSocketGeometry", False)
    add_socket(group, "Geometry", "NodeSocketGeometry", True)
    add_socket(group, "Material", "NodeSocketMaterial", False)
    make = group.nodes.new
    begin, end = make("NodeGroupInput"), make("NodeGroupOutput")
    to_points, radius = make("GeometryNodeMeshToPoints"), make("GeometryNodeInputNamedAttribute")
    look = make("GeometryNodeSetMaterial")
    radius.data_type = "FLOAT"
    radius.inputs["Name"].default_value = "radius"
    for column, node in enumerate((begin, to_points, look, end)):
        node.location = (250 * column - 400, 0)
    radius.location = (-400, -150)
    value = next(socket for socket in radius.outputs if socket.enabled and socket.name == "Attribute")
    group.links.new(begin.outputs[0], to_points.inputs["Mesh"])
    group.links.new(value, to_points.inputs["Radius"])
    group.links.new(to_points.outputs[0], look.inputs["Geometry"])
    group.links.new(begin.outputs[1], look.inputs["Material"])
    group.links.new(look.outputs[0], end.inputs[0])
    return group


def add_points(target):
    """Nodes that make the vertices of an object points, with a material of their own."""
    look = bpy.data.materials.get("Tidepool points") or bpy.data.materials.new("Tidepool points")
    look.diffuse_color = (0.07, 0.35, 0.8, 1)
    look.use_nodes = True
    shader = next((node for node in look.node_tree.nodes if node.type == "BSDF_PRINCIPLED"), None)
    if shader:
        shader.inputs["Base Color"].default_value = look.diffuse_color
    modifier = target.modifiers.new("Points", "NODES")
    modifier.node_group = point_nodes()
    modifier[modifier.node_group.nodes["Group Input"].outputs[1].identifier] = look


# ---- objects ----


def import_sequence(context, path, up_axis, radius, as_points):
    """A new object that shows a sequence."""
    forget(path)  # it may be another one since it was read
    sequence = sequence_of(path, up_axis)
    mesh = bpy.data.meshes.new(sequence.name)
    target = bpy.data.objects.new(sequence.name, mesh)
    context.collection.objects.link(target)
    if as_points:
        add_points(target)
    target.tidepool.radius = radius or spacing(sequence) * 0.5
    target.tidepool.up_axis = up_axis
    target.tidepool.path = path
    show(target, context.scene.frame_current)
    return target


def spacing(sequence):
    """About the distance of neighbouring points in the first frame with points."""
    for frame in sequence.frames:
        location = sequence.read(frame)["location"]
        if len(location) > 1:
            sides = numpy.sort(numpy.ptp(location, axis=0))[::-1]
            sides = sides[sides > sides[0] * 1e-3]
            return float((numpy.prod(sides) / len(location)) ** (1 / max(len(sides), 1))) if len(sides) else 0.1
    return 0.1


def handlers():
    every = bpy.app.handlers
    return ((every.frame_change_pre, on_frame), (every.load_post, on_load), (every.undo_post, on_undo),
            (every.redo_post, on_undo))


def register():
    for handler, function in handlers():
        handler.append(function)


def unregister():
    for handler, function in handlers():
        handler.remove(function)
    open_sequences.clear()
    shown.clear()
