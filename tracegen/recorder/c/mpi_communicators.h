/* Communicators: each has a number on its rank, and the world ranks of its members. The import joins those of the ranks: the k-th
 * communicator of the same members is the same one on all of them. */
typedef struct comm { uint64_t key; uint64_t number; int size, *world, outside; struct comm *next; } comm;
enum { COMMS = 1024, WORLD = 0, SELF = 1 };
static comm *comms[COMMS];
static comm theworld = {0, WORLD}, alone = {0, SELF};
static uint64_t communicators = 2;

/* World ranks of a group; returns how many are not in the world. */
static int translate(MPI_Group g, int n, int *to) {
	MPI_Group all;
	int *from = malloc((n + 1) * sizeof *from), outside = 0;
	if (!from) abort();
	for (int i = 0; i < n; i++) from[i] = i;
	PMPI_Comm_group(MPI_COMM_WORLD, &all);
	PMPI_Group_translate_ranks(g, n, from, all, to);
	PMPI_Group_free(&all);
	for (int i = 0; i < n; i++) outside += to[i] == MPI_UNDEFINED;
	free(from);
	return outside;
}

/* The members, as runs of ranks that follow each other: how many runs, then the first rank and the length of each. */
static void putmembers(const int *world, int n) {
	int runs = 0;
	for (int i = 0; i < n; i++) runs += i == 0 || world[i] != world[i - 1] + 1;
	put(runs);
	for (int i = 0, j; i < n; i = j) {
		for (j = i + 1; j < n && world[j] == world[j - 1] + 1;) j++;
		put(world[i]);
		put(j - i);
	}
}

static int ascending(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

/* Numbers a communicator with the members of another one or of itself. The ranks that messages name are those of the other group,
 * if there are two. The caller holds the lock. */
static comm *made_like(MPI_Comm handle, MPI_Comm like) {
	MPI_Group g;
	comm *c = calloc(1, sizeof *c);
	int two = 0, own = 0;
	if (!c) abort();
	PMPI_Comm_test_inter(like, &two);
	PMPI_Comm_group(like, &g);
	PMPI_Group_size(g, &own);
	c->size = own;
	if (two) PMPI_Comm_remote_size(like, &c->size);
	int *all = malloc((own + c->size + 1) * sizeof *all);
	c->world = malloc((c->size + 1) * sizeof *c->world);
	if (!all || !c->world) abort();
	c->outside = translate(g, own, all);
	PMPI_Group_free(&g);
	if (two) {
		PMPI_Comm_remote_group(like, &g);
		c->outside += translate(g, c->size, c->world);
		PMPI_Group_free(&g);
		memcpy(all + own, c->world, c->size * sizeof *all);
		qsort(all, own += c->size, sizeof *all, ascending);
	} else memcpy(c->world, all, own * sizeof *all);
	c->key = KEY(handle);
	c->number = communicators++;
	c->next = comms[bucket(c->key, COMMS)];
	comms[bucket(c->key, COMMS)] = c;
	if (c->outside) missed("communicators with processes outside of MPI_COMM_WORLD");
	else {
		record(COMMUNICATOR);
		put(c->number);
		putmembers(all, own);
		written();
	}
	free(all);
	return c;
}
static comm *made(MPI_Comm handle) { return made_like(handle, handle); }

/* The caller holds the lock. */
static comm *comm_of(MPI_Comm handle) {
	if (handle == MPI_COMM_WORLD) return &theworld;
	if (handle == MPI_COMM_SELF) return &alone;
	for (comm *c = comms[bucket(KEY(handle), COMMS)]; c; c = c->next)
		if (c->key == KEY(handle)) return c;
	missed("communicators from calls that are not followed");
	return made(handle);
}

/* The world rank of a rank, or -1. */
static int64_t world_of(const comm *c, int r) {
	if (r < 0) return -1;
	if (c == &theworld) return r;
	if (c == &alone) return rank;
	return r < c->size && c->world[r] != MPI_UNDEFINED ? c->world[r] : -1;
}

/* The memory stays: requests may refer to it. */
static void forget_comm(MPI_Comm handle) {
	for (comm **c = &comms[bucket(KEY(handle), COMMS)]; *c; c = &(*c)->next)
		if ((*c)->key == KEY(handle)) {
			*c = (*c)->next;
			return;
		}
}
#define FREES(N) int MPI_##N(MPI_Comm *c) { \
	enter(); \
	hold(); \
	forget_comm(*c); \
	release(); \
	return leave(WHOLECALL(real_##N(c))); \
}
FREES(Comm_free)
FREES(Comm_disconnect)
