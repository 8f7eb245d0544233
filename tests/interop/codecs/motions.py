# SPDX-License-Identifier: MIT
# tests/interop/codecs/motions.py - small simulations whose points anchors.py packs.
#   reads   nothing      writes  arrays of floats, [frame, point, axis], z up, in metres
#   memory  100 MB       cost    seconds
#   after   own design; fluid: double density relaxation (Clavet et al. 2005); cloth and hair: position based dynamics
#           (Mueller et al. 2007). Not the scenes of the tree: the tables of the codec are counted from those
import numpy as np

GRAVITY = np.array([0.0, 0.0, -9.81])
FPS = 24


def record(frames, sub_steps, state, advance):
    """Positions of `frames` frames; advance(state, dt) moves the points by one step."""
    rows = []
    for _ in range(frames):
        rows.append(state["x"].copy())
        for _ in range(sub_steps):
            advance(state, 1.0 / FPS / sub_steps)
    return np.array(rows, dtype=np.float32)


# ---- points without forces between them


def bounces(seed, drag=0.15):
    """3000 points in a box lose speed in air and at walls; many come to rest."""
    rng = np.random.default_rng(seed)
    count = 3000
    state = {"x": rng.uniform((-5, -5, 1), (5, 5, 5), (count, 3)), "v": rng.normal(0, 2.5, (count, 3))}
    loss = rng.uniform(0.45, 0.8, count)

    def advance(s, dt):
        s["v"] += dt * (GRAVITY - drag * s["v"])
        s["x"] += dt * s["v"]
        for axis, low, high in ((0, -6, 6), (1, -6, 6), (2, 0, 99)):
            x, v = s["x"][:, axis], s["v"][:, axis]
            out = ((x < low) & (v < 0)) | ((x > high) & (v > 0))
            v[out] *= -loss[out]
            np.clip(x, low, high, out=x)
        slow = (s["x"][:, 2] <= 0) & (np.abs(s["v"][:, 2]) < 0.3)
        s["v"][slow] *= (0.6, 0.6, 0.0)

    return record(128, 8, state, advance)


def bounces_high(seed):
    """3000 points, without air, bounce high: second differences are constant for long."""
    rng = np.random.default_rng(seed)
    count = 3000
    x = rng.uniform((-5, -5, 0), (5, 5, 4), (count, 3))
    v = rng.normal(0, 1, (count, 3)) * (1.5, 1.5, 2) + (0, 0, 7)
    loss = rng.uniform(0.7, 0.9, count)
    rows = []
    for _ in range(128):
        rows.append(x.copy())
        left = np.full(count, 1.0 / FPS)
        for _ in range(4):  # to the ground, and on from there
            root = np.sqrt(np.maximum(v[:, 2] ** 2 + 2 * 9.81 * np.maximum(x[:, 2], 0), 0))
            until = np.minimum(left, (v[:, 2] + root) / 9.81)
            x += until[:, None] * v + 0.5 * until[:, None] ** 2 * GRAVITY
            v += until[:, None] * GRAVITY
            hits = until < left
            left -= until
            v[hits, 2] *= -loss[hits]
            x[hits, 2] = 0
    return np.array(rows, dtype=np.float32)


def thrown(seed):
    """3000 points leave one place, one after the other, in nearly the same direction; they land and stay."""
    rng = np.random.default_rng(seed)
    count = 3000
    born = np.sort(rng.uniform(0, 64, count)) / FPS
    v = np.array((3.0, 0.5, 11.0)) + rng.normal(0, 0.4, (count, 3))
    rows = []
    for frame in range(128):
        age = np.clip(frame / FPS - born, 0, -2 * v[:, 2] / GRAVITY[2])[:, None]  # until it lands
        rows.append(age * v + 0.5 * age**2 * GRAVITY)
    return np.array(rows, dtype=np.float32)


