// A breadth-first search with a queue.
#include <cstdio>
#include <deque>
#include <vector>

int main() {
	const int n = 8000;
	std::vector<std::vector<int>> to(n);
	unsigned x = 3;
	for (int i = 0; i < n; i++)
		for (int k = 0; k < 4; k++) x = x * 1664525 + 1013904223, to[i].push_back((x >> 8) % n);
	std::vector<int> depth(n, -1);
	std::deque<int> queue{0};
	depth[0] = 0;
	int most = 0;
	while (!queue.empty()) {
		int v = queue.front();
		queue.pop_front();
		for (int w : to[v])
			if (depth[w] < 0) depth[w] = depth[v] + 1, most = depth[w], queue.push_back(w);
	}
	std::printf("%d\n", most);
}
