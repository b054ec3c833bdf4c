/* SPDX-License-Identifier: MIT
 *
 * Goroutines: Go's runtime marks which one a thread executes. Its other work, such as the scheduler and the garbage collector, is
 * not recorded.
 */
enum { GORUNS = 64, GOSTOPS, GOAPART };

/* A thread goes on with a goroutine, whose instructions are counted from 0 on, and which may be inside of a call. Number 0 is none. */
static void go_on(thread *t, uint64_t goroutine, uint64_t inside) {
	pthread_mutex_lock(&lock);
	flush(t);
	if (t->quiet) settle(t);
	t->out->head.thread = goroutine;
	t->done = -(uint64_t)t->now;
	t->skipped = t->last = t->begin = 0;
	t->quiet = (t->state != INSIDE) + !goroutine + !!inside;
	say(t, (mark){GORUNS, goroutine, 0, 0});
	pthread_mutex_unlock(&lock);
}

/* Whether a mark is one of those by which Go's runtime changes between goroutines and its own work. */
static bool scheduled(thread *t, uint64_t kind, uint64_t object, uint64_t phase, uint64_t value) {
	if (kind == GOAPART && phase == BEGIN) silence(t);
	else if (kind == GOAPART) wake(t);
	else if (kind == GORUNS) go_on(t, object, value);
	else if (kind == GOSTOPS) {
		silence(t);
		pthread_mutex_lock(&lock);
		say(t, (mark){GOSTOPS, 0, 0, 0});
		t->out->head.thread = 0;
		pthread_mutex_unlock(&lock);
	} else return false;
	return true;
}
