/* Collectives: the kind of event, the root, the bytes as the trace counts them, and the buffer if there is one. */
enum { BARRIER = 1, BCAST, REDUCE, ALLREDUCE, SCAN, GATHER, ALLGATHER, SCATTER, ALLTOALL };

static int me(MPI_Comm c) { int r; PMPI_Comm_rank(c, &r); return r; }
static int many(MPI_Comm c) { int n; PMPI_Comm_size(c, &n); return n; }
/* How many ranks a vector of counts is for: those of the other group, if there are two. */
static int partners(MPI_Comm c) { comm *of = comm_of(c); return of == &theworld ? ranks : of == &alone ? 1 : of->size; }
static int64_t sum(const int *counts, MPI_Comm c, MPI_Datatype t) {
	int64_t n = 0;
	for (int i = 0; i < partners(c); i++) n += bytes(counts[i], t);
	return n;
}
static int64_t sum_of_types(const int *counts, const MPI_Datatype *t, MPI_Comm c) {
	int64_t n = 0;
	for (int i = 0; i < partners(c); i++) n += bytes(counts[i], t[i]);
	return n;
}

/* Writes a collective, and returns the number of its request. The caller holds the lock. */
static uint64_t collective(int kind, MPI_Comm c, int root, int64_t n, int request) {
	comm *of = comm_of(c);
	record(COLLECTIVE);
	put(kind);
	put(of->number);
	putsigned(root < 0 ? -1 : world_of(of, root));
	put(n);
	put(request ? ++numbers : 0);
	written();
	return request ? numbers : 0;
}

/* What a call is in the trace: one collective or, if next is not 0, two. The caller holds the lock. */
typedef struct { int kind, root; int64_t n; int next; int64_t part; } described_collective;
#define SAYS(...) (described_collective){__VA_ARGS__}

static void put_collective(described_collective d, MPI_Comm c, MPI_Request *q) {
	int two = 0;
	uint64_t number, also = 0;
	PMPI_Comm_test_inter(c, &two);
	if (two) {
		missed("collectives of intercommunicators");
		return;
	}
	number = collective(d.kind, c, d.root, d.n, q != NULL);
	if (d.next) also = collective(d.next, c, d.root, d.part, q != NULL);
	if (!q) return;
	request *r = opened(*q, comm_of(c), -1);
	r->number = number, r->also = also;
}

#define LIST(...) __VA_ARGS__
/* Defines the blocking and the nonblocking form of a collective. */
#define COLLECTIVE_CALL(N, I, parameters, arguments, says) \
int MPI_##N(parameters, MPI_Comm c) { \
	enter(); \
	int e = WHOLECALL(real_##N(arguments, c)); \
	if (on() && !e) hold(), put_collective(says, c, NULL), release(); \
	return leave(e); \
} \
int MPI_##I(parameters, MPI_Comm c, MPI_Request *q) { \
	enter(); \
	int e = real_##I(arguments, c, q); \
	if (on() && !e) hold(), put_collective(says, c, q), release(); \
	return leave(e); \
}
int MPI_Barrier(MPI_Comm c) {
	enter();
	int e = WHOLECALL(real_Barrier(c));
	if (on() && !e) hold(), put_collective(SAYS(BARRIER, -1), c, NULL), release();
	return leave(e);
}
int MPI_Ibarrier(MPI_Comm c, MPI_Request *q) {
	enter();
	int e = real_Ibarrier(c, q);
	if (on() && !e) hold(), put_collective(SAYS(BARRIER, -1), c, q), release();
	return leave(e);
}

#define VECTOR const void *b, void *o, int n, MPI_Datatype t, MPI_Op p
#define ONE const void *b, int n, MPI_Datatype t, void *o, int rn, MPI_Datatype rt
#define INTO const void *b, int n, MPI_Datatype t, void *o, const int *rn, const int *rd, MPI_Datatype rt
#define EACH const void *b, const int *n, const int *sd, MPI_Datatype t, void *o, const int *rn, const int *rd, MPI_Datatype rt
/* The own block: of MPI_IN_PLACE, as large as what is received. */
#define OWNBLOCK (b == MPI_IN_PLACE ? bytes(rn, rt) : bytes(n, t))
#define OWNPART (b == MPI_IN_PLACE ? bytes(rn[me(c)], rt) : bytes(n, t))

