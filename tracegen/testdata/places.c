/* Prints where its data lie: kind, address, size, and the name or the line that they must have. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define TEXT(x) #x
#define NUMBER(x) TEXT(x)
#define LINE NUMBER(__LINE__)

struct counter { long n; int part[2]; };
static struct counter counters[2];
long padded[32];

__attribute__((noinline)) static void add(volatile long *n) {
	*n += 1; /* by this line */
}

static void *work(void *p) {
	char here = 0;
	long i = (long)p;
	for (int k = 0; k < 100; k++) add(&counters[i].n), add(&padded[16 * i]);
	printf("stack %p 1 %ld\n", (void *)&here, i + 1);
	return NULL;
}

int main(int argc, char **argv) {
	pthread_t threads[2];
	char here = 0;
	printf("stack %p 1 0\n", (void *)&here);
	printf("global %p %zu counters\n", (void *)counters, sizeof counters);
	printf("global %p %zu padded\n", (void *)padded, sizeof padded);
	for (long i = 0; i < 2; i++) pthread_create(&threads[i], NULL, work, (void *)i);
	for (long i = 0; i < 2; i++) pthread_join(threads[i], NULL);
	char *a = malloc(100), *b = calloc(10, 20), *c = realloc(strdup("x"), 3000), *d = aligned_alloc(64, 128), *from = LINE;
	printf("heap %p 100 %s\nheap %p 200 %s\nheap %p 3000 %s\nheap %p 128 %s\n", (void *)a, from, (void *)b, from, (void *)c, from, (void *)d, from);
	free(a);
	char *e = malloc(100), *again = LINE; /* in place of the other */
	e[0] = 1;
	printf("heap %p 100 %s\n", (void *)e, again);
	char *m = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0), *mapped = LINE;
	m[0] = 1;
	printf("mapping %p 8192 %s\n", (void *)m, mapped);
	if (argc > 1) {
		void *library = dlopen(argv[1], RTLD_NOW);
		if (!library) return 1;
		((void (*)(void))dlsym(library, "store"))();
		printf("global %p 8 in_library\n", dlsym(library, "in_library"));
	}
	return 0;
}
