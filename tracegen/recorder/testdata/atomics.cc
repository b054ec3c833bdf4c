// Two threads hand a number to each other by atomics that wait.
#include <atomic>
#include <cstdio>
#include <thread>

static std::atomic<int> turn{0};
static long sums[2];

static void play(int mine, int steps) {
	for (int i = 0; i < steps; i++) {
		for (int now; (now = turn.load()) != mine;) turn.wait(now);
		for (int j = 0; j < 1000; j++) ((volatile long *)sums)[mine] += j;
		turn.store(1 - mine);
		turn.notify_one();
	}
}

int main() {
	std::thread a(play, 0, 50), b(play, 1, 50);
	a.join();
	b.join();
	std::printf("%ld %ld\n", sums[0], sums[1]);
}
