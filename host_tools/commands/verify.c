/* SPDX-License-Identifier: MIT
   host_tools/commands/verify.c - `tidepool verify`: checks every rule of a format, reports each
           fault.
   reads   any format of formats.c         writes  standard output: a line per fault, a summary
   memory  one frame                       cost    O(bytes)
   after   own design */
#include "../formats/numbered.h"
#include "../common/text.h"
#include "../formats/verify.h"
#include <stdlib.h>
#include <string.h>

int command_verify(int argc, char **argv);
extern const char help_verify[];
const char help_verify[] =
    "usage: tidepool verify PATH... [--json] [--all] [--quiet] [--from F]\n"
    "\n"
    "Reads whole files and checks every rule of their format: headers, sizes, compressed blocks,\n"
    "indices, finite values, birth and death, the info file, springs, names, missing frames.\n"
    "A folder means all its sequences of one format: .bphys if it has any. Notes name other\n"
    "formats, and caches of particles without an info file.\n"
    "\n"
    "Each fault is one line:  FILE:BYTE: what is wrong; what Blender does with the file\n"
    "\n"
    "  --json      Print one JSON object: files, sequences, frames, points, fault_count,\n"
    "              faults: an array of file, offset, fault, effect.\n"
    "  --all       Print every fault (default: the first 8 of each file).\n"
    "  --quiet     Print nothing; use the exit code.\n"
    "  --from F    Format of PATH, if its ending does not say it (see convert).\n"
    "\n"
    "exit codes: 0 no faults, 1 faults found, 4 a file could not be read\n"
    "example: tidepool verify out/dam_break\n";

enum { FAULTS_A_FILE = 8, OPTIONS = 4 };

typedef struct verify_report {
    host_report report; /* first member: take_fault casts from it to verify_report */
    bool json, all, quiet;
    char *file; /* the file of the last fault */
    uint64_t in_file, faults, bad_files;
} verify_report;

static void end_file(verify_report *target)
{
    if (!target->quiet && !target->json && !target->all && target->in_file > FAULTS_A_FILE)
        printf("%s: and %llu more\n", text_shown(target->file),
               (unsigned long long)(target->in_file - FAULTS_A_FILE));
    free(target->file);
    target->file = NULL;
    target->in_file = 0;
}

static void print_json(const verify_report *target, const char *file, uint64_t offset,
                       const char *text, const char *effect)
{
    fputs(target->faults > 1 ? ",\n  {\"file\": " : "\n  {\"file\": ", stdout);
    host_json_text(stdout, file);
    if (offset == HOST_NO_OFFSET)
        fputs(", \"offset\": null, \"fault\": ", stdout);
    else
        printf(", \"offset\": %llu, \"fault\": ", (unsigned long long)offset);
    host_json_text(stdout, text);
    fputs(", \"effect\": ", stdout);
    host_json_text(stdout, effect);
    putchar('}');
}

static void print_line(const char *file, uint64_t offset, const char *text, const char *effect)
{
    printf("%s:", text_shown(file));
    if (offset != HOST_NO_OFFSET) printf("%llu:", (unsigned long long)offset);
    printf(" %s; %s\n", text, effect);
}

static void take_fault(host_report *report, const char *file, uint64_t offset, const char *text,
                       const char *effect)
{
    verify_report *target = (verify_report *)report;
    if (!target->file || strcmp(target->file, file) != 0) {
        end_file(target);
        target->file = host_text("%s", file);
        target->bad_files++;
    }
    target->in_file++;
    target->faults++;
    if (target->quiet || (target->in_file > FAULTS_A_FILE && !target->all)) return;
    if (target->json)
        print_json(target, file, offset, text, effect);
    else
        print_line(file, offset, text, effect);
}

static void print_summary(const verify_report *target, int code)
{
    const host_report *report = &target->report;
    if (target->quiet) return;
    if (target->json) {
        printf(
            "%s], \"fault_count\": %llu, \"files\": %llu, \"sequences\": %llu, \"frames\": %llu, "
            "\"points\": %llu}\n",
            target->faults ? "\n " : "", (unsigned long long)target->faults,
            (unsigned long long)report->files, (unsigned long long)report->sequences,
            (unsigned long long)report->frames, (unsigned long long)report->points);
        return;
    }
    printf("%llu file%s, %llu frame%s, %llu points: ", (unsigned long long)report->files,
           report->files == 1 ? "" : "s", (unsigned long long)report->frames,
           report->frames == 1 ? "" : "s", (unsigned long long)report->points);
    if (target->faults)
        printf("%llu fault%s in %llu file%s\n", (unsigned long long)target->faults,
               target->faults == 1 ? "" : "s", (unsigned long long)target->bad_files,
               target->bad_files == 1 ? "" : "s");
    else
        puts(code ? "some files could not be checked" : "no faults");
}

