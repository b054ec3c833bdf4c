// The two sides of a transport over MPI, pinned to the processors that the arguments name. Rank 0 reads orders from its
// standard input, a letter and eight numbers in a line, and answers each with a line of two: a time in seconds, and how
// often a processor was taken away from either side meanwhile. Rank 1 is told what to do through shared memory, as the other
// sides of other transports are, and answers sentinels there: MPI is idle until an experiment begins.
#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "marshal.h"

#define LINE 256 // apart, so that words have lines of their own
#define LARGEST (64 << 10)
#define SETTLE 100 // microseconds in which whoever brings an order goes to sleep

struct block {
	atomic_uint ping; char a[LINE - 4];
	atomic_uint pong; char b[LINE - 4];
	atomic_uint order; char task; long count, repeat, size; double delay; struct layout layout; char c[LINE - 72];
	atomic_uint taken, ended; atomic_long switches; char d[LINE - 16];
	atomic_uint held; char e[LINE - 4];
	atomic_uint got; char f[LINE - 4];
};

static struct block *shared;
static char first[LARGEST], second[LARGEST], *message = first, *incoming = second;

static double now(void) {
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + 1e-9 * t.tv_nsec;
}

// clock_cost is the least that reading the clock takes, which times of single calls are without.
static double clock_cost(void) {
	static double least = 1;
	for (int i = 0; i < 100; i++) {
		double begin = now(), took = now() - begin;
		if (took < least) least = took;
	}
	return least;
}

static void wait_for(double seconds) {
	for (double begin = now(); now() - begin < seconds;) {}
}

static long switches(void) {
	struct rusage u;
	getrusage(RUSAGE_SELF, &u);
	return u.ru_nivcsw;
}

