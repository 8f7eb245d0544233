# Tidepool. `make run` shows it, `make test` proves it; everything lands below build/ and out/.
#   make run      the main job: dam_break in a 60 Hz loop, recorded, exported for Blender, drawn into out/
#   make test     every test that needs libc only; ends with `N passed, 0 failed`
#   make bench    benchmarks            make header   build/tidepool.h, the whole runtime in one file
#   make test-targets  hashes, sizes and instructions on emulated machines, into ports/guide    make test-blender  Blender loads out/
#   make test-worst  100 000 frames of adversarial scenes on an emulated Cortex-M4: none exceeds its budget by more than a slice
#   make test-long  physics at its full length, every vector width    make test-lammps  the melt beside LAMMPS's
#   make test-codecs  LZO1X, LZMA1 and Zstandard beside liblzo2, liblzma and libzstd    make bench-codecs  their speeds, and conversions
#   make test-formats  other formats beside NumPy, meshio, LAMMPS and a second reader and writer
#   make fuzz SECONDS=20  every reader of foreign bytes under libFuzzer, so long each
#   make test-farm  a job array of a real Slurm converts a sequence in shares
#   make dist     build/dist/tidepool-VERSION.tar.gz: header, licence, changes, checksums; the same bytes every time
#   make install  header, static library, program, pkg-config, CMake, manual page, completion; PREFIX=/usr/local DESTDIR=
#   make test-install  programs in C and C++ that use what was installed, through pkg-config and CMake
#   make web      build/web/tidepool.html: a live tank in one file, to open in a browser    make test-web  what it promises
#   make test-static  compilers, clang-tidy, cppcheck and Eva look at the runtime without running it
#   make test-static-long  and Eva follows all that reads foreign bytes, nine minutes of a processor more
#   make codec-tables  counts the tables of runtime/codec anew
#   make syntax   looks at every source for warnings and makes no code: make syntax CC=clang, make syntax CFLAGS=-m32
#   make help     these lines           make clean    removes build/ and out/
#   V=1 shows the commands; CFLAGS=-g compiles for a debugger; WERROR=-Werror, as tests have it, stops at a warning

MAKEFLAGS += -j$(shell nproc 2>/dev/null || echo 2)
CC       ?= cc
CXX      ?= c++
OPTIMISE ?= -O3
# -ffp-contract=off: equal bits on every machine (the runtime refuses to start without it).
FLOATS    = -ffp-contract=off -fno-math-errno -fno-trapping-math
WARNINGS  = -Wall -Wextra -Wpedantic -Wshadow -Wconversion $(WERROR)
WERROR   ?= $(if $(filter test% fuzz syntax,$(MAKECMDGOALS)),-Werror) # a later compiler's warning stops nobody who only builds
CFLAGS   ?=
FLAGS     = -std=c11 $(OPTIMISE) $(FLOATS) $(WARNINGS) $(CFLAGS)
HOST      = -D_POSIX_C_SOURCE=200809L -Iruntime -Ihost_tools -Iplatform -Itests/harness -Ibuild $(ZLIB_FLAGS)
LIBS      = -lm -pthread $(ZLIB_LIBS)

# zlib, where there is one, makes smaller pictures; without it our own deflate writes them.
ZLIB_FOUND := $(shell printf '\043include <zlib.h>\nint main(void){return (int)zlibVersion()[0] == 0;}\n' | $(CC) $(CFLAGS) -x c - -lz -o /dev/null 2>/dev/null && echo yes)
ifeq ($(ZLIB_FOUND),yes)
ZLIB_FLAGS = -DTIDEPOOL_ZLIB
ZLIB_LIBS  = -lz
endif

# Counts heap use of our own objects where the linker can wrap symbols; elsewhere the count reads "not counted".
WRAP := -Wl,--wrap=malloc,--wrap=calloc,--wrap=realloc,--wrap=free,--wrap=aligned_alloc,--wrap=posix_memalign
WRAP := $(shell printf 'int main(void){return 0;}\n' | $(CC) $(CFLAGS) -x c - $(WRAP) -o /dev/null 2>/dev/null && echo $(WRAP))

