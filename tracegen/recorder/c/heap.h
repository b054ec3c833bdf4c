/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that allocate memory: a part of preload.c, and not to be compiled alone. Each allocation is told after it, and each
 * release before it. So what is told of an address is in the order of its blocks.
 *
 * The plugin sees the stores of this library. One to the last word of a message is the mark, which costs less than a system call.
 */
#include <malloc.h>
#include <sys/mman.h>

enum { ALLOCATED, FREED, MAPPED, UNMAPPED, STACKED };
#define MESSAGE 0x53706f6f724d7367
THREADS_OWN volatile struct { uint64_t message, kind, object, site, bytes, mark; } __attribute__((aligned(64))) message = {MESSAGE};
static void tell(uint64_t kind, uint64_t object, uint64_t site, uint64_t bytes) {
	message.kind = kind, message.object = object, message.site = site, message.bytes = bytes;
	message.mark = 1;
}

#define ALLOCATORS(X) X(malloc) X(calloc) X(realloc) X(free) X(memalign) X(aligned_alloc) X(posix_memalign) X(valloc) X(mmap) X(munmap) X(mremap)
enum { ALLOCATORS(AT) ALLOCATORCOUNT };
static const char *const allocators[ALLOCATORCOUNT] = {ALLOCATORS(NAME)};
static void *allocator[ALLOCATORCOUNT];
static char early[1 << 14]; /* what is allocated while the functions are looked for, which is not released */
static size_t earlybytes;
static int looking;
#define REALHEAP(f) ((__typeof__(&f))allocator[f##_at])

static void lookallocators(void) {
	if (allocator[0]) return;
	looking = 1;
	for (int i = ALLOCATORCOUNT; i-- > 0;) allocator[i] = dlsym(RTLD_NEXT, allocators[i]);
	looking = 0;
}
static void *earlyalloc(size_t n) {
	void *p = early + earlybytes;
	n = (n + 15) / 16 * 16;
	if (n > sizeof early - earlybytes) abort();
	earlybytes += n;
	return p;
}
static int isearly(void *p) { return (char *)p >= early && (char *)p < early + sizeof early; }

/* The site of an allocation is where it was called, or where operator new was. */
THREADS_OWN void *newsite;
static void *allocated(void *p, size_t n, void *site) {
	if (newsite) site = newsite, newsite = NULL;
	if (p) tell(ALLOCATED, (uint64_t)p, (uint64_t)site, n);
	return p;
}
#define SITE __builtin_return_address(0)

EXPORT void *malloc(size_t n) {
	if (looking) return earlyalloc(n);
	lookallocators();
	return allocated(REALHEAP(malloc)(n), n, SITE);
}
EXPORT void *calloc(size_t m, size_t n) {
	if (looking) return earlyalloc(m * n);
	lookallocators();
	return allocated(REALHEAP(calloc)(m, n), m * n, SITE);
}
EXPORT void free(void *p) {
	if (isearly(p)) return;
	lookallocators();
	if (p) tell(FREED, (uint64_t)p, 0, 0);
	REALHEAP(free)(p);
}
EXPORT void *realloc(void *p, size_t n) {
	lookallocators();
	if (isearly(p)) {
		void *q = REALHEAP(malloc)(n);
		size_t most = early + sizeof early - (char *)p;
		if (q) memcpy(q, p, n < most ? n : most);
		return allocated(q, n, SITE);
	}
	if (p) tell(FREED, (uint64_t)p, 0, 0);
	void *q = REALHEAP(realloc)(p, n);
	if (!q && n && p) tell(ALLOCATED, (uint64_t)p, (uint64_t)SITE, malloc_usable_size(p)); /* it stays */
	return allocated(q, n, SITE);
}
EXPORT void *memalign(size_t a, size_t n) { lookallocators(); return allocated(REALHEAP(memalign)(a, n), n, SITE); }
EXPORT void *aligned_alloc(size_t a, size_t n) { lookallocators(); return allocated(REALHEAP(aligned_alloc)(a, n), n, SITE); }
EXPORT void *valloc(size_t n) { lookallocators(); return allocated(REALHEAP(valloc)(n), n, SITE); }
EXPORT int posix_memalign(void **p, size_t a, size_t n) {
	lookallocators();
	int e = REALHEAP(posix_memalign)(p, a, n);
	if (!e) allocated(*p, n, SITE);
	return e;
}

