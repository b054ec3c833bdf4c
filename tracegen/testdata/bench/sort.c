/* Sorts numbers with the C library: sort NUMBER. */
#include <stdio.h>
#include <stdlib.h>

static int less(const void *a, const void *b) { return *(const int *)a < *(const int *)b ? -1 : *(const int *)a > *(const int *)b; }

int main(int argc, char **argv) {
	int n = atoi(argv[1]), *a = malloc(n * sizeof *a);
	unsigned x = 1;
	for (int i = 0; i < n; i++) a[i] = (x = x * 1103515245 + 12345) >> 8;
	qsort(a, n, sizeof *a, less);
	printf("%d\n", a[n / 2]);
	return argc - 2;
}
