/* Calls that make communicators. All ranks of the old one exchange a color and a key, and so wait for each other: an allgather. */
static void makes(MPI_Comm old, MPI_Comm handle) {
	hold();
	if (old != MPI_COMM_NULL) put_collective(SAYS(ALLGATHER, -1, 8), old, NULL);
	if (handle != MPI_COMM_NULL) made(handle);
	release();
}
#define MAKES(N, parameters, arguments) int MPI_##N(MPI_Comm old, parameters, MPI_Comm *c) { \
	enter(); \
	int e = WHOLECALL(real_##N(old, arguments, c)); \
	if (on() && !e) makes(old, *c); \
	return leave(e); \
}
MAKES(Comm_split, LIST(int color, int key), LIST(color, key))
MAKES(Comm_split_type, LIST(int type, int key, MPI_Info i), LIST(type, key, i))
MAKES(Comm_dup_with_info, LIST(MPI_Info i), LIST(i))
MAKES(Comm_create, LIST(MPI_Group g), LIST(g))
MAKES(Cart_create, LIST(int n, const int *d, const int *p, int reorder), LIST(n, d, p, reorder))
MAKES(Cart_sub, LIST(const int *remain), LIST(remain))
MAKES(Graph_create, LIST(int n, const int *i, const int *edges, int reorder), LIST(n, i, edges, reorder))
MAKES(Dist_graph_create, LIST(int n, const int *s, const int *d, const int *t, const int *w, MPI_Info i, int reorder), LIST(n, s, d, t, w, i, reorder))
MAKES(Dist_graph_create_adjacent, LIST(int n, const int *s, const int *w, int m, const int *d, const int *v, MPI_Info i, int reorder),
	LIST(n, s, w, m, d, v, i, reorder))
int MPI_Comm_dup(MPI_Comm old, MPI_Comm *c) {
	enter();
	int e = WHOLECALL(real_Comm_dup(old, c));
	if (on() && !e) makes(old, *c);
	return leave(e);
}
/* Its request has no event: nothing waits for a partner. */
int MPI_Comm_idup(MPI_Comm old, MPI_Comm *c, MPI_Request *q) {
	enter();
	int e = real_Comm_idup(old, c, q);
	if (on() && !e) {
		hold();
		opened(*q, comm_of(old), -1);
		made_like(*c, old);
		release();
	}
	return leave(e);
}
/* Only the ranks of the group call it. */
int MPI_Comm_create_group(MPI_Comm old, MPI_Group g, int tag, MPI_Comm *c) {
	enter();
	int e = WHOLECALL(real_Comm_create_group(old, g, tag, c));
	if (on() && !e) {
		makes(MPI_COMM_NULL, *c);
		if (*c != MPI_COMM_NULL) hold(), put_collective(SAYS(ALLGATHER, -1, 8), *c, NULL), release();
	}
	return leave(e);
}
int MPI_Intercomm_create(MPI_Comm own, int leader, MPI_Comm peers, int other, int tag, MPI_Comm *c) {
	enter();
	int e = WHOLECALL(real_Intercomm_create(own, leader, peers, other, tag, c));
	if (on() && !e) makes(MPI_COMM_NULL, *c);
	return leave(e);
}
int MPI_Intercomm_merge(MPI_Comm two, int high, MPI_Comm *c) {
	enter();
	int e = WHOLECALL(real_Intercomm_merge(two, high, c));
	if (on() && !e) makes(MPI_COMM_NULL, *c);
	return leave(e);
}
