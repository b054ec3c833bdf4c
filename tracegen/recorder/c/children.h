/* SPDX-License-Identifier: MIT
 *
 * Processes that the program starts. With children=FD, each is recorded as a trace of its own: it says on this socket where its
 * blocks are. A program that it executes runs under the same QEMU.
 */
#include <elf.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>

enum { FORKED = 1, EXECUTED };
enum { MAXARGS = 4096, SHEBANG = 256, HEADERS = 4096, OPTIONS = 256 };
static int registry = -1;                 /* the socket, or -1 */
static char options[OPTIONS];             /* of the plugin, for a program that is executed */
static char *preload = "";
static __thread unsigned caller;          /* the virtual processor whose system call this thread executes */
static int machine;                       /* of the program, as its ELF header says */

/* The program shares our descriptors: it is not likely to close high ones. */
static int own(int fd) {
	int high = fcntl(fd, F_DUPFD_CLOEXEC, OWNFD);
	if (high < 0) return fd;
	close(fd);
	return high;
}

/* Makes a pipe and shared memory for a process, and sends tracegen their ends. It returns false if that is not possible. */
static bool enrol(int kind, int parent, const char *arguments, size_t n, int *in, int *memory) {
	int ends[2];
	if (pipe(ends)) return false;
	*in = own(ends[1]);
	*memory = own(syscall(SYS_memfd_create, "spoor", MFD_CLOEXEC));
	struct { int kind, process, parent; } about = {kind, getpid(), parent};
	struct iovec parts[] = {{&about, sizeof about}, {(void *)arguments, n}};
	union { struct cmsghdr head; char space[CMSG_SPACE(2 * sizeof(int))]; } more = {{0}};
	struct msghdr m = {.msg_iov = parts, .msg_iovlen = 2, .msg_control = &more, .msg_controllen = sizeof more};
	more.head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(2 * sizeof(int))};
	memcpy(CMSG_DATA(&more.head), (int[]){ends[0], *memory}, 2 * sizeof(int));
	bool sent = sendmsg(registry, &m, MSG_NOSIGNAL) > 0;
	close(ends[0]);
	if (!sent) close(*in), close(*memory);
	return sent;
}

/* Reads the first bytes of a file that this user may execute. */
static ssize_t first(const char *path, void *to, size_t n) {
	struct stat s;
	int fd = access(path, X_OK) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	ssize_t have = fd < 0 || fstat(fd, &s) || !S_ISREG(s.st_mode) || s.st_mode & (S_ISUID | S_ISGID) ? -1 : read(fd, to, n);
	if (fd >= 0) close(fd);
	return have;
}

/* Whether QEMU can execute a file; then dynamic says whether libraries can be preloaded. */
static bool executable(const char *path, bool *dynamic) {
	char data[HEADERS] __attribute__((aligned(8)));
	ssize_t n = first(path, data, sizeof data);
	Elf64_Ehdr *e = (Elf64_Ehdr *)data;
	if (n < (ssize_t)sizeof *e || memcmp(data, ELFMAG, SELFMAG) || e->e_ident[EI_CLASS] != ELFCLASS64 || e->e_machine != machine) return false;
	*dynamic = false;
	for (int i = 0; i < e->e_phnum && e->e_phoff + (i + 1) * sizeof(Elf64_Phdr) <= (size_t)n; i++)
		if (((Elf64_Phdr *)(data + e->e_phoff))[i].p_type == PT_INTERP) *dynamic = true;
	return true;
}

/* The interpreter of a script and its argument, if it has one. */
static int script(const char *path, char *line, char **to) {
	ssize_t n = first(path, line, SHEBANG - 1);
	int count = 0;
	line[n < 0 ? 0 : n] = 0;
	if (strncmp(line, "#!", 2)) return 0;
	line[strcspn(line, "\n")] = 0;
	for (char *s = line + 2 + strspn(line + 2, " \t"); *s && count < 2; s += strspn(s, " \t")) {
		to[count++] = s;
		if (count == 2) break; /* the rest of the line is one argument */
		s += strcspn(s, " \t");
		if (*s) *s++ = 0;
	}
	return count;
}

