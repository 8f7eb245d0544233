/* SPDX-License-Identifier: MIT
   tests/unit/test_convert.c - conversions on several threads, in shares, killed, and onto full
           disks.
   reads   tests/fixtures/blender, build/tidepool      writes  a temporary folder
   memory  malloc      cost    some seconds: one process per moment at which a conversion is killed
   after   own design; POSIX; killing at each system call needs Linux */
#include "../../host_tools/common/ordered.h"
#include "../../host_tools/formats/bphys.h"
#include "../harness/files_help.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/ptrace.h>
#endif

int command_convert(int argc, char **argv);
int command_diff(int argc, char **argv);
int command_info(int argc, char **argv);

#define PROGRAM "build/tidepool"

/* ---- the same bytes */

static const char *const inputs[] = {"newton_s1/none", "newton_s5/none",    "rotation/none",
                                     "boids/none",     "cloth_pinned/none", "softbody/none"};
enum { INPUTS = sizeof inputs / sizeof inputs[0] };

static void any_number_of_jobs_writes_the_same_bytes(void)
{
    static const char *const options[] = {"", "--step 1", "--step 3 --frames 2-19"};
    for (size_t i = 0; i < INPUTS; i++) {
        char *folder = test_folder_make();
        char in[128];
        snprintf(in, sizeof in, "tests/fixtures/blender/%s", inputs[i]);
        for (size_t o = 0; o < 3; o++) {
            test_note("%s %s", in, options[o]);
            test_convert(test_text("%s %s/one%zu/x %s", in, folder, o, options[o]));
            test_convert(test_text("%s %s/many%zu/x %s --jobs 5", in, folder, o, options[o]));
            CHECK(test_folders_equal(test_text("%s/one%zu", folder, o),
                                     test_text("%s/many%zu", folder, o)));
            test_convert(test_text("%s %s/one.csv %s", in, folder, options[o]));
            test_convert(test_text("%s %s/many.csv %s --jobs 3", in, folder, options[o]));
            CHECK(test_files_equal(test_text("%s/one.csv", folder),
                                   test_text("%s/many.csv", folder)));
        }
        test_folder_remove(folder);
    }
}

/* In any order, over an older sequence. */
static void shares_together_write_what_one_conversion_does(void)
{
    static const char *const shares[] = {"--frames 21-99 --jobs 2", "--frames -3-8",
                                         "--frames 9-20"};
    static const char *const steps[] = {"", "--step 1", "--shift 7"};
    for (size_t i = 0; i < INPUTS; i++) {
        for (size_t s = 0; s < 3; s++) {
            char *folder = test_folder_make();
            char in[128];
            snprintf(in, sizeof in, "tests/fixtures/blender/%s", inputs[i]);
            test_note("%s %s", in, steps[s]);
            test_convert(test_text("%s %s/whole/x %s", in, folder, steps[s]));
            test_convert(test_text("%s %s/shares/x %s --scale 2", in, folder, steps[s]));
            for (size_t k = 0; k < 3; k++)
                test_convert(test_text("%s %s/shares/x %s %s", in, folder,
                                       s == 1 && k == 1 ? "--frames 1-8" : shares[k], steps[s]));
            CHECK(
                test_folders_equal(test_text("%s/whole", folder), test_text("%s/shares", folder)));
            test_folder_remove(folder);
        }
    }
}

/* The same for formats with one file per frame, whether OUT needs a star for that or not. */
static void shares_of_other_formats_keep_the_other_frames(void)
{
    static const char *const outs[] = {"x.*.npy", "x.*.lammpstrj", "x.*.xyz", "x.*.ply", "x.*.vtk"};
    for (size_t i = 0; i < sizeof outs / sizeof outs[0]; i++) {
        char *folder = test_folder_make();
        test_note("%s", outs[i]);
        mkdir(test_text("%s/whole", folder), 0777);
        mkdir(test_text("%s/shares", folder), 0777);
        test_convert(test_text("tests/fixtures/blender/newton_s1/none %s/whole/%s --frames 1-12",
                               folder, outs[i]));
        for (int first = 9; first > 0; first -= 4)
            test_convert(
                test_text("tests/fixtures/blender/newton_s1/none %s/shares/%s --frames %d-%d",
                          folder, outs[i], first, first + 3));
        CHECK_EQ(test_folder_count(test_text("%s/whole", folder)),
                 test_folder_count(test_text("%s/shares", folder)));
        test_convert(test_text("%s/whole/%s %s/whole.csv", folder, outs[i], folder));
        test_convert(test_text("%s/shares/%s %s/shares.csv", folder, outs[i], folder));
        CHECK(test_files_equal(test_text("%s/whole.csv", folder),
                               test_text("%s/shares.csv", folder)));
        test_folder_remove(folder);
    }
}

