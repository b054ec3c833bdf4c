/* Queens and Fibonacci numbers, by recursion. */
#include <stdio.h>

static int place(int n, int row, unsigned columns, unsigned left, unsigned right) {
	if (row == n) return 1;
	int sum = 0;
	for (unsigned free = ((1u << n) - 1) & ~(columns | left | right); free; free &= free - 1) {
		unsigned bit = free & -free;
		sum += place(n, row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1);
	}
	return sum;
}

static int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }

int main(void) {
	printf("%d %d\n", place(9, 0, 0, 0, 0), fibonacci(24));
	return 0;
}