/* Operators new of C++. Most call malloc, which then has the mark. */
#define NEWS(X) X(_Znwm, (size_t n), n) X(_Znam, (size_t n), n) X(_ZnwmRKSt9nothrow_t, (size_t n, void *t), n, t) X(_ZnamRKSt9nothrow_t, (size_t n, void *t), n, t) \
	X(_ZnwmSt11align_val_t, (size_t n, size_t a), n, a) X(_ZnamSt11align_val_t, (size_t n, size_t a), n, a) \
	X(_ZnwmSt11align_val_tRKSt9nothrow_t, (size_t n, size_t a, void *t), n, a, t) X(_ZnamSt11align_val_tRKSt9nothrow_t, (size_t n, size_t a, void *t), n, a, t)
/* The library of C++ may be loaded by one that was loaded later, and so be hidden from a search from here. */
static void *looknew(const char *name) {
	static const char *const libraries[] = {"libstdc++.so.6", "libc++.so.1", "libc++abi.so.1"};
	void *f = dlsym(RTLD_NEXT, name);
	for (int i = 0; !f && i < 3; i++) {
		void *library = dlopen(libraries[i], RTLD_LAZY | RTLD_NOLOAD);
		if (library) f = dlsym(library, name);
	}
	if (!f) abort();
	return f;
}
#define NEW(f, parameters, ...) EXPORT void *f parameters { \
	static void *(*real) parameters; \
	if (!real) real = looknew(#f); \
	if (!newsite) newsite = SITE; \
	void *p = real(__VA_ARGS__); \
	return newsite ? allocated(p, n, SITE) : p; \
}
NEWS(NEW)

EXPORT void *mmap(void *at, size_t n, int protection, int flags, int fd, off_t offset) {
	lookallocators();
	void *p = REALHEAP(mmap)(at, n, protection, flags, fd, offset);
	if (p != MAP_FAILED) tell(MAPPED, (uint64_t)p, (uint64_t)SITE, n);
	return p;
}
EXPORT __attribute__((alias("mmap"))) void *mmap64(void *, size_t, int, int, int, off_t);
EXPORT int munmap(void *p, size_t n) {
	lookallocators();
	tell(UNMAPPED, (uint64_t)p, 0, n);
	return REALHEAP(munmap)(p, n);
}
EXPORT void *mremap(void *p, size_t old, size_t n, int flags, ...) {
	va_list more;
	va_start(more, flags);
	void *to = flags & MREMAP_FIXED ? va_arg(more, void *) : NULL;
	va_end(more);
	lookallocators();
	tell(UNMAPPED, (uint64_t)p, 0, old);
	void *q = REALHEAP(mremap)(p, old, n, flags, to);
	if (q == MAP_FAILED) tell(MAPPED, (uint64_t)p, (uint64_t)SITE, old); /* it stays */
	else tell(MAPPED, (uint64_t)q, (uint64_t)SITE, n);
	return q;
}

/* The stack of a thread ends with the page of the thread's own variables. That of main is where its frame is. */
static size_t stackbytes(const pthread_attr_t *attributes) {
	size_t n = 0;
	pthread_attr_t usual;
	if (attributes) pthread_attr_getstacksize(attributes, &n);
	else if (!pthread_getattr_default_np(&usual)) {
		pthread_attr_getstacksize(&usual, &n);
		pthread_attr_destroy(&usual);
	}
	return n;
}
static void stacked(pthread_t self, size_t n) {
	uint64_t end = n ? ((uint64_t)self | 4095) + 1 : (uint64_t)__builtin_frame_address(0);
	tell(STACKED, end - n, 0, n);
}
