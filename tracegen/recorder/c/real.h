/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that the preloaded library hides.
 */
/* REAL(f): the function of the library that this one hides. All that are loaded are found before main. */
#define FUNCTIONS(X) X(pthread_create) X(pthread_join) X(pthread_tryjoin_np) X(pthread_timedjoin_np) X(pthread_clockjoin_np) X(pthread_detach) \
	X(pthread_cancel) X(pthread_once) X(pthread_mutex_lock) X(pthread_mutex_trylock) X(pthread_mutex_timedlock) X(pthread_mutex_clocklock) \
	X(pthread_mutex_unlock) X(pthread_spin_lock) X(pthread_spin_trylock) X(pthread_spin_unlock) X(pthread_rwlock_rdlock) X(pthread_rwlock_tryrdlock) \
	X(pthread_rwlock_timedrdlock) X(pthread_rwlock_clockrdlock) X(pthread_rwlock_wrlock) X(pthread_rwlock_trywrlock) X(pthread_rwlock_timedwrlock) \
	X(pthread_rwlock_clockwrlock) X(pthread_rwlock_unlock) X(pthread_barrier_init) X(pthread_barrier_wait) X(sem_init) X(sem_open) X(sem_getvalue) \
	X(sem_post) X(sem_wait) X(sem_trywait) X(sem_timedwait) X(sem_clockwait) X(pthread_cond_signal) X(pthread_cond_broadcast) X(pthread_cond_wait) \
	X(pthread_cond_timedwait) X(pthread_cond_clockwait) X(syscall)
/* OpenMP: those that are quiet, those that are barriers, and those that run a function by a team (GNU), and ends (clang). */
#define PAIR(X, f) X(f##_start) X(f##_next)
#define SCHEDULES(X, f) PAIR(X, f##_static) PAIR(X, f##_dynamic) PAIR(X, f##_guided) PAIR(X, f##_runtime)
#define LOOPS(X, f) X(f##_start) X(f##_ordered_start) SCHEDULES(X, f) SCHEDULES(X, f##_ordered) PAIR(X, f##_nonmonotonic_dynamic) \
	PAIR(X, f##_nonmonotonic_guided) PAIR(X, f##_nonmonotonic_runtime) PAIR(X, f##_maybe_nonmonotonic_runtime)
#define QUIETS(X) LOOPS(X, GOMP_loop) LOOPS(X, GOMP_loop_ull) X(GOMP_loop_end_nowait) X(GOMP_sections_start) X(GOMP_sections2_start) \
	X(GOMP_sections_next) X(GOMP_sections_end_nowait) X(GOMP_single_start) X(GOMP_scope_start) X(GOMP_taskgroup_start)
#define BARRIERS(X) X(GOMP_barrier) X(GOMP_barrier_cancel) X(GOMP_loop_end) X(GOMP_loop_end_cancel) X(GOMP_sections_end) X(GOMP_sections_end_cancel)
#define TEAMS(X) X(GOMP_parallel) X(GOMP_parallel_loop_static) X(GOMP_parallel_loop_dynamic) X(GOMP_parallel_loop_guided) \
	X(GOMP_parallel_loop_runtime) X(GOMP_parallel_loop_nonmonotonic_dynamic) X(GOMP_parallel_loop_nonmonotonic_guided) \
	X(GOMP_parallel_loop_nonmonotonic_runtime) X(GOMP_parallel_loop_maybe_nonmonotonic_runtime) X(GOMP_parallel_sections) X(GOMP_parallel_reductions)
#define OMPLOCKS(X, suffix) X(omp_set_lock##suffix) X(omp_test_lock##suffix) X(omp_unset_lock##suffix) X(omp_set_nest_lock##suffix) \
	X(omp_test_nest_lock##suffix) X(omp_unset_nest_lock##suffix)
#define OPENMP(X) QUIETS(X) BARRIERS(X) TEAMS(X) OMPLOCKS(X,) OMPLOCKS(X, _) X(omp_get_num_threads) X(GOMP_critical_start) X(GOMP_critical_end) \
	X(GOMP_critical_name_start) X(GOMP_critical_name_end) X(GOMP_atomic_start) X(GOMP_atomic_end) X(GOMP_ordered_start) X(GOMP_ordered_end) \
	X(GOMP_single_copy_start) X(GOMP_single_copy_end) X(GOMP_task) X(GOMP_taskwait) X(GOMP_taskwait_depend) X(GOMP_taskloop) X(GOMP_taskloop_ull) \
	X(GOMP_taskgroup_end) X(GOMP_cancel) X(GOMP_doacross_wait) X(GOMP_doacross_ull_wait) X(GOMP_parallel_start) \
	X(__kmpc_end_ordered) X(__kmpc_end_critical)
#define AT(f) f##_at,
#define NAME(f) #f,
enum { FUNCTIONS(AT) OPENMP(AT) COUNT };
static const char *const names[COUNT] = {FUNCTIONS(NAME) OPENMP(NAME)};
static void *real[COUNT];
#define REAL(f) ((__typeof__(&f))real[f##_at])

/* Some functions have old forms, which a search without a version may find. */
static void *newest(void *library, const char *name) {
	void *f = dlvsym(library, name, "GLIBC_2.3.2");
	if (!f) f = dlvsym(library, name, "OMP_3.0");
	return f ? f : dlsym(library, name);
}
__attribute__((constructor(101))) static void find(void) {
	if (real[0]) return;
	for (int i = COUNT; i-- > 0;) real[i] = newest(RTLD_NEXT, names[i]);
	dlopen("libgcc_s.so.1", RTLD_LAZY); /* else the first thread that calls pthread_exit loads it */
}
