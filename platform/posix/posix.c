/* SPDX-License-Identifier: MIT
   platform/posix/posix.c - the platform on POSIX.1-2008: Linux, the BSDs, macOS.
   reads   CLOCK_MONOTONIC, files      writes  files, standard error
   memory  none      cost    one system call per call; the clock needs none if the kernel maps it
           (vDSO)
   after   own design */
#include "../platform.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

uint64_t platform_clock_us(void *context)
{
    struct timespec now;
    (void)context;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

platform_result platform_storage_open(platform_storage *storage, const char *name, bool writes)
{
    struct stat status;
    memset(storage, 0, sizeof *storage);
    int file = open(name, writes ? O_RDWR | O_CREAT : O_RDONLY, 0666);
    if (file < 0) return errno == ENOENT ? PLATFORM_MISSING : PLATFORM_FAILED;
    if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
        close(file);
        return PLATFORM_FAILED;
    }
    *storage = (platform_storage){(uint64_t)status.st_size, 1, file, writes};
    return PLATFORM_OK;
}

platform_result platform_storage_read(platform_storage *storage, uint64_t offset, void *bytes,
                                      uint32_t size)
{
    if (offset > storage->bytes || size > storage->bytes - offset) return PLATFORM_RANGE;
    for (uint32_t done = 0; done < size;) {
        ssize_t got =
            pread((int)storage->handle, (char *)bytes + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) return PLATFORM_FAILED;
        done += (uint32_t)got;
    }
    return PLATFORM_OK;
}

platform_result platform_storage_write(platform_storage *storage, uint64_t offset,
                                       const void *bytes, uint32_t size)
{
    if (offset > storage->bytes) return PLATFORM_RANGE;
    if (!storage->writes) return PLATFORM_FAILED;
    for (uint32_t done = 0; done < size;) {
        ssize_t put = pwrite((int)storage->handle, (const char *)bytes + done, size - done,
                             (off_t)(offset + done));
        if (put < 0 && errno == EINTR) continue;
        if (put <= 0) return PLATFORM_FAILED;
        done += (uint32_t)put;
        if (offset + done > storage->bytes) storage->bytes = offset + done;
    }
    return PLATFORM_OK;
}

platform_result platform_storage_sync(platform_storage *storage)
{
    return fsync((int)storage->handle) == 0 ? PLATFORM_OK : PLATFORM_FAILED;
}

void platform_storage_close(platform_storage *storage)
{
    if (storage->handle > 0) close((int)storage->handle);
    memset(storage, 0, sizeof *storage);
}

/* Writes the line with one system call, so that lines of several programs do not interleave. */
static void write_line(const char *start, const char *line)
{
    char text[512];
    size_t used = 0;
    for (; *start && used < sizeof text - 1; start++) text[used++] = *start;
    for (; *line && used < sizeof text - 1; line++) text[used++] = *line;
    text[used++] = '\n';
    /* the error cannot be reported anywhere else */
    if (write(STDERR_FILENO, text, used) < 0) return;
}

void platform_log(const char *line) { write_line("", line); }

_Noreturn void platform_fatal(const char *line)
{
    write_line("fatal: ", line);
    abort();
}
