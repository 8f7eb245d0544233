/* SPDX-License-Identifier: MIT
   ports/golden/port.h - the interface that a machine must implement to run these programs: a way to
           print.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   one file of a port's folder defines port_puts and calls port_main */
#ifndef TIDEPOOL_PORT_H
#define TIDEPOOL_PORT_H

/* Defined by the port: prints text unchanged. */
void port_puts(const char *text);
/* Called by the port, which ends with its result; 0 is success. */
int port_main(void);

#endif