def pulled(seed):
    """3000 points, each with a constant acceleration of its own."""
    rng = np.random.default_rng(seed)
    count = 3000
    x, v, a = rng.uniform(-5, 5, (count, 3)), rng.normal(0, 1.5, (count, 3)), rng.normal(0, 1, (count, 3))
    time = np.arange(128)[:, None, None] / FPS
    return (x + time * v + 0.5 * time**2 * a).astype(np.float32)


def rain(seed):
    """3000 drops fall at constant speeds, in wind; at the ground they begin again at the top."""
    rng = np.random.default_rng(seed)
    count = 3000
    x, v = rng.uniform((-10, -10, 0), (10, 10, 12), (count, 3)), np.array((0.6, -0.2, -7.0)) + rng.normal(0, 0.3, (count, 3))
    rows = []
    for _ in range(128):
        rows.append(x.copy())
        x = x + v / FPS
        low = x[:, 2] < 0
        x[low, 2] += 12
    return np.array(rows, dtype=np.float32)


# ---- points that do


def fluid(seed, count=200, frames=20):
    """A drop of fluid falls into a small box."""
    rng = np.random.default_rng(seed)
    side, radius = int(np.ceil(count ** (1 / 3))), 0.1
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:count]
    state = {"x": 0.05 * grid + rng.normal(0, 0.004, (count, 3)) + (0.1, 0.1, 0.15), "v": np.zeros((count, 3))}
    state["v"] += rng.normal(0, 0.4, 3)
    size = np.array((0.7, 0.7, 9))

    def advance(s, dt):
        s["v"] += dt * GRAVITY
        old = s["x"].copy()
        s["x"] = s["x"] + dt * s["v"]
        apart = s["x"][None] - s["x"][:, None]
        distance = np.sqrt((apart**2).sum(-1)) + 1e-9
        near = np.maximum(1 - distance / radius, 0)
        np.fill_diagonal(near, 0)
        pressure = 60 * ((near**2).sum(1) - 1.5)
        push = pressure[:, None] * near + 200 * (near**3).sum(1)[:, None] * near**2
        move = (0.5 * dt**2 * push / distance)[..., None] * apart
        s["x"] += 0.5 * (move.sum(0) - move.sum(1))
        s["x"] = np.clip(s["x"], 0, size)
        s["v"] = 0.999 * (s["x"] - old) / dt

    return record(frames, 8, state, advance)


def solve_springs(x, springs, lengths, weights):
    for _ in range(12):
        for (one, two), length in zip(springs, lengths):
            apart = x[two] - x[one]
            distance = np.sqrt((apart**2).sum(-1, keepdims=True)) + 1e-9
            share = weights[one] + weights[two]
            move = apart * (1 - length / distance) / np.maximum(share, 1e-9)[:, None]
            x[one] += weights[one][:, None] * move
            x[two] -= weights[two][:, None] * move


def lengths_of(x, springs):
    return [np.sqrt(((x[two] - x[one]) ** 2).sum(-1, keepdims=True)) for one, two in springs]


def strides(index):
    """Springs between neighbours along the last axis of a table of indices, apart so that none share a point."""
    return [(index[:, k::2][:, : index[:, k + 1 :: 2].shape[1]].ravel(), index[:, k + 1 :: 2].ravel()) for k in (0, 1)]


def sheet(seed, side=13, frames=38, pinned=False):
    """A cloth falls on a ball, or hangs at two corners in wind."""
    rng = np.random.default_rng(seed)
    index = np.arange(side * side).reshape(side, side)
    u, w = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side), indexing="ij")
    x = np.stack((u, w, 1.0 + 0 * u), -1).reshape(-1, 3) + rng.normal(0, 0.003, (side * side, 3))
    x += (*rng.uniform(-0.2, 0.2, 2), 0)
    springs = strides(index) + strides(index.T) + strides(index[:, ::2]) + strides(index.T[:, ::2])
    lengths, weights = lengths_of(x, springs), np.ones(side * side)
    if pinned:
        weights[[0, side - 1]] = 0
    state, gust = {"x": x, "v": 0 * x, "t": 0.0}, rng.uniform(1, 3)

    def advance(s, dt):
        s["t"] += dt
        wind = np.array((1.5 * np.sin(gust * s["t"]), 1.0, 0)) if pinned else 0
        s["v"] += dt * weights[:, None] * (GRAVITY + wind)
        old = s["x"].copy()
        s["x"] = s["x"] + dt * s["v"]
        solve_springs(s["x"], springs, lengths, weights)
        if not pinned:
            distance = np.sqrt((s["x"] ** 2).sum(-1, keepdims=True))
            touches = distance[:, 0] < 0.6
            s["x"][touches] = 0.5 * (s["x"] + old)[touches]  # friction
            s["x"] *= np.maximum(0.6 / np.sqrt((s["x"] ** 2).sum(-1, keepdims=True)), 1)
        s["v"] = 0.995 * (s["x"] - old) / dt

    return record(frames, 8, state, advance)


