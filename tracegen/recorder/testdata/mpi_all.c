/* Calls the functions of MPI that are recorded, and logs what each is to be in the trace: a line for each event of a rank, with
 * its kind, its partner or root, its tag and its bytes. Four ranks. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define W MPI_COMM_WORLD
#define NO MPI_STATUS_IGNORE
static int me, n, at[4], flag;
static FILE *out;
static double a[64], b[64];
static MPI_Status st[4];
static void say(const char *kind, int peer, int tag, long bytes) { fprintf(out, "%s %d %d %ld\n", kind, peer, tag, bytes); }
static void coll(const char *kind, int root, long bytes) { say(kind, root, -1, bytes); }
static void waits(int k) { while (k--) say("wait", -1, -1, 0); }
static void tests(int k) { while (k--) say("test", -1, -1, 0); }

static void blocking(int to, int from) {
	MPI_Request q;
	int next = to, size;
	void *buffer = malloc(1000);
	MPI_Buffer_attach(buffer, 1000);
	/* an even rank sends first */
	for (int round = 0; round < 2; round++) {
		if (me % 2 == round) {
			MPI_Send(a, 3, MPI_DOUBLE, next, 1, W), say("send", next, 1, 24);
			MPI_Ssend(a, 3, MPI_INT, next, 2, W), say("send", next, 2, 12);
			MPI_Bsend(a, 3, MPI_CHAR, next, 3, W), say("send", next, 3, 3);
		} else {
			MPI_Recv(b, 9, MPI_DOUBLE, from, 1, W, NO), say("recv", from, 1, 24);
			MPI_Recv(b, 9, MPI_INT, MPI_ANY_SOURCE, 2, W, &st[0]), say("recv", from, 2, 12);
			MPI_Recv(b, 9, MPI_CHAR, from, MPI_ANY_TAG, W, NO), say("recv", from, 3, 3);
		}
	}
	MPI_Send(a, 3, MPI_DOUBLE, MPI_PROC_NULL, 1, W);
	MPI_Recv(b, 3, MPI_DOUBLE, MPI_PROC_NULL, 1, W, NO);
	MPI_Irecv(b, 4, MPI_INT, from, 4, W, &q), say("irecv", from, 4, 16);
	MPI_Barrier(W), coll("barrier", -1, 0);
	MPI_Rsend(a, 4, MPI_INT, next, 4, W), say("send", next, 4, 16);
	MPI_Wait(&q, NO), waits(1);
	MPI_Wait(&q, NO); /* null */
	MPI_Sendrecv(a, 5, MPI_INT, next, 5, b, 5, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, W, NO);
	say("isend", next, 5, 20), say("recv", from, 5, 20), waits(1);
	MPI_Sendrecv_replace(b, 6, MPI_INT, next, 6, from, 6, W, &st[0]);
	say("isend", next, 6, 24), say("recv", from, 6, 24), waits(1);
	MPI_Sendrecv(a, 5, MPI_INT, MPI_PROC_NULL, 5, b, 5, MPI_INT, MPI_PROC_NULL, 5, W, NO);
	MPI_Sendrecv_replace(b, 6, MPI_INT, me ? next : MPI_PROC_NULL, 6, from ? from : MPI_PROC_NULL, 6, W, NO);
	if (me) say("isend", next, 6, 24);
	if (from) say("recv", from, 6, 24);
	if (me) waits(1);
	MPI_Buffer_detach(&buffer, &size);
}

