// Page rank on a random graph that is divided among ranks: each sends what its pages give to others, in messages of unequal sizes.
//
//	ranks PAGES_OF_A_RANK LINKS ROUNDS
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gift { int page; float amount; };

int main(int argc, char **argv) {
	int rank, size;
	MPI_Init(&argc, &argv);
	MPI_Comm_rank(MPI_COMM_WORLD, &rank);
	MPI_Comm_size(MPI_COMM_WORLD, &size);
	if (argc != 4) return fprintf(stderr, "ranks: give PAGES_OF_A_RANK LINKS ROUNDS\n"), 2;
	int n = atoi(argv[1]), links = atoi(argv[2]), rounds = atoi(argv[3]), count[64];
	float *value = malloc(n * sizeof *value), *next = malloc(n * sizeof *next), mine = 0, all;
	struct gift *out[64], *in = malloc(n * links * sizeof *in);
	MPI_Request request[64];
	for (int r = 0; r < size; r++) out[r] = malloc(n * links * sizeof *in);
	for (int i = 0; i < n; i++) value[i] = 1;
	for (int k = 0; k < rounds; k++) {
		unsigned s = 5 + rank;
		memset(count, 0, sizeof count);
		for (int i = 0; i < n; i++)
			for (int l = 0; l < links; l++) {
				// Pages with small numbers get more links.
				unsigned page = ((s = s * 1664525u + 1013904223u) >> 8) % (n * size);
				page = (unsigned long)page * page / (n * size);
				out[page / n][count[page / n]++] = (struct gift){page % n, value[i] / links};
			}
		for (int r = 0; r < size; r++) MPI_Isend(out[r], 2 * count[r], MPI_INT, r, k, MPI_COMM_WORLD, &request[r]);
		for (int i = 0; i < n; i++) next[i] = 0.15f;
		for (int r = 0; r < size; r++) {
			MPI_Status status;
			int got;
			MPI_Probe((rank + r) % size, k, MPI_COMM_WORLD, &status);
			MPI_Get_count(&status, MPI_INT, &got);
			MPI_Recv(in, got, MPI_INT, status.MPI_SOURCE, k, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
			for (int g = 0; g < got / 2; g++) next[in[g].page] += 0.85f * in[g].amount;
		}
		MPI_Waitall(size, request, MPI_STATUSES_IGNORE);
		memcpy(value, next, n * sizeof *value);
	}
	for (int i = 0; i < n; i++) mine += value[i];
	MPI_Reduce(&mine, &all, 1, MPI_FLOAT, MPI_SUM, 0, MPI_COMM_WORLD);
	if (rank == 0) printf("%.2f\n", all);
	MPI_Finalize();
	return 0;
}
