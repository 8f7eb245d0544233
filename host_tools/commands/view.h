/* SPDX-License-Identifier: MIT
   host_tools/commands/view.h - the page of `tidepool view`.
   reads   -      writes  -
   memory  constant texts      cost    -
   after   own design */
#ifndef HOST_VIEW_H
#define HOST_VIEW_H

/* The page without its title and data, line by line; the last one is NULL. */
extern const char *const view_page[];
/* The player as a module of WebAssembly, packed with gzip, in base64; likewise. */
extern const char *const view_module[];

#endif
