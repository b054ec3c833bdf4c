// A stencil on a square in a grid of ranks: each exchanges its borders with four neighbours by nonblocking messages.
//
//	halo2d SIDE_OF_A_RANK STEPS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int n;
static double *a, *b;

#define AT(p, i, j) p[(i) * (n + 2) + (j)]

int main(int argc, char **argv) {
	int rank, size, dims[2] = {0, 0}, wrap[2] = {1, 1}, north, south, west, east;
	MPI_Init(&argc, &argv);
	if (argc != 3) return fprintf(stderr, "halo2d: give SIDE_OF_A_RANK STEPS\n"), 2;
	n = atoi(argv[1]);
	int steps = atoi(argv[2]);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	MPI_Dims_create(size, 2, dims);
	MPI_Comm grid;
	MPI_Cart_create(MPI_COMM_WORLD, 2, dims, wrap, 0, &grid);
	MPI_Comm_rank(grid, &rank);
	MPI_Cart_shift(grid, 0, 1, &north, &south);
	MPI_Cart_shift(grid, 1, 1, &west, &east);
	MPI_Datatype column;
	MPI_Type_vector(n, 1, n + 2, MPI_DOUBLE, &column);
	MPI_Type_commit(&column);
	a = calloc((n + 2) * (n + 2), sizeof *a), b = calloc((n + 2) * (n + 2), sizeof *b);
	for (int i = 1; i <= n; i++)
		for (int j = 1; j <= n; j++) AT(a, i, j) = (i * j + rank) % 10;
	for (int s = 0; s < steps; s++) {
		MPI_Request r[8];
		MPI_Irecv(&AT(a, 0, 1), n, MPI_DOUBLE, north, 0, grid, &r[0]);
		MPI_Irecv(&AT(a, n + 1, 1), n, MPI_DOUBLE, south, 1, grid, &r[1]);
		MPI_Irecv(&AT(a, 1, 0), 1, column, west, 2, grid, &r[2]);
		MPI_Irecv(&AT(a, 1, n + 1), 1, column, east, 3, grid, &r[3]);
		MPI_Isend(&AT(a, n, 1), n, MPI_DOUBLE, south, 0, grid, &r[4]);
		MPI_Isend(&AT(a, 1, 1), n, MPI_DOUBLE, north, 1, grid, &r[5]);
		MPI_Isend(&AT(a, 1, n), 1, column, east, 2, grid, &r[6]);
		MPI_Isend(&AT(a, 1, 1), 1, column, west, 3, grid, &r[7]);
		MPI_Waitall(8, r, MPI_STATUSES_IGNORE);
		for (int i = 1; i <= n; i++)
			for (int j = 1; j <= n; j++)
				AT(b, i, j) = 0.25 * (AT(a, i - 1, j) + AT(a, i + 1, j) + AT(a, i, j - 1) + AT(a, i, j + 1));
		double *t = a;
		a = b, b = t;
	}
	double mine = 0, all;
	for (int i = 1; i <= n; i++)
		for (int j = 1; j <= n; j++) mine += AT(a, i, j);
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, grid);
	if (rank == 0) printf("%.6f\n", all);
	MPI_Finalize();
	return 0;
}
