// Does one task of marshal.h to items that are i * 3, packed ones that are i * 5, and prints what both are then: the first
// arguments are the task (p, u, c, or the index of a statement), base, rows, cols and stride, the last is how many items to print.
#define MPI_COMM_WORLD 0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void MPI_Abort(int c, int status) { exit(status); }
#include "marshal.h"

int main(int argc, char **argv) {
	struct layout l = {atol(argv[2]), atol(argv[3]), atol(argv[4]), atol(argv[5])};
	long n = atol(argv[6]);
	lay();
	for (long i = 0; i < MATRIX / 4; i++) matrix[i] = i * 3;
	for (long i = 0; i < PACKED / 4; i++) packed[i] = i * 5;
	switch (argv[1][0]) {
	case 'p': pack(l); break;
	case 'u': unpack(l); break;
	case 'c': scan(l); break;
	default: statement(atol(argv[1]), l);
	}
	for (long i = 0; i < n; i++) printf("%d %d\n", matrix[i], packed[i]);
	return 0;
}
