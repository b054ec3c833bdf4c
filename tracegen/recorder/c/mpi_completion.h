/* Calls that complete requests, or start persistent ones. */
int MPI_Wait(MPI_Request *q, MPI_Status *s) {
	int done = 0;
	OWN(s)
	enter();
	if (!on()) return leave(real_Wait(q, s));
	take(1, q);
	release();
	int e = AWAIT(real_Wait(q, s), real_Test(q, &done, s), done);
	hold();
	if (!e) completed(WAIT, one, s);
	else giveback(1);
	release();
	return leave(e);
}
/* A program that polls does so millions of times, so a test that returns false takes no lock: no other thread can get the handle meanwhile. */
static int test_alone(MPI_Request *q, int *done, MPI_Status *s) {
	MPI_Request was = *q;
	depth = 1;
	int e = real_Test(q, done, s);
	if (__builtin_expect(e || !*done, 1)) {
		polls++;
		depth = 0;
		return e;
	}
	fresh = whole = number = 0;
	take(1, &was);
	completed(TEST, one, s);
	release();
	return leave(e);
}
int MPI_Test(MPI_Request *q, int *done, MPI_Status *s) {
	OWN(s)
	if (!depth && !shared && !inside && file >= 0) return test_alone(q, done, s);
	enter();
	if (!on()) return leave(real_Test(q, done, s));
	take(1, q);
	release();
	int e = real_Test(q, done, s);
	hold();
	if (!e && *done) completed(TEST, one, s);
	else giveback(1), polls++;
	release();
	return leave(e);
}

static void all_completed(int kind, int n, MPI_Status *s, int done) {
	request **r = taken_of(n);
	hold();
	for (int i = 0; i < n && done; i++)
		if (r[i] && r[i]->busy) completed(kind, r[i], &s[i]);
	if (!done) giveback(n);
	release();
}
int MPI_Waitall(int n, MPI_Request *q, MPI_Status *given) {
	int done = 0;
	enter();
	if (!on()) return leave(real_Waitall(n, q, given));
	take(n, q);
	release();
	MPI_Status *s = statuses_of(n, given);
	int e = AWAIT(real_Waitall(n, q, s), real_Testall(n, q, &done, s), done);
	all_completed(WAIT, n, s, !e);
	return leave(e);
}
int MPI_Testall(int n, MPI_Request *q, int *done, MPI_Status *given) {
	enter();
	if (!on()) return leave(real_Testall(n, q, done, given));
	take(n, q);
	release();
	MPI_Status *s = statuses_of(n, given);
	int e = real_Testall(n, q, done, s);
	polls += !*done;
	all_completed(TEST, n, s, !e && *done);
	return leave(e);
}

/* One of n, or none if the index is undefined. */
static void any_completed(int kind, int n, int at, MPI_Status *s) {
	hold();
	if (at != MPI_UNDEFINED) completed(kind, taken_of(n)[at], s), taken_of(n)[at] = NULL;
	giveback(n);
	release();
}
int MPI_Waitany(int n, MPI_Request *q, int *at, MPI_Status *s) {
	int done = 0;
	OWN(s)
	enter();
	if (!on()) return leave(real_Waitany(n, q, at, s));
	take(n, q);
	release();
	int e = AWAIT(real_Waitany(n, q, at, s), real_Testany(n, q, at, &done, s), done);
	any_completed(WAIT, n, e ? MPI_UNDEFINED : *at, s);
	return leave(e);
}
int MPI_Testany(int n, MPI_Request *q, int *at, int *done, MPI_Status *s) {
	OWN(s)
	enter();
	if (!on()) return leave(real_Testany(n, q, at, done, s));
	take(n, q);
	release();
	int e = real_Testany(n, q, at, done, s);
	polls += !*done;
	any_completed(TEST, n, e || !*done ? MPI_UNDEFINED : *at, s);
	return leave(e);
}

static void some_completed(int kind, int n, int many, const int *at, MPI_Status *s) {
	hold();
	for (int i = 0; i < many && many != MPI_UNDEFINED; i++) completed(kind, taken_of(n)[at[i]], &s[i]), taken_of(n)[at[i]] = NULL;
	giveback(n);
	release();
}
int MPI_Waitsome(int n, MPI_Request *q, int *many, int *at, MPI_Status *given) {
	enter();
	if (!on()) return leave(real_Waitsome(n, q, many, at, given));
	take(n, q);
	release();
	MPI_Status *s = statuses_of(n, given);
	int e = AWAIT(real_Waitsome(n, q, many, at, s), real_Testsome(n, q, many, at, s), *many);
	some_completed(WAIT, n, e ? 0 : *many, at, s);
	return leave(e);
}
int MPI_Testsome(int n, MPI_Request *q, int *many, int *at, MPI_Status *given) {
	enter();
	if (!on()) return leave(real_Testsome(n, q, many, at, given));
	take(n, q);
	release();
	MPI_Status *s = statuses_of(n, given);
	int e = real_Testsome(n, q, many, at, s);
	polls += !*many;
	some_completed(TEST, n, e ? 0 : *many, at, s);
	return leave(e);
}

static void starts(MPI_Request q) {
	request *r = request_of(KEY(q));
	if (r && r->persistent) r->number = putmessage(&r->what, NULL, 1);
}
int MPI_Start(MPI_Request *q) {
	enter();
	int e = real_Start(q);
	if (on() && !e) hold(), starts(*q), release();
	return leave(e);
}
int MPI_Startall(int n, MPI_Request *q) {
	enter();
	int e = real_Startall(n, q);
	hold();
	for (int i = 0; i < n && on() && !e; i++) starts(q[i]);
	release();
	return leave(e);
}
/* Nobody waits for what a freed request has opened. */
int MPI_Request_free(MPI_Request *q) {
	enter();
	if (on()) {
		take(1, q);
		if (one && one->number) {
			record(FREE);
			put(one->number);
			written();
		}
		if (one) unlink_request(one);
		release();
	}
	return leave(real_Request_free(q));
}
