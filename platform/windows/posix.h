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

/* Other programs: what host_tools/common/child.c needs. There are no groups of processes: kill ends
   one process. */
#define WNOHANG               1
#define WIFEXITED(status)     ((void)(status), 1) /* no process is ended by a signal */
#define WEXITSTATUS(status)   (status)
#define WTERMSIG(status)      (status)
#define SIGKILL               9
#define POSIX_SPAWN_SETPGROUP 0
typedef struct posix_spawn_file_actions_t {
    int from[3]; /* descriptor + 1 of each standard stream; 0: that of this program */
} posix_spawn_file_actions_t;
typedef int posix_spawnattr_t;
#define posix_spawnattr_init(attributes)                       (*(attributes) = 0)
#define posix_spawnattr_setflags(attributes, flags)            (*(attributes) = (flags))
#define posix_spawnattr_setpgroup(attributes, group)           ((void)(attributes))
#define posix_spawnattr_destroy(attributes)                    ((void)(attributes))
#define posix_spawn_file_actions_init(files)                   (*(files) = (posix_spawn_file_actions_t){{0}})
#define posix_spawn_file_actions_adddup2(files, from_file, to) ((files)->from[to] = (from_file) + 1)
#define posix_spawn_file_actions_destroy(files)                ((void)(files))
/* The program gets the environment of this one. */
#define posix_spawnp(process, file, files, attributes, arguments, environment) \
    ((void)(attributes), windows_spawn(process, file, files, arguments))
int windows_spawn(pid_t *process, const char *file, const posix_spawn_file_actions_t *files,
                  char *const *arguments);
pid_t waitpid(pid_t process, int *status, int options);
int kill(pid_t process, int number);

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
