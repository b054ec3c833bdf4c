/* Jacobi's method on a square. */
#include <stdio.h>

enum { N = 200, STEPS = 20 };
static double a[2][N][N];

int main(void) {
	for (int i = 0; i < N; i++) a[0][i][0] = a[1][i][0] = 1;
	for (int s = 0; s < STEPS; s++)
		for (int i = 1; i < N - 1; i++)
			for (int j = 1; j < N - 1; j++)
				a[1 - s % 2][i][j] = (a[s % 2][i - 1][j] + a[s % 2][i + 1][j] + a[s % 2][i][j - 1] + a[s % 2][i][j + 1]) / 4;
	printf("%.6f\n", a[0][N / 2][1]);
	return 0;
}