/* As separate processes, into a folder that does not exist yet. */
static void shares_may_run_at_the_same_time(void)
{
    const char *in = "tests/fixtures/blender/newton_s5/none";
    char *folder = test_folder_make();
    test_convert(test_text("%s %s/whole/x --step 1", in, folder));
    for (int round = 0; round < 5; round++) {
        pid_t children[8];
        char out[256];
        snprintf(out, sizeof out, "%s/shares%d/x", folder, round);
        for (int share = 0; share < 8; share++) {
            char frames[32];
            snprintf(frames, sizeof frames, "%d-%d", share * 5 + 1, share * 5 + 5);
            if ((children[share] = fork()) == 0) {
                execl(PROGRAM, "tidepool", "convert", in, out, "--step", "1", "--quiet", "--jobs",
                      "2", "--frames", frames, (char *)NULL);
                _exit(9);
            }
        }
        for (int share = 0; share < 8; share++) {
            int status = 0;
            CHECK(waitpid(children[share], &status, 0) == children[share] && status == 0);
        }
        CHECK(test_folders_equal(test_text("%s/whole", folder),
                                 test_text("%s/shares%d", folder, round)));
    }
    test_folder_remove(folder);
}

/* NaN and infinity pass between other formats, with a note. */
static void values_that_are_not_finite_are_noted(void)
{
    static const char table[] =
        "frame,index,x,y,z,size\n1,0,1,2,3,1\n2,0,1,nan,3,1\n2,5,1,inf,-inf,1\n";
    char *folder = test_folder_make();
    test_file_write(test_text("%s/t.csv", folder), table, sizeof table - 1);
    test_expect(command_convert, test_text("convert %s/t.csv %s/a.ply", folder, folder), HOST_DONE,
                "/t.csv: note: 3 values are not finite and kept as they are; the first: frame 2 "
                "index 0: location is nan\n");
    test_convert(test_text("%s/t.csv %s/a.xyz --frames 1 --jobs 2", folder, folder));
    test_convert(test_text("%s/t.csv %s/b.xyz --frames 2 --scale 2", folder, folder));
    test_folder_remove(folder);
}

/* Numbered files of other formats can be shared out, too. */
static void other_formats_have_shares_too(void)
{
    static const char *const endings[] = {"ply", "vtk", "bgeo", "geo", "prt"};
    static const char *const shares[] = {"", "--frames 21-40", "--frames 1-9 --jobs 2",
                                         "--frames 10-20"};
    char *folder = test_folder_make();
    for (size_t e = 0; e < sizeof endings / sizeof endings[0]; e++) {
        for (size_t s = 0; s < 4; s++)
            test_convert(test_text("tests/fixtures/blender/newton_s1/none %s/%s/x.%s %s", folder,
                                   s ? "shares" : "whole", endings[e], shares[s]));
        for (int frame = 1; frame <= 40; frame++) {
            const char *name = test_text("x.%04d.%s", frame, endings[e]);
            test_note("%s", name);
            CHECK(test_files_equal(test_text("%s/whole/%s", folder, name),
                                   test_text("%s/shares/%s", folder, name)));
        }
    }
    CHECK(test_files_equal(test_text("%s/whole/x.vtk.series", folder),
                           test_text("%s/shares/x.vtk.series", folder)));
    CHECK_EQ(test_folder_count(test_text("%s/shares", folder)), 201);
    test_folder_remove(folder);
}

static void write_points(const char *path, int first, int last, double x)
{
    FILE *stream = fopen(path, "w");
    if (!CHECK(stream != NULL)) return;
    fputs("frame,index,x,y,z\n", stream);
    for (int frame = first; frame <= last; frame++)
        for (int index = 0; index < 3; index++)
            fprintf(stream, "%d,%d,%g,%d,0\n", frame, index, x, frame);
    CHECK(fclose(stream) == 0);
}

