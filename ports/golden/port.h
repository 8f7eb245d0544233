/* SPDX-License-Identifier: MIT
   ports/golden/port.h - what a machine must offer to run the programs of this folder: a way to print.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   one file of a port's folder defines port_puts and calls port_main */
#ifndef TIDEPOOL_PORT_H
#define TIDEPOOL_PORT_H

/* The port supplies it: prints text as it is. */
void port_puts(const char *text);
/* The port calls it and ends with its result: 0 is good. */
int port_main(void);

#endif
