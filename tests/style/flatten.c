/* SPDX-License-Identifier: MIT
   tests/style/flatten.c - `flatten IN OUT`: inlines every #include "..." where it first occurs.
   reads   IN and the files that it includes, each once      writes  OUT, only when complete
   memory  fixed tables                                      cost    one pass over the bytes
   after   own design; OUT preprocesses to the same tokens as IN, which tests/style/run proves */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 1024, PATH_MAX_BYTES = 512, LINE_MAX_BYTES = 4096, DEPTH_MAX = 16 };

typedef struct flatten_job {
    FILE *out;
    char root[PATH_MAX_BYTES]; /* folder of IN with its slash: banners show paths relative to it */
    char seen[FILES_MAX][PATH_MAX_BYTES];
    int seen_count;
} flatten_job;

static bool complain(const char *path, const char *what)
{
    fprintf(stderr, "flatten: %s: %s\n", path, what);
    return false;
}

/* Removes "x/.." and "." from a path in place, so that the same file always has the same name. */
static void simplify(char *path)
{
    char parts[PATH_MAX_BYTES];
    char result[PATH_MAX_BYTES] = "";
    snprintf(parts, sizeof parts, "%s", path);
    for (char *part = strtok(parts, "/"); part; part = strtok(NULL, "/")) {
        char *last = strrchr(result, '/');
        const char *name = last ? last + 1 : result;
        if (strcmp(part, ".") == 0) continue;
        if (strcmp(part, "..") == 0 && *name && strcmp(name, "..") != 0) {
            *(last ? last : result) = 0;
            continue;
        }
        size_t length = strlen(result);
        snprintf(result + length, sizeof result - length, "%s%s", length ? "/" : "", part);
    }
    bool is_absolute = path[0] == '/';
    /* the result is never longer than the text it replaces */
    memcpy(path + is_absolute, result, strlen(result) + 1);
}

/* Copies the quoted name of an #include line; false for every other line. */
static bool quoted_name(const char *line, char *name)
{
    while (*line == ' ' || *line == '\t') line++;
    if (*line++ != '#') return false;
    while (*line == ' ' || *line == '\t') line++;
    if (strncmp(line, "include", 7) != 0) return false;
    line += 7;
    while (*line == ' ' || *line == '\t') line++;
    const char *end = *line == '"' ? strchr(line + 1, '"') : NULL;
    if (!end || end - line >= PATH_MAX_BYTES) return false;
    memcpy(name, line + 1, (size_t)(end - line - 1));
    name[end - line - 1] = 0;
    return true;
}

/* `path` is shorter than PATH_MAX_BYTES. */
static bool first_visit(flatten_job *job, const char *path)
{
    for (int i = 0; i < job->seen_count; i++)
        if (strcmp(job->seen[i], path) == 0) return false;
    if (job->seen_count < FILES_MAX) memcpy(job->seen[job->seen_count++], path, strlen(path) + 1);
    return true;
}

static void banner(const flatten_job *job, const char *path, const char *what)
{
    size_t root = strlen(job->root);
    const char *shown = strncmp(path, job->root, root) == 0 ? path + root : path;
    fprintf(job->out, "/* ================ %s %s ================ */\n", what, shown);
}

static bool inline_file(flatten_job *job, const char *path, int depth);

static bool inline_quoted(flatten_job *job, const char *from, const char *name, int depth)
{
    char path[2 * PATH_MAX_BYTES];
    const char *slash = strrchr(from, '/');
    int folder = slash ? (int)(slash - from + 1) : 0;
    if (snprintf(path, sizeof path, "%.*s%s", folder, from, name) >= PATH_MAX_BYTES)
        return complain(name, "the path is too long");
    simplify(path);
    if (!first_visit(job, path)) return true;
    banner(job, path, "begin");
    if (!inline_file(job, path, depth + 1)) return complain(from, "included from here");
    banner(job, path, "end");
    return true;
}

static bool inline_file(flatten_job *job, const char *path, int depth)
{
    char line[LINE_MAX_BYTES], name[PATH_MAX_BYTES];
    bool good = true;
    if (depth > DEPTH_MAX) return complain(path, "includes are nested too deeply");
    FILE *in = fopen(path, "rb");
    if (!in) return complain(path, "cannot be read");
    while (good && fgets(line, sizeof line, in)) {
        if (!strchr(line, '\n') && !feof(in))
            good = complain(path, "a line is longer than 4095 bytes");
        else if (quoted_name(line, name))
            good = inline_quoted(job, path, name, depth);
        else if (fputs(line, job->out) < 0)
            good = complain(path, "the output cannot be written");
    }
    fclose(in);
    return good;
}

static bool flatten(const char *in, const char *partial)
{
    static flatten_job job;
    char path[PATH_MAX_BYTES];
    if (strlen(in) >= sizeof path) return complain(in, "the path is too long");
    snprintf(path, sizeof path, "%s", in);
    simplify(path);
    const char *slash = strrchr(path, '/');
    snprintf(job.root, sizeof job.root, "%.*s", slash ? (int)(slash - path + 1) : 0, path);
    job.out = fopen(partial, "wb");
    if (!job.out) return complain(partial, "cannot be written");
    bool good = first_visit(&job, path) && inline_file(&job, path, 0);
    if (good && job.seen_count == FILES_MAX) good = complain(path, "includes too many files");
    if (fclose(job.out) != 0 && good) good = complain(partial, "cannot be written");
    return good;
}

int main(int argc, char **argv)
{
    char partial[PATH_MAX_BYTES];
    if (argc != 3) {
        fprintf(stderr, "usage: flatten IN OUT\n");
        return 2;
    }
    if (snprintf(partial, sizeof partial, "%s.partial", argv[2]) >= (int)sizeof partial) return 2;
    if (flatten(argv[1], partial) && rename(partial, argv[2]) == 0) return 0;
    remove(partial);
    return 1;
}