COLLECTIVE_CALL(Bcast, Ibcast, LIST(void *b, int n, MPI_Datatype t, int root), LIST(b, n, t, root), SAYS(BCAST, root, bytes(n, t)))
COLLECTIVE_CALL(Reduce, Ireduce, LIST(VECTOR, int root), LIST(b, o, n, t, p, root), SAYS(REDUCE, root, bytes(n, t)))
COLLECTIVE_CALL(Allreduce, Iallreduce, LIST(VECTOR), LIST(b, o, n, t, p), SAYS(ALLREDUCE, -1, bytes(n, t)))
COLLECTIVE_CALL(Scan, Iscan, LIST(VECTOR), LIST(b, o, n, t, p), SAYS(SCAN, -1, bytes(n, t)))
COLLECTIVE_CALL(Exscan, Iexscan, LIST(VECTOR), LIST(b, o, n, t, p), SAYS(SCAN, -1, bytes(n, t)))
COLLECTIVE_CALL(Gather, Igather, LIST(ONE, int root), LIST(b, n, t, o, rn, rt, root), SAYS(GATHER, root, OWNBLOCK))
COLLECTIVE_CALL(Gatherv, Igatherv, LIST(INTO, int root), LIST(b, n, t, o, rn, rd, rt, root), SAYS(GATHER, root, OWNPART))
COLLECTIVE_CALL(Scatter, Iscatter, LIST(ONE, int root), LIST(b, n, t, o, rn, rt, root),
	SAYS(SCATTER, root, o == MPI_IN_PLACE ? bytes(n, t) : bytes(rn, rt)))
COLLECTIVE_CALL(Scatterv, Iscatterv, LIST(const void *b, const int *n, const int *sd, MPI_Datatype t, void *o, int rn, MPI_Datatype rt, int root),
	LIST(b, n, sd, t, o, rn, rt, root), SAYS(SCATTER, root, o == MPI_IN_PLACE ? bytes(n[me(c)], t) : bytes(rn, rt)))
COLLECTIVE_CALL(Allgather, Iallgather, LIST(ONE), LIST(b, n, t, o, rn, rt), SAYS(ALLGATHER, -1, OWNBLOCK))
COLLECTIVE_CALL(Allgatherv, Iallgatherv, LIST(INTO), LIST(b, n, t, o, rn, rd, rt), SAYS(ALLGATHER, -1, OWNPART))
COLLECTIVE_CALL(Alltoall, Ialltoall, LIST(ONE), LIST(b, n, t, o, rn, rt), SAYS(ALLTOALL, -1, OWNBLOCK * many(c)))
COLLECTIVE_CALL(Alltoallv, Ialltoallv, LIST(EACH), LIST(b, n, sd, t, o, rn, rd, rt),
	SAYS(ALLTOALL, -1, b == MPI_IN_PLACE ? sum(rn, c, rt) : sum(n, c, t)))
COLLECTIVE_CALL(Alltoallw, Ialltoallw,
	LIST(const void *b, const int *n, const int *sd, const MPI_Datatype *t, void *o, const int *rn, const int *rd, const MPI_Datatype *rt),
	LIST(b, n, sd, t, o, rn, rd, rt), SAYS(ALLTOALL, -1, b == MPI_IN_PLACE ? sum_of_types(rn, rt, c) : sum_of_types(n, t, c)))
/* A reduction to rank 0, and a scatter of the blocks. */
COLLECTIVE_CALL(Reduce_scatter, Ireduce_scatter, LIST(const void *b, void *o, const int *rn, MPI_Datatype t, MPI_Op p), LIST(b, o, rn, t, p),
	SAYS(REDUCE, 0, sum(rn, c, t), SCATTER, bytes(rn[me(c)], t)))
COLLECTIVE_CALL(Reduce_scatter_block, Ireduce_scatter_block, LIST(VECTOR), LIST(b, o, n, t, p),
	SAYS(REDUCE, 0, bytes(n, t) * many(c), SCATTER, bytes(n, t)))
