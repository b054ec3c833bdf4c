/* SPDX-License-Identifier: Apache-2.0
 *
 * OpenMP of clang: a part of preload.c, and not to be compiled alone. Its library, libomp, calls the tool interface of OpenMP 5
 * (OMPT), if a program has a function ompt_start_tool. Locks of omp_set_lock are marked as those of gcc.
 */
typedef union { uint64_t value; void *pointer; } tooldata;
typedef void callback(void);
typedef callback *lookup(const char *);
typedef struct { int (*initialize)(lookup *, int, tooldata *); void (*finalize)(tooldata *); tooldata data; } tool;
enum { PARALLELBEGIN = 3, PARALLELEND, TASKCREATE, TASKSCHEDULE, IMPLICITTASK, RELEASED = 17, SYNCREGION = 23, ACQUIRE = 26, ACQUIRED, CANCELLED = 30 };
enum { INITIAL = 1, UNDEFERRED = 0x08000000, COMPLETE = 1, CANCELS = 3, WAITTASKS = 5, WAITGROUP = 6, REDUCTION = 7, INCRITICAL = 5, INATOMIC, INORDERED };

/* Where libomp is: what it calls of pthreads is not the program's (see internal). */
static int covers(struct dl_phdr_info *l, size_t size, void *address) {
	uintptr_t low = UINTPTR_MAX, high = 0;
	for (int i = 0; i < l->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = l->dlpi_phdr + i;
		if (p->p_type != PT_LOAD) continue;
		if (l->dlpi_addr + p->p_vaddr < low) low = l->dlpi_addr + p->p_vaddr;
		if (l->dlpi_addr + p->p_vaddr + p->p_memsz > high) high = l->dlpi_addr + p->p_vaddr + p->p_memsz;
	}
	if ((uintptr_t)address < low || (uintptr_t)address >= high) return 0;
	omp_start = low, omp_bytes = high - low;
	return 1;
}

static void region_begins(tooldata *task, const void *frame, tooldata *region, unsigned requested, int flags, const void *code) {
	region->pointer = calloc(1, sizeof(team));
	mark(QUIET, 0, BEGIN, 0);
	teaming++;
}

static void region_ends(tooldata *region, tooldata *task, int flags, const void *code) {
	teaming--;
	mark(QUIET, 0, LEAVE, 0);
	free(region->pointer);
}

/* What a member had before it came to its team. */
typedef struct { team *mine; unsigned members; int teaming; } before;

static void member_changes(unsigned end, tooldata *region, tooldata *task, unsigned n, unsigned index, int flags) {
	if (flags & INITIAL) return;
	before *b = task->pointer;
	if (end == 1) {
		b = task->pointer = malloc(sizeof *b);
		if (!b || !region->pointer) abort();
		*b = (before){mine, members, teaming};
		mine = region->pointer, members = n, teaming = 0;
		if (members > 1) meet(mine);
		mark(QUIET, 0, LEAVE, 0);
		return;
	}
	mark(QUIET, 0, BEGIN, 0);
	mine = b->mine, members = b->members, teaming = b->teaming;
	free(b);
}

static void meets(int kind, unsigned end, tooldata *region, tooldata *task, const void *code) {
	if (kind == REDUCTION) return;
	if (end == 2) mark(QUIET, 0, LEAVE, 0);
	else if (kind == WAITTASKS) mark(UNFOLLOWED, TASKWAIT, BEGIN, 0);
	else if (kind == WAITGROUP) mark(UNFOLLOWED, TASKGROUP, BEGIN, 0);
	else mark(members > 1 ? BARRIER : QUIET, (uint64_t)mine, BEGIN, members);
}

/* Explicit tasks run inside of any call of OpenMP, but their work is the program's. */
enum { DEPTH = 64 };
THREADS_OWN int levels[DEPTH]; /* how quiet the thread was when the task began */
THREADS_OWN unsigned depth;

