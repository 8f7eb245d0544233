/* SPDX-License-Identifier: MIT
   ports/x86-64-windows/port.c - port to Windows: binary standard output and an exit code.
   reads   nothing      writes  standard output
   memory  none         cost    that of the program
   after   own design; by default the C library of Windows ends lines with CR LF, and the output
           would differ from that of other machines */
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
