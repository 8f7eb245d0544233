/* SPDX-License-Identifier: MIT
   platform/windows/posix.c - POSIX functions that the C library of Windows lacks, implemented with
           the Windows API.
   reads   files, the program's arguments      writes  files
   memory  none      cost    one system call per call
   after   own design */
#include "posix.h"
#include <errno.h>
#include <process.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#undef main
#undef rename
#undef mkdir
#undef tmpfile

/* The program expands arguments with a * itself: MinGW's start code must not replace them by file
   names. */
extern int _dowildcard;
int _dowildcard = 0;

/* ---- errors ---- */

typedef struct windows_error {
    DWORD error;
    int number; /* value of errno */
} windows_error;

static const windows_error windows_errors[] = {
    {ERROR_FILE_NOT_FOUND, ENOENT}, {ERROR_PATH_NOT_FOUND, ENOENT},
    {ERROR_ACCESS_DENIED, EACCES},  {ERROR_SHARING_VIOLATION, EBUSY},
    {ERROR_LOCK_VIOLATION, EBUSY},  {ERROR_FILE_EXISTS, EEXIST},
    {ERROR_ALREADY_EXISTS, EEXIST}, {ERROR_HANDLE_DISK_FULL, ENOSPC},
    {ERROR_DISK_FULL, ENOSPC},      {ERROR_NOT_SAME_DEVICE, EXDEV},
    {ERROR_INVALID_HANDLE, EBADF}};

/* Sets errno from GetLastError(), and returns -1. */
static int windows_failed(void)
{
    DWORD error = GetLastError();
    errno = EIO;
    for (size_t i = 0; i < sizeof windows_errors / sizeof windows_errors[0]; i++)
        if (windows_errors[i].error == error) errno = windows_errors[i].number;
    return -1;
}

/* ---- files ---- */

int windows_rename(const char *from, const char *to)
{
    return MoveFileExA(from, to, MOVEFILE_REPLACE_EXISTING) ? 0 : windows_failed();
}

int windows_mkdir(const char *path, int mode)
{
    (void)mode;
    return _mkdir(path);
}

FILE *windows_tmpfile(void)
{
    char folder[MAX_PATH + 1], path[MAX_PATH + 1];
    DWORD length = GetTempPathA(sizeof folder, folder);
    if (length == 0 || length >= sizeof folder || !GetTempFileNameA(folder, "tp", 0, path)) {
        windows_failed();
        return NULL;
    }
    int file = _open(path, _O_RDWR | _O_BINARY | _O_TEMPORARY, 0); /* removed when it is closed */
    return file < 0 ? NULL : _fdopen(file, "w+b");
}

int fsync(int file) { return _commit(file); }

ssize_t readlink(const char *path, char *target, size_t size)
{
    (void)path;
    (void)target;
    (void)size;
    errno = EINVAL;
    return -1;
}

int link(const char *from, const char *to)
{
    return CreateHardLinkA(to, from, NULL) ? 0 : windows_failed();
}

/* Largest transfer of one call; callers loop for the rest. */
#define TRANSFER_MAX ((size_t)1 << 30)

static DWORD transfer_size(size_t size)
{
    return (DWORD)(size < TRANSFER_MAX ? size : TRANSFER_MAX);
}

static OVERLAPPED transfer_position(off_t offset)
{
    OVERLAPPED position = {0};
    position.Offset = (DWORD)((uint64_t)offset & 0xffffffffu);
    position.OffsetHigh = (DWORD)((uint64_t)offset >> 32);
    return position;
}

ssize_t pread(int file, void *bytes, size_t size, off_t offset)
{
    OVERLAPPED position = transfer_position(offset);
    DWORD done = 0;
    if (ReadFile((HANDLE)_get_osfhandle(file), bytes, transfer_size(size), &done, &position))
        return (ssize_t)done;
    return GetLastError() == ERROR_HANDLE_EOF ? 0 : windows_failed();
}

ssize_t pwrite(int file, const void *bytes, size_t size, off_t offset)
{
    OVERLAPPED position = transfer_position(offset);
    DWORD done = 0;
    if (WriteFile((HANDLE)_get_osfhandle(file), bytes, transfer_size(size), &done, &position))
        return (ssize_t)done;
    return windows_failed();
}

