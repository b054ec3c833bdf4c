/* The first thread works, within parallel regions and between them. The others wait. */
#include <omp.h>

static volatile long sum;

static void work(void) { for (int i = 0; i < 200000; i++) sum += i; }

int main(void) {
	for (int k = 0; k < 3; k++) {
		#pragma omp parallel num_threads(3)
		{
			if (omp_get_thread_num() == 0) work();
			#pragma omp barrier
			if (omp_get_thread_num() == 0) work();
		}
		work();
	}
	return 0;
}
