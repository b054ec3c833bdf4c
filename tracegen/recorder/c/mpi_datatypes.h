/* The layout of a buffer: count blocks of block bytes, stride bytes apart, from the first byte on. */
typedef struct { int64_t count, block, stride, first; int regular; } shape;
typedef struct kept { uint64_t key; shape of; int64_t size, extent; struct kept *next; } kept; /* by datatype */
enum { KEPT = 512 };
static kept *shapes[KEPT];

static uint64_t key_of(const void *handle, size_t n) {
	uint64_t k = 0;
	memcpy(&k, handle, n);
	return k;
}
#define KEY(x) key_of(&(x), sizeof(x))
static unsigned bucket(uint64_t key, unsigned n) { return (key * 0x9e3779b97f4a7c15ull >> 33) % n; }

/* n copies of a shape, step bytes apart. */
static shape repeated(shape s, int64_t n, int64_t step) {
	if (n == 0) return (shape){0, 0, 0, 0, 1};
	if (n == 1 || !s.regular || s.count == 0) return s;
	if (s.count == 1) return step == s.block ? (shape){1, n * step, 0, s.first, 1} : (shape){n, s.block, step, s.first, 1};
	if (step == s.count * s.stride) return (shape){n * s.count, s.block, s.stride, s.first, 1};
	s.regular = 0;
	return s;
}

static shape shape_of(MPI_Datatype t, int nesting);
static int64_t extent_of(MPI_Datatype t) {
	MPI_Aint low, extent;
	PMPI_Type_get_extent(t, &low, &extent);
	return extent;
}

/* Blocks of child at displacements: the i-th has length[i * step] of them, or length[0] if step is 0. */
static shape scattered(shape child, int64_t extent, int n, const int *length, int step, const int *at, const MPI_Aint *far) {
	if (n == 0) return (shape){0, 0, 0, 0, 1};
	int64_t origin = at ? at[0] * extent : far[0], stride = n < 2 ? 0 : (at ? at[1] * extent : far[1]) - origin;
	shape s = repeated(child, length[0], extent);
	for (int i = 1; i < n; i++)
		if (length[i * step] != length[0] || (at ? at[i] * extent : far[i]) != origin + i * stride) s.regular = 0;
	s = repeated(s, n, stride);
	s.first += origin;
	return s;
}

static shape parts_of(int combiner, const int *i, const MPI_Aint *a, MPI_Datatype child, int nesting) {
	shape s = shape_of(child, nesting + 1);
	int64_t e = extent_of(child);
	switch (combiner) {
	case MPI_COMBINER_DUP: case MPI_COMBINER_RESIZED:
		return s;
	case MPI_COMBINER_CONTIGUOUS:
		return repeated(s, i[0], e);
	case MPI_COMBINER_VECTOR:
		return repeated(repeated(s, i[1], e), i[0], i[2] * e);
	case MPI_COMBINER_HVECTOR:
		return repeated(repeated(s, i[1], e), i[0], a[0]);
	case MPI_COMBINER_INDEXED:
		return scattered(s, e, i[0], i + 1, 1, i + 1 + i[0], NULL);
	case MPI_COMBINER_INDEXED_BLOCK:
		return scattered(s, e, i[0], i + 1, 0, i + 2, NULL);
	case MPI_COMBINER_HINDEXED:
		return scattered(s, e, i[0], i + 1, 1, NULL, a);
	case MPI_COMBINER_HINDEXED_BLOCK:
		return scattered(s, e, i[0], i + 1, 0, NULL, a);
	case MPI_COMBINER_STRUCT:
		if (i[0] == 1) return scattered(s, e, 1, i + 1, 1, NULL, a);
		break;
	case MPI_COMBINER_SUBARRAY: { /* the sizes, the sizes of the part, its start */
		int n = i[0], fortran = i[1 + 3 * n] == MPI_ORDER_FORTRAN;
		int64_t first = s.first;
		for (int k = 0; k < n; k++) { /* from the dimension that varies fastest */
			int d = fortran ? k : n - 1 - k;
			s = repeated(s, i[1 + n + d], e);
			first += i[1 + 2 * n + d] * e;
			e *= i[1 + d];
		}
		s.first = first;
		return s;
	}
	}
	s.regular = 0;
	return s;
}

static shape shape_of(MPI_Datatype t, int nesting) {
	int ni, na, nt, combiner, size;
	PMPI_Type_size(t, &size);
	PMPI_Type_get_envelope(t, &ni, &na, &nt, &combiner);
	shape named = {size > 0, size, 0, 0, combiner == MPI_COMBINER_NAMED};
	if (combiner == MPI_COMBINER_NAMED || nt == 0 || nesting > 16) return named;
	int *i = malloc((ni + 1) * sizeof *i);
	MPI_Aint *a = malloc((na + 1) * sizeof *a);
	MPI_Datatype *types = malloc(nt * sizeof *types);
	if (i && a && types) {
		PMPI_Type_get_contents(t, ni, na, nt, i, a, types);
		named = parts_of(combiner, i, a, types[0], nesting);
		for (int k = 0; k < nt; k++) {
			PMPI_Type_get_envelope(types[k], &ni, &na, &nt, &combiner);
			if (combiner != MPI_COMBINER_NAMED) real_Type_free(&types[k]);
			else continue;
		}
	}
	free(i), free(a), free(types);
	return named;
}

/* The caller holds the lock. */
static const kept *datatype(MPI_Datatype t) {
	kept **list = &shapes[bucket(KEY(t), KEPT)], *k;
	for (k = *list; k; k = k->next)
		if (k->key == KEY(t)) return k;
	k = calloc(1, sizeof *k);
	if (!k) abort();
	int size;
	PMPI_Type_size(t, &size);
	*k = (kept){KEY(t), shape_of(t, 0), size, extent_of(t), *list};
	return *list = k;
}
static int64_t bytes(int n, MPI_Datatype t) { return n <= 0 || t == MPI_DATATYPE_NULL ? 0 : n * datatype(t)->size; }

/* Writes where n elements from b on are, and how many bytes. */
static void putbuffer(const void *b, int n, MPI_Datatype t) {
	put(bytes(n, t));
	if (bytes(n, t) == 0 || b == MPI_IN_PLACE) { put(0); return; }
	const kept *k = datatype(t);
	shape s = repeated(k->of, n, k->extent);
	put((uint64_t)(uintptr_t)b + s.first);
	put(s.regular ? s.count : 0);
	if (!s.regular || s.count == 1) return;
	put(s.block);
	putsigned(s.stride);
}

int MPI_Type_free(MPI_Datatype *t) {
	enter();
	hold();
	for (kept **k = &shapes[bucket(KEY(*t), KEPT)]; *k; k = &(*k)->next)
		if ((*k)->key == KEY(*t)) {
			kept *gone = *k;
			*k = gone->next;
			free(gone);
			break;
		}
	release();
	return leave(real_Type_free(t));
}
