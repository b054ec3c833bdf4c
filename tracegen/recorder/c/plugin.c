/* SPDX-License-Identifier: MIT
 *
 * The recorder: a plugin of QEMU's user mode. It sends the memory references of a program, and the calls that the preloaded
 * library marks, to tracegen through a pipe.
 *
 * Options: pipe=FD and buffers=FD; refs=0|1; fetches=0|1; marked=1 if the library numbers threads; from=OFFSET to record from the
 * first execution of the instruction at this offset from the start of the program's code on, or from=0 from the library's mark on;
 * to=OFFSET to record up to such an instruction; skip=N, window=N, every=N, most=N and stacks=0 for references (see region.h); symbols=0|1 to
 * send what names places, and hidden=DIGEST of the library's path (see places.h); go=1 if Go's runtime marks goroutines (see
 * goroutines.h).
 *
 * Each block on the pipe is a header and its contents. Threads write blocks one at a time, so the order of marks on the pipe is the
 * order in which they happened. Records of a thread that are not written yet are in shared memory (buffers), where tracegen finds
 * them if the program is killed.
 */
#define _GNU_SOURCE
#include "qemu.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

EXPORT int qemu_plugin_version = API;

enum { MAGIC = 0x53505231, REFS = 1, SITES, MARK, END, CHILD, LAST, OUTSIDE }; /* OUTSIDE is a mark outside of the region */
enum { LOAD = 0, STORE, FETCH, STEP };                   /* of records; a STEP is only instructions, with their number as the address */
enum { RECORDS = 8190, VCPUS = 4096, NAMES = 1024, OWNFD = 500 };
enum { GOLEFT = 78 };                                    /* the mark with the instructions that no goroutine executed */
enum { MARKCALL = 0x5350f000, FORGET = 0, BEGIN, LEAVE };/* the number of a system call that does not exist, and its phases */
enum { STARTS = 1, RUNS = 10 };                          /* the kinds of the marks with which a thread and main begin */
#define NOBODY UINT32_MAX                                /* a thread of a library, which is not recorded */

/* A record: what is, from the lowest bit, 20 bits of instructions since the last record, 2 of its kind, 10 of its size. */
typedef struct { uint64_t addr; uint32_t site, what; } record;
enum { MAXSTEP = (1 << 20) - 1, KIND = 20, SIZE = 22, MAXSIZE = (1 << 10) - 1, MAXJOIN = 512 };

typedef struct { uint32_t magic, kind, thread, sequence; uint64_t instr, bytes; } header;
typedef struct { header head; record records[RECORDS]; } buffer; /* of a thread, in shared memory; bytes are those of its records */
typedef struct { uint64_t id, pc; } name;
typedef struct { uint64_t kind, object, phase, number; } mark;

/* An instruction of a block. After the last one is one for the whole block, whose index is the number of instructions. */
typedef struct { uint64_t pc; uint32_t index, id, bytes, once; } site;

typedef struct {
	uint64_t done;     /* instructions of blocks before the one that runs */
	uint64_t skipped;  /* instructions that are not recorded */
	uint64_t left;     /* those of the region, of all goroutines */
	uint64_t begin;    /* where it became quiet */
	uint64_t last;     /* position of the last record */
	const site *block; /* the end of the sites of the block that runs */
	uint32_t now;      /* instructions of the block that runs */
	uint32_t quiet;    /* calls of a library that it is inside of; and 1 outside of the region */
	uint32_t mute;     /* its references are left out here */
	uint32_t state;    /* of the region, as it knows it */
	uint32_t slot;
	uint64_t stack, stackbytes; /* the part of memory that is its stack, if that is left out */
	uint64_t until, references; /* place up to which mute holds; references so far */
	record *joins[2];  /* the records, of loads and stores, that the next access of this instruction may extend */
	uint64_t joinsat;
	uint64_t repeats;  /* address of the repeated instruction with which the last block ended, or 0 */
	buffer *out;
} thread;

typedef struct { uint64_t first, last; const site *block; } repeat; /* addresses of repeated instructions, or 0 */

