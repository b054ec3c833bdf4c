// A map, a vector that grows, and a sort of strings.
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <vector>

int main() {
	std::map<int, int> tree;
	std::vector<std::string> names;
	for (int i = 0; i < 5000; i++) {
		tree[i * 7919 % 5003] += i;
		names.push_back(std::to_string(i * 31 % 1009) + "-name");
	}
	std::sort(names.begin(), names.end());
	long sum = 0;
	for (auto &e : tree) sum += e.second;
	std::printf("%ld %s\n", sum, names[100].c_str());
}
