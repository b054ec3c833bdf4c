// Sorts keys: ranks agree on splitters from samples, exchange keys of unequal numbers all to all, and sort what they get.
//
//	samplesort KEYS_OF_A_RANK
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void sort(int *a, int n) {
	for (int gap = n / 2; gap > 0; gap = gap == 2 ? 1 : gap * 5 / 11)
		for (int i = gap; i < n; i++) {
			int v = a[i], j = i;
			for (; j >= gap && a[j - gap] > v; j -= gap) a[j] = a[j - gap];
			a[j] = v;
		}
}

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 2) return fprintf(stderr, "samplesort: give KEYS_OF_A_RANK\n"), 2;
	int n = atoi(argv[1]), each = 8, total = 0;
	int *key = malloc(n * sizeof *key), sample[8], all[8 * 64], sends[64], gets[64], from[64], to[64];
	unsigned s = 99 + rank;
	for (int i = 0; i < n; i++) s = s * 1664525u + 1013904223u, key[i] = (s >> 9) % 1000 * ((s >> 20) % 1000);
	sort(key, n);
	for (int i = 0; i < each; i++) sample[i] = key[(2 * i + 1) * n / (2 * each)];
	MPI_Allgather(sample, each, MPI_INT, all, each, MPI_INT, MPI_COMM_WORLD);
	sort(all, each * size);
	for (int r = 0, i = 0; r < size; r++) {
		from[r] = i;
		while (i < n && (r == size - 1 || key[i] < all[(r + 1) * each])) i++;
		sends[r] = i - from[r];
	}
	MPI_Alltoall(sends, 1, MPI_INT, gets, 1, MPI_INT, MPI_COMM_WORLD);
	for (int r = 0; r < size; r++) to[r] = total, total += gets[r];
	int *mine = malloc((total + 1) * sizeof *mine), most;
	MPI_Alltoallv(key, sends, from, MPI_INT, mine, gets, to, MPI_INT, MPI_COMM_WORLD);
	sort(mine, total);
	for (int i = 1; i < total; i++)
		if (mine[i] < mine[i - 1]) return fprintf(stderr, "samplesort: keys are not in order\n"), 1;
	MPI_Reduce(&total, &most, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("at most %d keys of a rank\n", most);
	MPI_Finalize();
	return 0;
}
