# SPDX-License-Identifier: MIT
# tests/interop/formats/check.py - reads and writes files with NumPy, meshio, VTK and ASE, for comparison with ours.
#   reads   FOLDER/table.csv, arrays and meshes that we wrote      writes  arrays and meshes for us to read
#   memory  all of it      cost  seconds
#   after   own design
import sys

import numpy as np

what, folder = sys.argv[1], sys.argv[2]
table = np.genfromtxt(folder + "/table.csv", delimiter=",", names=True, dtype=None)
frames = np.unique(table["frame"])
shape = (len(frames), len(table) // len(frames))


def columns(*names):
    return np.stack([table[n].astype("f4").reshape(shape) for n in names], axis=-1)


streams = {
    "location": columns("x", "y", "z"),
    "velocity": columns("vx", "vy", "vz"),
    "size": columns("size")[..., 0],
    "index": table["index"].astype("u4").reshape(shape),
    "frame": frames.astype("i4"),
}


def arrays(name):
    for stream, expected in streams.items():
        ours = np.load(f"{folder}/{name}_{stream}.npy")
        assert ours.shape == expected.shape, (stream, ours.shape)
        assert (ours == expected).all(), stream


def archive(name):
    with np.load(f"{folder}/{name}.npz") as ours:
        assert set(ours.files) == set(streams), ours.files
        for stream, expected in streams.items():
            assert ours[stream].shape == expected.shape and (ours[stream] == expected).all(), stream


def save():
    forms = {
        "c": lambda a: a,
        "fortran": np.asfortranarray,
        "wide": lambda a: a.astype("f8") if a.dtype.kind == "f" else a.astype("i8"),
        "big": lambda a: np.asfortranarray(a.astype(a.dtype.newbyteorder(">"))),
    }
    for stream, array in streams.items():
        for name, form in forms.items():
            np.save(f"{folder}/{name}_{stream}.npy", form(array))
    for name, form in forms.items():
        np.savez(f"{folder}/{name}.npz", **{stream: form(array) for stream, array in streams.items()})
        np.savez_compressed(f"{folder}/{name}_deflated.npz", **{stream: form(array) for stream, array in streams.items()})
    for stream, array in streams.items():
        for name, version in (("second", (2, 0)), ("third", (3, 0))):
            with open(f"{folder}/{name}_{stream}.npy", "wb") as file:
                np.lib.format.write_array(file, array, version=version)


def ply(name):
    import meshio

    for f, number in enumerate(frames):
        mesh = meshio.read(f"{folder}/{name}.{number:04d}.ply")
        assert (mesh.points.astype("f4") == streams["location"][f]).all(), number
        for k, word in enumerate(("vx", "vy", "vz")):
            assert (mesh.point_data[word] == streams["velocity"][f, :, k]).all(), (number, word)


def vtk_with_meshio(name):
    import meshio

    for f, number in enumerate(frames):
        mesh = meshio.read(f"{folder}/{name}.{number:04d}.vtk")
        assert (mesh.points.astype("f4") == streams["location"][f]).all(), number
        assert (mesh.point_data["velocity"] == streams["velocity"][f]).all(), number
        assert (mesh.point_data["index"].ravel() == streams["index"][f]).all(), number


# VTK reads the files that the list for ParaView names.
def vtk_with_vtk(name):
    import json

    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    files = json.load(open(f"{folder}/{name}.vtk.series"))["files"]
    assert [file["time"] for file in files] == list(frames)
    for f, file in enumerate(files):
        reader = vtk.vtkUnstructuredGridReader()
        reader.SetFileName(f"{folder}/{file['name']}")
        reader.Update()
        grid = reader.GetOutput()
        assert grid.GetNumberOfCells() == shape[1], file
        assert (vtk_to_numpy(grid.GetPoints().GetData()) == streams["location"][f]).all(), file
        assert (vtk_to_numpy(grid.GetPointData().GetArray("velocity")) == streams["velocity"][f]).all(), file


# The list names the files, and VTK reads them.
def xml_with_vtk(name):
    import xml.etree.ElementTree

    import vtk
    from vtk.util.numpy_support import vtk_to_numpy

    sets = xml.etree.ElementTree.parse(f"{folder}/{name}.pvd").getroot().findall("./Collection/DataSet")
    assert [float(entry.get("timestep")) for entry in sets] == list(frames)
    for f, entry in enumerate(sets):
        path = f"{folder}/{entry.get('file')}"
        reader = vtk.vtkXMLPolyDataReader() if path.endswith("vtp") else vtk.vtkXMLUnstructuredGridReader()
        assert reader.CanReadFile(path), path
        reader.SetFileName(path)
        reader.Update()
        grid = reader.GetOutput()
        assert grid.GetNumberOfCells() == shape[1] and grid.GetNumberOfPoints() == shape[1], path
        assert (vtk_to_numpy(grid.GetPoints().GetData()) == streams["location"][f]).all(), path
        for stream in ("velocity", "size", "index"):
            assert (vtk_to_numpy(grid.GetPointData().GetArray(stream)) == streams[stream][f]).all(), (path, stream)


def vtu_with_meshio(name):
    import meshio

    for f, number in enumerate(frames):
        mesh = meshio.read(f"{folder}/{name}.{number:04d}.vtu")
        assert (mesh.points.astype("f4") == streams["location"][f]).all(), number
        assert (mesh.point_data["velocity"] == streams["velocity"][f]).all(), number


# Every form in which VTK writes: text, base64 or raw, compressed or not, both byte orders, both sizes of headers.
def xml_of_vtk():
    import itertools

    import vtk
    from vtk.util.numpy_support import numpy_to_vtk

    forms = itertools.product(("vtu", "vtp"), ("ascii", "binary", "base64", "raw"), (False, True), (False, True), (32, 64))
    for ending, mode, packed, big, header in forms:
        form = f"{ending}_{mode}_{packed:d}{big:d}{header}"
        for f, number in enumerate(frames):
            points = vtk.vtkPoints()
            points.SetData(numpy_to_vtk(np.ascontiguousarray(streams["location"][f].astype("f8" if big else "f4")), deep=True))
            data = vtk.vtkPolyData() if ending == "vtp" else vtk.vtkUnstructuredGrid()
            data.SetPoints(points)
            cells = vtk.vtkCellArray()
            for i in range(shape[1]):
                cells.InsertNextCell(1, [i])
            data.SetVerts(cells) if ending == "vtp" else data.SetCells(vtk.VTK_VERTEX, cells)
            for stream in ("velocity", "size", "index"):
                array = numpy_to_vtk(np.ascontiguousarray(streams[stream][f]), deep=True)
                array.SetName(stream)
                array.GetRange() # VTK then writes keys inside of the array
                data.GetPointData().AddArray(array)
            writer = vtk.vtkXMLPolyDataWriter() if ending == "vtp" else vtk.vtkXMLUnstructuredGridWriter()
            writer.SetFileName(f"{folder}/{form}_{number:04d}.{ending}")
            writer.SetInputData(data)
            if mode == "ascii":
                writer.SetDataModeToAscii()
            elif mode == "binary":
                writer.SetDataModeToBinary()
            else:
                writer.SetDataModeToAppended()
                writer.SetEncodeAppendedData(mode == "base64")
            writer.SetCompressorTypeToZLib() if packed else writer.SetCompressorTypeToNone()
            writer.SetBlockSize(256) # several blocks in small arrays
            writer.SetByteOrderToBigEndian() if big else writer.SetByteOrderToLittleEndian()
            writer.SetHeaderTypeToUInt64() if header == 64 else writer.SetHeaderTypeToUInt32()
            assert writer.Write()
        print(form, ending)


def meshes():
    import meshio

    for f, number in enumerate(frames):
        cells = [("vertex", np.arange(shape[1])[:, None])]
        mesh = meshio.Mesh(streams["location"][f], cells)
        mesh.write(f"{folder}/meshio_{number:04d}.text.vtk", file_format="vtk51", binary=False)
        mesh.write(f"{folder}/meshio_{number:04d}.binary.vtk", file_format="vtk51", binary=True)
        mesh.write(f"{folder}/meshio_{number:04d}.old.vtk", file_format="vtk42", binary=True)
        mesh.write(f"{folder}/meshio_{number:04d}.text.vtu", file_format="vtu", binary=False)
        mesh.write(f"{folder}/meshio_{number:04d}.binary.vtu", file_format="vtu", binary=True)
        mesh = meshio.Mesh(streams["location"][f], [("triangle", np.array([[0, 1, 2]]))])
        mesh.write(f"{folder}/meshio_{number:04d}.text.ply", binary=False)
        mesh.write(f"{folder}/meshio_{number:04d}.binary.ply", binary=True)


# A plain reader takes the columns 2 to 4; ASE reads the comment.
def xyz(name):
    lines = open(f"{folder}/{name}.xyz").read().split("\n")
    for f in range(shape[0]):
        rows = lines[f * (shape[1] + 2) + 2 : (f + 1) * (shape[1] + 2)]
        plain = np.array([row.split()[1:4] for row in rows], dtype="f4")
        assert (plain == streams["location"][f]).all(), f


def ase(name):
    import ase.io

    for f, atoms in enumerate(ase.io.read(f"{folder}/{name}.xyz", index=":", format="extxyz")):
        assert (atoms.positions.astype("f4") == streams["location"][f]).all(), f
        assert (atoms.arrays["velo"].astype("f4") == streams["velocity"][f]).all(), f
        assert (atoms.arrays["id"] == streams["index"][f]).all(), f
    assert f == shape[0] - 1, f


# ASE reads the files of CP2K only, which say so in their first title: a copy says that, too.
def dcd_with_ase(name):
    import ase.io.cp2k

    content = open(f"{folder}/{name}.dcd", "rb").read()
    open(f"{folder}/{name}_cp2k.dcd", "wb").write(content[:100] + b"CP2K".ljust(80) + content[180:])
    read = list(ase.io.cp2k.read_cp2k_dcd(open(f"{folder}/{name}_cp2k.dcd", "rb"), slice(None), ase.Atoms(f"H{shape[1]}")))
    assert len(read) == shape[0], len(read)
    for f, atoms in enumerate(read):
        assert (atoms.positions.astype("f4") == streams["location"][f]).all(), f


# Bytes by hand: with and without a cell, both byte orders.
def save_dcd():
    for name, order, cell in (("little", "<", True), ("big", ">", False)):
        numbers = np.zeros(20, order + "i4")
        numbers[[0, 2, 10, 19]] = shape[0], 10, cell, 24

        def record(content):
            length = np.array(len(content), order + "i4").tobytes()
            return length + content + length

        with open(f"{folder}/hand_{name}.dcd", "wb") as file:
            file.write(record(b"CORD" + numbers.tobytes()))
            file.write(record(np.array(1, order + "i4").tobytes() + b"by hand".ljust(80)))
            file.write(record(np.array(shape[1], order + "i4").tobytes()))
            for frame in streams["location"]:
                if cell:
                    file.write(record(np.zeros(6, order + "f8").tobytes()))
                for k in range(3):
                    file.write(record(frame[:, k].astype(order + "f4").tobytes()))


# Written by MDTraj, with the bits that it was given; it reads ours with the same bits.
def dcd_of_mdtraj(name):
    from mdtraj.formats import DCDTrajectoryFile

    with DCDTrajectoryFile(f"{folder}/mdtraj.dcd", "w") as file:
        file.write(streams["location"])
    with DCDTrajectoryFile(f"{folder}/{name}.dcd") as file:
        read = file.read()[0]
    assert (read == streams["location"]).all()


# MDAnalysis reads ours with the same bits, and writes those that it was given.
def mdanalysis(name):
    import warnings

    warnings.filterwarnings("ignore")
    import MDAnalysis

    location = streams["location"]
    some = MDAnalysis.Universe.empty(location.shape[1], trajectory=True)
    for ending in ("dcd", "gsd", "xyz"):
        of = some.load_new(f"{folder}/{name}.dcd") if ending == "dcd" else MDAnalysis.Universe(f"{folder}/{name}.{ending}")
        assert (np.array([step.positions.copy() for step in of.trajectory]) == location).all(), ending
    some = MDAnalysis.Universe.empty(location.shape[1], trajectory=True)
    with MDAnalysis.Writer(f"{folder}/mdanalysis.dcd", location.shape[1]) as file:
        for frame in location:
            some.atoms.positions = frame
            file.write(some.atoms)


# Tables as NumPy writes them: semicolons and tabs, and numbers without names.
def tables_of_numpy():
    rows = np.concatenate([table[n].astype("f8").reshape(-1, 1) for n in table.dtype.names], axis=1)
    for name, between, names in (
        ("semicolon", ";", "frame;index;X;Y;Z;vx;vy;vz;size"),
        ("tab", "\t", "Frame\tID\tX\tY\tZ\tVX\tVY\tVZ\tSize"),
        ("nameless", ",", ""),
    ):
        kinds = ["%d", "%d"] + ["%.9g"] * 7
        np.savetxt(f"{folder}/numpy_{name}.csv", rows, fmt=kinds, delimiter=between, header=names, comments="")


# A table per frame, as VTK and ParaView write them: "Points:0", and no frame.
def tables_of_vtk():
    import vtk
    from vtk.util.numpy_support import numpy_to_vtk

    for f in range(shape[0]):
        one = vtk.vtkTable()
        for name, values in (("velocity", streams["velocity"][f]), ("size", streams["size"][f]), ("Points", streams["location"][f])):
            array = numpy_to_vtk(np.ascontiguousarray(values), deep=True)
            array.SetName(name)
            one.AddColumn(array)
        writer = vtk.vtkDelimitedTextWriter()
        writer.SetFileName(f"{folder}/vtk_{f + 1:04d}.csv")
        writer.SetInputData(one)
        writer.Write()


# What HOOMD-blue's own module reads: steps, box, points, and the numbers of points that we log.
def gsd_reads(name):
    import gsd.hoomd

    with gsd.hoomd.open(f"{folder}/{name}.gsd", "rb") as frames:
        assert len(frames) == shape[0], len(frames)
        for f in range(shape[0]):
            frame = frames[f]
            assert frame.configuration.step == 10 * f, frame.configuration.step
            assert (frame.particles.position == streams["location"][f]).all(), f
            assert (frame.particles.velocity == streams["velocity"][f]).all(), f
            assert (frame.particles.diameter == 2 * streams["size"][f].reshape(-1)).all(), f
            assert (frame.log["particles/index"] == streams["index"][f].reshape(-1)).all(), f
            assert (np.abs(frame.particles.position) <= frame.configuration.box[:3] / 2).all(), f


# What it writes: arrays that the first frame has need not be repeated, and arrays that we have no use for.
def save_gsd():
    import gsd.hoomd

    with gsd.hoomd.open(f"{folder}/theirs.gsd", "wb") as frames:
        for f in range(shape[0]):
            frame = gsd.hoomd.Snapshot()
            frame.configuration.step = 500 + 10 * f
            frame.configuration.box = [9, 9, 9, 0, 0, 0]
            frame.particles.N = shape[1]
            frame.particles.types = ["A", "B"]
            frame.particles.typeid = [i % 2 for i in range(shape[1])]
            frame.particles.position = streams["location"][f]
            frame.particles.velocity = streams["velocity"][f]
            frame.particles.diameter = 2 * streams["size"][f].reshape(-1)
            frame.log["value/energy"] = np.array([1.5])
            frames.append(frame)


# Written by MDTraj: few points, which are not packed; bonded ones; ranges that are too large to pack together. What it
# reads again is what we must read, to the bit.
def save_xtc():
    import mdtraj

    noise = np.random.default_rng(5)
    places = np.repeat(noise.random((500, 3)) * 8, 3, axis=0)
    for name, points, origin in (("plain", 9, 0), ("bonded", 1500, places), ("large", 200, noise.random((200, 3)) * 3e4)):
        moves = origin + noise.normal(size=(6, points, 3)) * 0.05
        with mdtraj.formats.XTCTrajectoryFile(f"{folder}/{name}.xtc", "w") as file:
            file.write(moves.astype("f4"), time=np.arange(6.0), step=np.arange(6) * 500, box=np.tile(np.eye(3, dtype="f4"), (6, 1, 1)))
        with mdtraj.formats.XTCTrajectoryFile(f"{folder}/{name}.xtc") as file:
            np.savez(f"{folder}/{name}_xtc.npz", location=file.read()[0], frame=np.arange(1, 7, dtype="i4"))


{"mdanalysis": lambda: mdanalysis(sys.argv[3]), "dcd_of_mdtraj": lambda: dcd_of_mdtraj(sys.argv[3]), "tables_of_numpy": tables_of_numpy, "tables_of_vtk": tables_of_vtk,
 "save_xtc": save_xtc, "gsd_reads": lambda: gsd_reads(sys.argv[3]), "save_gsd": save_gsd, "dcd_with_ase": lambda: dcd_with_ase(sys.argv[3]), "save_dcd": save_dcd, "arrays": lambda: arrays(sys.argv[3]), "archive": lambda: archive(sys.argv[3]), "save": save, "ply": lambda: ply(sys.argv[3]), "meshes": meshes,
 "xml_with_vtk": lambda: xml_with_vtk(sys.argv[3]), "vtu_with_meshio": lambda: vtu_with_meshio(sys.argv[3]), "xml_of_vtk": xml_of_vtk,
 "xyz": lambda: xyz(sys.argv[3]), "vtk": lambda: vtk_with_vtk(sys.argv[3]),
 "vtk_with_meshio": lambda: vtk_with_meshio(sys.argv[3]), "ase": lambda: ase(sys.argv[3])}[what]()
