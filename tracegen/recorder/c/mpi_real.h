/* The functions that are defined here, and the library's own. */
#define SENDS(X) X(Send) X(Ssend) X(Bsend) X(Rsend)
#define ISENDS(X) X(Isend) X(Issend) X(Ibsend) X(Irsend)
#define SENDINITS(X) X(Send_init) X(Ssend_init) X(Bsend_init) X(Rsend_init)
#define RECEIVES(X) X(Recv) X(Irecv) X(Recv_init) X(Mrecv) X(Imrecv) X(Sendrecv) X(Sendrecv_replace) X(Probe) X(Iprobe) X(Mprobe) X(Improbe)
#define COMPLETIONS(X) X(Wait) X(Test) X(Waitall) X(Testall) X(Waitany) X(Testany) X(Waitsome) X(Testsome) X(Start) X(Startall) X(Request_free)
#define COMMUNICATORS(X) X(Comm_split) X(Comm_split_type) X(Comm_dup) X(Comm_dup_with_info) X(Comm_idup) X(Comm_create) X(Comm_create_group) \
	X(Cart_create) X(Cart_sub) X(Graph_create) X(Dist_graph_create) X(Dist_graph_create_adjacent) X(Intercomm_create) X(Intercomm_merge) \
	X(Comm_free) X(Comm_disconnect) X(Type_free)
#define STARTS(X) X(Init) X(Init_thread) X(Finalize) X(Abort)
#define BLOCKING(X) X(Barrier) X(Bcast) X(Reduce) X(Allreduce) X(Scan) X(Exscan) X(Gather) X(Gatherv) X(Scatter) X(Scatterv) X(Allgather) \
	X(Allgatherv) X(Alltoall) X(Alltoallv) X(Alltoallw) X(Reduce_scatter) X(Reduce_scatter_block)
#define NONBLOCKING(X) X(Ibarrier) X(Ibcast) X(Ireduce) X(Iallreduce) X(Iscan) X(Iexscan) X(Igather) X(Igatherv) X(Iscatter) X(Iscatterv) \
	X(Iallgather) X(Iallgatherv) X(Ialltoall) X(Ialltoallv) X(Ialltoallw) X(Ireduce_scatter) X(Ireduce_scatter_block)
#define WRAPPED(X) SENDS(X) ISENDS(X) SENDINITS(X) RECEIVES(X) COMPLETIONS(X) BLOCKING(X) NONBLOCKING(X) COMMUNICATORS(X) STARTS(X)

#define DECLARE(N) static __typeof__(&MPI_##N) real_##N;
WRAPPED(DECLARE)
#define ALIAS(N) extern __typeof__(MPI_##N) PMPI_##N __attribute__((alias("MPI_" #N)));
WRAPPED(ALIAS)
#define FIND(N) real_##N = (__typeof__(real_##N))dlsym(RTLD_NEXT, "PMPI_" #N);
static void (*inside)(int begins, unsigned long call); /* of preload.c, or NULL */
__attribute__((constructor)) static void find(void) {
	WRAPPED(FIND)
	inside = (__typeof__(inside))dlsym(RTLD_DEFAULT, "spoor_inside");
}