static void nonblocking(int to, int from) {
	MPI_Request q[4];
	int many;
	MPI_Irecv(b, 8, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, W, &q[0]), say("irecv", from, 7, 8);
	MPI_Isend(a, 1, MPI_DOUBLE, to, 7, W, &q[1]), say("isend", to, 7, 8);
	MPI_Issend(a, 2, MPI_DOUBLE, to, 8, W, &q[2]), say("isend", to, 8, 16);
	MPI_Irecv(b, 2, MPI_DOUBLE, from, 8, W, &q[3]), say("irecv", from, 8, 16);
	MPI_Waitall(4, q, MPI_STATUSES_IGNORE), waits(4);
	MPI_Irecv(b, 1, MPI_DOUBLE, from, 9, W, &q[0]), say("irecv", from, 9, 8);
	MPI_Isend(a, 1, MPI_DOUBLE, to, 9, W, &q[1]), say("isend", to, 9, 8);
	MPI_Waitany(2, q, at, st), waits(1);
	MPI_Waitany(2, q, at, NO), waits(1);
	MPI_Waitany(2, q, at, NO); /* all null */
	MPI_Irecv(b, 1, MPI_DOUBLE, from, 10, W, &q[0]), say("irecv", from, 10, 8);
	MPI_Isend(a, 1, MPI_DOUBLE, to, 10, W, &q[1]), say("isend", to, 10, 8);
	for (int done = 0; done < 2; done += many) MPI_Waitsome(2, q, &many, at, st), waits(many);
	MPI_Irecv(b, 1, MPI_DOUBLE, from, 11, W, &q[0]), say("irecv", from, 11, 8);
	MPI_Isend(a, 1, MPI_DOUBLE, to, 11, W, &q[1]), say("isend", to, 11, 8);
	for (flag = 0; !flag;) MPI_Test(&q[0], &flag, NO);
	tests(1);
	for (flag = 0; !flag;) MPI_Test(&q[1], &flag, st);
	tests(1);
	MPI_Irecv(b, 1, MPI_DOUBLE, from, 12, W, &q[0]), say("irecv", from, 12, 8);
	MPI_Isend(a, 1, MPI_DOUBLE, to, 12, W, &q[1]), say("isend", to, 12, 8);
	for (flag = 0; !flag;) MPI_Testall(2, q, &flag, st);
	tests(2);
	MPI_Irecv(b, 1, MPI_DOUBLE, from, 13, W, &q[0]), say("irecv", from, 13, 8);
	MPI_Isend(a, 1, MPI_DOUBLE, to, 13, W, &q[1]), say("isend", to, 13, 8);
	for (int done = 0; done < 2; done += flag) MPI_Testany(2, q, at, &flag, NO), tests(flag);
	MPI_Irecv(b, 1, MPI_DOUBLE, from, 14, W, &q[0]), say("irecv", from, 14, 8);
	MPI_Isend(a, 1, MPI_DOUBLE, to, 14, W, &q[1]), say("isend", to, 14, 8);
	for (int done = 0; done < 2; done += many) MPI_Testsome(2, q, &many, at, MPI_STATUSES_IGNORE), tests(many);
	MPI_Irecv(b, 1, MPI_DOUBLE, from, 99, W, &q[0]); /* no message comes */
	MPI_Cancel(&q[0]);
	MPI_Wait(&q[0], NO);
	MPI_Irecv(b, 1, MPI_DOUBLE, from, 15, W, &q[0]), say("irecv", from, 15, 8);
	MPI_Isend(a, 1, MPI_DOUBLE, to, 15, W, &q[1]), say("isend", to, 15, 8);
	MPI_Request_free(&q[1]);
	MPI_Wait(&q[0], NO), waits(1);
}

static void persistent(int to, int from) {
	MPI_Request q[2], other;
	MPI_Recv_init(b, 2, MPI_DOUBLE, MPI_ANY_SOURCE, 20, W, &q[0]);
	MPI_Send_init(a, 2, MPI_DOUBLE, to, 20, W, &q[1]);
	for (int i = 0; i < 2; i++) {
		MPI_Startall(2, q), say("irecv", from, 20, 16), say("isend", to, 20, 16);
		MPI_Waitall(2, q, st), waits(2);
		MPI_Waitall(2, q, st); /* inactive */
	}
	MPI_Request_free(&q[1]);
	MPI_Ssend_init(a, 1, MPI_DOUBLE, to, 20, W, &q[1]);
	MPI_Start(&q[0]), say("irecv", from, 20, 8);
	MPI_Start(&q[1]), say("isend", to, 20, 8);
	for (flag = 0; !flag;) MPI_Test(&q[1], &flag, NO);
	tests(1);
	MPI_Wait(&q[0], NO), waits(1);
	MPI_Request_free(&q[0]), MPI_Request_free(&q[1]);
	MPI_Bsend_init(a, 1, MPI_INT, MPI_PROC_NULL, 20, W, &other), MPI_Request_free(&other);
	MPI_Rsend_init(a, 1, MPI_INT, MPI_PROC_NULL, 20, W, &other), MPI_Request_free(&other);
}

