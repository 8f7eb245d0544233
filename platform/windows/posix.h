/* SPDX-License-Identifier: MIT
   platform/windows/posix.h - POSIX functions that the C library of Windows lacks or implements
           differently.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   POSIX.1-2008; own design. Compile everything with -include of this file and link posix.c:
           platform/posix and the host program then compile unchanged */
#ifndef TIDEPOOL_WINDOWS_POSIX_H
#define TIDEPOOL_WINDOWS_POSIX_H
#define tell windows_tell /* <io.h> declares tell(); several files use the same name */
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

/* ---- same name, different behaviour ---- */

/* Replaces an existing file; rename() of Windows fails instead. */
int windows_rename(const char *from, const char *to);
#define rename windows_rename
/* Windows has no permission modes of folders: `mode` is ignored. */
int windows_mkdir(const char *path, int mode);
#define mkdir windows_mkdir
/* Uses the user's temporary folder; tmpfile() of Windows uses the root of the drive, which is
   rarely writable. */
FILE *windows_tmpfile(void);
#define tmpfile windows_tmpfile
/* Treated as always allowed; access() of Windows stops the program if it is called with the X_OK
   bit. */
#undef X_OK
#define X_OK 0
/* Before main, all streams are switched to binary mode, and \ in arguments is replaced by /. */
int windows_main(int argc, char **argv);
#define main windows_main

/* ---- missing functions ---- */

/* Symbolic links are not recognised. */
#define lstat stat
ssize_t readlink(const char *path, char *target, size_t size);
int fsync(int file);
int link(const char *from, const char *to);
/* Unlike those of POSIX they move the file position; no caller mixes them with read or write. */
ssize_t pread(int file, void *bytes, size_t size, off_t offset);
ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset);

/* Signals are Ctrl-C, the end of a process, Ctrl-Break, and a closed window. A handler is reset
   once it was called, as with SA_RESETHAND. System calls are not interrupted. */
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
