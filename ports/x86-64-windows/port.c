/* SPDX-License-Identifier: MIT
   ports/x86-64-windows/port.c - Windows: standard output, its bytes as they are, and an exit code.
   reads   nothing      writes  standard output
   memory  none         cost    that of the program
   after   own design; Windows' C library ends lines with two bytes unless it is told not to, and then a text that is the same
           on every machine would not be */
#include "../golden/port.h"
#include <fcntl.h>
#include <io.h>
#include <stdio.h>

void port_puts(const char *text) { fputs(text, stdout); }

int main(void)
{
    if (_setmode(_fileno(stdout), _O_BINARY) < 0) return 1;
    int code = port_main();
    return fflush(stdout) == 0 ? code : 1;
}