/* Executes a program by QEMU instead of directly. It returns if that is not possible: then the system call goes on. */
static void execute(thread *t, const char *path, char *const *arguments, char *const *environment) {
	char line[SHEBANG], plugin[OPTIONS + MAXARGS], preloaded[MAXARGS], self[MAXARGS], joined[MAXARGS];
	char *run[2] = {(char *)path};
	size_t n = 0, length = 0;
	bool dynamic;
	int in, memory, prefix = script(path, line, run);
	if (!executable(run[0], &dynamic)) return;
	while (arguments && arguments[n]) n++;
	char **a = calloc(n + 20, sizeof *a), **to = a;
	Dl_info us;
	ssize_t got = readlink("/proc/self/exe", self, sizeof self - 1);
	if (!a || got < 0 || !dladdr((void *)execute, &us)) return;
	self[got] = 0;
	*to++ = self, *to++ = "-plugin", *to++ = plugin, *to++ = "-0", *to++ = prefix || !n ? run[0] : arguments[0];
	snprintf(preloaded, sizeof preloaded, "LD_PRELOAD=%s", preload);
	if (dynamic && *preload) *to++ = "-E", *to++ = preloaded, *to++ = "-E", *to++ = "LD_BIND_NOW=1", *to++ = "-E", *to++ = "OMP_WAIT_POLICY=passive";
	char **program = to;
	*to++ = run[0];
	if (prefix > 1) *to++ = run[1];
	if (prefix) *to++ = (char *)path;
	for (size_t i = 1; i < n; i++) *to++ = arguments[i];
	for (char **p = program; *p && length < sizeof joined; p++) length += snprintf(joined + length, sizeof joined - length, "%s%c", *p, 0);
	pthread_mutex_lock(&lock);
	flush(t);
	pthread_mutex_unlock(&lock);
	if (enrol(EXECUTED, getpid(), joined, length < sizeof joined ? length : sizeof joined, &in, &memory)) {
		bool marks = dynamic && *preload;
		snprintf(plugin, sizeof plugin, "%s,pipe=%d,buffers=%d,children=%d,marked=%d%s,preload=%s%s", us.dli_fname, in, memory, registry, marks, options, preload,
			marks ? ",from=0" : "");
		int keep[] = {in, memory, registry};
		for (int i = 0; i < 3; i++) fcntl(keep[i], F_SETFD, 0);
		execve(self, a, environment);
		for (int i = 0; i < 3; i++) fcntl(keep[i], F_SETFD, FD_CLOEXEC);
		close(in), close(memory);
	}
	free(a);
}

/* A system call that executes a program. The program's memory is ours. */
static void executes(thread *t, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4) {
	if (registry < 0) return;
	if (number == (x86 ? 59 : 221)) execute(t, (const char *)a1, (char *const *)a2, (char *const *)a3);
	else if (number == (x86 ? 322 : 281) && a2 && *(const char *)a2 == '/') execute(t, (const char *)a2, (char *const *)a3, (char *const *)a4);
}

/* A process that the program forked must not touch what it shares with its parent. */
static int parent_process;
static void forked(void) {
	thread *t = vcpus[caller];
	close(pipefd), close(buffers);
	for (int i = 0; i < VCPUS; i++)
		if (vcpus[i] != t) vcpus[i] = NULL;
	off = registry < 0 || !enrol(FORKED, parent_process, NULL, 0, &pipefd, &buffers);
	nslots = nfree = nthreads = 0;
	forkplaces();
	if (t) {
		if (off || !attach(t)) off = 1, t->out = &none, t->quiet = OFF;
		t->done = t->now = t->skipped = t->begin = t->last = t->until = t->references = t->mute = 0;
		t->joins[LOAD] = t->joins[STORE] = NULL;
	}
	for (uint32_t id = 0; id < nsites && !off; id++) known(id, pcs[id]);
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&heaplock);
}
static void forks(void) {
	pthread_mutex_lock(&heaplock);
	pthread_mutex_lock(&lock);
	putnames();
	parent_process = getpid();
}
static void parent(void) {
	if (registry < 0) block(CHILD, NULL, NULL, 0);
	pthread_mutex_unlock(&lock);
	pthread_mutex_unlock(&heaplock);
}
