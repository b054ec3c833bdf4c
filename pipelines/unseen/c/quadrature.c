// Integrates a function by intervals that are split where it is rough. All threads take intervals from one stack with one lock.
//
//	quadrature THREADS PARTS TOLERANCE_EXPONENT
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct interval { double a, b, fa, fb; };

static struct interval *stack;
static int depth, busy, threads;
static double tolerance, total;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static double f(double x) { return sin(1 / (x + 0.01)) + x * x; }

// take returns 0 when there is no interval and nobody can give one.
static int take(struct interval *v) {
	pthread_mutex_lock(&lock);
	while (depth == 0 && busy > 0) pthread_cond_wait(&changed, &lock);
	int got = depth > 0;
	if (got) *v = stack[--depth], busy++;
	pthread_mutex_unlock(&lock);
	return got;
}

static void done(const struct interval *more, int n, double area) {
	pthread_mutex_lock(&lock);
	for (int i = 0; i < n; i++) stack[depth++] = more[i];
	total += area;
	busy--;
	pthread_cond_broadcast(&changed);
	pthread_mutex_unlock(&lock);
}

static void *work(void *arg) {
	(void)arg;
	struct interval v, more[2];
	while (take(&v)) {
		double m = (v.a + v.b) / 2, fm = f(m), sum = 0;
		for (int i = 1; i < 32; i++) sum += f(v.a + (v.b - v.a) * i / 32);
		double whole = (sum + (v.fa + v.fb) / 2) * (v.b - v.a) / 32, coarse = (v.fa + 4 * fm + v.fb) * (v.b - v.a) / 6;
		if (fabs(whole - coarse) < tolerance) {
			done(NULL, 0, whole);
			continue;
		}
		more[0] = (struct interval){v.a, m, v.fa, fm};
		more[1] = (struct interval){m, v.b, fm, v.fb};
		done(more, 2, 0);
	}
	return NULL;
}

int main(int argc, char **argv) {
	if (argc != 4) return fprintf(stderr, "quadrature: give THREADS PARTS TOLERANCE_EXPONENT\n"), 2;
	threads = atoi(argv[1]);
	int parts = atoi(argv[2]);
	tolerance = pow(10, -atof(argv[3]));
	stack = malloc(100000 * sizeof *stack);
	for (int i = 0; i < parts; i++) {
		double a = (double)i / parts, b = (i + 1.0) / parts;
		stack[depth++] = (struct interval){a, b, f(a), f(b)};
	}
	pthread_t t[64];
	for (int i = 1; i < threads; i++) pthread_create(&t[i], NULL, work, NULL);
	work(NULL);
	for (int i = 1; i < threads; i++) pthread_join(t[i], NULL);
	printf("%.9f\n", total);
	return 0;
}
