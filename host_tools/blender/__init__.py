# SPDX-License-Identifier: MIT
# host_tools/blender/__init__.py - the add-on "Tidepool" for Blender 3.4 to 5: operators, menus, a panel, preferences.
#   reads   what its modules read      writes  objects, point caches, tables
#   memory  none      cost  none; see show.py and cache.py
#   after   Blender's documented Python interface
import os
import threading

import bpy
from bpy.props import BoolProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty, StringProperty
from bpy_extras.io_utils import ExportHelper, ImportHelper

from . import cache, points, program, show

bl_info = {
    "name": "Tidepool",
    "description": "Plays, sets up, bakes, checks and exports point caches",
    "author": "maintainers of Tidepool",
    "version": (1, 0, 0),
    "blender": (3, 4, 0),
    "location": "File > Import and Export; Sidebar of the 3D View > Tidepool",
    "category": "Import-Export",
}
FILTER = "*.bphys;*.csv;*.ply;*.npy;*.npz;*.tpc;*.vtk;*.vtu;*.vtp;*.pvd;*.lammpstrj;*.xyz;*.dcd;*.xtc;*.gsd;*.abc;*.usda;*.usdc;*.prt;" \
         "*.bgeo;*.sc;*.geo;*.pc2;*.mdd;*.gz;*.zst"
AXES = (("AUTO", "Automatic", "Y in .bgeo, .geo and .abc; what the file states in USD; otherwise Z, as in Blender"),
        ("Y", "Y", "The y axis of the file points up"), ("Z", "Z", "The z axis of the file points up, as in Blender"))


def axis_property(**more):
    return EnumProperty(name="Up Axis", items=AXES, description="Axis of the file that points up", **more)


class Preferences(bpy.types.AddonPreferences):
    bl_idname = __package__
    program: StringProperty(name="Program", subtype="FILE_PATH",
                            description="The program tidepool, for formats that this add-on does not read itself. "
                                        "Empty: looked for in PATH")

    def draw(self, _context):
        self.layout.prop(self, "program")
        found = program.find()
        self.layout.label(text="Uses %s" % found if found else "Not found: reads .bphys up to Blender 4.5, .csv, .ply, "
                          ".npz only", icon="CHECKMARK" if found else "INFO")


class ObjectSetting(bpy.types.PropertyGroup):
    path: StringProperty(name="Sequence", subtype="FILE_PATH", update=show.on_change,
                         description="Any one file of the sequence that the vertices follow")
    up_axis: axis_property(update=show.on_change)
    offset: IntProperty(name="Offset", update=show.on_change,
                        description="Frames by which the sequence is shown later")
    radius: FloatProperty(name="Radius", default=0.05, min=0, update=show.on_change, subtype="DISTANCE",
                          description="Attribute `radius` of points whose sequence has no size")
    keeps_faces: BoolProperty(name="Keep Faces", update=show.on_change,
                              description="Move the vertices of this mesh, whose number is that of the points, and "
                                          "keep its faces: for cloth and soft bodies")
    fault: StringProperty()


class Working:
    """Operators whose faults are told in the interface."""

    def execute(self, context):
        try:
            return self.work(context)
        except (points.Fault, OSError) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}


class ImportSequence(Working, bpy.types.Operator, ImportHelper):
    """Show a sequence of points as vertices with attributes: any one file of it"""
    bl_idname, bl_label, bl_options = "tidepool.import_sequence", "Import Points", {"REGISTER", "UNDO"}
    filter_glob: StringProperty(default=FILTER, options={"HIDDEN"})
    up_axis: axis_property()
    radius: FloatProperty(name="Radius", min=0, subtype="DISTANCE",
                          description="Of points without a size; 0: half of their distance")
    as_points: BoolProperty(name="Point Cloud", default=True,
                            description="Add geometry nodes that make the vertices points, which are rendered")
    sets_range: BoolProperty(name="Set Frame Range", default=True, description="Of the scene, to that of the sequence")

    def work(self, context):
        target = show.import_sequence(context, self.filepath, self.up_axis, self.radius, self.as_points)
        frames = show.sequence_of(self.filepath, self.up_axis).frames
        if self.sets_range:
            context.scene.frame_start, context.scene.frame_end = max(frames[0], 0), frames[-1]
        for other in context.selected_objects:
            other.select_set(False)
        target.select_set(True)
        context.view_layer.objects.active = target
        self.report({"INFO"}, "%s: %d frames" % (target.name, len(frames)))
        return {"FINISHED"}


class ExternalCache(Working, bpy.types.Operator, ImportHelper):
    """Set up particles, or on the active mesh a cloth or soft body, that play a cache; other formats are converted"""
    bl_idname, bl_label, bl_options = "tidepool.external_cache", "Play Point Cache", {"REGISTER", "UNDO"}
    filter_glob: StringProperty(default=FILTER, options={"HIDDEN"})
    up_axis: axis_property()

    def work(self, context):
        target, warning = cache.set_up(context, self.filepath, self.up_axis)
        self.report({"WARNING" if warning else "INFO"}, warning or "%s plays %s" % (target.name, self.filepath))
        return {"FINISHED"}


class ExportSequence(Working, bpy.types.Operator, ExportHelper):
    """Write the particles, or else the vertices, of the active object in every frame of the scene"""
    bl_idname, bl_label = "tidepool.export_sequence", "Export Points"
    filename_ext = ".csv"
    check_extension = None  # the ending of the name says the format
    filter_glob: StringProperty(default=FILTER, options={"HIDDEN"})
    up_axis: axis_property()

    @classmethod
    def poll(cls, context):
        return context.active_object is not None

    def work(self, context):
        path = bpy.path.abspath(self.filepath)
        path = path if os.path.splitext(path)[1] else path + ".csv"
        cache.export(context, context.active_object, path, self.up_axis)
        return {"FINISHED"}


