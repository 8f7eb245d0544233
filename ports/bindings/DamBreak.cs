// SPDX-License-Identifier: MIT
// ports/bindings/DamBreak.cs [FRAMES] - the shipped scene dam_break from C#; prints its hash, as `tidepool hash` does.
//   reads   build/bindings/Tidepool.cs, libtidepool.so on the path of libraries      writes  the hash
//   memory  a block of a few hundred KB      cost  as the scene: some ms per frame
//   after   host_tools/scenes/dam_break.scene
// With `layout` instead of FRAMES it prints the sizes and offsets of all structs.
using System;
using System.Runtime.InteropServices;

public static unsafe class DamBreak
{
    static tp_vector Vector(float x, float y)
    {
        return new tp_vector { x = x, y = y };
    }

    static void Check(tp_result result)
    {
        if (result < 0) throw new Exception(Marshal.PtrToStringAnsi((IntPtr)Tidepool.tp_result_text(result)));
    }

    static tp_world_def Definition()
    {
        tp_world_def made = Tidepool.tp_world_default(2);
        made.particles_max = 3000;
        made.emitters_max = 2;
        made.sinks_max = 0;
        made.fields_max = 1;
        made.colliders_max = 4;
        made.solver = tp_solver.TP_SOLVER_SPH;
        made.seed = 1;
        made.sph.formulation = tp_sph_formulation.TP_SPH_INCOMPRESSIBLE;
        made.sph.smoothing_radius = 0.275f;
        made.sph.timestep_max = 0.0066f;
        made.substeps.is_adaptive = 1;
        made.substeps.count = 3;
        made.substeps.count_max = 16;
        made.substeps.courant = 0.2f;
        made.species_count = 2;
        made.species0.radius = 0.0495f;
        made.species1 = made.species0;
        made.species1.mass = 1.4f;
        return made;
    }

    static void AddBlock(tp_world* world, uint species, tp_vector position, tp_vector size, uint burst)
    {
        tp_emitter_def made = Tidepool.tp_emitter_default();
        tp_emitter added;
        made.shape = tp_emitter_shape.TP_EMITTER_BOX;
        made.species = species;
        made.burst_count = burst;
        made.lattice_spacing = 0.11f;
        made.pose.position = position;
        made.size = size;
        Check(Tidepool.tp_emitter_add(world, &made, &added));
    }

    static void AddPlane(tp_world* world, tp_vector position, float w, float z, float friction)
    {
        tp_collider_def made = Tidepool.tp_collider_default(tp_collider_shape.TP_COLLIDER_PLANE);
        tp_collider added;
        made.friction = friction;
        made.pose.position = position;
        made.pose.rotation.w = w;
        made.pose.rotation.z = z;
        Check(Tidepool.tp_collider_add(world, &made, &added));
    }

    static void Fill(tp_world* world)
    {
        float half = (float)Math.Sqrt(0.5);
        tp_field added;
        AddBlock(world, 0, Vector(1.65f, 3.3f), Vector(1.595f, 3.245f), 1800);
        AddBlock(world, 1, Vector(8.68f, 2.75f), Vector(1.265f, 2.695f), 1200);
        tp_field_def gravity = Tidepool.tp_field_default(tp_field_kind.TP_FIELD_GRAVITY);
        gravity.vector = Vector(0, -9.8f);
        Check(Tidepool.tp_field_add(world, &gravity, &added));
        AddPlane(world, Vector(0, 0), 1, -0f, 0.05f); // a hash counts the sign of zero
        AddPlane(world, Vector(0, 0), half, -half, 0);
        AddPlane(world, Vector(10, 0), half, half, 0);
        AddPlane(world, Vector(0, 7.5f), 0, 1, 0);
    }

    public static void Main(string[] arguments)
    {
        if (arguments.Length > 0 && arguments[0] == "layout")
        {
            TidepoolLayout.Print();
            return;
        }
        int frames = arguments.Length > 0 ? int.Parse(arguments[0]) : 60;
        tp_world_def made = Definition();
        UIntPtr bytes;
        tp_world* world;
        Check(Tidepool.tp_world_memory(&made, &bytes));
        IntPtr memory = Marshal.AllocHGlobal((int)bytes + 64);
        void* block = (void*)(((long)memory + 63) & ~63L);
        Check(Tidepool.tp_world_create(&made, block, bytes, &world));
        Fill(world);
        for (int frame = 0; frame < frames; frame++) Check(Tidepool.tp_frame(world, null, null));
        Console.WriteLine("{0:x16}", Tidepool.tp_world_hash(world));
        Marshal.FreeHGlobal(memory);
    }
}
