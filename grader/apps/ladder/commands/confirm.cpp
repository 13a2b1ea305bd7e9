#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "grader/apps/ladder/commands/commands.h"

namespace ladder::cli {

bool confirm(const Context& context, const std::string& question) {
  if (::isatty(0) != 1) return false;
  std::fputs((context.out.paint(Tone::strong, question) + " [y/N] ").c_str(), stdout);
  std::fflush(stdout);
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

}  // namespace ladder::cli