static thread *vcpus[VCPUS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int pipefd = -1, buffers = -1, off, x86;
static uint64_t refs = 1, fetches, marked, go, given[3]; /* options; given are descriptors */
static uint32_t nsites, nnames, nthreads, nslots, nfree, freeslots[VCPUS];
static name names[NAMES];
static uint64_t *pcs; /* by site */
static buffer none;   /* of threads in a process that is not recorded */

#include "region.h"
#include "decode.h"

#include "blocks.h"

static void access_by(thread *t, const site *s, uint64_t at, uint64_t addr, uint32_t size, uint32_t kind) {
	record *j = t->joins[kind];
	/* QEMU splits an access of more than 8 bytes, and repeats string instructions: the parts of one instruction that touch are one
	 * reference. */
	if (j && t->joinsat == at && j->addr + (j->what >> SIZE) == addr && (j->what >> SIZE) + size <= MAXJOIN) {
		j->what += size << SIZE;
		return;
	}
	if (t->joinsat != at) t->joins[LOAD] = t->joins[STORE] = NULL;
	if (enough(t)) return;
	j = add(t, at, addr, s->id, kind, size);
	t->joins[kind] = j;
	t->joinsat = at;
}

static void touch(unsigned v, meminfo m, uint64_t addr, void *u) {
	thread *t = vcpus[v];
	if (t->quiet | t->mute) return;
	if (addr - t->stack < t->stackbytes) {
		cut = 1;
		return;
	}
	const site *s = u;
	uint64_t at = t->done + s->index + 1 - t->skipped;
	/* When QEMU saves the registers for a signal's handler, it reports stores of an instruction that ran earlier. */
	if ((uintptr_t)t->block - (uintptr_t)s > t->now * sizeof *s || at < t->last || !branches(t, s, m, at)) return;
	uint32_t size = 1u << qemu_plugin_mem_size_shift(m);
	if ((m >> 16 & 3) == READ_WRITE) { /* an atomic operation */
		access_by(t, s, at, addr, size, LOAD);
		access_by(t, s, at, addr, size, STORE);
		return;
	}
	access_by(t, s, at, addr, size, qemu_plugin_mem_is_store(m) ? STORE : LOAD);
}

/* A block begins: the one before it has executed. */
static thread *next(unsigned v) {
	thread *t = vcpus[v];
	follow(t);
	if (sampled) sample(t);
	return t;
}

static void block_runs(unsigned v, void *u) {
	thread *t = next(v);
	t->done += t->now;
	t->block = u;
	t->now = t->block->index;
	t->repeats = 0;
}

/* A block that begins or ends with a repeated instruction. Each repetition is a block; together they are one instruction. */
static void block_repeats(unsigned v, void *u) {
	thread *t = next(v);
	const repeat *r = u;
	t->done += t->now;
	t->block = r->block;
	t->now = t->block->index;
	if (r->first && r->first == t->repeats) t->done--;
	t->repeats = r->last;
}

static void block_fetched(unsigned v, void *u) {
	thread *t = vcpus[v];
	const site *s = u;
	if (t->quiet | t->mute) return;
	uint64_t at = t->done + 1 - t->skipped;
	for (uint32_t i = 0; i < s->bytes && !enough(t); i += MAXSIZE)
		add(t, at, s->pc + i, s->id, FETCH, s->bytes - i < MAXSIZE ? s->bytes - i : MAXSIZE);
}

static void begins(unsigned v, void *u) { passes(vcpus[v], BEFORE, INSIDE); }
static void ends(unsigned v, void *u) { passes(vcpus[v], INSIDE, AFTER); }

/* Gives a thread a number and a buffer. The caller holds the lock. */
static bool attach(thread *t) {
	t->slot = nfree ? freeslots[--nfree] : nslots++;
	if (!(t->out = share(t->slot))) return false;
	t->out->head = (header){MAGIC, REFS, go ? 0 : marked && nthreads ? NOBODY : nthreads, 0, 0, 0};
	nthreads++;
	return true;
}

static void init(uint64_t id, unsigned v) {
	thread *t = calloc(1, sizeof *t);
	pthread_mutex_lock(&lock);
	if (v >= VCPUS || (!off && !attach(t))) abort();
	t->state = state;
	t->quiet = (state != INSIDE) + (go || (marked && nthreads > 1));
	if (off) t->out = &none, t->quiet = OFF;
	pthread_mutex_unlock(&lock);
	vcpus[v] = t;
}

/* The caller holds the lock. */
static void finish(thread *t) {
	flush(t);
	if (t->quiet) settle(t);
	if (go) block(MARK, t, &(mark){GOLEFT, 0, 0, t->left}, sizeof(mark));
	if (t->out->head.thread != NOBODY) block(END, t, NULL, 0);
	t->out->head.magic = 0;
	if (!off) freeslots[nfree++] = t->slot, munmap(t->out, sizeof(buffer));
	free(t);
}

static void gone(uint64_t id, unsigned v) {
	pthread_mutex_lock(&lock);
	if (vcpus[v]) finish(vcpus[v]);
	vcpus[v] = NULL;
	pthread_mutex_unlock(&lock);
}

static void bye(uint64_t id, void *u) {
	if (symbols && !off) endplaces();
	pthread_mutex_lock(&lock);
	for (int i = 0; i < VCPUS; i++) {
		if (vcpus[i]) finish(vcpus[i]);
		vcpus[i] = NULL;
	}
	uint32_t last[] = {state, cut};
	block(LAST, NULL, last, sizeof last);
	pthread_mutex_unlock(&lock);
}

#include "translate.h"
#include "children.h"

/* The caller holds the lock. */
static void say(thread *t, mark m) {
	flush(t);
	block(t->state == INSIDE ? MARK : OUTSIDE, t, &m, sizeof m);
}

#include "goroutines.h"

static void call(uint64_t id, unsigned v, int64_t number, uint64_t kind, uint64_t object, uint64_t phase, uint64_t value, uint64_t a5, uint64_t a6,
	uint64_t a7, uint64_t a8) {
	thread *t = vcpus[v];
	caller = v;
	if (t) t->block = NULL; /* what comes before the next block is the system's */
	if (off || !t) return;
	if (number != MARKCALL) {
		if (number == (x86 ? 9 : 222) && phase & EXECUTE) __atomic_store_n(&remapped, 1, __ATOMIC_RELEASE); /* mmap of code */
		executes(t, number, kind, object, phase, value);
		return;
	}
	if (go && scheduled(t, kind, object, phase, value)) return;
	if (t->out->head.thread == NOBODY && kind != STARTS) return;
	if (kind == RUNS) {
		if (!from) begins(v, NULL);
		return;
	}
	if (kind == STARTS) {
		t->out->head.thread = object;
		t->state = state;
		t->quiet = 1 + (t->state != INSIDE);
		t->begin = 0;
		wake(t);
	}
	if (phase == LEAVE) wake(t);
	pthread_mutex_lock(&lock);
	say(t, (mark){kind, object, phase, value});
	pthread_mutex_unlock(&lock);
	if (phase == BEGIN) silence(t);
}

EXPORT int qemu_plugin_install(uint64_t id, const qinfo *info, int argc, char **argv) {
	static struct { const char *name; uint64_t *to; bool inherited; } numbers[] = {{"pipe", &given[0]}, {"buffers", &given[1]}, {"children", &given[2]},
		{"marked", &marked}, {"go", &go}, {"from", &from}, {"to", &to}, {"refs", &refs, true}, {"fetches", &fetches, true}, {"skip", &skip, true},
		{"window", &window, true}, {"every", &every, true}, {"most", &most, true}, {"stacks", &stacks, true}, {"symbols", &symbols, true}, {"hidden", &hidden, true}};
	for (int i = 0; i < argc; i++) {
		char *value = strchr(argv[i], '=');
		int known = 0;
		if (!value) return 1;
		*value++ = 0;
		if (!strcmp(argv[i], "preload")) preload = strdup(value), known = 1;
		if (!strcmp(argv[i], "from")) state = BEFORE;
		for (size_t j = 0; j < sizeof numbers / sizeof *numbers; j++)
			if (!strcmp(argv[i], numbers[j].name)) {
				*numbers[j].to = strtoull(value, NULL, 0), known = 1;
				size_t n = strlen(options);
				if (numbers[j].inherited) snprintf(options + n, sizeof options - n, ",%s=%s", argv[i], value);
			}
		if (!known) return 1;
	}
	pipefd = own(given[0]), buffers = own(given[1]);
	if (given[2]) registry = own(given[2]);
	sampled = skip || window;
	x86 = !strcmp(info->target, "x86_64");
	if (symbols && !shareheap()) abort();
	machine = x86 ? EM_X86_64 : EM_AARCH64;
	pthread_atfork(forks, parent, forked);
	qemu_plugin_register_vcpu_init_cb(id, init);
	qemu_plugin_register_vcpu_exit_cb(id, gone);
	qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
	qemu_plugin_register_vcpu_syscall_cb(id, call);
	qemu_plugin_register_atexit_cb(id, bye, NULL);
	return 0;
}
