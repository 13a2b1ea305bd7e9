// ladder-shake: what a rung's front ends need not read is dropped from its preprocessed text. cmake/nvcc.sh
// calls it.
//
//   ladder-shake <TEXT >TEXT

#include <cstdio>
#include <string>

#include "grader/apps/shake/shake.h"

int main() {
  std::string text;
  char piece[1 << 16];
  while (const std::size_t size = std::fread(piece, 1, sizeof piece, stdin)) text.append(piece, size);
  const std::string made = ladder::shake::shaken(text);
  const bool written =
      std::fwrite(made.data(), 1, made.size(), stdout) == made.size() && std::fflush(stdout) == 0;
  return written ? 0 : 1;
}
