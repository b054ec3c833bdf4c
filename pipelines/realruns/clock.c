/* Measures the time of each rank from the end of MPI_Init to the begin of MPI_Finalize, which is what a trace has. Preloaded:
 *
 *   mpicc -O2 -shared -fPIC clock.c -o clock.so -ldl
 *   mpirun -np 2 -x CLOCK=time -x LD_PRELOAD=./clock.so ./program      # writes time.0 and time.1, in seconds
 *
 * Both names of a function are defined, because Fortran calls one or the other.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double begun;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

int PMPI_Init(int *argc, char ***argv) {
	int (*next)(int *, char ***) = dlsym(RTLD_NEXT, "PMPI_Init");
	int err = next(argc, argv);
	begun = now();
	return err;
}

int PMPI_Init_thread(int *argc, char ***argv, int required, int *provided) {
	int (*next)(int *, char ***, int, int *) = dlsym(RTLD_NEXT, "PMPI_Init_thread");
	int err = next(argc, argv, required, provided);
	begun = now();
	return err;
}

int PMPI_Finalize(void) {
	int (*next)(void) = dlsym(RTLD_NEXT, "PMPI_Finalize");
	int (*rank_of)(MPI_Comm, int *) = dlsym(RTLD_NEXT, "PMPI_Comm_rank");
	double time = now() - begun;
	char name[4096];
	int rank;
	rank_of(MPI_COMM_WORLD, &rank);
	snprintf(name, sizeof name, "%s.%d", getenv("CLOCK"), rank);
	FILE *f = fopen(name, "w");
	if (!f || fprintf(f, "%.6f\n", time) < 0 || fclose(f)) {
		perror(name);
		exit(1);
	}
	return next();
}

int MPI_Init(int *, char ***) __attribute__((alias("PMPI_Init")));
int MPI_Init_thread(int *, char ***, int, int *) __attribute__((alias("PMPI_Init_thread")));
int MPI_Finalize(void) __attribute__((alias("PMPI_Finalize")));
