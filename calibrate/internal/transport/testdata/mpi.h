// As much of MPI as mpi.c uses, between two processes that a program forks into: enough to test it where there is none.
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

typedef long MPI_Aint;
typedef int MPI_Win;
#define MPI_COMM_WORLD 0
#define MPI_INFO_NULL 0
#define MPI_STATUS_IGNORE 0
#define MPI_BYTE 0

static int rank, sockets[2];
static void *memory;

static void MPI_Init(int *argc, char ***argv) {
	memory = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
	rank = fork() == 0;
}
static void MPI_Comm_rank(int c, int *r) { *r = rank; }
static void MPI_Comm_size(int c, int *n) { *n = 2; }
static void MPI_Abort(int c, int status) { _exit(status); }
static void MPI_Send(void *b, long n, int type, int to, int tag, int c) {
	for (char *p = b; n > 0;) {
		long done = write(sockets[rank], p, n);
		if (done <= 0) _exit(9);
		p += done, n -= done;
	}
}
static void MPI_Recv(void *b, long n, int type, int from, int tag, int c, int status) {
	for (char *p = b; n > 0;) {
		long done = read(sockets[rank], p, n);
		if (done <= 0) _exit(9);
		p += done, n -= done;
	}
}
static void MPI_Sendrecv(void *out, long n, int type, int to, int tag, void *in, long m, int t, int from, int tg, int c, int status) {
	if (rank == 0) MPI_Send(out, n, 0, to, 0, 0); // one after the other, so that neither waits for room
	MPI_Recv(in, m, 0, from, 0, 0, 0);
	if (rank == 1) MPI_Send(out, n, 0, to, 0, 0);
}
static void MPI_Barrier(int c) {
	char token = 0;
	MPI_Sendrecv(&token, 1, 0, 1 - rank, 0, &token, 1, 0, 1 - rank, 0, 0, 0);
}
static void MPI_Win_allocate_shared(long size, int unit, int info, int c, void *base, MPI_Win *w) { *(void **)base = memory; }
static void MPI_Win_shared_query(MPI_Win w, int r, MPI_Aint *size, int *unit, void *base) { *(void **)base = memory; }
static void MPI_Win_free(MPI_Win *w) {}
static void MPI_Finalize(void) {
	if (rank == 0) wait(0);
}
