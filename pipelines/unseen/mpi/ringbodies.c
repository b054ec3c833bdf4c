// All pairs of bodies: copies of the bodies travel round a ring of ranks, while each adds up the forces on its own.
//
//	ringbodies BODIES_OF_A_RANK STEPS
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3) return fprintf(stderr, "ringbodies: give BODIES_OF_A_RANK STEPS\n"), 2;
	int n = atoi(argv[1]), steps = atoi(argv[2]);
	double *x = malloc(n * sizeof *x), *v = calloc(n, sizeof *v), *other = malloc(n * sizeof *other), *coming = malloc(n * sizeof *coming);
	for (int i = 0; i < n; i++) x[i] = fmod((rank * n + i) * 0.618034, 1);
	for (int s = 0; s < steps; s++) {
		memcpy(other, x, n * sizeof *x);
		for (int k = 0; k < size; k++) {
			MPI_Request r[2];
			MPI_Irecv(coming, n, MPI_DOUBLE, (rank + size - 1) % size, 0, MPI_COMM_WORLD, &r[0]);
			MPI_Isend(other, n, MPI_DOUBLE, (rank + 1) % size, 0, MPI_COMM_WORLD, &r[1]);
			for (int i = 0; i < n; i++)
				for (int j = 0; j < n; j++) {
					double d = x[i] - other[j];
					v[i] += 1e-6 * d / (fabs(d * d * d) + 1e-3);
				}
			MPI_Waitall(2, r, MPI_STATUSES_IGNORE);
			double *t = other;
			other = coming, coming = t;
		}
		for (int i = 0; i < n; i++) x[i] += v[i];
	}
	double mine = 0, all;
	for (int i = 0; i < n; i++) mine += v[i] * v[i];
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.9g\n", all);
	MPI_Finalize();
	return 0;
}
