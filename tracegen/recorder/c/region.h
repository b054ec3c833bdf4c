/* SPDX-License-Identifier: MIT
 *
 * Which part of the run is recorded: a region of the whole program, and within it parts of each thread's references.
 *
 * The region has a state for all threads: 0 before it, 1 inside, 2 after it. A thread follows it when its next block begins.
 */
enum { BEFORE, INSIDE, AFTER };
enum { OFF = 1 << 30 };                      /* quiet for good */
static uint32_t state = INSIDE;
static uint64_t from, to;                    /* offsets of the functions that begin and end the region, or 0 */
static uint64_t skip, window, every, most;   /* per thread: instructions without references; of each EVERY the first WINDOW have them; their number */
static uint64_t stacks = 1;                  /* references of a thread to its own stack are recorded */
static int sampled;                          /* one of the first two is given */
static uint32_t cut;                         /* references were left out */

/* How many recorded instructions the thread has executed. */
static uint64_t place(const thread *t) { return (t->quiet ? t->begin : t->done + t->now) - t->skipped; }

/* Leaves out what a thread has executed since it became quiet. */
static void settle(thread *t) {
	uint64_t n = t->done + t->now - t->begin;
	t->skipped += n, t->begin += n;
	if (t->state == INSIDE) t->left += n;
}

static void wake(thread *t) {
	if (t->quiet && --t->quiet == 0) settle(t);
}

static void silence(thread *t) {
	if (t->quiet++ == 0) t->begin = t->done + t->now;
}

static void follow(thread *t) {
	uint32_t now = __atomic_load_n(&state, __ATOMIC_ACQUIRE);
	if (t->state == now) return;
	if (t->quiet) settle(t);
	if (now == INSIDE) wake(t);
	else if (t->state == INSIDE) silence(t);
	t->state = now;
}

/* The region begins or ends where a block does. It does so once. */
static void passes(thread *t, uint32_t before, uint32_t after) {
	__atomic_compare_exchange_n(&state, &before, after, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
	follow(t);
}

/* Finds whether references are recorded at this place, and up to where that holds. */
static void sample(thread *t) {
	uint64_t at = place(t), round = every ? (at - skip) / every * every + skip : skip;
	if (t->quiet || at < t->until) return;
	if (at < skip) t->mute = 1, t->until = skip;
	else if (!window) t->mute = 0, t->until = UINT64_MAX;
	else if (at - round < window) t->mute = 0, t->until = round + window;
	else t->mute = 1, t->until = every ? round + every : UINT64_MAX;
	if (t->mute) cut = 1;
}

/* Counts a reference, and says whether there are enough. */
static bool enough(thread *t) { return most && ++t->references > most && (cut = 1, t->mute = 1, t->until = UINT64_MAX); }
