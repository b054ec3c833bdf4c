#include <pthread.h>
#include <stdio.h>
static volatile int cells[4][1000];
__attribute__((noinline)) void middle(void) { __asm__ volatile(""); }
__attribute__((noinline)) void last(void) { __asm__ volatile(""); }
__attribute__((noinline)) void unused(void) { __asm__ volatile(""); }
static pthread_barrier_t b;
static void *work(void *p) {
	long k = (long)p;
	for (int i = 0; i < 1000; i++) cells[k][i] = i;
	pthread_barrier_wait(&b);
	if (k == 2) middle();
	pthread_barrier_wait(&b);
	for (int i = 0; i < 1000; i++) cells[k][i] = i;
	pthread_barrier_wait(&b);
	if (k == 1) last();
	pthread_barrier_wait(&b);
	for (int i = 0; i < 1000; i++) cells[k][i] = i;
	return 0;
}
int main(void) {
	pthread_t t[3];
	pthread_barrier_init(&b, 0, 3);
	for (long i = 0; i < 3; i++) pthread_create(t + i, 0, work, (void *)i);
	for (long i = 0; i < 3; i++) pthread_join(t[i], 0);
	return 0;
}