static void task_made(tooldata *by, const void *frame, tooldata *task, int flags, int dependences, const void *code) {
	if (flags & INITIAL) return;
	task->value = 1;
	mark(UNFOLLOWED, TASK, ONLY, 0);
}

static void task_changes(tooldata *prior, int status, tooldata *next) {
	if (prior && prior->value == 1 && depth > 0) { /* the explicit task that ran is over, or waits */
		int was = levels[--depth % DEPTH];
		while (hushed < was) mark(QUIET, 0, BEGIN, 0);
	}
	if (status != COMPLETE && status != CANCELS && next && next->value == 1) {
		levels[depth++ % DEPTH] = hushed;
		while (hushed > 0) mark(QUIET, 0, LEAVE, 0);
	}
}

/* Critical and ordered parts. Libomp says that one is released when another thread may have it already: so a part ends where the
 * program calls the function that ends it. The locks of atomic operations have no such function. */
static char unnamed;
static uint64_t part(uint64_t id) { return id ? id : (uint64_t)&unnamed; }
THREADS_OWN uint64_t parts[DEPTH]; /* critical ones that the thread is in */
THREADS_OWN unsigned inside;
static void waits_for(int kind, unsigned hint, unsigned how, uint64_t id, const void *code) {
	if (kind >= INCRITICAL) mark(kind == INORDERED ? QUIET : LOCK, part(id), BEGIN, 0);
}
static void has(int kind, uint64_t id, const void *code) {
	if (kind < INCRITICAL) return;
	if (kind == INCRITICAL) parts[inside++ % DEPTH] = part(id);
	if (kind == INORDERED) mark(WAIT, (uint64_t)mine, LEAVE, 0);
	else mark(LOCK, part(id), LEAVE, 0);
}
static void releases(int kind, uint64_t id, const void *code) {
	if (kind != INATOMIC) return;
	mark(UNLOCK, part(id), BEGIN, 0);
	mark(QUIET, 0, LEAVE, 0);
}
#define ENDS(name, kind, object) EXPORT void name(void *place, int number, void *lock) { \
	mark(kind, object, BEGIN, 0); \
	((void (*)(void *, int, void *))OMP(name))(place, number, lock); \
	mark(QUIET, 0, LEAVE, 0); \
}
ENDS(__kmpc_end_ordered, SIGNAL, (uint64_t)mine)
ENDS(__kmpc_end_critical, UNLOCK, parts[--inside % DEPTH])
static void cancels(tooldata *task, int flags, const void *code) { mark(UNFOLLOWED, CANCELREGION, ONLY, 0); }

/* Libomp starts between ompt_start_tool and this. */
static int tool_starts(lookup *find, int device, tooldata *data) {
	static const struct { int event; callback *call; } calls[] = {{PARALLELBEGIN, (callback *)region_begins}, {PARALLELEND, (callback *)region_ends},
		{TASKCREATE, (callback *)task_made}, {TASKSCHEDULE, (callback *)task_changes}, {IMPLICITTASK, (callback *)member_changes},
		{RELEASED, (callback *)releases}, {SYNCREGION, (callback *)meets}, {ACQUIRE, (callback *)waits_for}, {ACQUIRED, (callback *)has},
		{CANCELLED, (callback *)cancels}};
	int (*set)(int, callback *) = (int (*)(int, callback *))find("ompt_set_callback");
	for (size_t i = 0; set && i < sizeof calls / sizeof *calls; i++) set(calls[i].event, calls[i].call);
	mark(QUIET, 0, LEAVE, 0);
	return set != NULL;
}
static void tool_ends(tooldata *data) {}

EXPORT tool *ompt_start_tool(unsigned version, const char *runtime) {
	static tool ours = {tool_starts, tool_ends, {0}};
	dl_iterate_phdr(covers, __builtin_return_address(0));
	mark(QUIET, 0, BEGIN, 0);
	return &ours;
}
