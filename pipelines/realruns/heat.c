/* Heat in a plate of 2048 by 2048 points: ranks have blocks of rows, exchange their borders, and sum up the change.
 *
 *   heat STEPS
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { n = 2048 };

/* step computes b from a, and returns the sum of the squares of the changes. */
static double step(int rows, const double *a, double *b) {
	double change = 0;
	for (int i = 1; i <= rows; i++)
		for (int j = 1; j < n - 1; j++) {
			const double *p = a + i * n + j;
			double next = 0.25 * (p[-1] + p[1] + p[-n] + p[n]);
			change += (next - *p) * (next - *p);
			b[i * n + j] = next;
		}
	return change;
}

int main(int argc, char **argv) {
	int rank, size, steps = argc > 1 ? atoi(argv[1]) : 600;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	int rows = n / size, up = rank ? rank - 1 : MPI_PROC_NULL, down = rank < size - 1 ? rank + 1 : MPI_PROC_NULL;
	double *a = calloc((rows + 2) * n, sizeof *a), *b = calloc((rows + 2) * n, sizeof *b), all = 0;
	for (int j = 0; j < n && rank == 0; j++)
		a[j] = b[j] = 1;
	for (int s = 0; s < steps; s++) {
		MPI_Sendrecv(a + n, n, MPI_DOUBLE, up, 0, a + (rows + 1) * n, n, MPI_DOUBLE, down, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		MPI_Sendrecv(a + rows * n, n, MPI_DOUBLE, down, 0, a, n, MPI_DOUBLE, up, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
		double change = step(rows, a, b), *t = a;
		MPI_Allreduce(&change, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
		a = b, b = t;
	}
	if (rank == 0)
		printf("change %g\n", all);
	MPI_Finalize();
	return 0;
}
