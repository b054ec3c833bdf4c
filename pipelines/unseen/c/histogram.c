// An irregular reduction with OpenMP: edges of a random graph add to both of their vertices by atomic additions.
//
//	histogram THREADS VERTICES EDGES ROUNDS
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	if (argc != 5) return fprintf(stderr, "histogram: give THREADS VERTICES EDGES ROUNDS\n"), 2;
	int vertices = atoi(argv[2]), edges = atoi(argv[3]), rounds = atoi(argv[4]);
	omp_set_num_threads(atoi(argv[1]));
	int *from = malloc(edges * sizeof *from), *to = malloc(edges * sizeof *to);
	long *force = calloc(vertices, sizeof *force), *place = malloc(vertices * sizeof *place), sum = 0;
	unsigned s = 7;
	for (int v = 0; v < vertices; v++) place[v] = v;
	for (int e = 0; e < edges; e++) {
		from[e] = ((s = s * 1664525u + 1013904223u) >> 8) % vertices;
		to[e] = (from[e] + 1 + ((s = s * 1664525u + 1013904223u) >> 8) % 97) % vertices;
	}
	for (int r = 0; r < rounds; r++) {
#pragma omp parallel for schedule(static)
		for (int e = 0; e < edges; e++) {
			long f = (place[from[e]] - place[to[e]]) / 16;
#pragma omp atomic
			force[from[e]] -= f;
#pragma omp atomic
			force[to[e]] += f;
		}
#pragma omp parallel for schedule(static)
		for (int v = 0; v < vertices; v++) {
			place[v] += force[v] / 8;
			force[v] = 0;
		}
	}
	for (int v = 0; v < vertices; v++) sum += place[v];
	printf("%ld\n", sum);
	return 0;
}
