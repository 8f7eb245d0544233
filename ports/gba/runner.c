/* SPDX-License-Identifier: MIT
   ports/gba/runner.c - runs a cartridge image without a window until the program reports its end.
   reads   runner IMAGE [PICTURE [KEYS]]; KEYS are bits as in KEYINPUT, held all the time
   writes  the program's output; the last picture as PPM
   memory  the emulator's              cost    some seconds; the caller sets the time limit
   after   libmgba's interface for front ends */
#include <mgba/core/core.h>
#include <mgba/core/config.h>
#include <mgba/core/log.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int runner_code = -1; /* exit code of the program; -1: still running */
static int runner_starts;    /* a program that starts again has lost its way */

static void runner_log(struct mLogger *logger, int category, enum mLogLevel level,
                       const char *format, va_list values)
{
    const char *name = mLogCategoryName(category);
    char text[600];
    (void)logger, (void)level;
    if (!name || strcmp(name, "GBA Debug") != 0) return;
    vsnprintf(text, sizeof text, format, values);
    if (sscanf(text, "port ends %d", &runner_code) == 1) return;
    if (strcmp(text, "port starts") == 0) {
        if (!runner_starts++) return;
        runner_code = 3;
        puts("the program restarted: a jump to 0, perhaps as its stack overflowed");
        return;
    }
    puts(text);
    fflush(stdout);
}

static int runner_write(const char *path, const color_t *pixels, unsigned width, unsigned height)
{
    FILE *file = fopen(path, "wb");
    if (!file) return 1;
    fprintf(file, "P6\n%u %u\n255\n", width, height);
    for (unsigned i = 0; i < width * height; i++) {
        unsigned char rgb[3] = {(unsigned char)pixels[i], (unsigned char)(pixels[i] >> 8),
                                (unsigned char)(pixels[i] >> 16)};
        fwrite(rgb, 1, 3, file);
    }
    return fclose(file) != 0;
}

int main(int count, char **words)
{
    static struct mLogger logger = {.log = runner_log};
    unsigned width, height;
    mLogSetDefaultLogger(&logger);
    struct mCore *core = count > 1 ? mCoreFind(words[1]) : NULL;
    if (!core || !core->init(core)) return 2;
    mCoreInitConfig(core, NULL);
    core->desiredVideoDimensions(core, &width, &height);
    color_t *pixels = calloc((size_t)width * height, sizeof *pixels);
    if (!pixels) return 2;
    core->setVideoBuffer(core, pixels, width);
    if (!mCoreLoadFile(core, words[1])) return 2;
    core->reset(core);
    core->setKeys(core, count > 3 ? (uint32_t)strtoul(words[3], NULL, 0) : 0);
    while (runner_code < 0) core->runFrame(core);
    core->runFrame(core); /* so that the picture of the last state is complete */
    int failed = count > 2 ? runner_write(words[2], pixels, width, height) : 0;
    core->deinit(core);
    free(pixels);
    return failed ? 2 : runner_code;
}
