// Conjugate gradients on a row of points: two sums of all ranks and an exchange with the neighbours in each round.
//
//	conjugate POINTS_OF_A_RANK ROUNDS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int rank, size, n;

static double dot(const double *a, const double *b) {
	double mine = 0, all;
	for (int i = 1; i <= n; i++) mine += a[i] * b[i];
	MPI_Allreduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
	return all;
}

static void apply(double *p, double *q) {
	int left = rank ? rank - 1 : MPI_PROC_NULL, right = rank + 1 < size ? rank + 1 : MPI_PROC_NULL;
	MPI_Sendrecv(&p[1], 1, MPI_DOUBLE, left, 0, &p[n + 1], 1, MPI_DOUBLE, right, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Sendrecv(&p[n], 1, MPI_DOUBLE, right, 1, &p[0], 1, MPI_DOUBLE, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	for (int i = 1; i <= n; i++) q[i] = 2.01 * p[i] - p[i - 1] - p[i + 1];
}

int main(int argc, char **argv) {
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3) return fprintf(stderr, "conjugate: give POINTS_OF_A_RANK ROUNDS\n"), 2;
	n = atoi(argv[1]);
	int rounds = atoi(argv[2]);
	double *x = calloc(n + 2, sizeof *x), *r = calloc(n + 2, sizeof *r), *p = calloc(n + 2, sizeof *p), *q = calloc(n + 2, sizeof *q);
	for (int i = 1; i <= n; i++) r[i] = p[i] = 1.0 / (1 + (rank * n + i) % 9);
	double rr = dot(r, r);
	for (int k = 0; k < rounds; k++) {
		apply(p, q);
		double alpha = rr / dot(p, q);
		for (int i = 1; i <= n; i++) x[i] += alpha * p[i], r[i] -= alpha * q[i];
		double next = dot(r, r), beta = next / rr;
		for (int i = 1; i <= n; i++) p[i] = r[i] + beta * p[i];
		rr = next;
	}
	if (rank == 0) printf("%.6g\n", rr);
	MPI_Finalize();
	return 0;
}
