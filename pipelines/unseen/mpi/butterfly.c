// A prefix of sums and a largest element by exchanges with the rank that differs in one bit, for many vectors. Ranks are a power of two.
//
//	butterfly VECTOR ROUNDS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3) return fprintf(stderr, "butterfly: give VECTOR ROUNDS\n"), 2;
	int n = atoi(argv[1]), rounds = atoi(argv[2]);
	double *prefix = malloc(n * sizeof *prefix), *total = malloc(n * sizeof *total), *other = malloc(n * sizeof *other);
	for (int i = 0; i < n; i++) prefix[i] = (rank * 31 + i) % 7;
	for (int r = 0; r < rounds; r++) {
		for (int i = 0; i < n; i++) total[i] = prefix[i];
		for (int bit = 1; bit < size; bit *= 2) {
			int partner = rank ^ bit;
			MPI_Sendrecv(total, n, MPI_DOUBLE, partner, r, other, n, MPI_DOUBLE, partner, r, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			for (int i = 0; i < n; i++) {
				total[i] += other[i];
				if (partner < rank) prefix[i] += other[i];
			}
		}
		for (int i = 0; i < n; i++) prefix[i] = 0.5 * prefix[i] + 1 / (1 + total[i]);
	}
	double mine = prefix[n / 2], all;
	MPI_Reduce(&mine, &all, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.9f\n", all);
	MPI_Finalize();
	return 0;
}
