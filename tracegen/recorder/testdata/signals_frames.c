/* A thread that computes, and is interrupted by a timer. The frames of its signals are the kernel's. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

static volatile long ticks, sum;
static void tick(int s) { ticks++; }

int main(void) {
	struct itimerval each = {{0, 2000}, {0, 2000}};
	signal(SIGALRM, tick);
	setitimer(ITIMER_REAL, &each, 0);
	for (long i = 0; ticks < 20; i++) sum += i;
	printf("%ld\n", ticks);
	return 0;
}
