/* Multiplies matrices of doubles: product SIDE. */
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
	int n = atoi(argv[1]);
	double *a = malloc(n * n * sizeof *a), *b = malloc(n * n * sizeof *b), *c = calloc(n * n, sizeof *c);
	for (int i = 0; i < n * n; i++) a[i] = i % 7, b[i] = i % 5;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < n; k++)
			for (int j = 0; j < n; j++) c[i * n + j] += a[i * n + k] * b[k * n + j];
	printf("%g\n", c[n + 1]);
	return argc - 2;
}
