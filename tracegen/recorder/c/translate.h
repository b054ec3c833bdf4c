/* SPDX-License-Identifier: MIT
 *
 * Instructions as QEMU translates them: each gets a number, and what is called when it executes.
 */
/* The caller holds the lock. */
static void remember(uint32_t id, uint64_t pc) {
	if ((id & (id - 1)) == 0) pcs = realloc(pcs, (id ? 2 * (size_t)id : 1) * sizeof *pcs);
	if (!pcs) abort();
	pcs[id] = pc;
}

/* Sends the address of a site with the next block. The caller holds the lock. */
static void known(uint32_t id, uint64_t pc) {
	if (nnames == NAMES) putnames();
	names[nnames++] = (name){id, pc};
}

/* The caller holds the lock. */
static void named(site *s, struct tb *tb, size_t n) {
	for (size_t i = 0; i < n; i++) {
		struct insn *in = qemu_plugin_tb_get_insn(tb, i);
		s[i] = (site){qemu_plugin_insn_vaddr(in), i, nsites++, qemu_plugin_insn_size(in), branch(in)};
		remember(s[i].id, s[i].pc);
		known(s[i].id, s[i].pc);
		if (refs) qemu_plugin_register_vcpu_mem_cb(in, touch, NO_REGISTERS, READ_WRITE, &s[i]);
	}
}

static void translate(uint64_t id, struct tb *tb) {
	size_t n = qemu_plugin_tb_n_insns(tb);
	pthread_mutex_lock(&lock);
	bool hides = ours(tb);
	site *s = hides ? NULL : malloc((n + 1) * sizeof *s);
	if (!hides) {
		named(s, tb, n);
		s[n] = (site){s[0].pc, n, s[0].id, s[n - 1].pc + s[n - 1].bytes - s[0].pc};
	}
	pthread_mutex_unlock(&lock);
	if (hides) {
		hide(tb);
		return;
	}
	uint64_t start = qemu_plugin_start_code();
	if (from && s[0].pc == start + from) qemu_plugin_register_vcpu_tb_exec_cb(tb, begins, NO_REGISTERS, NULL);
	if (to && s[0].pc == start + to) qemu_plugin_register_vcpu_tb_exec_cb(tb, ends, NO_REGISTERS, NULL);
	bool first = repeated(qemu_plugin_tb_get_insn(tb, 0)), last = repeated(qemu_plugin_tb_get_insn(tb, n - 1));
	if (first || last) {
		repeat *r = malloc(sizeof *r);
		*r = (repeat){first ? s[0].pc : 0, last ? s[n - 1].pc : 0, &s[n]};
		qemu_plugin_register_vcpu_tb_exec_cb(tb, block_repeats, NO_REGISTERS, r);
	} else {
		qemu_plugin_register_vcpu_tb_exec_cb(tb, block_runs, NO_REGISTERS, &s[n]);
	}
	if (fetches) qemu_plugin_register_vcpu_tb_exec_cb(tb, block_fetched, NO_REGISTERS, &s[n]);
}
