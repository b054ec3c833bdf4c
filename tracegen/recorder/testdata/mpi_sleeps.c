/* A rank that sleeps 30 us between messages to itself. It prints its processor time in ns. */
#include <mpi.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
static long long used(void) {
	struct timespec t;
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * 1000000000ll + t.tv_nsec;
}
int main(int argc, char **argv) {
	int me;
	char out = 0, in;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &me);
	prctl(PR_SET_TIMERSLACK, 1);
	long long begun = used();
	for (int i = 0; i < 4000; i++) {
		struct timespec t = {0, 30000};
		MPI_Request q;
		nanosleep(&t, NULL);
		MPI_Irecv(&in, 1, MPI_BYTE, me, 0, MPI_COMM_WORLD, &q);
		MPI_Send(&out, 1, MPI_BYTE, me, 0, MPI_COMM_WORLD);
		MPI_Wait(&q, MPI_STATUS_IGNORE);
	}
	printf("%lld\n", used() - begun);
	MPI_Finalize();
	return 0;
}