static void probes(int to, int from) {
	MPI_Message m;
	MPI_Request q;
	for (int i = 0; i < 4; i++) MPI_Isend(a, i + 1, MPI_INT, to, 30 + i, W, &q), say("isend", to, 30 + i, 4 * i + 4), MPI_Wait(&q, NO), waits(1);
	MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, W, st), say("probe", from, 30, 4);
	MPI_Recv(b, 9, MPI_INT, from, 30, W, NO), say("recv", from, 30, 4);
	for (flag = 0; !flag;) MPI_Iprobe(from, 31, W, &flag, NO);
	say("iprobe", from, 31, 8);
	MPI_Recv(b, 9, MPI_INT, from, 31, W, NO), say("recv", from, 31, 8);
	MPI_Mprobe(from, MPI_ANY_TAG, W, &m, NO), say("probe", from, 32, 12);
	MPI_Mrecv(b, 9, MPI_INT, &m, NO), say("recv", from, 32, 12);
	for (flag = 0; !flag;) MPI_Improbe(from, 33, W, &flag, &m, NO);
	say("iprobe", from, 33, 16);
	MPI_Imrecv(b, 4, MPI_INT, &m, &q), say("irecv", from, 33, 16);
	MPI_Wait(&q, NO), waits(1);
}

#define COLLECTIVES(DO) \
	DO(barrier, "barrier", -1, 0, (W)) \
	DO(bcast, "bcast", 1, 24, (a, 3, MPI_DOUBLE, 1, W)) \
	DO(reduce, "reduce", 2, 24, (a, b, 3, MPI_DOUBLE, MPI_SUM, 2, W)) \
	DO(allreduce, "allreduce", -1, 8, (a, b, 1, MPI_DOUBLE, MPI_SUM, W)) \
	DO(scan, "scan", -1, 8, (a, b, 2, MPI_INT, MPI_SUM, W)) \
	DO(exscan, "scan", -1, 8, (a, b, 2, MPI_INT, MPI_SUM, W)) \
	DO(gather, "gather", 0, 8, (a, 2, MPI_INT, b, 2, MPI_INT, 0, W)) \
	DO(gatherv, "gather", 0, me * 4, (a, me, MPI_INT, b, counts, place, MPI_INT, 0, W)) \
	DO(scatter, "scatter", 3, 8, (a, 2, MPI_INT, b, 2, MPI_INT, 3, W)) \
	DO(scatterv, "scatter", 3, me * 4, (a, counts, place, MPI_INT, b, me, MPI_INT, 3, W)) \
	DO(allgather, "allgather", -1, 8, (a, 2, MPI_INT, b, 2, MPI_INT, W)) \
	DO(allgatherv, "allgather", -1, me * 4, (a, me, MPI_INT, b, counts, place, MPI_INT, W)) \
	DO(alltoall, "alltoall", -1, 32, (a, 2, MPI_INT, b, 2, MPI_INT, W)) \
	DO(alltoallv, "alltoall", -1, 4 * n * me, (a, mine, place, MPI_INT, b, counts, place, MPI_INT, W)) \
	DO(alltoallw, "alltoall", -1, 4 * n * me, (a, mine, bytes, types, b, counts, bytes, types, W))
