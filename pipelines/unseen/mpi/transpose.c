// Transforms the rows of a matrix, and transposes it by an all-to-all exchange, several times.
//
//	transpose ROWS ROUNDS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void transform(double *row, int n) {
	for (int span = 1; span < n; span *= 2)
		for (int i = 0; i < n; i += 2 * span)
			for (int j = i; j < i + span; j++) {
				double x = row[j], y = row[j + span];
				row[j] = 0.5 * (x + y);
				row[j + span] = 0.5 * (x - y);
			}
}

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3) return fprintf(stderr, "transpose: give ROWS ROUNDS\n"), 2;
	int n = atoi(argv[1]), rounds = atoi(argv[2]), rows = n / size;
	double *a = malloc(rows * n * sizeof *a), *out = malloc(rows * n * sizeof *out), *in = malloc(rows * n * sizeof *in);
	for (int i = 0; i < rows * n; i++) a[i] = (i + rank) % 16;
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < rows; i++) transform(a + i * n, n);
		for (int to = 0, k = 0; to < size; to++)
			for (int j = to * rows; j < (to + 1) * rows; j++)
				for (int i = 0; i < rows; i++) out[k++] = a[i * n + j];
		MPI_Alltoall(out, rows * rows, MPI_DOUBLE, in, rows * rows, MPI_DOUBLE, MPI_COMM_WORLD);
		for (int from = 0, k = 0; from < size; from++)
			for (int i = 0; i < rows; i++)
				for (int j = 0; j < rows; j++) a[i * n + from * rows + j] = in[k++];
	}
	double mine = 0, all;
	for (int i = 0; i < rows * n; i++) mine += a[i] * a[i];
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.6f\n", all);
	MPI_Finalize();
	return 0;
}
