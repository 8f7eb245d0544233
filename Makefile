# Tidepool. `make run` is the demonstration, `make test` runs the tests. All output goes to build/ and out/.
#   make run      simulates dam_break in a 60 Hz loop, records it, and writes pictures and a Blender cache to out/
#   make test     tests that need libc only, long ones shortened; the last line is `N passed, M failed`
#   make bench    benchmarks            make header   build/tidepool.h: the whole runtime in one file
#   make bench-widths  times with SSE2 and AVX2 in turn, after make clean with CFLAGS=-DTP_LANES_MAX=16 AVX-512 too, and with lmp where it is installed
#   make test-targets  hashes, code sizes and instruction counts on emulated machines, written to ports/guide
#   make test-blender  Blender loads out/
#   make addon    build/tidepool_blender.zip, an add-on for Blender 3.4 to 5    make test-addon  Blender installs and uses it
#   make test-worst  100 000 adversarial frames on an emulated Cortex-M4: none exceeds its budget by more than one slice
#   make test-long  physics tests at full length, every vector width, ThreadSanitizer    make test-lammps  the melt compared with LAMMPS
#   make test-codecs  LZO1X, LZMA1 and Zstandard compared with liblzo2, liblzma and libzstd    make bench-codecs  their speeds
#   make bench-million  a million points to a clip and other files, beside cp, zstd, xz and numpy
#   make bench-anchors  sizes of clips of ten kinds of motion beside xz and zstd of the whole clip: at most 1.05, packed .85
#   make test-formats  file formats compared with NumPy, meshio, VTK, ASE, LAMMPS and independent readers and writers
#   make fuzz SECONDS=20  libFuzzer on every reader of foreign bytes; SECONDS for each
#   make test-farm  a Slurm job array converts a sequence in parts
#   make dist     build/dist/tidepool-VERSION.tar.gz: header, licence, changes, checksums; the same bytes every time
#   make install  header, static library, program, pkg-config, CMake, manual page, completion; PREFIX=/usr/local DESTDIR=
#   make test-install  builds C and C++ programs against the installed files, through pkg-config and CMake
#   make test-bindings  Python, C# and a Godot extension against the shared library: layouts, the hash of the dam break
#   make web      build/web/tidepool.html, game.html, play.html: a fluid tank, a game, smoke and cloth    make test-web  tests of them
#   make game     build/game/game: that game in a window of SDL2
#   make test-static  static analysis of the runtime: compiler warnings, clang-tidy, cppcheck, Frama-C Eva
#   make test-static-long  also runs Eva on all readers of foreign bytes: 9 more minutes of processor time
#   make test-instructions  counts instructions per particle and step, and compares them with the table of the guide
#   make codec-tables  recounts the probability tables of runtime/codec
#   make syntax   checks every source for warnings, without generating code: make syntax CC=clang, make syntax CFLAGS=-m32
#   make help     these lines           make clean    removes build/ and out/
#   V=1 shows the commands; CFLAGS=-g adds debug information; WERROR=-Werror (default in tests) makes warnings errors

MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
CC       ?= cc
CXX      ?= c++
OPTIMISE ?= -O3
# -ffp-contract=off: equal bits on every machine (the runtime refuses to start without it).
FLOATS    = -ffp-contract=off -fno-math-errno -fno-trapping-math
WARNINGS  = -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(WERROR)
WERROR   ?= $(if $(filter test% fuzz syntax,$(MAKECMDGOALS)),-Werror) # new warnings of a later compiler must not stop a plain build
CFLAGS   ?=
FLAGS     = -std=c11 $(OPTIMISE) $(FLOATS) $(WARNINGS) $(CFLAGS)
HOST      = -D_POSIX_C_SOURCE=200809L -Iruntime -Ihost_tools -Iplatform -Itests/harness -Ibuild $(ZLIB_FLAGS)
LIBS      = -lm -pthread $(ZLIB_LIBS)

# With zlib pictures are smaller; without it the program's own deflate writes them.
ZLIB_FOUND := $(shell printf '\043include <zlib.h>\nint main(void){return (int)zlibVersion()[0] == 0;}\n' | $(CC) $(CFLAGS) -x c - -lz -o /dev/null 2>/dev/null && echo yes)
ifeq ($(ZLIB_FOUND),yes)
ZLIB_FLAGS = -DTIDEPOOL_ZLIB
ZLIB_LIBS  = -lz
endif