static void send_to(long size, int to) { MPI_Send(message, size, MPI_BYTE, to, 0, MPI_COMM_WORLD); }
static void receive_from(long size, int from) { MPI_Recv(message, size, MPI_BYTE, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE); }
// exchange sends what it received before, as ping-pongs do: what nobody writes stays in the caches of both.
static void exchange(long size, int other) {
	MPI_Sendrecv(message, size, MPI_BYTE, other, 0, incoming, size, MPI_BYTE, other, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	char *received = incoming;
	incoming = message, message = received;
}

// belated receives a message when its send began a delay ago.
static void belated(long size, double delay) {
	unsigned next = atomic_load(&shared->got) + 1;
	while (atomic_load(&shared->held) != next) {}
	wait_for(delay);
	receive_from(size, 0);
	atomic_store(&shared->got, next);
}

// passed receives a block, unpacks it, packs it and sends it back (t), or receives a carry, scans, and sends the carry (c).
static void passed(char task, long size, struct layout layout) {
	MPI_Recv(packed, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (task == 't') {
		unpack(layout);
		pack(layout);
	} else {
		scan(layout);
	}
	MPI_Send(packed, size, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
}

// block is the measuring side of that, or an array statement (a), which nobody else takes part in.
static void block(char task, long which, long size, struct layout layout) {
	if (task == 'a') return statement(which - 1, layout);
	task == 't' ? pack(layout) : scan(layout);
	MPI_Send(packed, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
	MPI_Recv(packed, size, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
	if (task == 't') unpack(layout);
}

// serve is rank 1: x exchanges, h is late for messages, t and c pass blocks, any other task receives count messages and sends one back.
static void serve(void) {
	unsigned done = 0, answered = 0;
	for (;;) {
		for (long spins = 1; atomic_load(&shared->order) == done; spins++) {
			unsigned trip = atomic_load(&shared->ping);
			if (trip != answered) atomic_store(&shared->pong, answered = trip);
			if (spins % (1 << 20) == 0 && getppid() == 1) exit(1); // whoever started this has died
		}
		done = atomic_load(&shared->order);
		char task = shared->task;
		long count = shared->count, repeat = shared->repeat, size = shared->size;
		double delay = shared->delay;
		struct layout layout = shared->layout;
		if (task == 't' || task == 'c') lay();
		long before = switches();
		atomic_store(&shared->taken, done);
		if (task == 'q') return;
		while (repeat-- > 0) {
			if (task == 'x') {
				exchange(size, 0);
				continue;
			}
			if (task == 'h') {
				belated(size, delay);
				continue;
			}
			if (task == 't' || task == 'c') {
				passed(task, size, layout);
				continue;
			}
			for (long i = 0; i < count; i++) receive_from(size, 0);
			send_to(size, 0);
		}
		atomic_store(&shared->switches, switches() - before);
		atomic_store(&shared->ended, done);
	}
}

static void tell(char task, long count, long repeat, long size, double delay, struct layout layout) {
	shared->layout = layout;
	shared->task = task, shared->count = count, shared->repeat = repeat, shared->size = size, shared->delay = delay;
	unsigned order = atomic_fetch_add(&shared->order, 1) + 1;
	while (atomic_load(&shared->taken) != order) {}
}

// ended waits until rank 1 has done its part, and says how often the processor was taken away from it.
static long ended(void) {
	while (atomic_load(&shared->ended) != atomic_load(&shared->order)) {}
	return atomic_load(&shared->switches);
}

// sentinel is the least of 12 round trips of a word; 0 if one takes 200 us.
static double sentinel(void) {
	double least = 1;
	for (int i = 0; i < 12; i++) {
		unsigned trip = atomic_load(&shared->ping) + 1;
		double begin = now();
		atomic_store(&shared->ping, trip);
		while (atomic_load(&shared->pong) != trip)
			if (now() - begin > 200e-6) return 0;
		double took = now() - begin;
		if (took < least) least = took;
	}
	return least;
}

// burst is a round trip of count messages.
static void burst(long count, long size, double delay) {
	for (long i = 0; i < count; i++) {
		if (i > 0 && delay > 0) wait_for(delay);
		send_to(size, 1);
	}
	receive_from(size, 1);
}

// late is a receive of a message that came while this side waited for twice a round trip.
static double late(long repeat, long size) {
	double sum = 0, trip = now();
	burst(1, size, 0);
	trip = 2 * (now() - trip);
	for (long i = 0; i < repeat; i++) {
		send_to(size, 1);
		wait_for(trip);
		double begin = now();
		receive_from(size, 1);
		sum += now() - begin;
	}
	return sum / repeat - clock_cost();
}

// hold is a send to a receiver that is late.
static double hold(long repeat, long size) {
	double sum = 0;
	for (long i = 0; i < repeat; i++) {
		unsigned next = atomic_load(&shared->held) + 1;
		double begin = now();
		atomic_store(&shared->held, next);
		send_to(size, 1);
		sum += now() - begin;
		while (atomic_load(&shared->got) != next) {}
	}
	return sum / repeat - clock_cost();
}

// trips are exchanges or bursts. Those that are not timed, before others, bring into the caches what whoever brought the order has
// put out of them, and both sides into step.
static void trips(char task, long count, long repeat, long size, double delay) {
	for (long i = 0; i < repeat; i++) task == 'x' ? exchange(size, 1) : burst(count, size, delay);
}

// blocks times blocks that pass both ways, per way, or array statements.
static double blocks(char task, long which, long repeat, long size, struct layout layout) {
	lay();
	for (long i = 0; i < repeat / 4 + 1; i++) block(task, which, size, layout);
	double begin = now();
	for (long i = 0; i < repeat; i++) block(task, which, size, layout);
	return (now() - begin) / repeat / (task == 'a' ? 1 : 2);
}

static double run(char task, long count, long repeat, long size, double delay, struct layout layout, long *taken) {
	if (task == 's') return sentinel();
	if (task == 'p') {
		double begin = now();
		for (long i = 0; i < repeat; i++) wait_for(delay);
		return (now() - begin) / repeat;
	}
	if (task == 'a') return blocks(task, count, repeat, size, layout);
	long warm = task == 'h' ? 0 : task == 'l' ? 1 : repeat / 4 + 1;
	tell(task, count, warm + repeat, size, delay, layout);
	double begin, took;
	if (task == 'l') {
		took = late(repeat, size);
	} else if (task == 'h') {
		took = hold(repeat, size);
	} else if (task == 't' || task == 'c') {
		took = blocks(task, count, repeat, size, layout);
	} else {
		trips(task, count, warm, size, delay);
		begin = now();
		trips(task, count, repeat, size, delay);
		took = (now() - begin) / repeat;
	}
	*taken += ended();
	return took;
}

static const struct layout none;

// orders reads orders and answers them, until there are no more or one is no order.
static void orders(void) {
	char line[512], task;
	long count, repeat, bytes;
	double delay;
	struct layout l;
	puts("ready");
	fflush(stdout);
	while (fgets(line, sizeof line, stdin)) {
		if (sscanf(line, "%c %ld %ld %ld %lg %ld %ld %ld %ld", &task, &count, &repeat, &bytes, &delay, &l.base, &l.rows, &l.cols, &l.stride) != 9) return;
		if (bytes > (task == 'a' ? MATRIX : task == 't' || task == 'c' ? PACKED : LARGEST)) return;
		usleep(SETTLE);
		long taken = -switches();
		double took = run(task, count, repeat, bytes, delay, l, &taken);
		printf("%.10e %ld\n", took, taken + switches());
		fflush(stdout);
	}
}

int main(int argc, char **argv) {
	prctl(PR_SET_PDEATHSIG, SIGKILL); // nobody polls on for an mpirun that was killed
	MPI_Init(&argc, &argv);
	int rank, ranks, unit;
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &ranks);
	if (argc != 3 || ranks != 2) {
		fprintf(stderr, "usage: mpirun -n 2 %s PROCESSOR PROCESSOR\n", argv[0]);
		MPI_Abort(MPI_COMM_WORLD, 2);
	}
	cpu_set_t one;
	CPU_ZERO(&one);
	CPU_SET(atoi(argv[1 + rank]), &one);
	if (sched_setaffinity(0, sizeof one, &one) != 0) MPI_Abort(MPI_COMM_WORLD, 3);
	MPI_Win window;
	MPI_Aint size;
	MPI_Win_allocate_shared(rank == 0 ? sizeof *shared : 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &shared, &window);
	MPI_Win_shared_query(window, 0, &size, &unit, &shared);
	memset(first, rank + 1, sizeof first);
	memset(second, rank + 1, sizeof second);
	if (rank == 0) memset((void *)shared, 0, sizeof *shared);
	MPI_Barrier(MPI_COMM_WORLD);
	if (rank == 1) {
		serve();
	} else {
		orders();
		tell('q', 0, 0, 0, 0, none);
	}
	MPI_Win_free(&window);
	MPI_Finalize();
	return 0;
}
