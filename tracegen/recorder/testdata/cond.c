/* Producers and consumers of a short queue, and a mutex whose order does not matter. The log is the order in which the mutex of
 * the queue was taken. An argument: the first thread uses the queue without a signal by main before. */
#include <pthread.h>
#include <stdio.h>
#include <time.h>

enum { PAIRS = 3, ITEMS = 40, ROOM = 2 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER, other = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t filled = PTHREAD_COND_INITIALIZER, emptied = PTHREAD_COND_INITIALIZER;
static int queued, logged, order[100000];
static long sum;

static void note(long k) { order[logged++] = k; }

static void *produce(void *p) {
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		note((long)p);
		while (queued == ROOM) {
			pthread_cond_wait(&emptied, &lock);
			note((long)p);
		}
		queued++;
		if (i % 2) pthread_cond_signal(&filled);
		pthread_mutex_unlock(&lock);
		if (i % 2 == 0) pthread_cond_broadcast(&filled);
		pthread_mutex_lock(&other);
		sum++;
		pthread_mutex_unlock(&other);
	}
	return NULL;
}

static void *consume(void *p) {
	for (int i = 0; i < ITEMS; i++) {
		pthread_mutex_lock(&lock);
		note((long)p);
		while (queued == 0) {
			struct timespec until;
			clock_gettime(CLOCK_REALTIME, &until);
			if ((until.tv_nsec += 1000000) >= 1000000000) until.tv_nsec -= 1000000000, until.tv_sec++;
			pthread_cond_timedwait(&filled, &lock, &until);
			note((long)p);
		}
		queued--;
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	return NULL;
}

int main(int argc, char **argv) {
	pthread_t all[2 * PAIRS];
	(void)argv;
	if (argc == 1) {
		pthread_mutex_lock(&lock);
		note(0);
		pthread_cond_signal(&emptied);
		pthread_mutex_unlock(&lock);
	}
	for (long k = 0; k < 2 * PAIRS; k++) pthread_create(&all[k], NULL, k % 2 ? produce : consume, (void *)(k + 1));
	for (long k = 0; k < 2 * PAIRS; k++) pthread_join(all[k], NULL);
	for (int i = 0; i < logged; i++) printf("m %d\n", order[i]);
	return 0;
}