static void collectives(void) {
	int counts[4] = {0, 1, 2, 3}, place[4] = {0, 0, 1, 3}, mine[4] = {me, me, me, me}, bytes[4] = {0, 0, 4, 12};
	MPI_Datatype types[4] = {MPI_INT, MPI_INT, MPI_INT, MPI_INT};
	MPI_Request q;
#define BLOCK(f, kind, root, size, args) BLOCK_##f args; coll(kind, root, size);
#define BLOCK_barrier MPI_Barrier
#define BLOCK_bcast MPI_Bcast
#define BLOCK_reduce MPI_Reduce
#define BLOCK_allreduce MPI_Allreduce
#define BLOCK_scan MPI_Scan
#define BLOCK_exscan MPI_Exscan
#define BLOCK_gather MPI_Gather
#define BLOCK_gatherv MPI_Gatherv
#define BLOCK_scatter MPI_Scatter
#define BLOCK_scatterv MPI_Scatterv
#define BLOCK_allgather MPI_Allgather
#define BLOCK_allgatherv MPI_Allgatherv
#define BLOCK_alltoall MPI_Alltoall
#define BLOCK_alltoallv MPI_Alltoallv
#define BLOCK_alltoallw MPI_Alltoallw
	COLLECTIVES(BLOCK)
#define WITHQ(...) __VA_ARGS__, &q
#define START(f, kind, root, size, args) MPI_I##f(WITHQ args); coll(kind, root, size); MPI_Wait(&q, NO), waits(1);
	COLLECTIVES(START)
	MPI_Reduce_scatter(a, b, counts, MPI_INT, MPI_SUM, W), coll("reduce", 0, 24), coll("scatter", 0, 4 * me);
	MPI_Reduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, W), coll("reduce", 0, 32), coll("scatter", 0, 8);
	MPI_Ireduce_scatter(a, b, counts, MPI_INT, MPI_SUM, W, &q), coll("reduce", 0, 24), coll("scatter", 0, 4 * me);
	MPI_Wait(&q, NO), waits(2);
	MPI_Ireduce_scatter_block(a, b, 2, MPI_INT, MPI_SUM, W, &q), coll("reduce", 0, 32), coll("scatter", 0, 8);
	MPI_Wait(&q, NO), waits(2);
	MPI_Allreduce(MPI_IN_PLACE, b, 2, MPI_INT, MPI_SUM, W), coll("allreduce", -1, 8);
	MPI_Gather(me == 1 ? MPI_IN_PLACE : a, 2, MPI_INT, b, 2, MPI_INT, 1, W), coll("gather", 1, 8);
	MPI_Allgather(MPI_IN_PLACE, 0, MPI_INT, b, 2, MPI_INT, W), coll("allgather", -1, 8);
	MPI_Alltoall(MPI_IN_PLACE, 0, MPI_INT, b, 2, MPI_INT, W), coll("alltoall", -1, 32);
}

static void made(MPI_Comm *c, int peer) { /* uses a communicator, with the world rank of the first one */
	if (*c == MPI_COMM_NULL) return;
	int size;
	MPI_Comm_size(*c, &size);
	MPI_Bcast(a, 1, MPI_INT, 0, *c);
	if (size > 1) coll("bcast", peer, 4);
	MPI_Comm_free(c);
}
static void communicators(void) {
	MPI_Comm c, d, e;
	MPI_Group all, part;
	MPI_Request q;
	int two[2] = {3, 1}, dims[2] = {2, 2}, wrap[2] = {0, 0}, keep[2] = {0, 1}, index[4] = {1, 2, 3, 4}, edges[4] = {1, 0, 3, 2}, one = 1, next = (me + 1) % n, size;
	MPI_Comm_split(W, me % 2, -me, &c), coll("allgather", -1, 8);
	MPI_Comm_size(c, &size);
	/* the world rank of rank 0 is 2 or 3: the keys turn the order */
	MPI_Comm_dup(c, &d), coll("allgather", -1, 8);
	if (me < 2) MPI_Send(a, 1, MPI_INT, 0, 40, d), say("send", me + 2, 40, 4);
	else MPI_Recv(a, 1, MPI_INT, MPI_ANY_SOURCE, 40, d, NO), say("recv", me - 2, 40, 4);
	made(&d, 2 + me % 2), made(&c, 2 + me % 2);
	MPI_Comm_split(W, me == 0 ? MPI_UNDEFINED : 0, 0, &c), coll("allgather", -1, 8), made(&c, 1);
	MPI_Comm_split_type(W, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &c), coll("allgather", -1, 8), made(&c, 0);
	MPI_Comm_dup_with_info(W, MPI_INFO_NULL, &c), coll("allgather", -1, 8), made(&c, 0);
	MPI_Comm_idup(W, &c, &q), MPI_Wait(&q, NO), made(&c, 0);
	MPI_Comm_group(W, &all), MPI_Group_incl(all, 2, two, &part);
	MPI_Comm_create(W, part, &c), coll("allgather", -1, 8), made(&c, 3);
	if (me % 2) MPI_Comm_create_group(W, part, 7, &c), coll("allgather", -1, 8), made(&c, 3);
	MPI_Cart_create(W, 2, dims, wrap, 0, &c), coll("allgather", -1, 8);
	MPI_Cart_sub(c, keep, &d), coll("allgather", -1, 8), made(&d, me / 2 * 2), made(&c, 0);
	MPI_Graph_create(W, 4, index, edges, 0, &c), coll("allgather", -1, 8), made(&c, 0);
	MPI_Dist_graph_create(W, 1, &me, &one, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c), coll("allgather", -1, 8), made(&c, 0);
	MPI_Dist_graph_create_adjacent(W, 0, NULL, MPI_UNWEIGHTED, 1, &next, MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &c), coll("allgather", -1, 8), made(&c, 0);
	MPI_Comm_split(W, me / 2, 0, &c), coll("allgather", -1, 8);
	MPI_Intercomm_create(c, 0, W, me < 2 ? 2 : 0, 9, &d);
	/* ranks of the other group */
	MPI_Send(a, 1, MPI_INT, me % 2, 41, d), say("send", (me + 2) % 4, 41, 4);
	MPI_Recv(a, 1, MPI_INT, me % 2, 41, d, NO), say("recv", (me + 2) % 4, 41, 4);
	MPI_Intercomm_merge(d, me >= 2, &e), made(&e, 0), MPI_Comm_disconnect(&d), made(&c, me / 2 * 2);
	MPI_Bcast(a, 1, MPI_INT, 0, MPI_COMM_SELF);
	MPI_Isend(a, 1, MPI_INT, 0, 42, MPI_COMM_SELF, &q), say("isend", me, 42, 4);
	MPI_Recv(b, 1, MPI_INT, 0, 42, MPI_COMM_SELF, NO), say("recv", me, 42, 4);
	MPI_Wait(&q, NO), waits(1);
	MPI_Group_free(&all), MPI_Group_free(&part);
}

