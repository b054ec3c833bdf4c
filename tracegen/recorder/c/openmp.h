/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of OpenMP that preload.c hides: a part of that file, and not to be compiled alone.
 */
/* GNU OpenMP. Its functions have up to ten arguments, which fit into registers or words of the stack: all are handed on. */
typedef long any(long, long, long, long, long, long, long, long, long, long);
#define TEN long a, long b, long c, long d, long e, long f, long g, long h, long i, long j
#define ALL a, b, c, d, e, f, g, h, i, j
#define OMP(f) ((any *)(real[f##_at] ? real[f##_at] : late(f##_at)))
#define HANDS(name, kind, object, number) EXPORT long name(TEN) { \
	mark(kind, object, BEGIN, number); \
	long r = OMP(name)(ALL); \
	mark(kind, object, LEAVE, 0); \
	return r; \
}

/* OpenMP may be loaded after main began, by a library that is. */
static void *late(int at) {
	int clang = names[at][0] == '_';
	void *library = dlopen(clang ? "libomp.so.5" : "libgomp.so.1", RTLD_LAZY | RTLD_NOLOAD);
	if (!library && clang) library = dlopen("libomp.so", RTLD_LAZY | RTLD_NOLOAD);
	real[at] = newest(library ? library : RTLD_NEXT, names[at]);
	if (!real[at]) abort();
	return real[at];
}

/* A team meets when a parallel region begins, and when it ends. Its members are quiet otherwise. */
typedef struct { void (*run)(void *); void *argument; unsigned arrived; } team;
THREADS_OWN team *mine;
THREADS_OWN unsigned members; /* of my team; 0 outside of all */

static void meet(team *t) {
	mark(BARRIER, (uint64_t)t, BEGIN, members);
	__atomic_add_fetch(&t->arrived, 1, __ATOMIC_ACQ_REL);
	while (__atomic_load_n(&t->arrived, __ATOMIC_ACQUIRE) < members) sched_yield();
	mark(QUIET, 0, LEAVE, 0);
}

static void member(void *p) {
	team *outer = mine;
	unsigned outers = members;
	int was = teaming;
	mine = p, teaming = 0;
	members = OMP(omp_get_num_threads)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	if (members > 1) meet(mine);
	mark(QUIET, 0, LEAVE, 0);
	mine->run(mine->argument);
	if (members > 1) mark(BARRIER, (uint64_t)p, BEGIN, members);
	else mark(QUIET, 0, BEGIN, 0);
	mine = outer, members = outers, teaming = was;
}

static void enter(void) { mark(QUIET, 0, BEGIN, 0), teaming++; }
static void exits(void) { teaming--, mark(QUIET, 0, LEAVE, 0); }
#define TEAM(name) EXPORT long name(void (*run)(void *), void *argument, long c, long d, long e, long f, long g, long h, long i, long j) { \
	team t = {run, argument, 0}; \
	enter(); \
	long r = OMP(name)((long)member, (long)&t, c, d, e, f, g, h, i, j); \
	exits(); \
	return r; \
}
TEAMS(TEAM)
#define SILENT(name) HANDS(name, QUIET, 0, 0)
QUIETS(SILENT)
#define MEETS(name) HANDS(name, members > 1 ? BARRIER : QUIET, (uint64_t)mine, members)
BARRIERS(MEETS)

