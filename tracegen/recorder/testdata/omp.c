/* OpenMP: how often each thread does what is known, and the log says which thread was when in the ordered part. The argument
 * says what is done: loops, equal (work that is the same in each run), locks, critical or tasks. */
#include <omp.h>
#include <stdio.h>
#include <string.h>

enum { N = 240 };
static double a[N];
static long sum, ordered, firsts, log_[12];
static int logged;

static void loops(void) {
	#pragma omp parallel
	{
		#pragma omp for schedule(static)
		for (int i = 0; i < N; i++) a[i] += i;
		#pragma omp for schedule(dynamic, 7)
		for (int i = 0; i < N; i++) a[i] += 1;
		#pragma omp for schedule(guided) nowait
		for (int i = 0; i < N; i++) a[i] += 0;
		#pragma omp for schedule(runtime)
		for (unsigned long i = 0; i < N; i++) a[i] += 2;
		#pragma omp barrier
		#pragma omp single
		firsts++;
		#pragma omp sections
		{
			#pragma omp section
			a[0]++;
			#pragma omp section
			a[1]++;
		}
	}
	#pragma omp parallel for schedule(dynamic, 4)
	for (int i = 0; i < N; i++) a[i] += 3;
	#pragma omp parallel for schedule(guided) reduction(+:sum)
	for (int i = 0; i < N; i++) sum += i;
}

static void equal(void) {
	for (int k = 0; k < 5; k++) {
		#pragma omp parallel
		{
			#pragma omp for schedule(static)
			for (int i = 0; i < N; i++) a[i] += i;
			#pragma omp critical
			sum++;
			#pragma omp barrier
			#pragma omp for schedule(static) nowait
			for (int i = 0; i < N; i++) a[i] += 1;
		}
	}
}

static void locks(omp_lock_t *lock, omp_nest_lock_t *nest) {
	#pragma omp parallel
	{
		int copied;
		#pragma omp critical
		sum++;
		#pragma omp critical(name)
		sum++;
		omp_set_lock(lock);
		omp_unset_lock(lock);
		while (!omp_test_nest_lock(nest)) ;
		omp_unset_nest_lock(nest);
		omp_set_nest_lock(nest);
		omp_set_nest_lock(nest);
		omp_unset_nest_lock(nest);
		omp_unset_nest_lock(nest);
		#pragma omp single copyprivate(copied)
		copied = 5;
		#pragma omp for ordered schedule(dynamic)
		for (int i = 0; i < 12; i++) {
			#pragma omp ordered
			{
				ordered += copied * i;
				log_[logged++] = omp_get_thread_num();
			}
		}
	}
}

static void critical(void) {
	#pragma omp parallel
	for (int i = 0; i < 3; i++) {
		#pragma omp critical(outer)
		{
			#pragma omp critical(inner)
			log_[logged++] = omp_get_thread_num();
		}
	}
}

static void tasks(void) {
	static long done[64];
	#pragma omp parallel
	#pragma omp single
	{
		for (int i = 0; i < 10; i++)
			#pragma omp task firstprivate(i)
			for (int j = 0; j < 10000; j++) ((volatile long *)done)[i * 4] += j;
		#pragma omp taskwait
		#pragma omp task if(0)
		sum += 10;
	}
	for (int i = 0; i < 10; i++) sum += done[i * 4] == 49995000;
}

int main(int argc, char **argv) {
	omp_lock_t lock;
	omp_nest_lock_t nest;
	omp_init_lock(&lock);
	omp_init_nest_lock(&nest);
	omp_set_num_threads(4);
	if (argc != 2) return 2;
	if (!strcmp(argv[1], "loops")) loops();
	if (!strcmp(argv[1], "equal")) equal();
	if (!strcmp(argv[1], "locks")) locks(&lock, &nest);
	if (!strcmp(argv[1], "critical")) critical();
	if (!strcmp(argv[1], "tasks")) tasks();
	printf("%ld %ld %ld %g\n", sum, ordered, firsts, a[9]);
	for (int i = 0; i < logged; i++) printf("o %ld\n", log_[i]);
	return 0;
}
