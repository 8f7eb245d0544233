/* SPDX-License-Identifier: MIT
   ports/examples/frame_loop.cpp - a game's loop in C++11: a class that owns a world.
   reads   the platform's clock      writes  standard output
   memory  two static blocks         cost    100 000 units per frame, plus less than one slice
   after   own design; the runtime is compiled as C. Nothing throws: -fno-exceptions works */
#include "tank.h"
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <utility>

/* The block is a member of the object and has its lifetime. A world holds offsets and no addresses,
   so copying is one memcpy and makes a snapshot. Moving copies, then clears the source. Both are
   allowed between any two calls, also while a step is incomplete. */
template <std::size_t Bytes> class World {
  public:
    World() noexcept { forget(); }
    World(const World &other) noexcept { std::memcpy(block, other.block, Bytes); }
    World(World &&other) noexcept : World(other) { other.forget(); }
    World &operator=(const World &other) noexcept
    {
        if (this != &other) std::memcpy(block, other.block, Bytes);
        return *this;
    }
    World &operator=(World &&other) noexcept
    {
        if (this == &other) return *this;
        *this = other;
        other.forget();
        return *this;
    }
    tp_result create(const tp_world_def &def) noexcept
    {
        tp_world *world;
        return tp_world_create(&def, block, Bytes, &world);
    }
    /* null: not created, or moved away */
    tp_world *get() noexcept { return tp_world_at(block, Bytes); }

  private:
    void forget() noexcept { std::memset(block, 0, Bytes); }
    alignas(16) unsigned char block[Bytes];
};

static std::uint64_t clock_us(void *)
{
    using namespace std::chrono;
    return static_cast<std::uint64_t>(
        duration_cast<microseconds>(steady_clock::now().time_since_epoch()).count());
}

/* Or members of the game's own classes. They are too large for most stacks. */
static World<TANK_BYTES> built, played;

int main()
{
    tp_field gravity;
    tp_result result = built.create(tank_definition());
    if (result == TP_OK) result = tank_fill(built.get(), &gravity);
    if (result != TP_OK) return std::puts(tp_result_text(result)), 1;
    played = std::move(built);
    if (built.get()) return std::puts("a world that was moved away is still there"), 1;

    tp_budget budget = tp_budget();
    budget.units = 100000;
    budget.clock_us = clock_us; /* without .microseconds the clock only measures */
    budget.frames_max = 1;
    tp_report report = tp_world_report(played.get());
    while (report.frames < TANK_FRAMES && result >= TP_OK) {
        result = tank_tilt(played.get(), gravity, tank_stick(report.frames));
        if (result == TP_OK) result = tp_frame(played.get(), &budget, &report);
    }
    if (result < TP_OK) return std::puts(tp_result_text(result)), 1;
    std::printf("hash %016" PRIx64 "\n", tp_world_hash(played.get()));
    return 0;
}
