/* Ranks with threads: each adds its part of an array, and the ranks add their sums. */
#include <mpi.h>
#include <stdio.h>
static double a[4096];
int main(int argc, char **argv) {
	int me, n, given;
	double sum = 0, all, from;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_FUNNELED, &given);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Comm_size(MPI_COMM_WORLD, &n);
	for (int step = 0; step < 3; step++) {
#pragma omp parallel for reduction(+ : sum) num_threads(2)
		for (int i = 0; i < 4096; i++) sum += a[i] += me + step;
		MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		MPI_Sendrecv(&sum, 1, MPI_DOUBLE, (me + 1) % n, step, &from, 1, MPI_DOUBLE, MPI_ANY_SOURCE, step, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	}
	if (me == 0) printf("%g\n", all);
	MPI_Finalize();
	return 0;
}
