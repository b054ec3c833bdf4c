/* A plain counter of sends and their bytes, which is preloaded before the recorder: MPI_X of the program is counted here. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static long sends, bytes;
static void count(int n, MPI_Datatype t, int to) {
	int size;
	if (to == MPI_PROC_NULL) return;
	PMPI_Type_size(t, &size);
	sends++, bytes += (long)n * size;
}
#define SEND(f) int MPI_##f(const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c) { count(n, t, p); return PMPI_##f(b, n, t, p, tag, c); }
#define ISEND(f) int MPI_##f(const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Request *q) { count(n, t, p); return PMPI_##f(b, n, t, p, tag, c, q); }
SEND(Send) SEND(Ssend) SEND(Rsend) SEND(Bsend) ISEND(Isend) ISEND(Issend) ISEND(Irsend) ISEND(Ibsend)
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int p, int tag, void *o, int on, MPI_Datatype ot, int from, int otag, MPI_Comm c, MPI_Status *s) {
	count(n, t, p);
	return PMPI_Sendrecv(b, n, t, p, tag, o, on, ot, from, otag, c, s);
}
int MPI_Finalize(void) {
	int me;
	char name[100];
	PMPI_Comm_rank(MPI_COMM_WORLD, &me);
	snprintf(name, sizeof name, "count.%d", me);
	FILE *f = fopen(name, "w");
	fprintf(f, "%ld %ld\n", sends, bytes);
	fclose(f);
	return PMPI_Finalize();
}
