/* SPDX-License-Identifier: MIT
   tests/harness/files_help.h - folders for tests; runs commands in the test program and keeps their
           output.
   reads   command lines                   writes  files below the temporary folder
   memory  malloc                          cost    that of the commands
   after   own design; POSIX */
#ifndef TIDEPOOL_FILES_HELP_H
#define TIDEPOOL_FILES_HELP_H
#include "test.h"

/* Makes an empty folder below $TMPDIR or /tmp; test_folder_remove deletes it with its contents. */
char *test_folder_make(void);
void test_folder_remove(char *folder);
/* Number of entries in a folder, including hidden ones. */
size_t test_folder_count(const char *folder);
bool test_file_exists(const char *path);
/* True when both files hold the same bytes. */
bool test_files_equal(const char *a, const char *b);
/* True when both folders hold .bphys files of the same names and bytes, and nothing else. */
bool test_folders_equal(const char *a, const char *b);
/* Formats a text into one of eight static buffers, which are used in turn. */
const char *test_text(const char *format, ...);
void test_file_write(const char *path, const void *bytes, size_t size);
/* One frame of the fixtures below tests/fixtures/blender, for example ("newton_s1/none",
   "456D6974746572", 7). */
const char *test_fixture(const char *folder, const char *name, int frame);

/* The output of a command; test_output_free frees it. */
typedef struct test_output {
    int code;
    char *standard, *errors;
} test_output;
/* Runs `command` with the words of `line`, which are separated by single blanks. */
test_output test_command(int (*command)(int, char **), const char *line);
void test_output_free(test_output *output);
/* Runs a command. Checks its exit code and that its error output contains `text` (NULL: there is no
   error output). */
void test_expect(int (*command)(int, char **), const char *line, int code, const char *text);
int command_convert(int argc, char **argv);
/* Expects that `tidepool convert` succeeds with these arguments. */
static inline void test_convert(const char *arguments)
{
    test_expect(command_convert, test_text("convert %s --quiet", arguments), 0, NULL);
}
/* Runs `work` and returns what it wrote to standard error, as malloc'd text. */
char *test_errors_of(void (*work)(void *), void *context);

#endif