def springs(seed, side=13, frames=38):
    """A cloth of damped springs falls on a ball: smoother than `sheet`."""
    rng = np.random.default_rng(seed)
    u, w = np.meshgrid(np.linspace(-1, 1, side), np.linspace(-1, 1, side), indexing="ij")
    x = np.stack((u, w, 0.75 + 0 * u), -1) + np.array((*rng.uniform(-0.2, 0.2, 2), 0))
    apart = 2 / (side - 1)
    kinds = ((1, 0, 6000), (0, 1, 6000), (1, 1, 2500), (1, -1, 2500), (2, 0, 600), (0, 2, 600))

    def advance(s, dt):
        x, v = s["x"], s["v"]
        force = np.zeros_like(x) + GRAVITY - 1.5 * v
        for di, dj, stiffness in kinds:
            one = slice(0, side - di), slice(max(0, -dj), side - max(0, dj))
            two = slice(di, side), slice(max(0, dj), side + min(0, dj))
            along = x[two] - x[one]
            length = np.sqrt((along**2).sum(-1, keepdims=True))
            pull = stiffness * (1 - apart * np.hypot(di, dj) / length) * along + 8 * (v[two] - v[one])
            force[one] += pull
            force[two] -= pull
        distance = np.sqrt((x**2).sum(-1, keepdims=True))
        inside = np.maximum(0.6 - distance, 0)
        force += 8000 * inside * x / distance - (inside > 0) * 6 * v
        s["v"] = v + dt * force
        s["x"] = x + dt * s["v"]

    return record(frames, 64, {"x": x, "v": 0 * x}, advance).reshape(frames, -1, 3)


def hanging(seed):
    return sheet(seed, pinned=True)


def hair(seed, strands=40, knots=40, frames=60):
    """Strands hang from a head that turns and stops."""
    rng = np.random.default_rng(seed)
    index = np.arange(strands * knots).reshape(strands, knots)
    root = rng.normal(0, 1, (strands, 3))
    root[:, 2] = np.abs(root[:, 2])
    root *= 0.1 / np.sqrt((root**2).sum(-1, keepdims=True))
    along = np.linspace(0, 0.35, knots)[None, :, None]
    x = (root[:, None] * (1 + 4 * along) - along * (0, 0, 0.6)).reshape(-1, 3) + rng.normal(0, 0.0005, (strands * knots, 3))
    springs, weights = strides(index), np.ones(strands * knots)
    lengths = lengths_of(x, springs)
    weights[index[:, 0]] = 0
    state, speed = {"x": x, "v": 0 * x, "t": 0.0}, rng.uniform(3, 5)

    def advance(s, dt):
        s["t"] += dt
        angle = 0.9 * np.sin(speed * min(s["t"], np.pi / speed))
        turn = np.array(((np.cos(angle), -np.sin(angle), 0), (np.sin(angle), np.cos(angle), 0), (0, 0, 1)))
        s["v"] += dt * weights[:, None] * GRAVITY
        old = s["x"].copy()
        s["x"] = s["x"] + dt * s["v"]
        s["x"][index[:, 0]] = root @ turn.T
        solve_springs(s["x"], springs, lengths, weights)
        s["v"] = 0.985 * (s["x"] - old) / dt

    return record(frames, 6, state, advance)
