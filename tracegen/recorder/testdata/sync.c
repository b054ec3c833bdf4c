/* Threads that use all that pthreads wait by, but condition variables: numbers of all events are known. */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 4, STEPS = 6 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, again;
static pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static sem_t items, turn, never, ready, asked;
static long cells[THREADS * 8], total, made;
static struct { char what; int thread, step; } log_[1000];
static int logged;

static void note(char what, int thread, int step) { log_[logged].what = what, log_[logged].thread = thread, log_[logged++].step = step; }
static void make(void) { for (int i = 0; i < 1000; i++) made += i; }
static void work(int k, int n) { for (int i = 0; i < n; i++) *(volatile long *)&cells[k * 8] += i; }

static void take(int k, int i, const struct timespec *until) {
	if (i % 3 == 0) pthread_mutex_timedlock(&lock, until);
	else if (i % 3 == 1) pthread_mutex_clocklock(&lock, CLOCK_REALTIME, until);
	else pthread_mutex_lock(&lock);
	total += cells[k * 8];
	pthread_mutex_unlock(&lock);
	pthread_spin_lock(&spin);
	total++;
	pthread_spin_unlock(&spin);
	pthread_mutex_lock(&again);
	pthread_mutex_trylock(&again);
	pthread_mutex_unlock(&again);
	pthread_mutex_unlock(&again);
}

static void *run(void *p) {
	int k = (long)p;
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	pthread_once(&once, make);
	pthread_once(&once, make);
	for (int i = 0; i < STEPS; i++) {
		work(k, 100 * (k + 1));
		take(k, i, &until);
		if (k == 0) {
			pthread_rwlock_wrlock(&shared);
			note('w', k + 1, i);
			pthread_rwlock_unlock(&shared);
			sem_post(&items);
		} else {
			pthread_rwlock_rdlock(&shared);
			work(k, 10);
			pthread_rwlock_unlock(&shared);
		}
		if (k == 1) sem_timedwait(&items, &until);
		if (sem_trywait(&never) != -1 || errno != EAGAIN) abort();
		sem_wait(&turn);
		note('t', k + 1, i);
		sem_post(&turn);
	}
	if (k == 3) pthread_exit(NULL);
	return NULL;
}

static void *forever(void *p) {
	for (;;) pause();
	return p;
}

/* Cancelled without a signal: QEMU 7.2 itself crashes if the thread is in a system call. */
static void *ends(void *p) {
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, NULL);
	sem_post(&ready);
	sem_wait(&asked);
	pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, NULL);
	pthread_testcancel();
	return p;
}

int main(void) {
	pthread_t all[THREADS], sleeps;
	pthread_mutexattr_t recursive;
	pthread_mutexattr_init(&recursive);
	pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&again, &recursive);
	pthread_spin_init(&spin, 0);
	sem_init(&items, 0, 0);
	sem_init(&turn, 0, 1);
	sem_init(&never, 0, 0);
	for (long k = 0; k < THREADS; k++) pthread_create(&all[k], NULL, run, (void *)k);
	for (long k = 0; k < THREADS - 1; k++) pthread_join(all[k], NULL);
	struct timespec until;
	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += 60;
	pthread_timedjoin_np(all[THREADS - 1], NULL, &until);
	pthread_create(&sleeps, NULL, ends, NULL);
	sem_wait(&ready);
	pthread_cancel(sleeps);
	sem_post(&asked);
	pthread_join(sleeps, NULL);
	pthread_create(&sleeps, NULL, forever, NULL);
	pthread_detach(sleeps);
	for (int i = 0; i < logged; i++) printf("%c %d %d\n", log_[i].what, log_[i].thread, log_[i].step);
	return 0;
}
