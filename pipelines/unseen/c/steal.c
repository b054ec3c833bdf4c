// Counts the solutions of the queens problem. Each thread has a deque of partial boards, and steals from others when its own is empty.
//
//	steal THREADS QUEENS SPLIT_ROWS
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

enum { DEPTH = 4096 };
struct board { int row; unsigned columns, left, right; };
struct deque {
	struct board place[DEPTH];
	int top, bottom;
	pthread_mutex_t lock;
	long solutions;
};

static int threads, queens, split, open_boards;
static struct deque *deques;

static void push(struct deque *d, struct board b) {
	__atomic_fetch_add(&open_boards, 1, __ATOMIC_SEQ_CST);
	pthread_mutex_lock(&d->lock);
	d->place[d->bottom++ % DEPTH] = b;
	pthread_mutex_unlock(&d->lock);
}

static int pop(struct deque *d, int own, struct board *b) {
	pthread_mutex_lock(&d->lock);
	int some = d->bottom > d->top;
	if (some) *b = d->place[(own ? --d->bottom : d->top++) % DEPTH];
	pthread_mutex_unlock(&d->lock);
	return some;
}

static long solve(struct board b) {
	if (b.row == queens) return 1;
	long n = 0;
	for (unsigned free = ~(b.columns | b.left | b.right) & ((1u << queens) - 1); free; free &= free - 1) {
		unsigned q = free & -free;
		n += solve((struct board){b.row + 1, b.columns | q, (b.left | q) << 1, (b.right | q) >> 1});
	}
	return n;
}

static void expand(struct deque *mine, struct board b) {
	if (b.row >= split) {
		mine->solutions += solve(b);
		return;
	}
	for (unsigned free = ~(b.columns | b.left | b.right) & ((1u << queens) - 1); free; free &= free - 1) {
		unsigned q = free & -free;
		push(mine, (struct board){b.row + 1, b.columns | q, (b.left | q) << 1, (b.right | q) >> 1});
	}
}

static void *work(void *arg) {
	long me = (long)arg;
	struct board b;
	while (__atomic_load_n(&open_boards, __ATOMIC_SEQ_CST) > 0) {
		int got = pop(&deques[me], 1, &b);
		for (int k = 1; !got && k < threads; k++) got = pop(&deques[(me + k) % threads], 0, &b);
		if (!got) {
			sched_yield();
			continue;
		}
		expand(&deques[me], b);
		__atomic_fetch_sub(&open_boards, 1, __ATOMIC_SEQ_CST);
	}
	return NULL;
}

int main(int argc, char **argv) {
	if (argc != 4) return fprintf(stderr, "steal: give THREADS QUEENS SPLIT_ROWS\n"), 2;
	threads = atoi(argv[1]), queens = atoi(argv[2]), split = atoi(argv[3]);
	deques = calloc(threads, sizeof *deques);
	for (int i = 0; i < threads; i++) pthread_mutex_init(&deques[i].lock, NULL);
	push(&deques[0], (struct board){0, 0, 0, 0});
	pthread_t t[64];
	for (long i = 1; i < threads; i++) pthread_create(&t[i], NULL, work, (void *)i);
	work(0);
	long sum = deques[0].solutions;
	for (int i = 1; i < threads; i++) pthread_join(t[i], NULL), sum += deques[i].solutions;
	printf("%ld\n", sum);
	return 0;
}
