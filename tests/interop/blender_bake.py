# SPDX-License-Identifier: MIT
# tests/interop/blender_bake.py - bakes caches to disk in Blender; writes the points it shows as tables.
#   reads   blender -b --factory-startup --python blender_bake.py -- FOLDER none|light|heavy
#   writes  FOLDER/blendcache_bake/NAME_FFFFFF_00.bphys and FOLDER/NAME.csv for newton, sparse (with step 5),
#           fluid, boids and sheet; FOLDER/NAME.states.csv with the life state that Blender gives for each
#           particle
#   memory  four small simulations      cost  some seconds
#   after   Blender's documented Python interface; exit 0 done, 2 Blender could not bake
import os
import sys

LAST = 12
CASES = {"newton": 80, "sparse": 80, "fluid": 64, "boids": 30}
STEPS = {"sparse": 5}
STATES = {"DEAD": 1, "UNBORN": 2, "ALIVE": 3, "DYING": 4}
COMPRESSIONS = {"none": "NO", "light": "LIGHT", "heavy": "HEAVY"}


def add_object(bpy, name, corners, faces, place):
    mesh = bpy.data.meshes.new(name)
    mesh.from_pydata(corners, [], faces)
    item = bpy.data.objects.new(name, mesh)
    item.location = place
    bpy.context.scene.collection.objects.link(item)
    return item


def add_particles(bpy, name, points, place):
    item = add_object(bpy, name, [(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0)], [(0, 1, 2, 3)], place)
    item.modifiers.new("particles", "PARTICLE_SYSTEM")
    settings = item.particle_systems[0].settings
    settings.count, settings.frame_start, settings.frame_end, settings.lifetime = points, 1, 4, 100
    if name in ("newton", "sparse"):
        settings.use_rotations = settings.use_dynamic_rotation = True
        settings.angular_velocity_mode, settings.angular_velocity_factor = "RAND", 3
        settings.lifetime, settings.lifetime_random = 9, 0.5
    if name == "fluid":
        settings.physics_type = "FLUID"
        settings.fluid.use_viscoelastic_springs = True
        settings.fluid.spring_force = 1
        settings.fluid.fluid_radius = 0.8
    if name == "boids":
        settings.physics_type = "BOIDS"
    return item.particle_systems[0].point_cache


def add_sheet(bpy):
    side = 8
    corners = [(0.2 * x, 0.2 * y, 0.0) for y in range(side) for x in range(side)]
    faces = [(y * side + x, y * side + x + 1, y * side + x + side + 1, y * side + x + side)
             for y in range(side - 1) for x in range(side - 1)]
    item = add_object(bpy, "sheet", corners, faces, (9, 0, 4))
    pinned = item.vertex_groups.new(name="pinned")
    pinned.add([0, side - 1], 1.0, "REPLACE")
    cloth = item.modifiers.new("cloth", "CLOTH")
    cloth.settings.vertex_group_mass = "pinned"
    return cloth.point_cache


def bake(bpy, folder, compression):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, LAST
    caches = {name: add_particles(bpy, name, points, (4 * i, 0, 2)) for i, (name, points) in enumerate(CASES.items())}
    caches["sheet"] = add_sheet(bpy)
    path = os.path.join(folder, "bake.blend")
    bpy.ops.wm.save_as_mainfile(filepath=path)
    for name, cache in caches.items():
        cache.use_disk_cache, cache.compression, cache.name = True, COMPRESSIONS[compression], name
        cache.frame_start, cache.frame_end, cache.frame_step = 1, LAST, STEPS.get(name, 1)
    bpy.ops.ptcache.bake_all(bake=True)
    bpy.ops.wm.save_as_mainfile(filepath=path)
    bpy.ops.wm.open_mainfile(filepath=path)  # so that the shown points are read from disk, not kept in memory


def particle_rows(evaluated, frame):
    particles = evaluated.particle_systems[0].particles
    states = [particle.alive_state for particle in particles]
    for i, particle in enumerate(particles):
        if states[i] != "ALIVE":
            continue
        values = [*particle.location, *particle.velocity, *particle.rotation, *particle.angular_velocity]
        yield f"{frame},{i}," + ",".join(f"{value:.9g}" for value in values)


def state_rows(evaluated, frame):
    for i, particle in enumerate(evaluated.particle_systems[0].particles):
        yield f"{frame},{i},{STATES[particle.alive_state]}"


class Turns:
    """Seconds of its angular velocity that a particle turns from one frame to the next."""

    def __init__(self):
        self.before = {}
        self.seconds = []

    def take(self, evaluated):
        now = {}
        for i, particle in enumerate(evaluated.particle_systems[0].particles):
            if particle.alive_state == "ALIVE":
                now[i] = particle.rotation.copy()
            speed = particle.angular_velocity.length
            if i in now and i in self.before and speed > 0.1:
                turn = (now[i] @ self.before[i].conjugated()).normalized()
                self.seconds.append(turn.to_exponential_map().length / speed)
        self.before = now


def mesh_rows(evaluated, frame):
    mesh = evaluated.to_mesh()
    for i, vertex in enumerate(mesh.vertices):
        place = evaluated.matrix_world @ vertex.co
        yield f"{frame},{i}," + ",".join(f"{value:.9g}" for value in place)
    evaluated.to_mesh_clear()


def show(bpy, folder):
    rows = {name: [] for name in [*CASES, "sheet"]}
    states = {name: [] for name in CASES}
    turns = Turns()
    for frame in range(1, LAST + 1):
        bpy.context.scene.frame_set(frame)
        depsgraph = bpy.context.evaluated_depsgraph_get()
        for name in rows:
            evaluated = bpy.data.objects[name].evaluated_get(depsgraph)
            rows[name] += (mesh_rows if name == "sheet" else particle_rows)(evaluated, frame)
            if name in states:
                states[name] += state_rows(evaluated, frame)
            if name == "newton":
                turns.take(evaluated)
    for name, lines in rows.items():
        head = "frame,index,x,y,z" + ("" if name == "sheet" else ",vx,vy,vz,rw,rx,ry,rz,ax,ay,az")
        with open(os.path.join(folder, name + ".csv"), "w") as stream:
            stream.write("\n".join([head, *lines]) + "\n")
        print(f"blender_bake: {name}: {len(lines)} rows")
    for name, lines in states.items():
        with open(os.path.join(folder, name + ".states.csv"), "w") as stream:
            stream.write("\n".join(["frame,index,alive", *lines]) + "\n")
    print(f"blender_bake: {len(turns.seconds)} turns a frame, of {min(turns.seconds):.4f} to {max(turns.seconds):.4f} s "
          "of the angular velocity")


def main():
    import bpy
    folder, compression = sys.argv[sys.argv.index("--") + 1:]
    folder = os.path.abspath(folder)
    bake(bpy, folder, compression)
    show(bpy, folder)
    print(f"blender_bake: Blender {bpy.app.version_string} is done")
    return 0


try:
    code = main()
except BaseException as problem:
    print("blender_bake:", repr(problem))
    code = 2
sys.stdout.flush()
os._exit(code)
