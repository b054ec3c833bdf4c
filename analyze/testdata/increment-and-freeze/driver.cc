// Runs Increment-and-Freeze (github.com/etwest/Increment-and-Freeze) on the line numbers of a file, 32 bits each. It prints the seconds from
// the first reference to the hit curve, without reading the file, and the hits of LRU caches of the given numbers of lines.
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <vector>

#include "increment_and_freeze.h"

int main(int argc, char** argv) {
  std::ifstream in(argv[1], std::ios::binary | std::ios::ate);
  std::vector<uint32_t> lines(in.tellg() / sizeof(uint32_t));
  in.seekg(0);
  in.read(reinterpret_cast<char*>(lines.data()), lines.size() * sizeof(uint32_t));
  if (!in) {
    std::cerr << "cannot read " << argv[1] << std::endl;
    return 1;
  }
  auto start = std::chrono::steady_clock::now();
  IncrementAndFreeze sim;
  for (uint32_t line : lines) sim.memory_access(line);
  auto hits = sim.get_success_function();
  std::cout << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  for (int i = 2; i < argc; i++) std::cout << " " << hits[std::min<size_t>(std::atol(argv[i]), hits.size() - 1)];
  std::cout << std::endl;
}
