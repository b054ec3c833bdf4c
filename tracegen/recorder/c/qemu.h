/* SPDX-License-Identifier: MIT
 *
 * The functions of QEMU's plugin interface that the recorder calls, in our own words: versions 1 to 5 have them.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

struct tb;
struct insn;
typedef uint32_t meminfo;
typedef struct {
	const char *target;
	struct { int min, cur; } version;
	bool system;
	struct { int now, max; } vcpus;
} qinfo;

enum { NO_REGISTERS = 0, READ_WRITE = 3 };

void qemu_plugin_register_vcpu_init_cb(uint64_t id, void (*)(uint64_t id, unsigned vcpu));
void qemu_plugin_register_vcpu_exit_cb(uint64_t id, void (*)(uint64_t id, unsigned vcpu));
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t id, void (*)(uint64_t id, struct tb *));
void qemu_plugin_register_vcpu_tb_exec_cb(struct tb *, void (*)(unsigned vcpu, void *), int registers, void *);
void qemu_plugin_register_vcpu_mem_cb(struct insn *, void (*)(unsigned vcpu, meminfo, uint64_t addr, void *), int registers, int rw, void *);
void qemu_plugin_register_vcpu_syscall_cb(uint64_t id, void (*)(uint64_t id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
	uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8));
void qemu_plugin_register_atexit_cb(uint64_t id, void (*)(uint64_t id, void *), void *);
size_t qemu_plugin_tb_n_insns(const struct tb *);
uint64_t qemu_plugin_tb_vaddr(const struct tb *);
struct insn *qemu_plugin_tb_get_insn(const struct tb *, size_t);
uint64_t qemu_plugin_insn_vaddr(const struct insn *);
void *qemu_plugin_insn_haddr(const struct insn *);
size_t qemu_plugin_insn_size(const struct insn *);
const void *qemu_plugin_insn_data(const struct insn *); /* before version 3 */
unsigned qemu_plugin_mem_size_shift(meminfo);
bool qemu_plugin_mem_is_store(meminfo);
uint64_t qemu_plugin_start_code(void);
