/* SPDX-License-Identifier: MIT
 *
 * Where the program's files and blocks of memory lie: a part of plugin.c, and not to be compiled alone.
 */
#include <sys/resource.h>

enum { MAPS = 32, HEAP }; /* kinds of blocks */
enum { STACKED = 4, USUALSTACK = 8 << 20 }; /* kind of a message of heap.h; bytes of a stack in QEMU */
enum { EXECUTE = 4 };     /* of the protection of memory */
enum { WRITES = 2 };      /* of callbacks of memory */
enum { MESSAGEBYTES = 64, MARKAT = 40 }; /* of heap.h */
#define MESSAGE 0x53706f6f724d7367

/* A change of the heap. All threads share one buffer of them, so that they are in the order in which they happened. */
typedef struct { uint64_t addr, bytes, site, instr; uint32_t thread, kind; } change;

static buffer *heap; /* of changes */
static pthread_mutex_t heaplock = PTHREAD_MUTEX_INITIALIZER; /* before the other lock */
static int remapped = 1;
static bool mapsagain;
static uint64_t symbols, base;                /* whether places are sent; where QEMU has the program's address 0 */
static uint64_t hidden, hiddenfrom, hiddento; /* digest of the path of the preloaded library, and its addresses */

/* Shares a buffer with tracegen, or returns NULL. The caller holds the lock. */
static buffer *share(uint32_t slot) {
	if (ftruncate(buffers, (off_t)nslots * sizeof(buffer))) return NULL;
	void *b = mmap(NULL, sizeof(buffer), PROT_READ | PROT_WRITE, MAP_SHARED, buffers, (off_t)slot * sizeof(buffer));
	return b == MAP_FAILED ? NULL : b;
}

static bool shareheap(void) {
	heap = share(nslots++);
	if (heap) heap->head = (header){MAGIC, HEAP, 0, 0, 0, 0};
	return heap;
}

/* The caller holds both locks. */
static void flushheap(void) {
	if (heap->head.bytes) put(&heap->head, sizeof heap->head + heap->head.bytes);
	__atomic_store_n(&heap->head.sequence, heap->head.sequence + 1, __ATOMIC_RELEASE);
	heap->head.bytes = 0;
}

/* Leaves out a thread's own stack. The number of bytes of that of main is a limit, up to which it grows. */
static void leaveout(thread *t, uint64_t stack, uint64_t bytes) {
	struct rlimit most = {0};
	getrlimit(RLIMIT_STACK, &most);
	uint64_t grows = most.rlim_cur != RLIM_INFINITY && most.rlim_cur > USUALSTACK ? most.rlim_cur : USUALSTACK;
	t->stack = bytes ? stack : stack - grows;
	t->stackbytes = bytes ? bytes : grows + USUALSTACK; /* its arguments lie above */
}

static void changes(thread *t, uint64_t kind, uint64_t addr, uint64_t site, uint64_t bytes) {
	if (!stacks && kind == STACKED) leaveout(t, addr, bytes);
	if (off || !symbols) return;
	pthread_mutex_lock(&heaplock);
	if (heap->head.bytes + sizeof(change) > sizeof heap->records) {
		pthread_mutex_lock(&lock);
		flushheap();
		pthread_mutex_unlock(&lock);
	}
	change *c = (change *)((char *)heap->records + heap->head.bytes);
	*c = (change){addr, bytes, site, place(t), t->out->head.thread, kind};
	heap->head.bytes += sizeof *c;
	pthread_mutex_unlock(&heaplock);
}

/* A store of the preloaded library, which may be the last of a message. */
static void told(unsigned v, meminfo m, uint64_t addr, void *u) {
	const uint64_t *message = (const uint64_t *)(base + addr - MARKAT);
	if (addr % MESSAGEBYTES == MARKAT && message[0] == MESSAGE) changes(vcpus[v], message[1], message[2], message[3], message[4]);
}

static void endplaces(void) {
	pthread_mutex_lock(&heaplock);
	pthread_mutex_lock(&lock);
	flushheap();
	heap->head.magic = 0;
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&heaplock);
}

/* FNV-1a */
static uint64_t digest(const char *s) {
	uint64_t h = 0xcbf29ce484222325;
	for (; *s; s++) h = (h ^ (uint8_t)*s) * 0x100000001b3;
	return h;
}

/* Sends where files are mapped: lines of address, end, offset and path. Its addresses are those of the program. The first time, it
 * sends memory without a file, too: one of it is the stack of main. The caller holds the lock. */
static void putmaps(void) {
	static char out[1 << 16];
	size_t n = 0;
	char text[8192];
	FILE *f = fopen("/proc/self/maps", "re");
	if (!f) return;
	while (fgets(text, sizeof text, f)) {
		unsigned long start, end, offset, inode;
		int at = 0;
		if (sscanf(text, "%lx-%lx %*s %lx %*s %lu %n", &start, &end, &offset, &inode, &at) < 4 || (mapsagain && !inode) || start < base) continue;
		char *path = text + at;
		path[strcspn(path, "\n")] = 0;
		if (hidden && digest(path) == hidden) {
			if (!hiddento) hiddenfrom = start - base;
			hiddento = end - base;
		}
		if (n + sizeof text + 64 > sizeof out) block(MAPS, NULL, out, n), n = 0;
		n += sprintf(out + n, "%lx %lx %lx %s\n", start - base, end - base, offset, inode ? path : "");
	}
	fclose(f);
	if (symbols) block(MAPS, NULL, out, n);
	mapsagain = true;
}

/* Whether a block of instructions is the recorder's own, which is not the program's work. The caller holds the lock. */
static bool ours(struct tb *tb) {
	struct insn *in = qemu_plugin_tb_get_insn(tb, 0);
	uint64_t pc = qemu_plugin_insn_vaddr(in);
	if (remapped && !off) {
		remapped = 0;
		base = (uint64_t)qemu_plugin_insn_haddr(in) - pc;
		putmaps();
	}
	return pc >= hiddenfrom && pc < hiddento;
}

static void block_hidden(unsigned v, void *u) {
	thread *t = vcpus[v];
	t->done += t->now;
	t->now = 0;
	t->repeats = 0;
}

static void hide(struct tb *tb) {
	qemu_plugin_register_vcpu_tb_exec_cb(tb, block_hidden, NO_REGISTERS, NULL);
	for (size_t i = qemu_plugin_tb_n_insns(tb); i-- > 0 && symbols;)
		qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(tb, i), told, NO_REGISTERS, WRITES, NULL);
}

/* In a forked process, which has what its parent had. The caller holds both locks. */
static void forkplaces(void) {
	if (heap) munmap(heap, sizeof *heap);
	if (off || !symbols || !shareheap()) {
		symbols = 0;
		return;
	}
	mapsagain = false;
	putmaps();
}
