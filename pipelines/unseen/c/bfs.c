// Breadth-first search of a random graph with OpenMP, level by level: each thread collects a part of the next front.
//
//	bfs THREADS VERTICES DEGREE
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
	if (argc != 4) return fprintf(stderr, "bfs: give THREADS VERTICES DEGREE\n"), 2;
	int vertices = atoi(argv[2]), degree = atoi(argv[3]);
	omp_set_num_threads(atoi(argv[1]));
	int *edge = malloc(vertices * degree * sizeof *edge), *level = malloc(vertices * sizeof *level);
	int *front = malloc(vertices * sizeof *front), *next = malloc(vertices * sizeof *next);
	unsigned s = 3;
	for (int i = 0; i < vertices * degree; i++) edge[i] = ((s = s * 1664525u + 1013904223u) >> 8) % vertices;
	for (int v = 0; v < vertices; v++) level[v] = -1;
	int size = 1, depth = 0;
	front[0] = level[0] = 0;
	while (size > 0) {
		int found = 0;
		depth++;
#pragma omp parallel
		{
			int mine[256], n = 0;
#pragma omp for schedule(dynamic, 16)
			for (int i = 0; i < size; i++)
				for (int k = 0; k < degree; k++) {
					int v = edge[front[i] * degree + k], unseen = -1;
					if (level[v] >= 0 || !__atomic_compare_exchange_n(&level[v], &unseen, depth, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) continue;
					mine[n++] = v;
					if (n < 256) continue;
					memcpy(next + __atomic_fetch_add(&found, n, __ATOMIC_RELAXED), mine, n * sizeof *mine);
					n = 0;
				}
			memcpy(next + __atomic_fetch_add(&found, n, __ATOMIC_RELAXED), mine, n * sizeof *mine);
		}
		int *t = front;
		front = next;
		next = t;
		size = found;
	}
	printf("%d levels\n", depth);
	return 0;
}