static void a_share_writes_its_frames_and_leaves_the_others(void)
{
    char *folder = test_folder_make();
    write_points(test_text("%s/old.csv", folder), 1, 12, 1);
    write_points(test_text("%s/new.csv", folder), 3, 8, 2);
    test_convert(test_text("%s/new.csv %s/empty/x --frames 5-6", folder, folder));
    CHECK_EQ(test_folder_count(test_text("%s/empty", folder)), 2);
    test_convert(test_text("%s/new.csv %s/empty/x --frames 5-6 --info", folder, folder));
    CHECK_EQ(test_folder_count(test_text("%s/empty", folder)), 3);
    test_convert(test_text("%s/old.csv %s/x", folder, folder));
    test_convert(test_text("%s/old.csv %s/y", folder, folder));
    test_convert(test_text("%s/new.csv %s/y", folder, folder));
    CHECK(!test_file_exists(test_text("%s/y_000002_00.bphys", folder)));
    test_convert(test_text("%s/new.csv %s/x --frames 5-6", folder, folder));
    test_convert(test_text("%s/new.csv %s/x --frames 7-11", folder, folder));
    for (int frame = 1; frame <= 12; frame++) {
        const char *x = test_text("%s/x_%06d_00.bphys", folder, frame);
        bool is_new = frame >= 5 && frame <= 8, is_gone = frame >= 9 && frame <= 11;
        test_note("frame %d", frame);
        CHECK(test_file_exists(x) == !is_gone);
        if (is_new) CHECK(test_files_equal(x, test_text("%s/y_%06d_00.bphys", folder, frame)));
    }
    test_folder_remove(folder);
}

/* A table is a single file with the requested frames. A share without frames inside the range
   writes nothing and is no error; a share beyond all frames is an error. */
static void a_share_without_frames_is_told_from_a_mistake(void)
{
    char *folder = test_folder_make();
    const char *in = "tests/fixtures/blender/newton_s5/none";
    test_convert(test_text("%s %s/x --frames 2-5", in, folder));
    CHECK_EQ(test_folder_count(folder), 0);
    test_expect(
        command_convert, test_text("convert %s %s/x --frames 41-50", in, folder), HOST_USAGE,
        "tests/fixtures/blender/newton_s5/none has no frame in 41-50; its frames are 1 to 40");
    test_expect(command_convert, test_text("convert %s %s/x.csv --frames 2-5", in, folder),
                HOST_USAGE, "has no frame in 2-5");
    test_expect(command_convert, test_text("convert %s %s/x --info", in, folder), HOST_USAGE,
                "--info needs --frames A-B");
    test_expect(command_convert, test_text("convert %s %s/x --jobs 257", in, folder), HOST_USAGE,
                "--jobs is \"257\", expected a whole number from 1 to 256");
    CHECK_EQ(test_folder_count(folder), 0);
    test_folder_remove(folder);
}

/* ---- order of results of several threads */

typedef struct order_watch {
    size_t taken, dropped, fails_at;
    bool in_order;
} order_watch;

/* Later items are ready earlier. */
static int watch_work(void *context, size_t item, void *state)
{
    const order_watch *watch = context;
    struct timespec pause = {0, (long)(item % 7 ? 100000 : 1500000)};
    nanosleep(&pause, NULL);
    *(size_t *)state = item + 1;
    host_note("item", item, "made");
    if (item >= watch->fails_at) return host_error(HOST_BAD_INPUT, "item", item, "is bad");
    return HOST_DONE;
}

static int watch_take(void *context, size_t item, void *state)
{
    order_watch *watch = context;
    watch->in_order = watch->in_order && watch->taken == item && *(size_t *)state == item + 1;
    watch->taken++;
    return HOST_DONE;
}

static void watch_drop(void *context, void *state)
{
    (void)context;
    *(size_t *)state = 0;
}

static void run_watch(void *context)
{
    ordered_job job = {context, 60, sizeof(size_t), 4, watch_work, watch_take, watch_drop};
    const order_watch *watch = context;
    CHECK_EQ(ordered_run(&job), watch->fails_at < 60 ? HOST_BAD_INPUT : HOST_DONE);
}

static void items_are_taken_and_told_in_order_up_to_the_first_error(void)
{
    for (size_t fails_at = 23; fails_at <= 60; fails_at += 37) {
        order_watch watch = {.fails_at = fails_at, .in_order = true};
        char *errors = test_errors_of(run_watch, &watch), *at = errors, wanted[64];
        test_note("fails at %zu: %s", fails_at, errors);
        CHECK(watch.in_order);
        CHECK_EQ(watch.taken, fails_at);
        for (size_t item = 0; item < 60 && item <= fails_at; item++) {
            int length = snprintf(wanted, sizeof wanted, "tidepool: item:%zu: note: made\n", item);
            if (!CHECK(strncmp(at, wanted, (size_t)length) == 0)) break;
            at += length;
        }
        CHECK(strcmp(at, fails_at < 60 ? "tidepool: item:23: is bad\n" : "") == 0);
        free(errors);
    }
}

