// As much of MPI as mpi.c uses, between two processes that a program forks into, over a pair of sockets: of TCP over the loopback
// device if TCP is defined, else Unix sockets. Both sides poll, as those of MPI do.
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
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

static int rank_here, sockets[2];
static void *memory;

static int connect_sockets(void) {
#ifdef TCP
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof at;
	int on = 1, listener = socket(AF_INET, SOCK_STREAM, 0);
	if (bind(listener, (void *)&at, sizeof at) || listen(listener, 1) || getsockname(listener, (void *)&at, &size)) return -1;
	sockets[0] = socket(AF_INET, SOCK_STREAM, 0);
	if (connect(sockets[0], (void *)&at, sizeof at) || (sockets[1] = accept(listener, 0, 0)) < 0) return -1;
	close(listener);
	for (int i = 0; i < 2; i++) setsockopt(sockets[i], IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
	return 0;
#else
	return socketpair(AF_UNIX, SOCK_STREAM, 0, sockets);
#endif
}

static void MPI_Init(int *argc, char ***argv) {
	memory = mmap(0, 1 << 20, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED || connect_sockets() != 0) _exit(8);
	rank_here = fork() == 0;
	close(sockets[1 - rank_here]); // so that either side sees when the other has gone
}
static void MPI_Comm_rank(int c, int *r) { *r = rank_here; }
static void MPI_Comm_size(int c, int *n) { *n = 2; }
static void MPI_Abort(int c, int status) { _exit(status); }
static void MPI_Send(const void *b, long n, int type, int to, int tag, int c) {
	for (const char *p = b; n > 0;) {
		long done = send(sockets[rank_here], p, n, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (done < 0 && (errno == EAGAIN || errno == EINTR)) continue;
		if (done <= 0) _exit(9);
		p += done, n -= done;
	}
}
static void MPI_Recv(void *b, long n, int type, int from, int tag, int c, int status) {
	for (char *p = b; n > 0;) {
		long done = recv(sockets[rank_here], p, n, MSG_DONTWAIT);
		if (done < 0 && (errno == EAGAIN || errno == EINTR)) continue;
		if (done <= 0) _exit(9);
		p += done, n -= done;
	}
}
static void MPI_Sendrecv(const void *out, long n, int type, int to, int tag, void *in, long m, int t, int from, int tg, int c, int status) {
	if (rank_here == 0) MPI_Send(out, n, 0, to, 0, 0); // one after the other, so that neither waits for room
	MPI_Recv(in, m, 0, from, 0, 0, 0);
	if (rank_here == 1) MPI_Send(out, n, 0, to, 0, 0);
}
static void MPI_Barrier(int c) {
	char token = 0;
	MPI_Sendrecv(&token, 1, 0, 1 - rank_here, 0, &token, 1, 0, 1 - rank_here, 0, 0, 0);
}
static void MPI_Win_allocate_shared(long size, int unit, int info, int c, void *base, MPI_Win *w) { *(void **)base = memory; }
static void MPI_Win_shared_query(MPI_Win w, int r, MPI_Aint *size, int *unit, void *base) { *(void **)base = memory; }
static void MPI_Win_free(MPI_Win *w) {}
static void MPI_Finalize(void) {
	if (rank_here == 0) wait(0);
}
