/* The file of a rank: a header, and records. A record is a byte with its kind, and numbers of 7 bits a byte, the lowest first.
 * The file is mapped into memory, so that it holds all records even if the process is killed. A record's first byte is written
 * last; a zero byte ends the file of a process that was killed. See traces/format/internal/mpicalls. */
enum { VERSION = 1, FIRST = 32, WHOLE = 64 }; /* FIRST of a call: times follow; WHOLE: also the processor time of the call */
enum { SEND = 1, ISEND, RECV, IRECV, WAIT, TEST, PROBE, IPROBE, COLLECTIVE, COMMUNICATOR, FREE, MISSED, FINAL, ABORT };
enum { WINDOW = 1 << 20, PAGE = 1 << 16 };

#define THREADS_OWN static __thread __attribute__((tls_model("initial-exec")))
typedef struct { int64_t wall, cpu, cost; } moment; /* in ns; cost is what reading the clock takes before it has its time */

static int file = -1, rank, ranks;
static unsigned char *window, *scratch;
static uint64_t windowat, windowbytes, place, filled, room; /* place of the next record; bytes of scratch */
static uint64_t calls, polls, foreign; /* with records; tests in vain; by other threads than the first */
static int64_t started, latest; /* begin of time; end of the latest call */
static int64_t reading, glance; /* costs of reading the processor time, and of a moment without */
static double least; /* processor time of a poll in vain, or 0 if unknown */
static char busy;
static int shared; /* threads may call MPI at the same time */

THREADS_OWN int depth; /* calls that the thread is inside of: a library calls itself by public names at times */
THREADS_OWN int fresh, whole; /* the call has read the clock; all of its time is to be recorded */
THREADS_OWN uint64_t number; /* of the call, if it has a record */
THREADS_OWN int64_t since, work, after, spent; /* clock at the latest reading; computation before this call, and before the next */
THREADS_OWN moment began, ended, anchor; /* of the call; the latest at which the processor time was read */
THREADS_OWN int first; /* the thread that initialized MPI */

static void hold(void) { while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) sched_yield(); }
static void release(void) { __atomic_clear(&busy, __ATOMIC_RELEASE); }

static int64_t clock_of(clockid_t c) {
	struct timespec t;
	clock_gettime(c, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}

/* Reading the processor time is a system call, which takes up to 1 us. A thread that sleeps, or gives its processor to another, is
 * away for longer than BRIEF. So within BRIEF after such a reading, the time that passes is its processor time. */
enum { BRIEF = 4000 };
static moment exactly(void) {
	int64_t cpu = clock_of(CLOCK_THREAD_CPUTIME_ID);
	return anchor = (moment){clock_of(CLOCK_MONOTONIC), cpu, reading};
}
static moment now(void) {
	int64_t wall = clock_of(CLOCK_MONOTONIC);
	if (wall - anchor.wall > BRIEF) return exactly();
	return (moment){wall, anchor.cpu + wall - anchor.wall, glance};
}

static int on(void) { return file >= 0 && depth == 1; }
static int timed(void) { return on() && !inside; }

static __attribute__((noinline)) void enter(void) {
	if (depth++) return;
	fresh = whole = 0;
	number = 0;
	if (inside) inside(1, 0);
}
static __attribute__((noinline)) int leave(int error) {
	if (--depth == 0 && inside) inside(0, number);
	return error;
}

/* The thread computed up to a moment, and from another one on. computed is the part between that is computation. */
static __attribute__((noinline)) void lapse(moment from, moment to, int64_t computed) {
	int64_t step = from.cpu - since - from.cost;
	work += after + (step > 0 && since ? step : 0);
	after = computed > 0 ? computed : 0;
	since = to.cpu;
	began = from, ended = to;
	fresh = 1;
}

/* A call that polled has ended. */
static void polled(moment from, long n) {
	moment to = now();
	int64_t used = to.cpu - from.cpu - to.cost;
	if (used < 0) used = 0;
	double each = (double)used / n;
	if (n >= 50 && (least == 0 || each < least)) least = each;
	lapse(from, to, n == 1 ? used : least == 0 ? each : used - (n - 1) * least);
}

/* A call without polls has ended; it may have waited. */
static void waited(moment from) {
	moment to = now();
	lapse(from, to, 0);
	spent = to.cpu - from.cpu - to.cost;
	whole = spent > 0;
}
static moment start_of(void) { return timed() ? now() : (moment){0}; }
#define WHOLECALL(call) ({ moment from_ = start_of(); int e_ = call; if (timed()) waited(from_); e_; })

static int patient(long n) { /* ranks may share a processor */
	if (n % 512 == 0) {
		sched_yield();
		anchor.wall = 0; /* others may have run */
	}
	return 1;
}
/* Calls the polling form until the flag is set; where computation is not timed, the blocking form. */
#define AWAIT(blocking, polling, flag) ({ int e_; \
	if (!timed()) e_ = blocking; \
	else { \
		long n_ = 0; \
		moment from_ = now(); \
		do e_ = polling, n_++; while (!e_ && !(flag) && patient(n_)); \
		polled(from_, n_); \
	} \
	e_; })

static void stop(const char *why) {
	fprintf(stderr, "spoor: rank %d: recording of MPI calls stops: %s\n", rank, why);
	close(file);
	file = -1;
}

static void byte(unsigned b) {
	if (filled == room) {
		unsigned char *more = realloc(scratch, room = room ? 2 * room : 4096);
		if (!more) { room = filled; return; }
		scratch = more;
	}
	scratch[filled++] = b;
}
static __attribute__((noinline)) void put(uint64_t v) {
	for (; v >= 128; v >>= 7) byte(v | 128);
	byte(v);
}
static void putsigned(int64_t v) { put((uint64_t)v << 1 ^ (uint64_t)(v >> 63)); }
static void puttext(const char *s, size_t n) {
	put(n);
	for (size_t i = 0; i < n; i++) byte((unsigned char)s[i]);
}

/* Begins a record. The caller holds the lock. */
static __attribute__((noinline)) void record(int kind) {
	filled = 0;
	if (number) { byte(kind); return; }
	if (timed() && !fresh) {
		moment m = now();
		lapse(m, m, 0);
	}
	number = ++calls;
	foreign += !first;
	byte(kind | FIRST | (whole ? WHOLE : 0));
	put(began.wall > latest ? began.wall - latest : 0);
	put(ended.wall - began.wall);
	put(work);
	if (whole) put(spent);
	if (ended.wall > latest) latest = ended.wall;
	work = 0;
}

/* Maps the part of the file where n bytes and a zero go. */
static int mapped(uint64_t n) {
	if (window && place + n < windowat + windowbytes) return 1;
	if (window) munmap(window, windowbytes);
	windowat = place - place % PAGE;
	windowbytes = (place - windowat + n + WINDOW) / PAGE * PAGE;
	int e = posix_fallocate(file, windowat, windowbytes); /* else a full disk is a signal */
	window = e ? NULL : mmap(NULL, windowbytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, windowat);
	if (window && window != MAP_FAILED) return 1;
	stop(strerror(e ? e : errno));
	window = NULL;
	return 0;
}

/* Ends a record. */
static __attribute__((noinline)) void written(void) {
	if (file < 0 || !mapped(filled)) return;
	unsigned char *to = window + (place - windowat);
	memcpy(to + 1, scratch + 1, filled - 1);
	__atomic_store_n(to, scratch[0], __ATOMIC_RELEASE);
	place += filled;
}

/* Counts a call that no event of the trace stands for. */
static void missed(const char *what) {
	record(MISSED);
	puttext(what, strlen(what));
	written();
}
