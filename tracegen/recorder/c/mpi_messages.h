/* Point-to-point calls. */
static message described(int kind, const void *b, int n, MPI_Datatype t, int peer, int tag, MPI_Comm c) {
	const comm *of = comm_of(c);
	int64_t world = peer == MPI_ANY_SOURCE ? -1 : world_of(of, peer);
	int nothing = peer == MPI_PROC_NULL || (world < 0 && peer != MPI_ANY_SOURCE);
	if (world < 0 && peer != MPI_ANY_SOURCE && peer != MPI_PROC_NULL) missed("messages to or from processes outside of MPI_COMM_WORLD");
	return (message){kind, nothing, tag == MPI_ANY_TAG ? -1 : tag, world, of, b, n, t};
}

/* Writes a message, if it has a partner; a receive that has ended has a status. Returns the number of its request. */
static uint64_t putmessage(const message *m, MPI_Status *s, int request) {
	if (m->nothing) return 0;
	record(m->kind);
	putsigned(s ? world_of(m->of, s->MPI_SOURCE) : m->peer);
	putsigned(s ? s->MPI_TAG : m->tag);
	put(m->of->number);
	if (request) put(++numbers);
	if (s) {
		MPI_Count n = 0;
		PMPI_Get_elements_x(s, MPI_BYTE, &n);
		put(n > 0 ? n : 0);
	}
	putbuffer(m->buffer, m->count, m->type);
	written();
	return request ? numbers : 0;
}

static void sent(const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c) {
	hold();
	message m = described(SEND, b, n, t, p, tag, c);
	putmessage(&m, NULL, 0);
	release();
}
static void started_message(int kind, const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Request q) {
	hold();
	message m = described(kind, b, n, t, p, tag, c);
	request *r = opened(q, m.of, kind == IRECV);
	r->number = putmessage(&m, NULL, 1);
	release();
}
static void received(const void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c, MPI_Status *s) {
	hold();
	message m = described(RECV, b, n, t, p, tag, c);
	putmessage(&m, s, 0);
	release();
}

#define MESSAGE(constant) constant void *b, int n, MPI_Datatype t, int p, int tag, MPI_Comm c
/* A send that may wait: where time counts, it is started and polled for. */
#define MAYWAIT(N) int MPI_##N(MESSAGE(const)) { \
	MPI_Request q; \
	int done = 0; \
	enter(); \
	int e = timed() ? real_I##N(b, n, t, p, tag, c, &q) : 0; \
	if (!e) e = AWAIT(real_##N(b, n, t, p, tag, c), real_Test(&q, &done, MPI_STATUS_IGNORE), done); \
	if (on() && !e) sent(b, n, t, p, tag, c); \
	return leave(e); \
}
#define real_ISend real_Isend
#define real_ISsend real_Issend
MAYWAIT(Send)
MAYWAIT(Ssend)
#define CANNOTWAIT(N) int MPI_##N(MESSAGE(const)) { \
	enter(); \
	int e = real_##N(b, n, t, p, tag, c); \
	if (on() && !e) sent(b, n, t, p, tag, c); \
	return leave(e); \
}
CANNOTWAIT(Bsend)
CANNOTWAIT(Rsend)
#define STARTED(N, kind, constant) int MPI_##N(MESSAGE(constant), MPI_Request *q) { \
	enter(); \
	int e = real_##N(b, n, t, p, tag, c, q); \
	if (on() && !e) started_message(kind, b, n, t, p, tag, c, *q); \
	return leave(e); \
}
#define STARTEDSEND(N) STARTED(N, ISEND, const)
ISENDS(STARTEDSEND)
STARTED(Irecv, IRECV, )

/* Persistent requests are messages when they are started. */
#define INITIAL(N, kind_of, constant) int MPI_##N(MESSAGE(constant), MPI_Request *q) { \
	enter(); \
	int e = real_##N(b, n, t, p, tag, c, q); \
	if (on() && !e) { \
		hold(); \
		message m = described(kind_of, b, n, t, p, tag, c); \
		request *r = opened(*q, m.of, kind_of == IRECV); \
		r->persistent = 1, r->what = m; \
		release(); \
	} \
	return leave(e); \
}
#define INITIALSEND(N) INITIAL(N, ISEND, const)
SENDINITS(INITIALSEND)
INITIAL(Recv_init, IRECV, )

#define OWN(s) MPI_Status own_; if (s == MPI_STATUS_IGNORE) s = &own_;
int MPI_Recv(MESSAGE(), MPI_Status *s) {
	MPI_Request q;
	int done = 0;
	OWN(s)
	enter();
	int e = timed() ? real_Irecv(b, n, t, p, tag, c, &q) : 0;
	if (!e) e = AWAIT(real_Recv(b, n, t, p, tag, c, s), real_Test(&q, &done, s), done);
	if (on() && !e) received(b, n, t, p, tag, c, s);
	return leave(e);
}