/* A key that is equal for all files of a sequence; for a file without a number, its path. */
static char *sequence_key(const char *path)
{
    names_parts parts;
    const char *slash = strrchr(path, '/'), *file = slash ? slash + 1 : path;
    const host_format *format = host_format_by_ending(path);
    names_rule *rule = format && format->rule ? format->rule : numbered_rule;
    if (!format || strchr(file, '*') || !rule(file, format->ending, &parts))
        return host_text("%s", path);
    return host_text("%.*s%.*s*%.*s", (int)(file - path), path, (int)parts.before, file,
                     (int)parts.after_length, file + parts.after);
}

/* A folder stands for all sequences in it. .bphys files are checked together, with every other file
   of that ending. */
static int verify_found(verify_report *target, const char *path, const host_format *format)
{
    char **found = NULL;
    size_t count = 0;
    int code = host_list(path, format, &found, &count), worst = HOST_DONE;
    if (code) return code;
    if (!format) host_list_note_others(path, found[0]);
    const host_format *own =
        count > 1 || strcmp(found[0], path) != 0 ? host_format_by_ending(found[0]) : NULL;
    if (!own || (own->verify && own->has_files))
        worst = host_verify(&target->report, path, format);
    else
        for (size_t i = 0; i < count; i++) {
            code = host_verify(&target->report, found[i], own);
            if (code > worst) worst = code;
        }
    host_list_free(found, count);
    return worst;
}

static int verify_path(verify_report *target, const char *path, const host_format *format)
{
    char *bake = NULL;
    int code = host_list_bake(path, &bake);
    if (!code) code = verify_found(target, bake ? bake : path, format);
    free(bake);
    return code;
}

/* The shell may expand a pattern to every file of a sequence; the sequence is checked once. If
   checking a path read several files, later paths with the same key are skipped. */
static int verify_paths(verify_report *target, const char **paths, size_t count,
                        const host_format *format)
{
    int worst = HOST_DONE;
    char **seen = host_allocate(count, sizeof *seen);
    if (!seen) return host_out_of_memory("the arguments");
    for (size_t i = 0; i < count; i++) {
        bool done = false;
        char *key = sequence_key(paths[i]);
        uint64_t files = target->report.files;
        for (size_t j = 0; key && j < i && !done; j++)
            done = seen[j] && (strcmp(seen[j], key) == 0 || strcmp(seen[j], paths[i]) == 0);
        int code = done ? HOST_DONE : verify_path(target, paths[i], format);
        bool is_one = target->report.files - files < 2 && !names_end_in(paths[i], ".bphys");
        seen[i] = is_one || !key ? host_text("%s", paths[i]) : host_text("%s", key);
        free(key);
        if (code > worst) worst = code;
    }
    for (size_t i = 0; i < count; i++) free(seen[i]);
    free(seen);
    return worst ? worst : target->report.code;
}

int command_verify(int argc, char **argv)
{
    host_option options[OPTIONS] = {
        {"json", true, NULL}, {"all", true, NULL}, {"quiet", true, NULL}, {"from", false, NULL}};
    size_t count = 0;
    const host_format *format = NULL;
    if (host_help(argc, argv, help_verify)) return HOST_DONE;
    const char **paths = host_allocate((size_t)argc, sizeof *paths);
    int code = paths
                   ? host_parse("verify", argc, argv, options, OPTIONS, paths, (size_t)argc, &count)
                   : host_out_of_memory("the arguments");
    if (!code)
        code = host_format_option("verify", "from", host_option_value(options, OPTIONS, "from"),
                                  &format);
    if (!code && !count)
        code = host_error(HOST_USAGE, "verify", HOST_NO_OFFSET,
                          "expected PATH; see tidepool verify --help");
    if (!code) {
        verify_report target = {.report = {.take = take_fault, .notes_info = true},
                                .json = host_option_value(options, OPTIONS, "json") != NULL,
                                .all = host_option_value(options, OPTIONS, "all") != NULL,
                                .quiet = host_option_value(options, OPTIONS, "quiet") != NULL};
        host_quiet(target.quiet);
        if (target.json && !target.quiet) fputs("{\"faults\": [", stdout);
        code = verify_paths(&target, paths, count, format);
        end_file(&target);
        if (target.json || code <= HOST_DIFFERENT || target.report.files)
            print_summary(&target, code);
        if (!code && target.faults) code = HOST_DIFFERENT;
    }
    free(paths);
    return code;
}