static void a_damaged_frame_is_told_alike_for_any_number_of_jobs(void)
{
    char *folder = test_folder_make();
    write_points(test_text("%s/in.csv", folder), 1, 20, 1);
    test_convert(test_text("%s/in.csv %s/x", folder, folder));
    CHECK(truncate(test_text("%s/x_000007_00.bphys", folder), 40) == 0);
    CHECK(truncate(test_text("%s/x_000008_00.bphys", folder), 30) == 0);
    for (int jobs = 1; jobs <= 8; jobs *= 2) {
        test_output output = test_command(
            command_convert, test_text("convert %s/x %s/y --jobs %d", folder, folder, jobs));
        test_note("%s", output.errors);
        CHECK_EQ(output.code, HOST_BAD_INPUT);
        CHECK(strstr(output.errors, "x_000007_00.bphys:40: ") != NULL);
        CHECK(strchr(output.errors, '\n')[1] == 0);
        test_output_free(&output);
    }
    CHECK_EQ(test_folder_count(folder), 22);
    test_folder_remove(folder);
}

/* ---- memory */

/* Largest resident memory of a conversion in KiB, 0 if it failed. */
static long memory_of(const char *in, const char *out, const char *jobs)
{
    int status = 0;
    struct rusage after;
    pid_t child = fork();
    if (child == 0) {
        execl(PROGRAM, "tidepool", "convert", in, out, "--quiet", "--jobs", jobs, "--step", "1",
              (char *)NULL);
        _exit(9);
    }
    if (child < 0 || waitpid(child, &status, 0) != child) return 0;
    getrusage(RUSAGE_CHILDREN, &after);
#ifdef __APPLE__
    after.ru_maxrss /= 1024; /* this system counts bytes */
#endif
    return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? after.ru_maxrss : 0;
}

/* Frames of 2.2 MB, every second one interpolated. RUSAGE_CHILDREN gives the largest of all
   children, so each conversion is measured in a process of its own. */
static long memory_apart(const char *in, const char *out, const char *jobs)
{
    int pipes[2];
    long kib = 0;
    if (!CHECK(pipe(pipes) == 0)) return 0;
    pid_t child = fork();
    if (child == 0) {
        kib = memory_of(in, out, jobs);
        _exit(write(pipes[1], &kib, sizeof kib) == sizeof kib ? 0 : 1);
    }
    CHECK(read(pipes[0], &kib, sizeof kib) == sizeof kib);
    waitpid(child, NULL, 0);
    close(pipes[0]);
    close(pipes[1]);
    return kib;
}

enum { LARGE_POINTS = 80000, LARGE_FRAME_KIB = LARGE_POINTS * 28 / 1024 };

static bool write_large_frame(bphys_writer *writer, int frame, uint32_t points)
{
    static uint32_t ids[LARGE_POINTS];
    static float places[LARGE_POINTS * 3];
    for (uint32_t i = 0; i < LARGE_POINTS; i++) {
        ids[i] = i;
        places[i * 3] = (float)(frame * 3) + (float)i;
    }
    return bphys_writer_frame(writer, frame, points, ids, places, places) == HOST_DONE;
}

static bool write_large_sequence(const char *folder, const char *name, int length, uint32_t points)
{
    int code;
    bphys_writer_options options = {folder, name, 24, false, false};
    bphys_writer *writer = bphys_writer_open(&options, &code);
    for (int frame = 1; writer && frame <= length; frame += 2)
        if (!write_large_frame(writer, frame, points)) return false;
    return writer && bphys_writer_close(writer, NULL, 0) == HOST_DONE;
}

/* A forked process includes its parent's memory: the memory of a minimal conversion is
   subtracted. */
static void memory_does_not_grow_with_the_length_of_a_sequence(void)
{
    static const char *const jobs[] = {"1", "4"};
    char *folder = test_folder_make();
    CHECK(write_large_sequence(folder, "tiny", 8, 1));
    CHECK(write_large_sequence(folder, "short", 8, LARGE_POINTS));
    CHECK(write_large_sequence(folder, "long", 64, LARGE_POINTS));
    for (int j = 0; j < 2; j++) {
        char out[256];
        snprintf(out, sizeof out, "%s/out", folder);
        long none = memory_apart(test_text("%s/tiny", folder), out, jobs[j]);
        long few = memory_apart(test_text("%s/short", folder), out, jobs[j]);
        long many = memory_apart(test_text("%s/long", folder), out, jobs[j]);
        test_note("%s jobs: %ld KiB for 8 frames, %ld for 64, %d a frame, %ld without", jobs[j],
                  few, many, (int)LARGE_FRAME_KIB, none);
        CHECK(none > 0 && few + 64 >= none); /* pages that the system counts differ by some */
        CHECK(many < few + (j ? 6 : 2) * LARGE_FRAME_KIB);
        CHECK(many < none + (2 + 4 * (j ? 4 : 1)) * LARGE_FRAME_KIB);
    }
    test_folder_remove(folder);
}

