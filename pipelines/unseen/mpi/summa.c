// The product of two matrices: in each step the owners of a block of columns and of rows broadcast it. Ranks have rows of the result.
//
//	summa ROWS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 2) return fprintf(stderr, "summa: give ROWS\n"), 2;
	int n = atoi(argv[1]), rows = n / size;
	double *a = malloc(rows * n * sizeof *a), *b = malloc(rows * n * sizeof *b), *c = calloc(rows * n, sizeof *c);
	double *panel = malloc(rows * n * sizeof *panel), mine = 0, all;
	for (int i = 0; i < rows * n; i++) a[i] = (i + rank) % 5, b[i] = (i * 3 + rank) % 7;
	for (int k = 0; k < size; k++) {
		if (k == rank) memcpy(panel, b, rows * n * sizeof *b);
		MPI_Bcast(panel, rows * n, MPI_DOUBLE, k, MPI_COMM_WORLD);
		for (int i = 0; i < rows; i++)
			for (int l = 0; l < rows; l++) {
				double x = a[i * n + k * rows + l];
				for (int j = 0; j < n; j++) c[i * n + j] += x * panel[l * n + j];
			}
	}
	for (int i = 0; i < rows * n; i++) mine += c[i];
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.1f\n", all);
	MPI_Finalize();
	return 0;
}
