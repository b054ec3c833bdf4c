// Threads insert random keys into one binary tree and look others up, with a lock in each node that is held hand over hand.
//
//	tree THREADS KEYS
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct node { unsigned key; struct node *left, *right; pthread_mutex_t lock; };

static int threads, keys;
static struct node *root;
static long found[64];

static unsigned next_random(unsigned *s) { *s ^= *s << 13; *s ^= *s >> 17; *s ^= *s << 5; return *s; }

static struct node *leaf(unsigned key) {
	struct node *n = malloc(sizeof *n);
	n->key = key;
	n->left = n->right = NULL;
	pthread_mutex_init(&n->lock, NULL);
	return n;
}

// put inserts a key if it is absent and add is set. It returns whether it was there.
static int put(unsigned key, int add) {
	struct node *n = root;
	pthread_mutex_lock(&n->lock);
	for (;;) {
		if (n->key == key) break;
		struct node **child = key < n->key ? &n->left : &n->right;
		if (!*child) {
			if (add) *child = leaf(key);
			pthread_mutex_unlock(&n->lock);
			return 0;
		}
		struct node *c = *child;
		pthread_mutex_lock(&c->lock);
		pthread_mutex_unlock(&n->lock);
		n = c;
	}
	pthread_mutex_unlock(&n->lock);
	return 1;
}

static void *work(void *arg) {
	long me = (long)arg;
	unsigned s = 2463534242u + 977 * me;
	for (int i = 0; i < keys / threads; i++) found[me] += put(next_random(&s) % (4 * keys), i % 4 != 3);
	return NULL;
}

int main(int argc, char **argv) {
	if (argc != 3) return fprintf(stderr, "tree: give THREADS KEYS\n"), 2;
	threads = atoi(argv[1]), keys = atoi(argv[2]);
	root = leaf(2 * keys);
	pthread_t t[64];
	for (long i = 1; i < threads; i++) pthread_create(&t[i], NULL, work, (void *)i);
	work(0);
	long sum = found[0];
	for (int i = 1; i < threads; i++) pthread_join(t[i], NULL), sum += found[i];
	printf("%ld\n", sum);
	return 0;
}