RUNTIME_FILES  := $(sort $(wildcard runtime/*.c runtime/*/*.c runtime/*/*/*.c))
RUNTIME_ALL    := $(RUNTIME_FILES) $(sort $(wildcard runtime/*.h runtime/*/*.h runtime/*/*/*.h))
PLATFORM_FILES := $(sort $(wildcard platform/posix/*.c platform/jobs_posix/*.c))
HOST_FILES     := $(sort $(filter-out host_tools/main.c,$(wildcard host_tools/*.c host_tools/*/*.c)))
TEST_FILES     := $(sort $(wildcard tests/harness/*.c tests/unit/*.c tests/physics/*.c tests/golden/*.c tests/interop/*.c tests/property/*.c))

RUNTIME_OBJECTS  = $(RUNTIME_FILES:%.c=build/objects/%.o)
PLATFORM_OBJECTS = $(PLATFORM_FILES:%.c=build/objects/%.o)
HOST_OBJECTS     = $(HOST_FILES:%.c=build/objects/%.o)
TEST_OBJECTS     = $(TEST_FILES:%.c=build/objects/%.o)

.PHONY: all run picture dist install test-install test header bench help clean format syntax test-targets test-blender test-quick test-long test-lammps test-codecs test-formats test-farm test-static test-static-long test-worst fuzz bench-codecs codec-tables web test-web
.DELETE_ON_ERROR:

Q := $(if $(filter 1,$(V)),,@)
# `[37/129]`: a dry run counts what there is to compile. Both are expanded when a recipe begins.
COMPILED :=
COUNT     = $(shell MAKEFLAGS= $(MAKE) -n IS_DRY=1 $(MAKECMDGOALS) 2>/dev/null | grep -c '^echo "CC ')
TO_COMPILE = $(eval TO_COMPILE := $(COUNT))$(TO_COMPILE)
PROGRESS  = $(if $(IS_DRY),CC,$(eval COMPILED += x)[$(words $(COMPILED))/$(TO_COMPILE)])

# All output lands in build and out. A folder build that exists may be writable in a tree that is not.
NEEDED := $(if $(filter help clean format,$(MAKECMDGOALS)),,build)
ifneq ($(NEEDED),$(shell mkdir -p $(NEEDED) 2>/dev/null && test -w $(NEEDED) && echo $(NEEDED)))
$(error the folder build must be writable, and is not: copy this tree, and run make in the copy)
endif

all: build/tidepool

help:
	@sed -n '2,/^$$/s/^# \{0,1\}//p' Makefile

run: build/tidepool
	@mkdir -p out
	@build/tidepool run dam_break --out out

# The tests themselves run as fast, and compile in two thirds of the time.
build/objects/tests/%.o: OPTIMISE = -O1
# What waits for the disk, not for the processor.
build/objects/host_tools/commands/%.o build/objects/host_tools/formats/%.o build/objects/host_tools/common/%.o: OPTIMISE = -O1

# -MMD leaves beside each object the list of headers that it read, so that an edit compiles again only what reads it.
build/objects/%.o: %.c
	@mkdir -p $(@D)
	@echo "$(PROGRESS) $<"
	$Q$(CC) $(FLAGS) $(HOST) -MMD -MP -c $< -o $@
-include $(shell find build/objects -name '*.d' 2>/dev/null)

# What users take: the archive of a release; and everything installed below PREFIX.
PREFIX  ?= /usr/local
DESTDIR ?=
build/libtidepool.a: build/tidepool.h
	@echo "CC $@"
	@printf '#define TIDEPOOL_IMPLEMENTATION\n#include "tidepool.h"\n' > build/libtidepool.c
	$Q$(CC) -std=c11 $(OPTIMISE) $(FLOATS) $(CFLAGS) -fPIC -Ibuild -c build/libtidepool.c -o build/libtidepool.o
	$Qrm -f $@ && $(AR) rcs $@ build/libtidepool.o
dist: build/tidepool.h
	@platform/release/dist
install: build/tidepool.h build/libtidepool.a build/tidepool
	@DESTDIR='$(DESTDIR)' PREFIX='$(PREFIX)' platform/release/install
test-install: build/tidepool.h build/libtidepool.a build/tidepool
	@tests/consumers/run

syntax: build/scenes.inc
	@printf '%s\n' $(RUNTIME_FILES) $(PLATFORM_FILES) $(HOST_FILES) host_tools/main.c $(TEST_FILES) | xargs -n 16 -P 2 $(CC) $(FLAGS) $(HOST) -fsyntax-only

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

test-targets: build/tidepool.h build/tidepool
	@ports/run --skip-missing --update --examples $(TARGETS)

test-worst: build/tidepool.h
	@ports/worst/frames 100000

# The picture of the README.
picture: build/tidepool
	@build/tidepool run dam_break --out build/picture --quiet
	@build/tidepool render build/picture/dam_break --frames 1-80 --size 240x150 --fps 30 --out runtime/guide/dam_break.gif --quiet

web: build/tidepool.h
	@ports/wasm/build

test-web: build/tidepool.h
	@ports/wasm/check

test-blender: build/tidepool
	@tests/interop/blender

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

test-formats: build/tidepool
	@tests/interop/formats/run

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
