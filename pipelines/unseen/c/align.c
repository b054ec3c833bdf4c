// Aligns two texts by dynamic programming in blocks. Threads own columns of blocks and wait by flags for the column on their left.
//
//	align THREADS LENGTH BLOCK
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>

static int threads, length, block;
static char *a, *b;
static short *score;
static sem_t ready[64];

static int larger(int x, int y) { return x > y ? x : y; }

static void fill(int row, int column) {
	int width = length + 1;
	for (int i = row + 1; i <= row + block; i++)
		for (int j = column + 1; j <= column + block; j++) {
			int diagonal = score[(i - 1) * width + j - 1] + (a[i] == b[j] ? 2 : -1);
			int gap = larger(score[(i - 1) * width + j], score[i * width + j - 1]) - 1;
			score[i * width + j] = larger(0, larger(diagonal, gap));
		}
}

static void *work(void *arg) {
	long me = (long)arg;
	int columns = length / block;
	for (int round = 0; round * threads < columns; round++) {
		int column = round * threads + me;
		for (int row = 0; row < columns; row++) {
			if (column > 0) sem_wait(&ready[me]);
			fill(row * block, column * block);
			if (column + 1 < columns) sem_post(&ready[(me + 1) % threads]);
		}
	}
	return NULL;
}

int main(int argc, char **argv) {
	if (argc != 4) return fprintf(stderr, "align: give THREADS LENGTH BLOCK\n"), 2;
	threads = atoi(argv[1]), length = atoi(argv[2]), block = atoi(argv[3]);
	if (length % block || length / block % threads) return fprintf(stderr, "align: LENGTH must be a multiple of THREADS blocks\n"), 2;
	a = malloc(length + 1), b = malloc(length + 1);
	score = calloc((length + 1) * (length + 1), sizeof *score);
	unsigned s = 5;
	for (int i = 0; i <= length; i++) {
		a[i] = "acgt"[(s = s * 1664525u + 1013904223u) >> 30];
		b[i] = "acgt"[(s = s * 1664525u + 1013904223u) >> 30];
	}
	for (int i = 0; i < threads; i++) sem_init(&ready[i], 0, 0);
	pthread_t t[64];
	for (long i = 1; i < threads; i++) pthread_create(&t[i], NULL, work, (void *)i);
	work(0);
	for (int i = 1; i < threads; i++) pthread_join(t[i], NULL);
	printf("%d\n", score[(length + 1) * (length + 1) - 1]);
	return 0;
}