/* ---- killed */

typedef struct killing {
    char *folder;
    const char *in, *out, *jobs; /* names in the folder */
} killing;

static void exec_convert(const killing *job)
{
    int null = open("/dev/null", O_WRONLY);
    dup2(null, STDOUT_FILENO);
    dup2(null, STDERR_FILENO);
    char *in = host_text("%s/%s", job->folder, job->in),
         *out = host_text("%s/%s", job->folder, job->out);
    execl(PROGRAM, "tidepool", "convert", in, out, "--jobs", job->jobs, (char *)NULL);
    _exit(9);
}

#ifdef __linux__
/* Kills the conversion before system call number `moment`; false if it ended before that. */
static bool kill_at(const killing *job, long moment)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0) _exit(8);
        exec_convert(job);
    }
    if (child < 0 || waitpid(child, &status, 0) != child || !WIFSTOPPED(status)) return false;
    /* each call stops twice: on entry and on exit */
    for (long stop = 0; stop < 2 * moment; stop++) {
        if (ptrace(PTRACE_SYSCALL, child, NULL, NULL) != 0) return false;
        if (waitpid(child, &status, 0) != child || WIFEXITED(status) || WIFSIGNALED(status))
            return false;
    }
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return true;
}
#else
/* Without a way to count system calls: kills it after `moment` tenths of a millisecond. */
static bool kill_at(const killing *job, long moment)
{
    int status = 0;
    struct timespec pause = {0, moment * 100000};
    pid_t child = fork();
    if (child == 0) exec_convert(job);
    if (child < 0) return false;
    nanosleep(&pause, NULL);
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    return WIFSIGNALED(status);
}
#endif

/* Removes what a killed conversion leaves behind: only hidden files and files that end in
   .partial. */
static void remove_remains(const char *folder)
{
    char *line = host_text("cd '%s' && rm -rf .[!.]* *.partial", folder);
    CHECK(line && system(line) == 0);
    free(line);
}

static bool one_of(const char *path, const char *old_path, const char *new_path)
{
    bool has_old = test_file_exists(old_path), has_new = test_file_exists(new_path);
    if (!test_file_exists(path)) return !has_old || !has_new;
    return (has_old && test_files_equal(path, old_path)) ||
           (has_new && test_files_equal(path, new_path));
}

/* Frames 1 to 4 are replaced by 3 to 6, with an info file; old/ and new/ hold the two allowed
   states. */
static void a_killed_conversion_leaves_old_or_new_files(void)
{
    static const char *const jobs[] = {"1", "3"};
    char *folder = test_folder_make();
    write_points(test_text("%s/old.csv", folder), 1, 4, 1);
    write_points(test_text("%s/new.csv", folder), 3, 6, 2);
    test_convert(test_text("%s/old.csv %s/old/x", folder, folder));
    test_convert(test_text("%s/new.csv %s/new/x", folder, folder));
    for (int j = 0; j < 2; j++) {
        long moment = 1, done = 0;
        bool killed = true;
        /* with several jobs the moments differ little */
        for (; killed && moment < 4000; moment += test_is_long() ? j ? 5 : 1 : j ? 11 : 5) {
            killing job = {folder, "new.csv", "x", jobs[j]};
            test_convert(test_text("%s/old.csv %s/x", folder, folder));
            killed = kill_at(&job, moment);
            test_note("killed before system call %ld, %s jobs", moment, jobs[j]);
            for (int frame = 0; frame <= 6; frame++) {
                const char *name = test_text("x_%06d_00.bphys", frame);
                CHECK(one_of(test_text("%s/%s", folder, name), test_text("%s/old/%s", folder, name),
                             test_text("%s/new/%s", folder, name)));
            }
            done += test_file_exists(test_text("%s/x_000006_00.bphys", folder));
            remove_remains(folder);
        }
        test_note("%ld moments, the new sequence was there after %ld", moment, done);
        CHECK(moment > 40 && moment < 4000 && done > 2 && done < moment - 10);
    }
    test_folder_remove(folder);
}

