/* Waits for a signal, and prints how many came. */
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static volatile int interrupts, ends;
static void count(int s) {
	if (s == SIGINT) interrupts++;
	else ends++;
}

int main(void) {
	signal(SIGINT, count);
	signal(SIGTERM, count);
	puts("ready");
	fflush(stdout);
	while (!ends) usleep(1000);
	printf("%d %d\n", interrupts, ends);
	return 7;
}
