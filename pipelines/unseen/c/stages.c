// A pipeline: each thread is a stage that takes blocks from a bounded queue, filters them, and gives them to the next stage.
//
//	stages THREADS BLOCKS BLOCK_SIZE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 4 };
struct queue {
	float *place[PLACES];
	int first, used;
	pthread_mutex_t lock;
	pthread_cond_t full, empty;
};

static int threads, blocks, size;
static struct queue queues[64];

static void put(struct queue *q, float *block) {
	pthread_mutex_lock(&q->lock);
	while (q->used == PLACES) pthread_cond_wait(&q->full, &q->lock);
	q->place[(q->first + q->used++) % PLACES] = block;
	pthread_cond_signal(&q->empty);
	pthread_mutex_unlock(&q->lock);
}

static float *take(struct queue *q) {
	pthread_mutex_lock(&q->lock);
	while (q->used == 0) pthread_cond_wait(&q->empty, &q->lock);
	float *block = q->place[q->first];
	q->first = (q->first + 1) % PLACES;
	q->used--;
	pthread_cond_signal(&q->full);
	pthread_mutex_unlock(&q->lock);
	return block;
}

static void filter(float *b) {
	for (int i = 1; i < size; i++) b[i] = 0.75f * b[i] + 0.25f * b[i - 1];
}

static void *stage(void *arg) {
	long me = (long)arg;
	float sum = 0;
	for (int n = 0; n < blocks; n++) {
		float *b = me ? take(&queues[me]) : malloc(size * sizeof *b);
		if (!me)
			for (int i = 0; i < size; i++) b[i] = (n * 31 + i * 7) % 101;
		filter(b);
		if (me + 1 < threads) {
			put(&queues[me + 1], b);
			continue;
		}
		sum += b[size - 1];
		free(b);
	}
	if (me + 1 == threads) printf("%.3f\n", sum);
	return NULL;
}

int main(int argc, char **argv) {
	if (argc != 4) return fprintf(stderr, "stages: give THREADS BLOCKS BLOCK_SIZE\n"), 2;
	threads = atoi(argv[1]), blocks = atoi(argv[2]), size = atoi(argv[3]);
	for (int i = 0; i < threads; i++) {
		pthread_mutex_init(&queues[i].lock, NULL);
		pthread_cond_init(&queues[i].full, NULL);
		pthread_cond_init(&queues[i].empty, NULL);
	}
	pthread_t t[64];
	for (long i = 1; i < threads; i++) pthread_create(&t[i], NULL, stage, (void *)i);
	stage(0);
	for (int i = 1; i < threads; i++) pthread_join(t[i], NULL);
	return 0;
}