/* Locks. A function that tests one returns how often it is held. */
static char critical, atomic;
HANDS(GOMP_critical_start, LOCK, (uint64_t)&critical, 0)
HANDS(GOMP_critical_end, UNLOCK, (uint64_t)&critical, 0)
HANDS(GOMP_critical_name_start, LOCK, a, 0)
HANDS(GOMP_critical_name_end, UNLOCK, a, 0)
HANDS(GOMP_atomic_start, LOCK, (uint64_t)&atomic, 0)
HANDS(GOMP_atomic_end, UNLOCK, (uint64_t)&atomic, 0)
#define TESTS(name) EXPORT int name(void *o) { \
	mark(LOCK, (uint64_t)o, BEGIN, 0); \
	int r = OMP(name)((long)o, 0, 0, 0, 0, 0, 0, 0, 0, 0); \
	mark(LOCK, (uint64_t)o, LEAVE, !r); \
	return r; \
}
#define LOCKS(suffix) HANDS(omp_set_lock##suffix, LOCK, a, 0) HANDS(omp_unset_lock##suffix, UNLOCK, a, 0) TESTS(omp_test_lock##suffix) \
	HANDS(omp_set_nest_lock##suffix, LOCK, a, 0) HANDS(omp_unset_nest_lock##suffix, UNLOCK, a, 0) TESTS(omp_test_nest_lock##suffix)
LOCKS()
LOCKS(_)

/* Ordered parts of a loop: each waits for those before it. The first of copyprivate signals the others. */
HANDS(GOMP_ordered_start, WAIT, (uint64_t)mine, 0)
HANDS(GOMP_ordered_end, SIGNAL, (uint64_t)mine, 0)
HANDS(GOMP_single_copy_end, SIGNAL, (uint64_t)mine + 1, 0)
EXPORT void *GOMP_single_copy_start(void) {
	mark(QUIET, 0, BEGIN, 0);
	void *data = (void *)OMP(GOMP_single_copy_start)(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
	mark(data ? WAIT : QUIET, (uint64_t)mine + 1, LEAVE, 0);
	return data;
}

/* Not followed. What loops of tasks and old teams do is not quiet. */
HANDS(GOMP_taskwait, UNFOLLOWED, TASKWAIT, 0)
HANDS(GOMP_taskwait_depend, UNFOLLOWED, TASKWAIT, 0)
HANDS(GOMP_taskgroup_end, UNFOLLOWED, TASKGROUP, 0)
HANDS(GOMP_cancel, UNFOLLOWED, CANCELREGION, 0)
HANDS(GOMP_doacross_wait, UNFOLLOWED, DOACROSS, 0)
HANDS(GOMP_doacross_ull_wait, UNFOLLOWED, DOACROSS, 0)
EXPORT void GOMP_parallel_start(void (*run)(void *), void *argument, unsigned n) {
	mark(UNFOLLOWED, OLDPARALLEL, ONLY, 0);
	OMP(GOMP_parallel_start)((long)run, (long)argument, n, 0, 0, 0, 0, 0, 0, 0);
}
#define TASKLOOPS(name) EXPORT void name(TEN, long k) { \
	mark(UNFOLLOWED, TASKLOOP, ONLY, 0); \
	((void (*)(TEN, long))OMP(name))(ALL, k); \
}
TASKLOOPS(GOMP_taskloop)
TASKLOOPS(GOMP_taskloop_ull)

/* Tasks run inside of any call of OpenMP, but their work is the program's. A job stands before the data of a task. */
typedef struct { void (*run)(void *), (*copy)(void *, void *); void *data; long size, skip; } job;
enum { DETACHED = 1 << 13 };

static void works(void *p) {
	job *j = p;
	int was = hushed;
	if (was) mark(QUIET, 0, LEAVE, 0);
	j->run((char *)p + j->skip);
	if (was) mark(QUIET, 0, BEGIN, 0);
}

static void copies(void *to, void *from) {
	job *j = from;
	char *data = (char *)to + j->skip;
	*(job *)to = *j;
	if (j->copy) j->copy(data, j->data);
	else memcpy(data, j->data, j->size);
}

EXPORT void GOMP_task(void (*run)(void *), void *data, void (*copy)(void *, void *), long size, long align, long now, long flags, long h, long i, long j) {
	mark(UNFOLLOWED, TASK, BEGIN, 0);
	if (align < 16) align = 16;
	job mine = {run, copy, data, size, (sizeof mine + align - 1) / align * align};
	if (flags & DETACHED) OMP(GOMP_task)((long)run, (long)data, (long)copy, size, align, now, flags, h, i, j); /* its data begin with an event */
	else OMP(GOMP_task)((long)works, (long)&mine, (long)copies, size + mine.skip, align, now, flags, h, i, j);
	mark(UNFOLLOWED, TASK, LEAVE, 0);
}
