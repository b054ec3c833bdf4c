// routes writes the route between each two hosts of a SimGrid platform: a line for each sender, and in it a word for each
// receiver, which is the numbers of its links, by dots. Links have numbers in the order in which they are first written.
#include <cstdio>
#include <map>
#include <simgrid/s4u.hpp>
#include <string>

int main(int argc, char** argv) {
  simgrid::s4u::Engine engine(&argc, argv);
  engine.load_platform(argv[1]);
  const int hosts = engine.get_host_count();
  auto host       = [](int i) { return simgrid::s4u::Host::by_name("h" + std::to_string(i)); };
  std::map<std::string, int> numbers;
  for (int from = 0; from < hosts; from++) {
    for (int to = 0; to < hosts; to++) {
      std::vector<simgrid::s4u::Link*> route;
      double latency = 0;
      if (from != to)
        host(from)->route_to(host(to), route, &latency);
      std::string word = "-";
      for (auto const* link : route) {
        const int number = numbers.emplace(link->get_name(), numbers.size()).first->second;
        word             = (word == "-" ? "" : word + ".") + std::to_string(number);
      }
      printf("%s%s", word.c_str(), to + 1 < hosts ? " " : "\n");
    }
  }
}
