/* SPDX-License-Identifier: MIT
 *
 * What the recorder needs to know of an instruction: a part of plugin.c, and not to be compiled alone.
 */
/* Whether an instruction of x86 has a prefix that repeats it: F3 or F2 before a string operation, with other prefixes between. */
static bool repeated(const struct insn *in) {
	const uint8_t *b = qemu_plugin_insn_data(in);
	bool prefix = false;
	for (size_t i = 0; x86 && i < qemu_plugin_insn_size(in); i++) {
		if (b[i] == 0xf2 || b[i] == 0xf3) prefix = true;
		else if (b[i] != 0x66 && b[i] != 0x67 && (b[i] & 0xf0) != 0x40)
			return prefix && ((b[i] >= 0xa4 && b[i] <= 0xa7) || (b[i] >= 0xaa && b[i] <= 0xaf));
	}
	return false;
}

/* After a branch, QEMU may report what it stores for a signal's handler as accesses of the branch. So those that a branch can have are
 * known: none or one of each kind. Others are any (0). */
enum { BRANCH = 4, LOADS = 1, STORES = 2 };
static uint32_t branch(const struct insn *in) {
	const uint8_t *b = qemu_plugin_insn_data(in);
	size_t n = qemu_plugin_insn_size(in), i = 0;
	if (!x86) return (b[3] >> 2 & 7) == 5 ? BRANCH : 0;
	while (i + 1 < n && (b[i] == 0x66 || b[i] == 0xf2 || b[i] == 0xf3 || b[i] == 0x2e || b[i] == 0x3e || (b[i] & 0xf0) == 0x40)) i++;
	int more = i + 1 < n ? b[i + 1] : 0;
	if (b[i] == 0xe8) return BRANCH | STORES;
	if (b[i] == 0xc3 || b[i] == 0xc2) return BRANCH | LOADS;
	if (b[i] == 0xff && (more >> 3 & 7) == 2) return BRANCH | LOADS | STORES;
	if (b[i] == 0xff && (more >> 3 & 7) == 4) return BRANCH | LOADS;
	if (b[i] == 0xe9 || b[i] == 0xeb || (b[i] & 0xf0) == 0x70 || (b[i] >= 0xe0 && b[i] <= 0xe3) || (b[i] == 0x0f && (more & 0xf0) == 0x80)) return BRANCH;
	return 0;
}

/* Whether an access can be one of its instruction. */
static bool branches(const thread *t, const site *s, meminfo m, uint64_t at) {
	int kind = qemu_plugin_mem_is_store(m) ? STORE : LOAD;
	return !s->once || (s->once & (kind == STORE ? STORES : LOADS) && !(t->joinsat == at && t->joins[kind]));
}