static void a_killed_conversion_leaves_the_old_or_the_new_table(void)
{
    char *folder = test_folder_make();
    write_points(test_text("%s/old.csv", folder), 1, 4, 1);
    write_points(test_text("%s/in.csv", folder), 3, 6, 2);
    test_convert(test_text("%s/old.csv %s/old", folder, folder));
    test_convert(test_text("%s/in.csv %s/new", folder, folder));
    test_convert(test_text("%s/new %s/new.csv", folder, folder));
    bool killed = true;
    long moment = 1, old_ones = 0;
    for (; killed && moment < 2000; moment += test_is_long() ? 1 : 5) {
        killing job = {folder, "new", "x.csv", "1"};
        test_convert(test_text("%s/old %s/x.csv", folder, folder));
        killed = kill_at(&job, moment);
        const char *out = test_text("%s/x.csv", folder), *old = test_text("%s/old.csv", folder);
        test_note("killed before system call %ld", moment);
        CHECK(one_of(out, old, test_text("%s/new.csv", folder)));
        old_ones += test_files_equal(out, old);
        remove_remains(folder);
    }
    CHECK(moment > 40 && moment < 2000 && old_ones > 10 && old_ones < moment);
    test_folder_remove(folder);
}

/* ---- disks and folders that refuse writes */

/* Runs a conversion in a process of its own that may write `limit` bytes per file (0: no limit),
   not as root. */
static int convert_limited(const char *arguments, size_t limit, char *errors, size_t errors_size)
{
    int status = 0, pipes[2];
    if (!CHECK(pipe(pipes) == 0)) return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        struct rlimit most = {limit, limit};
        dup2(pipes[1], STDERR_FILENO);
        close(pipes[0]);
        signal(SIGXFSZ, SIG_IGN);
        if (limit && setrlimit(RLIMIT_FSIZE, &most) != 0) _exit(90);
        if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) _exit(91);
        int count = 0;
        char *words[16], *text = host_text("convert %s --quiet", arguments);
        for (char *word = strtok(text, " "); word && count < 15; word = strtok(NULL, " "))
            words[count++] = word;
        words[count] = NULL;
        _exit(command_convert(count, words));
    }
    close(pipes[1]);
    size_t used = 0;
    ssize_t got;
    while ((got = read(pipes[0], errors + used, errors_size - 1 - used)) > 0) used += (size_t)got;
    errors[used] = 0;
    close(pipes[0]);
    waitpid(child, &status, 0);
    test_note("convert %s: %s", arguments, errors);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* A folder that every user may write to, with an old sequence and a table, and a copy for
   comparison. */
static char *folder_for_all(void)
{
    char *folder = test_folder_make();
    CHECK(mkdir(test_text("%s/out", folder), 0777) == 0 &&
          chmod(test_text("%s/out", folder), 0777) == 0);
    CHECK(chmod(folder, 0755) == 0);
    write_points(test_text("%s/old.csv", folder), 1, 4, 1);
    write_points(test_text("%s/new.csv", folder), 1, 30, 2);
    test_convert(test_text("%s/old.csv %s/out/x", folder, folder));
    test_convert(test_text("%s/old.csv %s/old/x", folder, folder));
    test_convert(test_text("%s/new.csv %s/new/x", folder, folder));
    return folder;
}

static void a_file_that_cannot_grow_is_an_error_of_writing(void)
{
    char *folder = folder_for_all(), errors[1024];
    for (size_t limit = 40; limit <= 96;
         limit += 56) { /* a frame needs 20 + 3 * 12 bytes, and so does the info file */
        CHECK_EQ(convert_limited(test_text("%s/new.csv %s/out/x --scale 3 --jobs %d", folder,
                                           folder, limit == 40 ? 1 : 4),
                                 limit, errors, sizeof errors),
                 limit < 56 ? HOST_IO : HOST_DONE);
        if (limit >= 56) continue;
        CHECK(strstr(errors, "out/x_000001_00.bphys: cannot write: ") != NULL);
        CHECK(strstr(errors, strerror(EFBIG)) != NULL);
        CHECK(test_folders_equal(test_text("%s/out", folder), test_text("%s/old", folder)));
    }
    CHECK_EQ(convert_limited(test_text("%s/new %s/out/t.csv", folder, folder), 64, errors,
                             sizeof errors),
             HOST_IO);
    CHECK(strstr(errors, "t.csv") && !test_file_exists(test_text("%s/out/t.csv", folder)));
    test_folder_remove(folder);
}

