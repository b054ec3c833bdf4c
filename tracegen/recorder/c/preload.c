/* SPDX-License-Identifier: Apache-2.0
 *
 * Preloaded into the recorded program: it marks the calls by which threads wait for each other with a system call that does not
 * exist. QEMU shows the call to the plugin, and answers that there is none. Between BEGIN and LEAVE, what a thread does is the
 * library's waiting and not the program's work. Threads are numbered in the order in which the program starts them.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
#define THREADS_OWN static __thread __attribute__((tls_model("initial-exec")))
enum { MARKCALL = 0x5350f000, ONLY = 0, BEGIN, LEAVE };
/* Kinds of marks. QUIET is not an event: the thread is inside of a library. */
enum { START = 1, FORK, JOIN, LOCK, UNLOCK, BARRIER, SIGNAL, WAIT, UNFOLLOWED, RUN, QUIET, MEMBERS, READ, WRITE, RELEASE, VALUE, TAKE, ORDER, NOTIFY, MESSAGE };
enum { CANCEL, TASK, TASKWAIT, TASKLOOP, TASKGROUP, CANCELREGION, DOACROSS, OLDPARALLEL, FUTEX }; /* of calls that are not followed, as in calls_notes.go */

static inline void send(uint64_t kind, uint64_t object, uint64_t phase, uint64_t number) {
#ifdef __x86_64__
	long r;
	register uint64_t r10 __asm__("r10") = number;
	__asm__ volatile("syscall" : "=a"(r) : "a"((long)MARKCALL), "D"(kind), "S"(object), "d"(phase), "r"(r10) : "rcx", "r11", "memory");
#elif defined __aarch64__
	register uint64_t x8 __asm__("x8") = MARKCALL, x0 __asm__("x0") = kind, x1 __asm__("x1") = object, x2 __asm__("x2") = phase, x3 __asm__("x3") = number;
	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
#else
#error "this processor's system calls are not known"
#endif
}

THREADS_OWN int hushed; /* calls of libraries that it is inside of */
THREADS_OWN int within; /* calls of MPI, which has locks and threads of its own */

static void mark(uint64_t kind, uint64_t object, uint64_t phase, uint64_t number) {
	if (within) return;
	if (phase == LEAVE) hushed--;
	send(kind, object, phase, number);
	if (phase == BEGIN) hushed++;
}

/* The recorder of MPI calls (mpi.c) enters MPI, or leaves it. The call with this number has records in its file. */
EXPORT void spoor_inside(int begins, unsigned long call) {
	if (begins) mark(QUIET, 0, BEGIN, 0), within++;
	else {
		if (call) send(MESSAGE, call, ONLY, 0);
		if (--within == 0) mark(QUIET, 0, LEAVE, 0);
	}
}

#include "real.h"

#ifdef HEAPS
#include "heap.h"
#else
static size_t stackbytes(const pthread_attr_t *attributes) { return 0; }
static void stacked(pthread_t self, size_t n) {}
#endif

/* The start-up code of the C library calls main through this. */
static pthread_t first; /* the thread of main, which has number 0 */
static int (*program)(int, char **, char **);
static int runs(int n, char **arguments, char **environment) {
	stacked(first, 0);
	mark(RUN, 0, ONLY, 0);
	return program(n, arguments, environment);
}
EXPORT int __libc_start_main(int (*main)(int, char **, char **), int n, char **arguments, void (*init)(void), void (*fini)(void), void (*linker)(void), void *stack) {
	__typeof__(&__libc_start_main) real_start = (__typeof__(&__libc_start_main))dlsym(RTLD_NEXT, "__libc_start_main");
	program = main;
	first = pthread_self();
	return real_start(runs, n, arguments, init, fini, linker, stack);
}

/* Threads: the number that each has, by its handle. */
typedef struct live { pthread_t handle; uint64_t number; struct live *next; } live;
typedef struct { void *(*run)(void *); void *argument; uint64_t number; int quiet; size_t stack; } begin;
static live *threads;
static uint64_t numbers;
THREADS_OWN int teaming; /* inside of OpenMP, whose threads wait until they are members of a team */
static char busy; /* a spin lock: our own mutex would be marked */

static void take(void) { while (__atomic_test_and_set(&busy, __ATOMIC_ACQUIRE)) sched_yield(); }
static void give(void) { __atomic_clear(&busy, __ATOMIC_RELEASE); }

/* The C library's work when a thread ends is not the same in each run. */
static void ends(void *p) { mark(QUIET, (uint64_t)p, BEGIN, 0); }

