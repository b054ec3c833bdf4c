/* SPDX-License-Identifier: MIT
 *
 * Blocks on the pipe, and the records of a thread, which are in its buffer until they are a block.
 */
static void put(const void *p, size_t n) {
	for (const char *q = p; n > 0 && !off;) {
		ssize_t w = write(pipefd, q, n);
		if (w < 0 && errno == EINTR) continue; /* a signal of the program */
		if (w <= 0) off = 1; /* tracegen has ended */
		else q += w, n -= w;
	}
}

static void block(uint32_t kind, thread *t, const void *p, size_t n) {
	header h = {MAGIC, kind, t ? t->out->head.thread : 0, t ? t->out->head.sequence : 0, t ? place(t) : 0, n};
	put(&h, sizeof h);
	put(p, n);
}

static void putnames(void) {
	if (nnames) block(SITES, NULL, names, nnames * sizeof *names);
	nnames = 0;
}

#include "places.h"

/* The caller holds the lock. */
static void flush(thread *t) {
	buffer *b = t->out;
	putnames();
	if (b->head.bytes) block(REFS, t, b->records, b->head.bytes);
	__atomic_store_n(&b->head.sequence, b->head.sequence + 1, __ATOMIC_RELEASE);
	b->head.bytes = 0;
	t->joins[LOAD] = t->joins[STORE] = NULL;
}

static record *slot(thread *t) {
	buffer *b = t->out;
	if (b->head.bytes == sizeof b->records) {
		pthread_mutex_lock(&lock);
		flush(t);
		pthread_mutex_unlock(&lock);
	}
	return b->records + b->head.bytes / sizeof(record);
}

/* Appends a record at a position, in instructions of the thread. */
static record *add(thread *t, uint64_t at, uint64_t addr, uint32_t id, uint32_t kind, uint32_t size) {
	uint64_t step = at - t->last;
	if (step > MAXSTEP) {
		*slot(t) = (record){step, 0, STEP << KIND};
		t->out->head.bytes += sizeof(record);
		step = 0;
	}
	record *r = slot(t);
	*r = (record){addr, id, step | kind << KIND | size << SIZE};
	t->out->head.bytes += sizeof *r;
	t->last = at;
	return r;
}
