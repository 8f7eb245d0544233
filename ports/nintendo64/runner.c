/* SPDX-License-Identifier: MIT
   ports/nintendo64/runner.c - runs a cartridge image without window or plugins until the program
           reports its end.
   reads   runner CORE IMAGE [PICTURE [BUTTONS]]; CORE: 0 interpreter, 1 cached interpreter, 2
           recompiler; BUTTONS as in BUTTONS.Value, held all the time (without BUTTONS no controller
           is connected)
   writes  the program's output; the last picture as PPM
   memory  the emulator's      cost    some seconds; the caller sets the time limit
   after   libmupen64plus's interface for front ends; the picture is read from the emulated RAM */
#define M64P_PLUGIN_PROTOTYPES
#include <mupen64plus/m64p_plugin.h>
#include <mupen64plus/m64p_types.h>
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*runner_log)(void *, int, const char *);
typedef m64p_error (*runner_startup)(int, const char *, const char *, void *, runner_log, void *,
                                     void (*)(void *, m64p_core_param, int));
typedef m64p_error (*runner_command)(m64p_command, int, void *);
typedef m64p_error (*runner_section)(const char *, m64p_handle *);
typedef m64p_error (*runner_setting)(m64p_handle, const char *, m64p_type, const void *);
typedef void *(*runner_memory)(m64p_dbg_memptr_type);

static runner_command command;
static runner_memory memory;
static const char *picture_path;
static int runner_code = -1;

/* ---- the controller: an input plugin inside this program ---- */

static uint32_t runner_held;

m64p_error PluginStartup(m64p_dynlib_handle core, void *context,
                         void (*tell)(void *, int, const char *))
{
    (void)core, (void)context, (void)tell;
    return M64ERR_SUCCESS;
}

m64p_error PluginShutdown(void) { return M64ERR_SUCCESS; }

m64p_error PluginGetVersion(m64p_plugin_type *type, int *version, int *interface, const char **name,
                            int *features)
{
    if (type) *type = M64PLUGIN_INPUT;
    if (version) *version = 0x10000;
    if (interface) *interface = 0x20100;
    if (name) *name = "held buttons";
    if (features) *features = 0;
    return M64ERR_SUCCESS;
}

void InitiateControllers(CONTROL_INFO controllers) { controllers.Controls[0].Present = 1; }
void GetKeys(int controller, BUTTONS *keys) { keys->Value = controller == 0 ? runner_held : 0; }
void ControllerCommand(int controller, unsigned char *bytes) { (void)controller, (void)bytes; }
void ReadController(int controller, unsigned char *bytes) { (void)controller, (void)bytes; }
int RomOpen(void) { return 1; }
void RomClosed(void) {}
void SDL_KeyDown(int modifiers, int key) { (void)modifiers, (void)key; }
void SDL_KeyUp(int modifiers, int key) { (void)modifiers, (void)key; }

static int runner_hold(void *library, const char *buttons)
{
    m64p_error (*attach)(m64p_plugin_type, m64p_dynlib_handle) =
        (m64p_error(*)(m64p_plugin_type, m64p_dynlib_handle))dlsym(library, "CoreAttachPlugin");
    runner_held = (uint32_t)strtoul(buttons, NULL, 0);
    return !attach || attach(M64PLUGIN_INPUT, dlopen(NULL, RTLD_NOW)) != M64ERR_SUCCESS;
}

/* ---- the picture ---- */

/* Words of the emulated RAM are in the byte order of this machine. */
static uint32_t picture_pixel(const uint32_t *ram, uint32_t address)
{
    return ram[address / 4u & 0x1fffffu] >> (address & 2u ? 0 : 16) & 0xffffu;
}

static int picture_write(const char *path)
{
    const uint32_t *ram = memory(M64P_DBG_PTR_RDRAM), *video = memory(M64P_DBG_PTR_VI_REG);
    FILE *file = fopen(path, "wb");
    if (!file || !ram || !video) return 1;
    uint32_t width = video[2], height = 240;
    fprintf(file, "P6\n%u %u\n255\n", width, height);
    for (uint32_t i = 0; i < width * height; i++) {
        uint32_t pixel = picture_pixel(ram, (video[1] & 0xffffffu) + 2u * i);
        for (uint32_t shift = 11; shift <= 11; shift -= 5) {
            uint32_t five = pixel >> shift & 31u;
            fputc((int)(five << 3 | five >> 2), file);
        }
    }
    return fclose(file) != 0;
}

static void runner_hear(void *context, int level, const char *text)
{
    const char *line = strstr(text, "IS64: ");
    (void)context;
    if (!line && level <= M64MSG_ERROR) fprintf(stderr, "%s\n", text);
    if (!line || runner_code >= 0) return;
    line += strlen("IS64: ");
    if (sscanf(line, "port ends %d", &runner_code) != 1) {
        fputs(line, stdout);
        if (!strchr(line, '\n')) fputc('\n', stdout);
        return;
    }
    int failed = picture_path ? picture_write(picture_path) : 0;
    /* exits here because without plugins the emulator cannot close its cartridge */
    exit(failed ? 2 : runner_code);
}

static int runner_set_core(void *library, int core)
{
    runner_section section = (runner_section)dlsym(library, "ConfigOpenSection");
    runner_setting setting = (runner_setting)dlsym(library, "ConfigSetParameter");
    m64p_handle handle;
    return !section || !setting || section("Core", &handle) != M64ERR_SUCCESS ||
           setting(handle, "R4300Emulator", M64TYPE_INT, &core) != M64ERR_SUCCESS;
}

int main(int count, char **words)
{
    static unsigned char image[4 << 20];
    void *library = dlopen("libmupen64plus.so.2", RTLD_NOW);
    FILE *file = count > 2 ? fopen(words[2], "rb") : NULL;
    if (!library || !file) return 2;
    runner_startup startup = (runner_startup)dlsym(library, "CoreStartup");
    command = (runner_command)dlsym(library, "CoreDoCommand");
    memory = (runner_memory)dlsym(library, "DebugMemGetPointer");
    picture_path = count > 3 ? words[3] : NULL;
    if (!startup || !command || !memory ||
        startup(0x020001, ".", ".", NULL, runner_hear, NULL, NULL) != M64ERR_SUCCESS)
        return 2;
    int bytes = (int)fread(image, 1, sizeof image, file);
    fclose(file);
    if (runner_set_core(library, atoi(words[1])) ||
        command(M64CMD_ROM_OPEN, bytes, image) != M64ERR_SUCCESS)
        return 2;
    if (count > 4 && runner_hold(library, words[4])) return 2;
    command(M64CMD_EXECUTE, 0, NULL);
    return 2; /* the program ended without reporting it */
}