static void *begins(void *p) {
	begin b = *(begin *)p;
	void *result;
	free(p);
	pthread_cleanup_push(ends, NULL);
	volatile pthread_t self = pthread_self(); /* a call of the C library, which is not the program's */
	mark(START, b.number, ONLY, 0);
	stacked(self, b.stack);
	if (b.quiet) mark(QUIET, 0, BEGIN, 0);
	result = b.run(b.argument);
	pthread_cleanup_pop(1);
	return result;
}

static int starts(begin *b, live *l, pthread_t *handle, const pthread_attr_t *attributes) {
	uint64_t number = b->number;
	int e = REAL(pthread_create)(handle, attributes, begins, b);
	if (e) return e;
	take();
	*l = (live){*handle, number, threads};
	threads = l;
	give();
	return 0;
}

EXPORT int pthread_create(pthread_t *handle, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
	find();
	if (within) return REAL(pthread_create)(handle, attributes, run, argument);
	mark(FORK, 0, BEGIN, 0);
	begin *b = malloc(sizeof *b);
	live *l = malloc(sizeof *l);
	uint64_t number = __atomic_add_fetch(&numbers, 1, __ATOMIC_RELAXED);
	int e = EAGAIN;
	if (b && l) {
		*b = (begin){run, argument, number, teaming, stackbytes(attributes)};
		e = starts(b, l, handle, attributes);
	}
	if (e) free(b), free(l);
	mark(FORK, number, LEAVE, e);
	return e;
}

/* Forgets a handle, which another thread may get, and returns the number of its thread, or -1 if it is not known. */
static uint64_t forget(pthread_t handle) {
	uint64_t number = pthread_equal(handle, first) ? 0 : UINT64_MAX;
	take();
	for (live **p = &threads; *p; p = &(*p)->next)
		if (pthread_equal((*p)->handle, handle)) {
			live *l = *p;
			number = l->number;
			*p = l->next;
			free(l);
			break;
		}
	give();
	return number;
}

/* A forked process has one thread, which is its first. */
static void forked(void) {
	first = pthread_self();
	threads = NULL;
	numbers = 0;
	busy = 0;
}
__attribute__((constructor)) static void follow_forks(void) { pthread_atfork(NULL, NULL, forked); }

#define JOINS(f, parameters, ...) EXPORT int f parameters { \
	mark(JOIN, 0, BEGIN, 0); \
	int e = REAL(f)(__VA_ARGS__); \
	mark(JOIN, e ? 0 : forget(handle), LEAVE, e); \
	return e; \
}
JOINS(pthread_join, (pthread_t handle, void **result), handle, result)
JOINS(pthread_tryjoin_np, (pthread_t handle, void **result), handle, result)
JOINS(pthread_timedjoin_np, (pthread_t handle, void **result, const struct timespec *until), handle, result, until)
JOINS(pthread_clockjoin_np, (pthread_t handle, void **result, clockid_t clock, const struct timespec *until), handle, result, clock, until)

EXPORT int pthread_detach(pthread_t handle) {
	mark(QUIET, 0, BEGIN, 0);
	forget(handle);
	int e = REAL(pthread_detach)(handle);
	mark(QUIET, 0, LEAVE, 0);
	return e;
}

EXPORT int pthread_cancel(pthread_t handle) {
	mark(UNFOLLOWED, CANCEL, BEGIN, 0);
	int e = REAL(pthread_cancel)(handle);
	mark(UNFOLLOWED, CANCEL, LEAVE, 0);
	return e;
}

/* Whether libomp called: its locks and conditions are not the program's. */
static uintptr_t omp_start, omp_bytes;
static bool internal(void *caller) { return (uintptr_t)caller - omp_start < omp_bytes; }
#define INTERNAL internal(__builtin_return_address(0))

