// Packing and unpacking of blocks, scans and array statements [hur1999], as package marshalling does them in Go. Items are integers of
// 4 bytes, matrices are stored by rows.
#include <sys/mman.h>

#define MATRIX (4000L * 4000 * 4) // bytes of the largest matrix
#define PACKED (200L * 4000 * 4)  // bytes of its largest block
#define APART (MATRIX / 4 / 3 >> 12 << 12) // items between arrays
#define SCALAR 7

struct layout { long base, rows, cols, stride; }; // in items

static int *matrix, *packed;

// lay gets memory in small pages, once.
static void lay(void) {
	if (matrix) return;
	char *at = mmap(0, MATRIX + PACKED, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (at == MAP_FAILED) MPI_Abort(MPI_COMM_WORLD, 4);
	madvise(at, MATRIX + PACKED, MADV_NOHUGEPAGE);
	for (long i = 0; i < MATRIX + PACKED; i += 4096) at[i] = 1; // before it is timed
	matrix = (int *)at, packed = (int *)(at + MATRIX);
}

static void pack(struct layout l) {
	int *to = packed, *from = matrix + l.base;
	for (; l.rows > 0; l.rows--, to += l.cols, from += l.stride) memcpy(to, from, l.cols * 4);
}

static void unpack(struct layout l) {
	int *to = matrix + l.base, *from = packed;
	for (; l.rows > 0; l.rows--, to += l.stride, from += l.cols) memcpy(to, from, l.cols * 4);
}

// scan is one process' part of a parallel prefix operation, horizontal if the block is a column, vertical if it is a row.
static void scan(struct layout l) {
	long width = l.stride;
	if (l.rows > 1) {
		for (long i = 0; i < l.rows; i++) {
			int sum = packed[i], *row = matrix + i * width;
			for (long j = 0; j < width; j++) row[j] = sum += row[j];
			packed[i] = sum;
		}
		return;
	}
	for (long first = 0; first <= l.base; first += width)
		for (long j = 0; j < width; j++) packed[j] = matrix[first + j] += packed[j];
}

// statement runs one of the statements of package marshalling, by its index there.
static void statement(long which, struct layout l) {
	for (long at = l.base; l.rows > 0; l.rows--, at += l.stride) {
		int *restrict a = matrix + at, *restrict b = a + APART, *restrict c = b + APART;
		long n = l.cols;
		switch (which) {
		case 0: for (long j = 0; j < n; j++) a[j] = SCALAR; break;
		case 1: for (long j = 0; j < n; j++) a[j] = b[j]; break;
		case 2: for (long j = 0; j < n; j++) a[j] += SCALAR; break;
		case 3: for (long j = 0; j < n; j++) a[j] = b[j] + SCALAR; break;
		case 4: for (long j = 0; j < n; j++) a[j] += b[j]; break;
		case 5: for (long j = 0; j < n; j++) a[j] = b[j] + c[j]; break;
		}
	}
}
