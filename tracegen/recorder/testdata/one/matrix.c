/* A product of matrices with vector instructions. */
#include <stdio.h>

enum { N = 128 };
static float a[N][N], b[N][N], c[N][N];

int main(void) {
	for (int i = 0; i < N; i++)
		for (int j = 0; j < N; j++) a[i][j] = i + j, b[i][j] = i - j;
	for (int i = 0; i < N; i++)
		for (int k = 0; k < N; k++)
			for (int j = 0; j < N; j++) c[i][j] += a[i][k] * b[k][j];
	printf("%g\n", c[3][5]);
	return 0;
}