/* A call of the library about an object: a mark before and one after with its result. A mutex whose owner has died is taken. */
#define CALLS(kind, f, parameters, object, ...) EXPORT int f parameters { \
	find(); \
	if (INTERNAL) return REAL(f)(__VA_ARGS__); \
	mark(kind, (uint64_t)object, BEGIN, 0); \
	int e = REAL(f)(__VA_ARGS__); \
	mark(kind, (uint64_t)object, LEAVE, e == EOWNERDEAD ? 0 : e); \
	return e; \
}
#define CALL(kind, f, type) CALLS(kind, f, (type *o), o, o)
#define TIMED(kind, f, type) CALLS(kind, f, (type *o, const struct timespec *until), o, o, until)
#define CLOCKED(kind, f, type) CALLS(kind, f, (type *o, clockid_t clock, const struct timespec *until), o, o, clock, until)
CALL(LOCK, pthread_mutex_lock, pthread_mutex_t)
CALL(LOCK, pthread_mutex_trylock, pthread_mutex_t)
TIMED(LOCK, pthread_mutex_timedlock, pthread_mutex_t)
CLOCKED(LOCK, pthread_mutex_clocklock, pthread_mutex_t)
CALL(UNLOCK, pthread_mutex_unlock, pthread_mutex_t)
CALL(LOCK, pthread_spin_lock, pthread_spinlock_t)
CALL(LOCK, pthread_spin_trylock, pthread_spinlock_t)
CALL(UNLOCK, pthread_spin_unlock, pthread_spinlock_t)
CALL(READ, pthread_rwlock_rdlock, pthread_rwlock_t)
CALL(READ, pthread_rwlock_tryrdlock, pthread_rwlock_t)
TIMED(READ, pthread_rwlock_timedrdlock, pthread_rwlock_t)
CLOCKED(READ, pthread_rwlock_clockrdlock, pthread_rwlock_t)
CALL(WRITE, pthread_rwlock_wrlock, pthread_rwlock_t)
CALL(WRITE, pthread_rwlock_trywrlock, pthread_rwlock_t)
TIMED(WRITE, pthread_rwlock_timedwrlock, pthread_rwlock_t)
CLOCKED(WRITE, pthread_rwlock_clockwrlock, pthread_rwlock_t)
CALL(RELEASE, pthread_rwlock_unlock, pthread_rwlock_t)
CALL(SIGNAL, sem_post, sem_t)
CALL(TAKE, sem_wait, sem_t)
CALL(TAKE, sem_trywait, sem_t)
TIMED(TAKE, sem_timedwait, sem_t)
CLOCKED(TAKE, sem_clockwait, sem_t)
CALL(BARRIER, pthread_barrier_wait, pthread_barrier_t)

CALL(NOTIFY, pthread_cond_signal, pthread_cond_t)
CALL(NOTIFY, pthread_cond_broadcast, pthread_cond_t)

/* A wait releases the mutex, and takes it again, also if its time is over. */
#define WAITS(f, parameters, ...) EXPORT int f parameters { \
	find(); \
	if (INTERNAL) return REAL(f)(__VA_ARGS__); \
	mark(ORDER, (uint64_t)m, ONLY, 0); \
	mark(UNLOCK, (uint64_t)m, BEGIN, 0); \
	int e = REAL(f)(__VA_ARGS__); \
	mark(LOCK, (uint64_t)m, LEAVE, 0); \
	return e; \
}
WAITS(pthread_cond_wait, (pthread_cond_t *c, pthread_mutex_t *m), c, m)
WAITS(pthread_cond_timedwait, (pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until), c, m, until)
WAITS(pthread_cond_clockwait, (pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until), c, m, clock, until)

EXPORT int pthread_barrier_init(pthread_barrier_t *b, const pthread_barrierattr_t *attributes, unsigned n) {
	mark(MEMBERS, (uint64_t)b, ONLY, n);
	return REAL(pthread_barrier_init)(b, attributes, n);
}

EXPORT int sem_init(sem_t *s, int shared, unsigned value) {
	mark(VALUE, (uint64_t)s, ONLY, value);
	return REAL(sem_init)(s, shared, value);
}

EXPORT sem_t *sem_open(const char *name, int flags, ...) {
	va_list more;
	va_start(more, flags);
	mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
	unsigned value = flags & O_CREAT ? va_arg(more, unsigned) : 0;
	va_end(more);
	mark(QUIET, 0, BEGIN, 0);
	sem_t *s = REAL(sem_open)(name, flags, mode, value);
	int now = 0;
	if (s != SEM_FAILED) {
		REAL(sem_getvalue)(s, &now);
		mark(VALUE, (uint64_t)s, ONLY, now);
	}
	mark(QUIET, 0, LEAVE, 0);
	return s;
}

/* The routine of pthread_once is the program's work. */
THREADS_OWN void (*routine)(void);
THREADS_OWN pthread_once_t *control;
static void once(void) {
	void (*run)(void) = routine;
	pthread_once_t *of = control;
	mark(QUIET, 0, LEAVE, 0);
	run();
	mark(SIGNAL, (uint64_t)of, BEGIN, 0);
}
EXPORT int pthread_once(pthread_once_t *c, void (*run)(void)) {
	find();
	mark(QUIET, 0, BEGIN, 0);
	routine = run, control = c;
	int e = REAL(pthread_once)(c, once);
	mark(WAIT, (uint64_t)c, LEAVE, 0);
	return e;
}

#include "c11.h"
#include "openmp.h"
#include "ompt.h"
#include "futex.h"
