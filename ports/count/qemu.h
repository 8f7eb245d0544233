/* SPDX-License-Identifier: MIT
   ports/count/qemu.h - the part of QEMU's plugin interface that the plugins here use, and the
           symbols that they export.
   reads   nothing      writes  nothing: declarations
   memory  none         cost    none
   after   QEMU's qemu-plugin.h, which is often not installed */
#ifndef TIDEPOOL_COUNT_QEMU_H
#define TIDEPOOL_COUNT_QEMU_H
#include <stddef.h>
#include <stdint.h>

#ifndef COUNT_VERSION
#define COUNT_VERSION 1 /* version of the interface; QEMU refuses unknown versions */
#endif
#define COUNT_EXPORT __attribute__((visibility("default")))

struct qemu_plugin_tb;
struct qemu_info_t;
typedef uint64_t count_id;

extern void qemu_plugin_register_vcpu_tb_trans_cb(count_id id,
                                                  void (*call)(count_id, struct qemu_plugin_tb *));
extern void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb *block,
                                                 void (*call)(unsigned int, void *), int flags,
                                                 void *context);
extern void qemu_plugin_register_atexit_cb(count_id id, void (*call)(count_id, void *),
                                           void *context);
extern size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);
extern uint64_t qemu_plugin_tb_vaddr(const struct qemu_plugin_tb *block);

COUNT_EXPORT int qemu_plugin_version = COUNT_VERSION;
COUNT_EXPORT int qemu_plugin_install(count_id id, const struct qemu_info_t *info, int argc,
                                     char **argv);

#endif
