/* The start and the end of MPI. */

/* The command line, with a blank after each argument. */
static void putprogram(void) {
	char text[4096];
	int f = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
	ssize_t n = f < 0 ? 0 : read(f, text, sizeof text);
	if (f >= 0) close(f);
	for (ssize_t i = 0; i < n; i++)
		if (!text[i]) text[i] = ' ';
	while (n > 0 && text[n - 1] == ' ') n--;
	puttext(text, n > 0 ? n : 0);
}

static void put4(uint32_t v) { for (int i = 0; i < 4; i++) byte(v >> 8 * i & 255); }

/* The header: what it is, the version, the rank, how many ranks there are, whether references are recorded, and a number that all
 * ranks of the run share. */
static void putheader(uint64_t run) {
	filled = 0;
	for (const char *s = "SPOORMPI"; *s; s++) byte(*s);
	put4(VERSION), put4(rank), put4(ranks), put4(inside != NULL), put4(run), put4(run >> 32);
	putprogram();
	written();
}

static void begin_recording(void) {
	char path[4096];
	const char *folder = getenv("SPOOR_MPI");
	if (!folder) folder = "spoor-mpi";
	int level = MPI_THREAD_SINGLE;
	PMPI_Query_thread(&level); /* the user's environment may have chosen it */
	shared = level == MPI_THREAD_MULTIPLE;
	PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
	PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
	uint64_t run = clock_of(CLOCK_REALTIME) ^ (uint64_t)getpid() << 40;
	real_Bcast(&run, 8, MPI_BYTE, 0, MPI_COMM_WORLD);
	mkdir(folder, 0777);
	snprintf(path, sizeof path, "%s/rank-%06d.mpi", folder, rank);
	file = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (file < 0) {
		fprintf(stderr, "spoor: rank %d: %s: %s; MPI calls are not recorded\n", rank, path, strerror(errno));
		return;
	}
	theworld.size = ranks, alone.size = 1, first = 1;
	putheader(run);
	reading = glance = 1 << 20;
	for (int i = 0; i < 500 && !inside; i++) {
		int64_t a = exactly().cpu, b = exactly().cpu, c = now().wall, d = now().wall;
		if (b - a < reading) reading = b - a;
		if (d - c < glance) glance = d - c;
	}
	moment m = now();
	started = latest = m.wall;
	since = m.cpu;
}
int MPI_Init(int *n, char ***arguments) {
	enter();
	int e = real_Init(n, arguments);
	if (depth == 1 && !e) begin_recording();
	return leave(e);
}
int MPI_Init_thread(int *n, char ***arguments, int wanted, int *given) {
	enter();
	int e = real_Init_thread(n, arguments, wanted, given);
	if (depth == 1 && !e) begin_recording();
	return leave(e);
}

/* The last record, and the end of the file. */
static void finished(int kind) {
	hold();
	record(kind);
	put(polls);
	put(foreign);
	written();
	if (window) munmap(window, windowbytes);
	window = NULL;
	if (file >= 0 && kind == FINAL && ftruncate(file, place)) stop(strerror(errno));
	if (file >= 0) close(file);
	file = -1;
	release();
}
int MPI_Finalize(void) {
	enter();
	if (on()) finished(FINAL);
	return leave(real_Finalize());
}
int MPI_Abort(MPI_Comm c, int code) {
	enter();
	if (on()) finished(ABORT);
	return leave(real_Abort(c, code));
}
