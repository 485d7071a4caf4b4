// A plugin for qemu-user that counts the instructions a program executes, and prints their number
// when it ends. Debian has qemu with plugins, but no plugin and no header; this is the part of
// qemu-plugin.h, version 1, that is needed. Counts are exact for programs with one thread.
#include <inttypes.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct qemu_plugin_tb;
struct qemu_info_t;
enum { INLINE_ADD_U64 };
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*translated)(uint64_t, struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb *block, int operation, void *to, uint64_t number);
void qemu_plugin_register_atexit_cb(uint64_t id, void (*ended)(uint64_t, void *), void *data);
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *block);

int qemu_plugin_version = 1;
static uint64_t count;

// Each execution of a block adds its length.
static void translated(uint64_t id, struct qemu_plugin_tb *block) {
    qemu_plugin_register_vcpu_tb_exec_inline(block, INLINE_ADD_U64, &count, qemu_plugin_tb_n_insns(block));
}

static void ended(uint64_t id, void *data) { fprintf(stderr, "%" PRIu64 "\n", count); }

int qemu_plugin_install(uint64_t id, const struct qemu_info_t *info, int argc, char **argv) {
    qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
    qemu_plugin_register_atexit_cb(id, ended, NULL);
    return 0;
}