/* Datatypes: a column of a matrix, and others. The layout is in the trace. */
static void datatypes(int to, int from) {
	MPI_Datatype column, part, mixed, twice;
	MPI_Request q;
	int sizes[2] = {8, 8}, parts[2] = {3, 2}, starts[2] = {1, 4}, lengths[2] = {1, 2}, far[2] = {0, 3};
	MPI_Type_vector(8, 1, 8, MPI_DOUBLE, &column), MPI_Type_commit(&column);
	MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, MPI_DOUBLE, &part), MPI_Type_commit(&part);
	MPI_Type_indexed(2, lengths, far, MPI_INT, &mixed), MPI_Type_commit(&mixed);
	MPI_Type_contiguous(2, MPI_INT, &twice), MPI_Type_commit(&twice);
	MPI_Datatype all[4] = {column, part, mixed, twice};
	int size[4] = {64, 48, 12, 8};
	for (int i = 0; i < 4; i++) {
		MPI_Irecv(b, 1, all[i], from, 50 + i, W, &q), say("irecv", from, 50 + i, size[i]);
		MPI_Send(a, 1, all[i], to, 50 + i, W), say("send", to, 50 + i, size[i]);
		MPI_Wait(&q, NO), waits(1);
		MPI_Type_free(&all[i]);
	}
}

/* No events, but notes. */
static void others(void) {
	MPI_Win w;
	MPI_File f;
	MPI_Comm ring;
	int dims[1] = {4}, wrap[1] = {1};
	char name[] = "mpi_all.data";
	MPI_Win_create(a, sizeof a, 8, MPI_INFO_NULL, W, &w);
	MPI_Win_fence(0, w), MPI_Put(b, 1, MPI_DOUBLE, (me + 1) % n, 0, 1, MPI_DOUBLE, w), MPI_Win_fence(0, w);
	MPI_Win_free(&w);
	MPI_File_open(W, name, MPI_MODE_CREATE | MPI_MODE_WRONLY | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, &f);
	MPI_File_write_at_all(f, 8 * me, a, 1, MPI_DOUBLE, NO), MPI_File_close(&f);
	MPI_Cart_create(W, 1, dims, wrap, 0, &ring), coll("allgather", -1, 8);
	MPI_Neighbor_alltoall(a, 1, MPI_INT, b, 1, MPI_INT, ring), MPI_Comm_free(&ring);
}

int main(int argc, char **argv) {
	char name[300];
	int given;
	MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &given);
	MPI_Comm_rank(W, &me), MPI_Comm_size(W, &n);
	snprintf(name, sizeof name, "%s.%d", argv[1], me);
	out = fopen(name, "w");
	int to = (me + 1) % n, from = (me + n - 1) % n;
	blocking(to, from), nonblocking(to, from), persistent(to, from), probes(to, from), collectives(), communicators(), datatypes(to, from), others();
	fclose(out);
	MPI_Finalize();
}
