// A wavefront over a grid: ranks in a row have columns of it, and pass the border of each block of rows to the right, then to the left.
//
//	sweep ROWS COLUMNS_OF_A_RANK BLOCK_OF_ROWS SWEEPS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int columns, block;

static void cross(double *u, double *border, int forward) {
	for (int i = 0; i < block; i++) {
		double left = border[i];
		for (int k = 0; k < columns; k++) {
			int j = forward ? k : columns - 1 - k;
			left = u[i * columns + j] = 0.5 * left + 0.4 * u[i * columns + j] + 0.1;
		}
		border[i] = left;
	}
}

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 5) return fprintf(stderr, "sweep: give ROWS COLUMNS_OF_A_RANK BLOCK_OF_ROWS SWEEPS\n"), 2;
	int rows = atoi(argv[1]), sweeps = atoi(argv[4]);
	columns = atoi(argv[2]), block = atoi(argv[3]);
	double *u = calloc(rows * columns, sizeof *u), *border = malloc(block * sizeof *border);
	for (int s = 0; s < sweeps; s++) {
		int forward = s % 2 == 0, from = forward ? rank - 1 : rank + 1, to = forward ? rank + 1 : rank - 1;
		for (int row = 0; row + block <= rows; row += block) {
			for (int i = 0; i < block; i++) border[i] = 1;
			if (from >= 0 && from < size) MPI_Recv(border, block, MPI_DOUBLE, from, s, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			cross(u + row * columns, border, forward);
			if (to >= 0 && to < size) MPI_Send(border, block, MPI_DOUBLE, to, s, MPI_COMM_WORLD);
		}
	}
	double mine = 0, all;
	for (int i = 0; i < rows * columns; i++) mine += u[i];
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.6f\n", all);
	MPI_Finalize();
	return 0;
}