# Counts the heap use of the program's own objects if the linker can wrap symbols; otherwise the report says "not counted".
WRAP := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=aligned_alloc,--wrap=posix_memalign
WRAP := $(shell printf 'int main(void){return 0;}\n' | $(CC) $(CFLAGS) -x c - $(WRAP) -o /dev/null 2>/dev/null && echo $(WRAP))

# 64-bit x86: the stages are compiled for AVX2 too, with CFLAGS=-DTP_LANES_MAX=16 also for AVX-512, but for no width that CFLAGS has or excludes; the
# machine decides at run time (runtime/base/pass.h).
PASSES := $(shell printf '\043if defined(__x86_64__) && defined(__GNUC__) && !defined(TIDEPOOL_LANES) && !defined(_WIN32) && !defined(__CYGWIN__) && !(defined(__AVX512F__) && defined(__AVX512BW__))\n\043if !defined(__AVX2__) && (!defined(TP_LANES_MAX) || TP_LANES_MAX >= 8)\n8\n\043endif\n\043if TP_LANES_MAX >= 16\n16\n\043endif\n\043endif\n' | $(CC) $(CFLAGS) -E -P -x c - 2>/dev/null)
ifneq ($(PASSES),)
FLAGS += -DTIDEPOOL_DISPATCH=1
endif

