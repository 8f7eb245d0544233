/* SPDX-License-Identifier: MIT
   platform/windows/posix.h - what POSIX has and the C library of Windows has not, or does otherwise.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   POSIX.1-2008; own design. Compile everything with -include of this file and link posix.c: then platform/posix and
           the host program are those of every other machine */
#ifndef TIDEPOOL_WINDOWS_POSIX_H
#define TIDEPOOL_WINDOWS_POSIX_H
#define tell windows_tell /* a name of theirs, which is ours in several files */
#include <direct.h>
#include <dirent.h>
#include <fcntl.h>
#include <io.h>
#include <signal.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>
#undef tell

/* ---- the same name, another meaning ---- */

/* Takes the place of a file that is there; Windows' own refuses. */
int windows_rename(const char *from, const char *to);
#define rename windows_rename
/* Windows has no modes of folders. */
int windows_mkdir(const char *path, int mode);
#define mkdir windows_mkdir
/* In the user's folder for such files; Windows' own wants the root of the drive, which few may write to. */
FILE *windows_tmpfile(void);
#define tmpfile windows_tmpfile
/* Every folder can be entered; Windows' access() stops the program when it is asked. */
#undef X_OK
#define X_OK 0
/* Everything printed and read is bytes, not lines, and \ in an argument is /: arranged before the program begins. */
int windows_main(int argc, char **argv);
#define main windows_main

/* ---- what is missing ---- */

/* No file is taken for a link. */
#define lstat stat
ssize_t readlink(const char *path, char *target, size_t size);
int fsync(int file);
int link(const char *from, const char *to);
/* They move the file's position, which POSIX's leave; no caller uses both. */
ssize_t pread(int file, void *bytes, size_t size, off_t offset);
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset);

/* Ctrl-C, the end of a process, Ctrl-Break or a window that is closed; a handler is forgotten once it was called, as with
   SA_RESETHAND, and nothing is interrupted. */
#define SIGHUP       SIGBREAK
#define SA_RESTART   0
#define SA_RESETHAND 0
struct sigaction {
    void (*sa_handler)(int number);
    int sa_flags, sa_mask;
};
int sigaction(int number, const struct sigaction *action, struct sigaction *before);
int sigemptyset(int *set);

#endif
