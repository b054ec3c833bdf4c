/* One thread: sorts, copies and multiplies. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { N = 60, M = 5000 };
static double a[N][N], b[N][N], c[N][N];
static int keys[M];

static int order(const void *x, const void *y) { return *(const int *)x - *(const int *)y; }

int main(void) {
	for (int i = 0; i < M; i++) keys[i] = i * 7919 % M;
	qsort(keys, M, sizeof *keys, order);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) a[i][j] = i + j, b[i][j] = i - j;
	memcpy(c, a, sizeof c);
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++)
			for (int k = 0; k < N; k++) c[i][j] += a[i][k] * b[k][j];
	printf("%d %g\n", keys[M / 2], c[3][4]);
	return 0;
}
