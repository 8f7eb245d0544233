/* SPDX-License-Identifier: MIT
   ports/hosted/port.c - a machine with a C library: standard output and an exit code.
   reads   nothing      writes  standard output
   memory  none         cost    that of the program
   after   own design */
#include "../golden/port.h"
#include <stdio.h>

void port_puts(const char *text) { fputs(text, stdout); }

int main(void)
{
    int code = port_main();
    return fflush(stdout) == 0 ? code : 1;
}
