/* SPDX-License-Identifier: MIT
   tests/harness/files_help.c - folders for tests; runs commands in the test program and keeps their
           output.
   reads   command lines                   writes  files below the temporary folder
   memory  malloc                          cost    that of the commands
   after   own design; POSIX */
#include "files_help.h"
#include "../../host_tools/common/host.h"
#include "../../host_tools/formats/bphys.h"
#include <dirent.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *test_folder_make(void)
{
    const char *base = getenv("TMPDIR");
    char *folder = host_text("%s/tidepool_test_XXXXXX", base && *base ? base : "/tmp");
    if (!CHECK(folder && mkdtemp(folder))) exit(2);
    return folder;
}

/* Folders of tests are at most three levels deep: FOLDER/hidden/old. */
static void remove_tree(const char *path, int depth)
{
    struct dirent *item;
    DIR *directory = depth ? opendir(path) : NULL;
    while (directory && (item = readdir(directory)) != NULL) {
        if (strcmp(item->d_name, ".") == 0 || strcmp(item->d_name, "..") == 0) continue;
        char *inner = host_text("%s/%s", path, item->d_name);
        if (inner && remove(inner) != 0) remove_tree(inner, depth - 1);
        free(inner);
    }
    if (directory) closedir(directory);
    remove(path);
}

void test_folder_remove(char *folder)
{
    remove_tree(folder, 4);
    free(folder);
}

size_t test_folder_count(const char *folder)
{
    size_t count = 0;
    struct dirent *item;
    DIR *directory = opendir(folder);
    while (directory && (item = readdir(directory)) != NULL)
        count += strcmp(item->d_name, ".") != 0 && strcmp(item->d_name, "..") != 0;
    if (directory) closedir(directory);
    return count;
}

bool test_file_exists(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0;
}

bool test_files_equal(const char *a, const char *b)
{
    uint8_t *left = NULL, *right = NULL;
    size_t left_size = 0, right_size = 0;
    bool equal = host_read_file(a, &left, &left_size) == HOST_DONE &&
                 host_read_file(b, &right, &right_size) == HOST_DONE;
    equal = equal && left_size == right_size && memcmp(left, right, left_size) == 0;
    free(left);
    free(right);
    return equal;
}

bool test_folders_equal(const char *a, const char *b)
{
    names_list list;
    if (names_scan(&list, a, a, bphys_rule, NULL) != HOST_DONE) return false;
    bool equal = test_folder_count(a) == list.count && test_folder_count(b) == list.count;
    for (size_t i = 0; i < list.count && equal; i++) {
        char *left = host_text("%s/%s", a, list.entries[i].file);
        char *right = host_text("%s/%s", b, list.entries[i].file);
        equal = left && right && test_files_equal(left, right);
        if (!equal) test_note("%s differs from %s", left, right);
        free(left);
        free(right);
    }
    names_free(&list);
    return equal;
}

const char *test_text(const char *format, ...)
{
    static char buffers[8][1024];
    static unsigned next;
    char *buffer = buffers[next++ % 8];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(buffer, sizeof buffers[0], format, arguments);
    va_end(arguments);
    return buffer;
}

void test_file_write(const char *path, const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    if (!CHECK(stream != NULL)) return;
    CHECK_EQ(fwrite(bytes, 1, size, stream), size);
    CHECK(fclose(stream) == 0);
}

const char *test_fixture(const char *folder, const char *name, int frame)
{
    return test_text("tests/fixtures/blender/%s/%s_%06d_00.bphys", folder, name, frame);
}

/* ---- redirected streams */

/* Redirects a descriptor to an unnamed temporary file; *saved is a copy of the old descriptor. */
static FILE *redirect(int descriptor, int *saved)
{
    FILE *file = tmpfile();
    if (!file) exit(2);
    *saved = dup(descriptor);
    dup2(fileno(file), descriptor);
    return file;
}

static char *restore(FILE *file, int descriptor, int saved)
{
    dup2(saved, descriptor);
    close(saved);
    long size = (fseek(file, 0, SEEK_END), ftell(file));
    char *text = calloc((size_t)size + 1, 1);
    rewind(file);
    if (!text || fread(text, 1, (size_t)size, file) != (size_t)size) exit(2);
    fclose(file);
    return text;
}

char *test_errors_of(void (*work)(void *), void *context)
{
    int saved;
    fflush(NULL);
    host_quiet(false); /* the state at the start of a command, for any earlier commands */
    FILE *file = redirect(STDERR_FILENO, &saved);
    work(context);
    fflush(NULL);
    return restore(file, STDERR_FILENO, saved);
}

test_output test_command(int (*command)(int, char **), const char *line)
{
    char *words[32], text[2048];
    int count = 0, saved_output, saved_errors;
    test_output output;
    snprintf(text, sizeof text, "%s", line);
    for (char *word = strtok(text, " "); word && count < 31; word = strtok(NULL, " "))
        words[count++] = word;
    words[count] = NULL;
    fflush(NULL);
    FILE *standard = redirect(STDOUT_FILENO, &saved_output),
         *errors = redirect(STDERR_FILENO, &saved_errors);
    output.code = command(count, words);
    fflush(NULL);
    output.errors = restore(errors, STDERR_FILENO, saved_errors);
    output.standard = restore(standard, STDOUT_FILENO, saved_output);
    return output;
}

void test_output_free(test_output *output)
{
    free(output->standard);
    free(output->errors);
}

void test_expect(int (*command)(int, char **), const char *line, int code, const char *text)
{
    test_output output = test_command(command, line);
    test_note("%s\n    exit code %d, errors: %s", line, output.code, output.errors);
    CHECK_EQ(output.code, code);
    if (text)
        CHECK(strstr(output.errors, text) != NULL);
    else
        CHECK(!*output.errors);
    test_output_free(&output);
}