/* The message names the user's file, not the hidden file that is written first. */
static void the_file_that_cannot_grow_is_named_as_the_user_named_it(void)
{
    static const char *const outs[][2] = {{"t.csv", "t.csv"},
                                          {"t.xyz", "t.xyz"},
                                          {"t.*.xyz", "t.0001.xyz"},
                                          {"t.ply", "t.0001.ply"},
                                          {"t.pc2", "t.pc2"},
                                          {"t.npy", "t_index.npy"},
                                          {"t.*.npy", "t_index.0001.npy"}};
    char *folder = folder_for_all(), errors[1024], before[256];
    for (size_t i = 0; i < sizeof outs / sizeof outs[0]; i++) {
        CHECK_EQ(convert_limited(test_text("%s/new.csv %s/out/%s", folder, folder, outs[i][0]), 16,
                                 errors, sizeof errors),
                 HOST_IO);
        snprintf(before, sizeof before, "tidepool: %s/out/%s: cannot write", folder, outs[i][1]);
        CHECK(strncmp(errors, before, strlen(before)) == 0);
        CHECK(strstr(errors, ".partial") == NULL);
    }
    test_folder_remove(folder);
}

static void a_full_disk_is_an_error_of_writing(void)
{
    char *folder = folder_for_all(), errors[1024];
    if (test_file_exists("/dev/full")) {
        CHECK_EQ(convert_limited(test_text("%s/new.csv /dev/full --to csv", folder), 0, errors,
                                 sizeof errors),
                 HOST_IO);
        CHECK(strstr(errors, "/dev/full: cannot write") != NULL);
        CHECK(system(test_text(PROGRAM " info %s/new >/dev/full 2>%s/errors", folder, folder)) ==
              HOST_IO << 8);
    } else {
        puts("skipped /dev/full: there is none");
    }
    char disk[256];
    snprintf(disk, sizeof disk, "%s/old", folder);
    bool mounted = geteuid() == 0 && system(test_text("mount -t tmpfs -o size=64k,mode=777 none %s "
                                                      "2>/dev/null",
                                                      disk)) == 0;
    if (mounted) {
        CHECK_EQ(convert_limited(test_text("%s/new.csv %s/x --jobs 2", folder, disk), 0, errors,
                                 sizeof errors),
                 HOST_IO);
        CHECK(strstr(errors, strerror(ENOSPC)) != NULL);
        CHECK_EQ(test_folder_count(disk), 0);
        CHECK(system(test_text("umount %s", disk)) == 0);
    } else {
        puts("skipped a small disk: only root may mount one");
    }
    test_folder_remove(folder);
}

static void a_folder_that_must_not_be_written_to_is_an_error_of_writing(void)
{
    char *folder = folder_for_all(), errors[1024];
    CHECK(chmod(test_text("%s/out", folder), 0555) == 0);
    static const char *const outs[] = {"out/x", "out/y.csv", "out/new/x", "missing/folder/x",
                                       "old.csv/x"};
    for (size_t i = 0; i < sizeof outs / sizeof outs[0]; i++) {
        CHECK_EQ(convert_limited(test_text("%s/new %s/%s", folder, folder, outs[i]), 0, errors,
                                 sizeof errors),
                 HOST_IO);
        CHECK(strncmp(errors, "tidepool: ", 10) == 0 && strstr(errors, "cannot "));
        CHECK(strchr(errors, '\n') && strchr(errors, '\n')[1] == 0);
    }
    CHECK(test_folders_equal(test_text("%s/out", folder), test_text("%s/old", folder)));
    CHECK(chmod(test_text("%s/out", folder), 0755) == 0);
    test_folder_remove(folder);
}

static void load_ninth(void *context)
{
    host_frame frame;
    CHECK_EQ(host_sequence_load(context, 8, &frame), HOST_IO);
}

static void an_input_that_vanishes_is_an_error_of_reading(void)
{
    char *folder = folder_for_all();
    host_sequence sequence;
    host_frame frame;
    test_expect(command_convert, test_text("convert %s/none %s/y", folder, folder), HOST_IO,
                "no such file or sequence");
    test_expect(command_convert, test_text("convert %s/none.csv %s/y", folder, folder), HOST_IO,
                "none.csv: cannot open: ");
    if (!CHECK_EQ(host_sequence_open(&sequence, test_text("%s/new", folder), NULL), HOST_DONE))
        return;
    CHECK(remove(test_text("%s/new/x_000009_00.bphys", folder)) == 0);
    CHECK_EQ(host_sequence_load(&sequence, 7, &frame), HOST_DONE);
    host_frame_free(&frame);
    char *errors = test_errors_of(load_ninth, &sequence);
    CHECK(strstr(errors, "x_000009_00.bphys: cannot open: ") != NULL);
    free(errors);
    host_sequence_close(&sequence);
    test_folder_remove(folder);
}

