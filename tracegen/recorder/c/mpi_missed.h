/* Functions that communicate, or make handles, in ways that no event of the trace stands for: their calls are counted. All their
 * arguments are integers and pointers, so one prototype serves them on the processors that are supported: what a function does not
 * have is passed on unread. */
#define ARGUMENTS long a, long b, long c, long d, long e, long f, long g, long h, long i, long j, long k, long l, long m, long n
#define PASSED a, b, c, d, e, f, g, h, i, j, k, l, m, n
#define WINDOWS(X) X(Put) X(Get) X(Accumulate) X(Get_accumulate) X(Fetch_and_op) X(Compare_and_swap) X(Rput) X(Rget) X(Raccumulate) \
	X(Rget_accumulate) X(Win_create) X(Win_allocate) X(Win_allocate_shared) X(Win_create_dynamic) X(Win_free) X(Win_fence) X(Win_post) \
	X(Win_start) X(Win_complete) X(Win_wait) X(Win_test) X(Win_lock) X(Win_lock_all) X(Win_unlock) X(Win_unlock_all) X(Win_flush) \
	X(Win_flush_all) X(Win_flush_local) X(Win_flush_local_all) X(Win_sync)
#define FILEFORMS(X, N) X(File_##N) X(File_##N##_all) X(File_##N##_at) X(File_##N##_at_all) X(File_##N##_ordered) X(File_##N##_shared) \
	X(File_i##N) X(File_i##N##_all) X(File_i##N##_at) X(File_i##N##_at_all) X(File_i##N##_shared) X(File_##N##_all_begin) X(File_##N##_all_end) \
	X(File_##N##_at_all_begin) X(File_##N##_at_all_end) X(File_##N##_ordered_begin) X(File_##N##_ordered_end)
#define FILES(X) X(File_open) X(File_close) X(File_delete) X(File_set_size) X(File_preallocate) X(File_set_view) X(File_sync) X(File_seek_shared) \
	FILEFORMS(X, read) FILEFORMS(X, write)
#define NEIGHBORS(X) X(Neighbor_allgather) X(Neighbor_allgatherv) X(Neighbor_alltoall) X(Neighbor_alltoallv) X(Neighbor_alltoallw) \
	X(Ineighbor_allgather) X(Ineighbor_allgatherv) X(Ineighbor_alltoall) X(Ineighbor_alltoallv) X(Ineighbor_alltoallw)
#define PROCESSES(X) X(Comm_spawn) X(Comm_spawn_multiple) X(Comm_accept) X(Comm_connect) X(Comm_join) X(Grequest_start)
/* MPI 4 */
#define NEWER(X) X(Session_init) X(Comm_create_from_group) X(Intercomm_create_from_groups) X(Comm_idup_with_info) X(Isendrecv) X(Isendrecv_replace) \
	X(Psend_init) X(Precv_init) X(Send_c) X(Ssend_c) X(Bsend_c) X(Rsend_c) X(Isend_c) X(Issend_c) X(Ibsend_c) X(Irsend_c) X(Send_init_c) \
	X(Ssend_init_c) X(Bsend_init_c) X(Rsend_init_c) X(Recv_c) X(Irecv_c) X(Recv_init_c) X(Mrecv_c) X(Imrecv_c) X(Sendrecv_c) \
	X(Sendrecv_replace_c) X(Isendrecv_c) X(Isendrecv_replace_c) X(Bcast_c) X(Ibcast_c) X(Reduce_c) X(Ireduce_c) X(Allreduce_c) X(Iallreduce_c) \
	X(Scan_c) X(Iscan_c) X(Exscan_c) X(Iexscan_c) X(Gather_c) X(Igather_c) X(Gatherv_c) X(Igatherv_c) X(Scatter_c) X(Iscatter_c) X(Scatterv_c) \
	X(Iscatterv_c) X(Allgather_c) X(Iallgather_c) X(Allgatherv_c) X(Iallgatherv_c) X(Alltoall_c) X(Ialltoall_c) X(Alltoallv_c) X(Ialltoallv_c) \
	X(Alltoallw_c) X(Ialltoallw_c) X(Reduce_scatter_c) X(Ireduce_scatter_c) X(Reduce_scatter_block_c) X(Ireduce_scatter_block_c) \
	X(Put_c) X(Get_c) X(Accumulate_c) X(Rput_c) X(Rget_c) X(Raccumulate_c) X(Barrier_init) X(Bcast_init) X(Reduce_init) X(Allreduce_init) \
	X(Scan_init) X(Exscan_init) X(Gather_init) X(Gatherv_init) X(Scatter_init) X(Scatterv_init) X(Allgather_init) X(Allgatherv_init) \
	X(Alltoall_init) X(Alltoallv_init) X(Alltoallw_init) X(Reduce_scatter_init) X(Reduce_scatter_block_init)
#define COUNTED(X) WINDOWS(X) FILES(X) NEIGHBORS(X) PROCESSES(X) NEWER(X)
static __attribute__((noinline)) long counted(const char *name, ARGUMENTS) {
	long (*real)(ARGUMENTS) = (__typeof__(real))dlsym(RTLD_NEXT, name);
	enter();
	moment from = start_of();
	long error = real(PASSED);
	if (timed()) lapse(from, now(), 0);
	if (on()) hold(), missed(name + 1), release();
	leave(0);
	return error;
}
#define COUNTS(N) \
long counted_##N(ARGUMENTS) __asm__("MPI_" #N); \
long counted_##N(ARGUMENTS) { return counted("PMPI_" #N, PASSED); } \
extern __typeof__(counted_##N) also_counted_##N __asm__("PMPI_" #N) __attribute__((alias("MPI_" #N)));
COUNTED(COUNTS)
