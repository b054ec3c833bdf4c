/* Threads of C11 that take turns: numbers of all events but waits are known. */
#include <stdio.h>
#include <threads.h>

enum { THREADS = 3, STEPS = 5 };
static mtx_t lock;
static cnd_t moved;
static once_flag once = ONCE_FLAG_INIT;
static int turn, made;

static void make(void) { made++; }

static int run(void *p) {
	int k = *(int *)p;
	call_once(&once, make);
	for (int i = 0; i < STEPS; i++) {
		mtx_lock(&lock);
		while (turn % THREADS != k) cnd_wait(&moved, &lock);
		printf("t %d\n", k + 1);
		turn++;
		cnd_broadcast(&moved);
		mtx_unlock(&lock);
	}
	return k - 1;
}

int main(void) {
	thrd_t all[THREADS];
	int numbers[THREADS], status, sum = 0;
	mtx_init(&lock, mtx_plain);
	cnd_init(&moved);
	for (int k = 0; k < THREADS; k++) {
		numbers[k] = k;
		if (thrd_create(&all[k], run, &numbers[k]) != thrd_success) return 2;
	}
	for (int k = 0; k < THREADS; k++) {
		if (thrd_join(all[k], &status) != thrd_success) return 3;
		sum += status;
	}
	if (mtx_trylock(&lock) != thrd_success || mtx_trylock(&lock) != thrd_busy) return 4;
	return made == 1 && sum == 0 ? 0 : 5;
}
