// A master gives out rows of the Mandelbrot set one at a time, and takes each from whichever worker is ready.
//
//	farm ROWS COLUMNS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { WORK, STOP };

static int rows, columns;

static void compute(int row, int *line) {
	for (int c = 0; c < columns; c++) {
		double x = 0, y = 0, re = 3.0 * c / columns - 2, im = 2.0 * row / rows - 1;
		int k = 0;
		for (; k < 100 && x * x + y * y < 4; k++) {
			double t = x * x - y * y + re;
			y = 2 * x * y + im;
			x = t;
		}
		line[c] = k;
	}
}

static long master(int size) {
	int *line = malloc((columns + 1) * sizeof *line), next = 0, out = 0;
	long sum = 0;
	for (int w = 1; w < size; w++, out++, next++) MPI_Send(&next, 1, MPI_INT, w, WORK, MPI_COMM_WORLD);
	while (out > 0) {
		MPI_Status s;
		MPI_Recv(line, columns + 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &s);
		out--;
		for (int c = 0; c < columns; c++) sum += line[c];
		if (next < rows) {
			MPI_Send(&next, 1, MPI_INT, s.MPI_SOURCE, WORK, MPI_COMM_WORLD);
			next++, out++;
		} else {
			MPI_Send(&next, 1, MPI_INT, s.MPI_SOURCE, STOP, MPI_COMM_WORLD);
		}
	}
	return sum;
}

static void worker(void) {
	int *line = malloc((columns + 1) * sizeof *line), row;
	MPI_Status s;
	for (;;) {
		MPI_Recv(&row, 1, MPI_INT, 0, MPI_ANY_TAG, MPI_COMM_WORLD, &s);
		if (s.MPI_TAG == STOP) return;
		compute(row, line);
		line[columns] = row;
		MPI_Send(line, columns + 1, MPI_INT, 0, 0, MPI_COMM_WORLD);
	}
}

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 3) return fprintf(stderr, "farm: give ROWS COLUMNS\n"), 2;
	rows = atoi(argv[1]), columns = atoi(argv[2]);
	if (rank)
		worker();
	else
		printf("%ld\n", master(size));
	MPI_Finalize();
	return 0;
}
