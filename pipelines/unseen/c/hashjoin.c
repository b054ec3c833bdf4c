// Joins two tables: threads insert the keys of one into a hash table whose buckets have striped locks, and look up the other's.
//
//	hashjoin THREADS KEYS BUCKETS
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

enum { STRIPES = 64 };
struct entry { unsigned key; int value, next; };

static int threads, keys, buckets, used;
static int *head;
static struct entry *pool;
static pthread_mutex_t stripe[STRIPES];
static pthread_barrier_t built;
static long matches[64];

static unsigned hash(unsigned x) { x ^= x >> 16; x *= 0x85ebca6bu; x ^= x >> 13; return x * 0xc2b2ae35u; }

static void insert(unsigned key, int value) {
	unsigned b = hash(key) % buckets;
	int e = __atomic_fetch_add(&used, 1, __ATOMIC_RELAXED);
	pool[e].key = key;
	pool[e].value = value;
	pthread_mutex_lock(&stripe[b % STRIPES]);
	pool[e].next = head[b];
	head[b] = e;
	pthread_mutex_unlock(&stripe[b % STRIPES]);
}

static long find(unsigned key) {
	long sum = 0;
	for (int e = head[hash(key) % buckets]; e >= 0; e = pool[e].next)
		if (pool[e].key == key) sum += pool[e].value;
	return sum;
}

static void *work(void *arg) {
	long me = (long)arg;
	for (int i = me; i < keys; i += threads) insert(hash(i) % keys, i % 7);
	pthread_barrier_wait(&built);
	long sum = 0;
	for (int i = me * (keys / threads); i < (me + 1) * (keys / threads); i++) sum += find(i);
	matches[me] = sum;
	return NULL;
}

int main(int argc, char **argv) {
	if (argc != 4) return fprintf(stderr, "hashjoin: give THREADS KEYS BUCKETS\n"), 2;
	threads = atoi(argv[1]), keys = atoi(argv[2]), buckets = atoi(argv[3]);
	head = malloc(buckets * sizeof *head);
	pool = malloc(keys * sizeof *pool);
	for (int i = 0; i < buckets; i++) head[i] = -1;
	for (int i = 0; i < STRIPES; i++) pthread_mutex_init(&stripe[i], NULL);
	pthread_barrier_init(&built, NULL, threads);
	pthread_t t[64];
	for (long i = 1; i < threads; i++) pthread_create(&t[i], NULL, work, (void *)i);
	work(0);
	long sum = matches[0];
	for (int i = 1; i < threads; i++) pthread_join(t[i], NULL), sum += matches[i];
	printf("%ld\n", sum);
	return 0;
}