class VerifyCache(Working, bpy.types.Operator):
    """Say what is wrong with the caches of the active object"""
    bl_idname, bl_label = "tidepool.verify", "Check Caches"

    @classmethod
    def poll(cls, context):
        return context.active_object is not None

    def work(self, context):
        faults = cache.faults_of(context.active_object)
        for fault in faults:
            self.report({"WARNING"}, fault)
        if not faults:
            self.report({"INFO"}, "No faults")
        return {"FINISHED"}


class BakeInBackground(Working, bpy.types.Operator):
    """Bake the active simulation in a second Blender while you work on, then play its cache"""
    bl_idname, bl_label = "tidepool.bake", "Bake in the Background"

    @classmethod
    def poll(cls, context):
        return context.active_object is not None and bool(cache.caches_of(context.active_object))

    def start(self, context):
        target, scene = context.active_object, context.scene
        self.target = target.name
        self.simulation = cache.caches_of(target)[0][0]
        self.process, self.path = cache.bake_in_background(target, self.simulation,
                                                           (scene.frame_start, scene.frame_end))
        self.lines = []
        self.reader = threading.Thread(target=lambda: self.lines.extend(iter(self.process.stdout.readline, "")))
        self.reader.start()

    def finish(self):
        self.reader.join()
        if self.process.wait() or "tidepool: baked\n" not in self.lines:
            raise points.Fault("The bake failed: %s" % "".join(self.lines[-5:]))
        found = dict(cache.caches_of(bpy.data.objects[self.target]))
        cache.play(found[self.simulation], self.path)
        self.report({"INFO"}, "%s plays its bake in %s" % (self.target, os.path.dirname(self.path)))
        return {"FINISHED"}

    def work(self, context):
        self.start(context)
        return self.finish()

    def invoke(self, context, _event):
        try:
            self.start(context)
        except (points.Fault, OSError) as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}
        self.timer = context.window_manager.event_timer_add(0.5, window=context.window)
        context.window_manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type != "TIMER":
            return {"PASS_THROUGH"}
        frames = [line for line in self.lines[-50:] if line.startswith("tidepool: frame ")]
        context.workspace.status_text_set("Baking %s: %s" % (self.target, frames[-1][10:].strip() if frames else "..."))
        if self.process.poll() is None:
            return {"PASS_THROUGH"}
        context.window_manager.event_timer_remove(self.timer)
        context.workspace.status_text_set(None)
        try:
            return self.finish()
        except points.Fault as fault:
            self.report({"ERROR"}, str(fault))
            return {"CANCELLED"}


class Reload(Working, bpy.types.Operator):
    """Read the sequence of the active object anew"""
    bl_idname, bl_label = "tidepool.reload", "Reload"

    @classmethod
    def poll(cls, context):
        return context.active_object is not None and bool(context.active_object.tidepool.path)

    def work(self, context):
        show.forget(context.active_object.tidepool.path)
        show.show(context.active_object, context.scene.frame_current)
        return {"FINISHED"}


class Panel(bpy.types.Panel):
    bl_idname, bl_label, bl_category = "TIDEPOOL_PT_main", "Tidepool", "Tidepool"
    bl_space_type, bl_region_type = "VIEW_3D", "UI"

    def draw(self, context):
        column = self.layout.column(align=True)
        column.operator("tidepool.import_sequence", icon="IMPORT")
        column.operator("tidepool.external_cache", icon="PARTICLES")
        column.operator("tidepool.export_sequence", icon="EXPORT")
        column = self.layout.column(align=True)
        column.operator("tidepool.bake", icon="REC")
        column.operator("tidepool.verify", icon="CHECKMARK")
        target = context.active_object
        if target and target.type == "MESH":
            column = self.layout.column(align=True)
            for name in ("path", "up_axis", "offset", "radius", "keeps_faces"):
                column.prop(target.tidepool, name)
            column.operator("tidepool.reload", icon="FILE_REFRESH")
            if target.tidepool.fault:
                column.label(text=target.tidepool.fault, icon="ERROR")


def import_menu(self, _context):
    self.layout.operator(ImportSequence.bl_idname, text="Points (Tidepool)")
    self.layout.operator(ExternalCache.bl_idname, text="Points as Point Cache (Tidepool)")


def export_menu(self, _context):
    self.layout.operator(ExportSequence.bl_idname, text="Points (Tidepool)")


CLASSES = (Preferences, ObjectSetting, ImportSequence, ExternalCache, ExportSequence, VerifyCache, BakeInBackground,
           Reload, Panel)


def register():
    for each in CLASSES:
        bpy.utils.register_class(each)
    bpy.types.Object.tidepool = PointerProperty(type=ObjectSetting)
    bpy.types.TOPBAR_MT_file_import.append(import_menu)
    bpy.types.TOPBAR_MT_file_export.append(export_menu)
    show.register()


def unregister():
    show.unregister()
    bpy.types.TOPBAR_MT_file_export.remove(export_menu)
    bpy.types.TOPBAR_MT_file_import.remove(import_menu)
    del bpy.types.Object.tidepool
    for each in reversed(CLASSES):
        bpy.utils.unregister_class(each)
