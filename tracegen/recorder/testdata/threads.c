/* Threads that take a mutex and meet at a barrier: numbers of all events are known. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { STEPS = 5 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static long sum, cells[64];

static void *work(void *p) {
	long k = (long)p;
	for (int i = 0; i < STEPS; i++) {
		for (int j = 0; j < 100; j++) cells[k] += j;
		pthread_mutex_lock(&lock);
		sum += cells[k];
		pthread_mutex_unlock(&lock);
		pthread_barrier_wait(&barrier);
	}
	return NULL;
}

int main(int argc, char **argv) {
	int n = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t all[64];
	pthread_barrier_init(&barrier, NULL, n);
	for (long k = 0; k < n; k++) pthread_create(&all[k], NULL, work, (void *)k);
	for (long k = 0; k < n; k++) pthread_join(all[k], NULL);
	printf("%ld\n", sum);
	return 3;
}
