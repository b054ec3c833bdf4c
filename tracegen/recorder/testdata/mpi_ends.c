/* A program that ends in the way that its argument names. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
int main(int argc, char **argv) {
	int me, x = 0, y;
	if (!strcmp(argv[1], "never")) return 7;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	MPI_Allreduce(&x, &y, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
	if (!strcmp(argv[1], "kill") && me == 1) raise(SIGKILL);
	if (!strcmp(argv[1], "abort") && me == 0) MPI_Abort(MPI_COMM_WORLD, 3);
	if (!strcmp(argv[1], "wait") && me == 0) fprintf(stderr, "waiting\n");
	if (strcmp(argv[1], "end")) MPI_Recv(&x, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	MPI_Finalize();
	return 5;
}