static void commit(void *context) { CHECK_EQ(bphys_staging_commit(context), HOST_IO); }

static void what_was_replaced_comes_back_when_a_later_frame_cannot_be_placed(void)
{
    char *folder = folder_for_all();
    int code;
    bphys_staging *staging =
        bphys_staging_open(test_text("%s/out", folder), "x", "_00", &bphys_whole, &code);
    if (!CHECK(staging != NULL)) return;
    for (int frame = 1; frame <= 9; frame++)
        CHECK_EQ(bphys_staging_write(staging, frame, (const uint8_t *)"new", 3), HOST_DONE);
    char *hidden = host_text("rm %s/out/.x*/x_000008_00.bphys", folder);
    CHECK(hidden && system(hidden) == 0); /* the eighth rename fails */
    free(hidden);
    char *errors = test_errors_of(commit, staging);
    CHECK(strstr(errors, "out: cannot put the files in place: ") != NULL);
    free(errors);
    CHECK(test_folders_equal(test_text("%s/out", folder), test_text("%s/old", folder)));
    test_folder_remove(folder);
}

/* A point that rotates by 6 radians per second rotates by 0.1 per frame at 60 frames per second. A
   cache, with frames of 0.04 s, stores 2.5 radians per second. */
static void angular_velocities_have_the_time_of_velocities(void)
{
    static const float expected[2][3] = {{2.5f, 0, -5}, {1.25f, 0, 25}};
    static const char head[] = "frame,index,x,y,z,vx,vy,vz,ax,ay,az\n",
                      row[] = "1,0,1,2,3,3,0,60,6,0,-12\n";
    host_sequence sequence;
    host_frame frame;
    char *folder = test_folder_make();
    const char *table = test_text("%s/t.csv", folder);
    const char *text = test_text("%s%s", head, row);
    test_file_write(table, text, strlen(text));
    test_convert(test_text("%s %s/a --fps 60", table, folder));
    test_convert(test_text("%s/a %s/u.csv --fps 60", folder, folder));
    test_expect(command_diff, test_text("diff %s %s/u.csv --tolerance 1e-5", table, folder),
                HOST_DONE, NULL);
    if (CHECK_EQ(host_sequence_open(&sequence, test_text("%s/a", folder), NULL), HOST_DONE)) {
        if (CHECK_EQ(host_sequence_load(&sequence, 0, &frame), HOST_DONE)) {
            for (int k = 0; k < 3; k++) {
                CHECK_NEAR(((float *)frame.data[POINT_ANGULAR])[k], expected[0][k], 1e-6);
                CHECK_NEAR(((float *)frame.data[POINT_VELOCITY])[k], expected[1][k], 1e-5);
            }
            host_frame_free(&frame);
        }
        host_sequence_close(&sequence);
    }
    test_folder_remove(folder);
}

static const test_case cases[] = {
    TEST_CASE(angular_velocities_have_the_time_of_velocities),
    TEST_CASE(any_number_of_jobs_writes_the_same_bytes),
    TEST_CASE(shares_together_write_what_one_conversion_does),
    TEST_CASE(shares_of_other_formats_keep_the_other_frames),
    TEST_CASE(values_that_are_not_finite_are_noted),
    TEST_CASE(other_formats_have_shares_too),
    TEST_CASE(shares_may_run_at_the_same_time),
    TEST_CASE(a_share_writes_its_frames_and_leaves_the_others),
    TEST_CASE(a_share_without_frames_is_told_from_a_mistake),
    TEST_CASE(items_are_taken_and_told_in_order_up_to_the_first_error),
    TEST_CASE(a_damaged_frame_is_told_alike_for_any_number_of_jobs),
    TEST_CASE(memory_does_not_grow_with_the_length_of_a_sequence),
    TEST_CASE(a_killed_conversion_leaves_old_or_new_files),
    TEST_CASE(a_killed_conversion_leaves_the_old_or_the_new_table),
    TEST_CASE(a_file_that_cannot_grow_is_an_error_of_writing),
    TEST_CASE(the_file_that_cannot_grow_is_named_as_the_user_named_it),
    TEST_CASE(a_full_disk_is_an_error_of_writing),
    TEST_CASE(a_folder_that_must_not_be_written_to_is_an_error_of_writing),
    TEST_CASE(an_input_that_vanishes_is_an_error_of_reading),
    TEST_CASE(what_was_replaced_comes_back_when_a_later_frame_cannot_be_placed),
};
TEST_SUITE(convert, cases);