/* Both directions: a started send, a receive, and a wait for the send. */
static void exchanged(const void *b, int n, MPI_Datatype t, int d, int stag, void *rb, int rn, MPI_Datatype rt, int p, int rtag, MPI_Comm c, MPI_Status *s) {
	hold();
	message out = described(ISEND, b, n, t, d, stag, c), in = described(RECV, rb, rn, rt, p, rtag, c);
	uint64_t number = putmessage(&out, NULL, 1);
	putmessage(&in, s, 0);
	if (number) {
		record(WAIT);
		put(number);
		put(0);
		written();
	}
	release();
}
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int d, int stag, void *rb, int rn, MPI_Datatype rt, int p, int rtag, MPI_Comm c, MPI_Status *s) {
	MPI_Request q[2];
	MPI_Status both[2];
	int done = 0;
	OWN(s)
	enter();
	int e = timed() ? real_Irecv(rb, rn, rt, p, rtag, c, &q[0]) : 0;
	if (!e && timed()) e = real_Isend(b, n, t, d, stag, c, &q[1]);
	if (!e) e = AWAIT(real_Sendrecv(b, n, t, d, stag, rb, rn, rt, p, rtag, c, s), real_Testall(2, q, &done, both), done);
	if (timed() && !e) *s = both[0];
	if (on() && !e) exchanged(b, n, t, d, stag, rb, rn, rt, p, rtag, c, s);
	return leave(e);
}
int MPI_Sendrecv_replace(void *b, int n, MPI_Datatype t, int d, int stag, int p, int rtag, MPI_Comm c, MPI_Status *s) {
	MPI_Request q[2];
	MPI_Status both[2];
	int done = 0, room = 0, at = 0;
	void *copy = NULL;
	OWN(s)
	enter();
	if (timed()) {
		PMPI_Pack_size(n, t, c, &room);
		copy = malloc(room + 1);
	}
	int e = 0;
	if (copy) {
		PMPI_Pack(b, n, t, copy, room, &at, c);
		e = real_Irecv(b, n, t, p, rtag, c, &q[0]);
		if (!e) e = real_Isend(copy, at, MPI_PACKED, d, stag, c, &q[1]);
		if (!e) e = AWAIT(MPI_SUCCESS, real_Testall(2, q, &done, both), done);
		if (!e) *s = both[0];
	} else e = real_Sendrecv_replace(b, n, t, d, stag, p, rtag, c, s);
	free(copy);
	if (on() && !e) exchanged(b, n, t, d, stag, b, n, t, p, rtag, c, s);
	return leave(e);
}

/* Probes. A matched one gives a handle, whose receive names the message. */
static void probed(int kind, int p, int tag, MPI_Comm c, MPI_Status *s) {
	hold();
	message m = described(kind, NULL, 0, MPI_BYTE, p, tag, c);
	putmessage(&m, s, 0);
	release();
}
typedef struct matched { uint64_t key; const comm *of; int source, tag; struct matched *next; } matched;
static matched *matches;
static void keep_match(MPI_Message m, MPI_Comm c, MPI_Status *s) {
	if (m == MPI_MESSAGE_NO_PROC) return;
	matched *k = malloc(sizeof *k);
	if (!k) abort();
	hold();
	*k = (matched){KEY(m), comm_of(c), s->MPI_SOURCE, s->MPI_TAG, matches};
	matches = k;
	release();
}
/* Takes the message out of the list: one without a partner, if it is not there. The caller holds the lock. */
static message match_of(int kind, uint64_t key, const void *b, int n, MPI_Datatype t) {
	message m = {kind, 1, 0, 0, &theworld, b, n, t};
	for (matched **k = &matches; *k; k = &(*k)->next)
		if ((*k)->key == key) {
			matched *gone = *k;
			m.nothing = 0, m.of = gone->of, m.peer = world_of(gone->of, gone->source), m.tag = gone->tag;
			*k = gone->next;
			free(gone);
			break;
		}
	return m;
}

int MPI_Probe(int p, int tag, MPI_Comm c, MPI_Status *s) {
	int found = 0;
	OWN(s)
	enter();
	int e = AWAIT(real_Probe(p, tag, c, s), real_Iprobe(p, tag, c, &found, s), found);
	if (on() && !e) probed(PROBE, p, tag, c, s);
	return leave(e);
}
int MPI_Iprobe(int p, int tag, MPI_Comm c, int *found, MPI_Status *s) {
	OWN(s)
	enter();
	int e = real_Iprobe(p, tag, c, found, s);
	if (on() && !e && *found) probed(IPROBE, p, tag, c, s);
	else if (on()) polls++;
	return leave(e);
}
int MPI_Mprobe(int p, int tag, MPI_Comm c, MPI_Message *m, MPI_Status *s) {
	int found = 0;
	OWN(s)
	enter();
	int e = AWAIT(real_Mprobe(p, tag, c, m, s), real_Improbe(p, tag, c, &found, m, s), found);
	if (on() && !e) probed(PROBE, p, tag, c, s), keep_match(*m, c, s);
	return leave(e);
}
int MPI_Improbe(int p, int tag, MPI_Comm c, int *found, MPI_Message *m, MPI_Status *s) {
	OWN(s)
	enter();
	int e = real_Improbe(p, tag, c, found, m, s);
	if (on() && !e && *found) probed(IPROBE, p, tag, c, s), keep_match(*m, c, s);
	else if (on()) polls++;
	return leave(e);
}
int MPI_Mrecv(void *b, int n, MPI_Datatype t, MPI_Message *handle, MPI_Status *s) {
	MPI_Request q;
	uint64_t key = KEY(*handle);
	int done = 0;
	OWN(s)
	enter();
	int e = timed() ? real_Imrecv(b, n, t, handle, &q) : 0;
	if (!e) e = AWAIT(real_Mrecv(b, n, t, handle, s), real_Test(&q, &done, s), done);
	if (on() && !e) {
		hold();
		message m = match_of(RECV, key, b, n, t);
		putmessage(&m, s, 0);
		release();
	}
	return leave(e);
}
int MPI_Imrecv(void *b, int n, MPI_Datatype t, MPI_Message *handle, MPI_Request *q) {
	uint64_t key = KEY(*handle);
	enter();
	int e = real_Imrecv(b, n, t, handle, q);
	if (on() && !e) {
		hold();
		message m = match_of(IRECV, key, b, n, t);
		request *r = opened(*q, m.of, 1);
		r->number = putmessage(&m, NULL, 1);
		release();
	}
	return leave(e);
}
