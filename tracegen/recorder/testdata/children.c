/* A process that forks itself, with a thread in it, and executes a program, a script, and a file that is not there. */
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile int cells[1000];
static void *fill(void *p) {
	for (int i = 0; i < 1000; i++) cells[i] = i;
	return p;
}

static void with_thread(void) {
	pthread_t t;
	pthread_create(&t, 0, fill, 0);
	pthread_join(t, 0);
}

int main(int n, char **arguments) {
	if (n > 1) { /* executed */
		fill(0);
		puts(arguments[n - 1]);
		return 0;
	}
	with_thread();
	if (fork() == 0) {
		with_thread();
		_exit(3);
	}
	wait(0);
	const char *files[] = {arguments[0], "./script", "./nothing"};
	for (int i = 0; i < 3; i++) {
		if (fork() == 0) {
			fill(0);
			execl(files[i], files[i], "done", (char *)0);
			_exit(i);
		}
		wait(0);
	}
	return 0;
}