RUNTIME_FILES  := $(sort $(wildcard runtime/*.c runtime/*/*.c runtime/*/*/*.c))
RUNTIME_ALL    := $(RUNTIME_FILES) $(sort $(wildcard runtime/*.h runtime/*/*.h runtime/*/*/*.h))
PLATFORM_FILES := $(sort $(wildcard platform/posix/*.c platform/jobs_posix/*.c))
HOST_FILES     := $(sort $(filter-out host_tools/main.c,$(wildcard host_tools/*.c host_tools/*/*.c)))
TEST_FILES     := $(sort $(wildcard tests/harness/*.c tests/unit/*.c tests/physics/*.c tests/golden/*.c tests/interop/*.c tests/property/*.c))

# first, because they take longest
RUNTIME_OBJECTS  = $(PASSES:%=build/objects/pass%.o) $(RUNTIME_FILES:%.c=build/objects/%.o)
PLATFORM_OBJECTS = $(PLATFORM_FILES:%.c=build/objects/%.o)
HOST_OBJECTS     = $(HOST_FILES:%.c=build/objects/%.o)
TEST_OBJECTS     = $(TEST_FILES:%.c=build/objects/%.o)

.PHONY: all run picture dist addon install test-install test header bench help clean format syntax test-targets test-blender test-addon test-quick test-long test-lammps test-codecs test-formats test-farm test-instructions test-static test-static-long test-worst fuzz bench-codecs bench-million bench-anchors bench-widths codec-tables web game test-web test-bindings
.DELETE_ON_ERROR:

Q := $(if $(filter 1,$(V)),,@)
# `[37/129]`: a dry run counts the files to compile. TO_COMPILE and PROGRESS are expanded when a recipe starts.
COMPILED :=
COUNT     = $(shell MAKEFLAGS= $(MAKE) -n IS_DRY=1 $(MAKECMDGOALS) 2>/dev/null | grep -c '^CC ')
TO_COMPILE = $(eval TO_COMPILE := $(COUNT))$(TO_COMPILE)
PROGRESS  = $(if $(IS_DRY),CC,$(eval COMPILED += x)[$(words $(COMPILED))/$(TO_COMPILE)])

# All output goes to build and out. The tree may be read-only if it contains a writable folder build.
NEEDED := $(if $(filter help clean format,$(MAKECMDGOALS)),,build)
ifneq ($(NEEDED),$(shell mkdir -p $(NEEDED) 2>/dev/null && test -w $(NEEDED) && echo $(NEEDED)))
$(error the folder build must be writable, and is not: copy this tree, and run make in the copy)
endif

# Once for all objects: a process fewer for each.
$(if $(NEEDED),$(shell mkdir -p $(sort $(dir $(RUNTIME_OBJECTS) $(PLATFORM_OBJECTS) $(HOST_OBJECTS) $(TEST_OBJECTS))) build/objects/host_tools/clip/tables))

all: build/tidepool

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

run: build/tidepool
	@mkdir -p out
	@build/tidepool run dam_break --out out

# Tests mostly wait for the runtime: at -O0 they compile in little more than half the time of -O1 and run as fast. Exceptions, at -O1: the
# harness, and tests whose own loops take longer at -O0 than they save.
build/objects/tests/%.o: OPTIMISE = -O0
TEST_LOOPS := unit/test_grid unit/test_ray unit/test_group unit/test_query unit/test_frame unit/test_crowd unit/test_chain unit/test_levels \
              physics/test_stable physics/test_cloth_graze physics/test_cloth_touch physics/test_pair physics/test_pair_statistics physics/test_light physics/test_fluid_pin
build/objects/tests/harness/%.o $(TEST_LOOPS:%=build/objects/tests/%.o): OPTIMISE = -O1
# These wait for the disk, not for the processor.
build/objects/host_tools/commands/%.o build/objects/host_tools/formats/%.o build/objects/host_tools/common/%.o: OPTIMISE = -O1
# Except those that look at each value of a million points: a conversion takes up to a fifth less.
POINT_LOOPS := bphys_copy bphys_encode npy_array points tpc_group tpc_sink
$(POINT_LOOPS:%=build/objects/host_tools/formats/%.o) build/objects/host_tools/commands/convert_errors.o: OPTIMISE = -O2
# Where -O3 gains nothing that a benchmark sees, and compiles for up to twice as long. Codecs gain half from it.
build/objects/host_tools/compress/%.o build/objects/host_tools/render/%.o: OPTIMISE = -O2
build/objects/runtime/base/%.o build/objects/runtime/memory/%.o build/objects/runtime/world/%.o build/objects/runtime/emit/%.o: OPTIMISE = -O2
# With passes the stages of the least width serve machines without AVX2 only.
$(if $(PASSES),build/objects/runtime/grid/%.o build/objects/runtime/solve/%.o build/objects/runtime/move/%.o build/objects/runtime/step/%.o build/objects/runtime/codec/frame.o: OPTIMISE = -O2)

# A pass: the stages of a step and the decoder of clips as one text.
$(PASSES:%=build/objects/pass%.o): build/objects/pass%.o: runtime/codec/widths.h
	$(info $(PROGRESS) $<, vectors of $*)
	$Q$(CC) $(FLAGS) -DTPI_PASS=$* -MMD -MP -x c -c $< -o $@

# -MMD writes a list of the included headers beside each object, so an edit recompiles only the files that depend on it.
build/objects/%.o: %.c
	$(info $(PROGRESS) $<)
	$Q$(CC) $(FLAGS) $(HOST) -MMD -MP -c $< -o $@
%.d: ;
-include $(shell find build/objects -name '*.d' 2>/dev/null)

# Distribution: the release archive, and installation below PREFIX.
PREFIX  ?= /usr/local
DESTDIR ?=
build/libtidepool.a: build/tidepool.h
	@echo "CC $@"
	@printf '#define TIDEPOOL_IMPLEMENTATION\n#include "tidepool.h"\n' > build/libtidepool.c
	$Q$(CC) -std=c11 $(OPTIMISE) $(FLOATS) $(CFLAGS) -fPIC -Ibuild -c build/libtidepool.c -o build/libtidepool.o
	$Qrm -f $@ && $(AR) rcs $@ build/libtidepool.o
build/libtidepool.so: build/libtidepool.a
	$Q$(CC) -shared $(CFLAGS) build/libtidepool.o -o $@
dist: build/tidepool.h
	@platform/release/dist
install: build/tidepool.h build/libtidepool.a build/tidepool
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' platform/release/install
test-install: build/tidepool.h build/libtidepool.a build/tidepool
	@tests/consumers/run

test-bindings: build/libtidepool.so build/tidepool
	@tests/bindings/run

syntax: build/scenes.inc
	@printf '%s\n' $(RUNTIME_FILES) $(PLATFORM_FILES) $(HOST_FILES) host_tools/main.c $(TEST_FILES) | awk 'NR % $(or $(SYNTAX_EVERY),1) == 0' | xargs -n 16 -P 2 $(CC) $(FLAGS) $(HOST) -fsyntax-only

SCENES := $(sort $(wildcard host_tools/scenes/*.scene))
build/scenes.inc: $(SCENES) host_tools/scenes/embed
	@mkdir -p $(@D)
	host_tools/scenes/embed $(SCENES) > $@
build/objects/host_tools/common/scene_files.o: build/scenes.inc

build/tidepool: $(RUNTIME_OBJECTS) $(PLATFORM_OBJECTS) $(HOST_OBJECTS) build/objects/host_tools/main.o
	@echo "LINK $@"
	$Q$(CC) $(OPTIMISE) $(CFLAGS) $^ -o $@ $(WRAP) $(LIBS)

build/tests: $(RUNTIME_OBJECTS) $(PLATFORM_OBJECTS) $(HOST_OBJECTS) $(TEST_OBJECTS)
	@echo "LINK $@"
	$Q$(CC) $(OPTIMISE) $(CFLAGS) $^ -o $@ $(LIBS)

header: build/tidepool.h
build/flatten: tests/style/flatten.c
	@mkdir -p $(@D)
	$(CC) -std=c11 -O1 $(WARNINGS) $< -o $@
build/tidepool.h: build/flatten $(RUNTIME_ALL)
	build/flatten runtime/tidepool.h $@

test: build/tests build/tidepool build/tidepool.h
	@tests/run

test-quick: build/tests build/tidepool
	@build/tests

bench: build/tidepool
	@build/tidepool bench

bench-widths: build/tidepool
	@tests/widths/figures

test-targets: build/tidepool.h build/tidepool
	@ports/run --skip-missing --update --examples $(TARGETS)

test-worst: build/tidepool.h
	@ports/worst/frames 100000

# The pictures in README.md; all but the first need Node.js and Chromium.
picture: build/tidepool web
	@build/tidepool run dam_break --out build/picture --quiet
	@build/tidepool render build/picture/dam_break --frames 1-80 --size 240x150 --fps 30 --style fluid --radius 0.065 --out runtime/guide/dam_break.gif --quiet
	@node ports/wasm/picture.mjs build/web/tidepool.html runtime/guide/web.png
	@node ports/wasm/picture.mjs build/web/game.html runtime/guide/game.png

web: build/tidepool.h
	@ports/wasm/build

game: build/tidepool.h
	@FLAGS=-O3 ports/examples/build build/game game_headless game

test-web: build/tidepool.h
	@ports/wasm/check

addon:
	@platform/release/addon

test-blender: build/tidepool
	@tests/interop/blender

test-addon: build/tidepool addon
	@tests/interop/addon

test-long: build/tests build/tidepool build/tidepool.h
	@tests/long

test-lammps: build/tidepool.h build/tidepool
	@tests/interop/lammps/run

test-farm: build/tidepool
	@tests/interop/farm

test-codecs:
	@tests/interop/codecs/run

bench-codecs: build/tidepool
	@tests/interop/codecs/run bench
bench-million: build/tidepool
	@tests/interop/codecs/run million
bench-anchors: build/tidepool
	@tests/interop/codecs/run anchors

test-formats: build/tidepool
	@tests/interop/formats/run

test-instructions: build/tidepool.h
	@tests/instructions/run
	@tests/instructions/run --clang

test-static:
	@tests/static/run

test-static-long:
	@TIDEPOOL_STATIC_LONG=1 tests/static/run

codec-tables: $(RUNTIME_OBJECTS) $(PLATFORM_OBJECTS) $(HOST_OBJECTS) build/objects/host_tools/clip/tables/count.o
	@COMPILE="$(CC) -std=c11 $(OPTIMISE) $(CFLAGS)" LIBS="$(LIBS)" OBJECTS="$(filter-out %/codec/tables.o,$^)" host_tools/clip/tables/run

fuzz: build/scenes.inc
	@tests/fuzz/run engines $(or $(SECONDS),20)

format:
	clang-format -i $$(find runtime platform host_tools tests ports -name '*.[ch]' ! -name suites.h)

clean:
	rm -rf build out
