// mutate MUTANT.toml SOLUTION.cu OUT.cu: writes the solution with the mutant's mistake in it.
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>

#include "grader/hunt/mutant.h"

int main(int argc, char** argv) {
  if (argc != 4) {
    std::cerr << "usage: mutate MUTANT.toml SOLUTION.cu OUT.cu\n";
    return 2;
  }
  try {
    std::ifstream solution(argv[2]);
    const std::string text{std::istreambuf_iterator<char>(solution), {}};
    const std::string wrong = ladder::hunt::spoilt(ladder::hunt::read_mutant(argv[1]), text);
    std::ofstream out(argv[3]);
    out << wrong << std::flush;
    if (!out) throw std::runtime_error(std::string("cannot write ") + argv[3]);
  } catch (const std::exception& error) {
    std::cerr << error.what() << '\n';
    return 1;
  }
  return 0;
}
