/* Messages and requests. */
typedef struct { int kind, nothing, tag; int64_t peer; const comm *of; const void *buffer; int count; MPI_Datatype type; } message;
typedef struct request {
	uint64_t key, number, also; /* numbers in the file of what is open, or 0; a collective may be two */
	int persistent, receives, busy;
	const comm *of;
	message what; /* of a persistent one */
	struct request *next;
} request;
enum { REQUESTS = 1 << 14 };
static request *requests[REQUESTS];
static uint64_t numbers;

/* What an operation that has ended tells: the sender, the tag, the bytes, and whether it was cancelled. */
static void putstatus(const request *r, MPI_Status *s) {
	MPI_Count n = 0;
	int cancelled = 0;
	PMPI_Test_cancelled(s, &cancelled);
	put(cancelled != 0 ? 2 : r && !r->receives ? 0 : 1);
	if (cancelled || (r && !r->receives)) return;
	PMPI_Get_elements_x(s, MPI_BYTE, &n);
	putsigned(world_of(r->of, s->MPI_SOURCE));
	putsigned(s->MPI_TAG);
	put(n > 0 ? n : 0);
}

/* Writes that what a request has opened has ended. Without a status it did so before it was asked. */
static void ended_by(int kind, request *r, MPI_Status *s) {
	for (int i = 0; i < 2; i++) {
		uint64_t n = i ? r->number : r->also;
		if (!n) continue;
		record(kind);
		put(n);
		if (s && r->receives >= 0) putstatus(r, s);
		else put(0);
		written();
	}
	r->number = r->also = 0;
}

static void unlink_request(request *r) {
	for (request **p = &requests[bucket(r->key, REQUESTS)]; *p; p = &(*p)->next)
		if (*p == r) {
			*p = r->next;
			free(r);
			return;
		}
}

static request *request_of(uint64_t key) {
	for (request *r = requests[bucket(key, REQUESTS)]; r; r = r->next)
		if (r->key == key && !r->busy) return r;
	return NULL;
}

/* A request that the program got. Libraries give the same handle to all operations that end at once: the one before is
 * waited for when the next comes. The caller holds the lock. */
static request *opened(MPI_Request handle, const comm *of, int receives) {
	request *r = request_of(KEY(handle));
	if (r && !r->persistent) {
		ended_by(WAIT, r, NULL);
		unlink_request(r);
	}
	request **list = &requests[bucket(KEY(handle), REQUESTS)];
	r = calloc(1, sizeof *r);
	if (!r) abort();
	r->key = KEY(handle), r->of = of, r->receives = receives, r->next = *list;
	return *list = r;
}

/* Requests of a call, found before it: it changes the handles. A request that is there twice is taken once. */
THREADS_OWN request **taken, *one;
THREADS_OWN MPI_Status *statuses, single;
THREADS_OWN int takenroom;

static void take(int n, const MPI_Request *q) {
	if (n > 1 && n > takenroom) {
		free(taken), free(statuses);
		taken = malloc(n * sizeof *taken), statuses = malloc(n * sizeof *statuses);
		if (!taken || !statuses) abort();
		takenroom = n;
	}
	request **to = n > 1 ? taken : &one;
	hold();
	for (int i = 0; i < n; i++) {
		to[i] = q[i] == MPI_REQUEST_NULL ? NULL : request_of(KEY(q[i]));
		if (to[i]) to[i]->busy = 1;
	}
}
static request **taken_of(int n) { return n > 1 ? taken : &one; }
static MPI_Status *statuses_of(int n, MPI_Status *s) { return s != MPI_STATUSES_IGNORE ? s : n > 1 ? statuses : &single; }
static void giveback(int n) {
	request **r = taken_of(n);
	for (int i = 0; i < n; i++)
		if (r[i]) r[i]->busy = 0;
}

/* Request i of those taken has ended. The caller holds the lock. */
static void completed(int kind, request *r, MPI_Status *s) {
	if (!r) return;
	ended_by(kind, r, s);
	r->busy = 0;
	if (!r->persistent) unlink_request(r);
}
