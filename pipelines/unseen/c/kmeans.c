// Clusters points by k-means with OpenMP. Each thread adds to arrays of its own, which are added up in a critical section.
//
//	kmeans THREADS POINTS CLUSTERS ROUNDS
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DIMS = 4, MOST = 64 };

static int nearest(const float *p, const float (*centre)[DIMS], int clusters) {
	int best = 0;
	float least = 1e30f;
	for (int c = 0; c < clusters; c++) {
		float d = 0;
		for (int k = 0; k < DIMS; k++) d += (p[k] - centre[c][k]) * (p[k] - centre[c][k]);
		if (d < least) least = d, best = c;
	}
	return best;
}

int main(int argc, char **argv) {
	if (argc != 5) return fprintf(stderr, "kmeans: give THREADS POINTS CLUSTERS ROUNDS\n"), 2;
	int points = atoi(argv[2]), clusters = atoi(argv[3]), rounds = atoi(argv[4]);
	omp_set_num_threads(atoi(argv[1]));
	float (*p)[DIMS] = malloc(points * sizeof *p), centre[MOST][DIMS], sum[MOST][DIMS];
	int count[MOST];
	unsigned s = 1;
	for (int i = 0; i < points; i++)
		for (int k = 0; k < DIMS; k++) p[i][k] = ((s = s * 1664525u + 1013904223u) >> 8) / 16777216.0f;
	memcpy(centre, p, clusters * sizeof *p);
	for (int r = 0; r < rounds; r++) {
		memset(sum, 0, sizeof sum);
		memset(count, 0, sizeof count);
#pragma omp parallel
		{
			float mine[MOST][DIMS] = {{0}};
			int number[MOST] = {0};
#pragma omp for schedule(static) nowait
			for (int i = 0; i < points; i++) {
				int c = nearest(p[i], (const float (*)[DIMS])centre, clusters);
				number[c]++;
				for (int k = 0; k < DIMS; k++) mine[c][k] += p[i][k];
			}
#pragma omp critical
			for (int c = 0; c < clusters; c++) {
				count[c] += number[c];
				for (int k = 0; k < DIMS; k++) sum[c][k] += mine[c][k];
			}
		}
		for (int c = 0; c < clusters; c++)
			for (int k = 0; k < DIMS && count[c]; k++) centre[c][k] = sum[c][k] / count[c];
	}
	printf("%.4f %.4f\n", centre[0][0], centre[clusters - 1][1]);
	return 0;
}