/* ---- other programs ---- */

/* An argument as CommandLineToArgvW reads it back: in quotes, with \ before each quote, and each
   \ before a quote twice. The caller frees it. */
static char *spawn_quoted(const char *argument)
{
    char *quoted = malloc(2 * strlen(argument) + 3), *to = quoted;
    size_t slashes = 0;
    if (!quoted) return NULL;
    *to++ = '"';
    for (; *argument; argument++) {
        for (; *argument == '"' && slashes; slashes--) *to++ = '\\';
        if (*argument == '"') *to++ = '\\';
        slashes = *argument == '\\' ? slashes + 1 : 0;
        *to++ = *argument;
    }
    for (; slashes; slashes--) *to++ = '\\';
    *to++ = '"';
    *to = 0;
    return quoted;
}

/* Exchanges the standard streams of this program with those of `files`, in `kept`. */
static void spawn_redirect(const posix_spawn_file_actions_t *files, int kept[3])
{
    for (int stream = 0; stream < 3; stream++) {
        if (!files->from[stream]) continue;
        kept[stream] = _dup(stream);
        _dup2(files->from[stream] - 1, stream);
    }
}

static void spawn_restore(const posix_spawn_file_actions_t *files, const int kept[3])
{
    for (int stream = 0; stream < 3; stream++) {
        if (!files->from[stream] || kept[stream] < 0) continue;
        _dup2(kept[stream], stream);
        _close(kept[stream]);
    }
}

int windows_spawn(pid_t *process, const char *file, const posix_spawn_file_actions_t *files,
                  char *const *arguments)
{
    enum { ARGUMENTS_MAX = 15 };
    const char *words[ARGUMENTS_MAX + 1] = {NULL};
    int kept[3] = {-1, -1, -1};
    intptr_t started = -1;
    size_t count = 0, quoted = 0;
    while (arguments[count]) count++;
    if (count > ARGUMENTS_MAX) return E2BIG;
    for (; quoted < count && (words[quoted] = spawn_quoted(arguments[quoted])) != NULL;) quoted++;
    int error = ENOMEM;
    if (quoted == count) {
        spawn_redirect(files, kept);
        started = _spawnvp(_P_NOWAIT, file, words);
        error = started < 0 ? errno : 0;
        spawn_restore(files, kept);
    }
    while (quoted) free((void *)(intptr_t)words[--quoted]);
    *process = (pid_t)started;
    return error;
}

pid_t waitpid(pid_t process, int *status, int options)
{
    HANDLE handle = (HANDLE)(intptr_t)process;
    DWORD code = 0, waited = WaitForSingleObject(handle, options & WNOHANG ? 0 : INFINITE);
    if (waited == WAIT_TIMEOUT) return 0;
    if (waited != WAIT_OBJECT_0 || !GetExitCodeProcess(handle, &code)) return windows_failed();
    CloseHandle(handle);
    *status = (int)code;
    return process;
}

/* A negative number is a group: here its first process. */
int kill(pid_t process, int number)
{
    HANDLE handle = (HANDLE)(intptr_t)(process < 0 ? -process : process);
    return TerminateProcess(handle, (UINT)number) ? 0 : windows_failed();
}

/* ---- signals ---- */

/* signal() cannot query a handler: without `action` the handler is replaced and then restored. */
int sigaction(int number, const struct sigaction *action, struct sigaction *before)
{
    void (*handler)(int) = signal(number, action ? action->sa_handler : SIG_IGN);
    if (handler == SIG_ERR) return -1;
    if (!action) signal(number, handler);
    if (before) *before = (struct sigaction){handler, 0, 0};
    return 0;
}

int sigemptyset(int *set)
{
    *set = 0;
    return 0;
}

/* ---- start of the program ---- */

int main(int argc, char **argv)
{
    _fmode = _O_BINARY; /* default for files opened later */
    for (int stream = 0; stream < 3; stream++) _setmode(stream, _O_BINARY);
    for (int i = 1; i < argc; i++)
        for (char *letter = argv[i]; *letter; letter++)
            if (*letter == '\\') *letter = '/';
    return windows_main(argc, argv);
}
