// The largest eigenvalue of a sparse matrix by power iteration with OpenMP: products of rows, and reductions.
//
//	power THREADS ROWS NONZEROS_OF_A_ROW ROUNDS
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	if (argc != 5) return fprintf(stderr, "power: give THREADS ROWS NONZEROS_OF_A_ROW ROUNDS\n"), 2;
	int rows = atoi(argv[2]), each = atoi(argv[3]), rounds = atoi(argv[4]);
	omp_set_num_threads(atoi(argv[1]));
	int *start = malloc((rows + 1) * sizeof *start), *column = malloc(2L * rows * each * sizeof *column);
	double *value = malloc(2L * rows * each * sizeof *value), *x = malloc(rows * sizeof *x), *y = malloc(rows * sizeof *y), norm = 0;
	unsigned s = 11;
	start[0] = 0;
	for (int r = 0; r < rows; r++) {
		int n = 1 + ((s = s * 1664525u + 1013904223u) >> 8) % (2 * each - 1); // rows have unequal lengths
		start[r + 1] = start[r] + n;
		for (int k = start[r]; k < start[r + 1]; k++) {
			column[k] = ((s = s * 1664525u + 1013904223u) >> 8) % rows;
			value[k] = 1.0 / n;
		}
		x[r] = 1 + r % 3;
	}
	for (int i = 0; i < rounds; i++) {
		norm = 0;
#pragma omp parallel for schedule(static) reduction(+ : norm)
		for (int r = 0; r < rows; r++) {
			double sum = 0;
			for (int k = start[r]; k < start[r + 1]; k++) sum += value[k] * x[column[k]];
			y[r] = sum;
			norm += sum * sum;
		}
		norm = sqrt(norm);
#pragma omp parallel for schedule(static)
		for (int r = 0; r < rows; r++) x[r] = y[r] / norm;
	}
	printf("%.6f\n", norm);
	return 0;
}
