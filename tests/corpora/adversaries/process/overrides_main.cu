// Brings a main() of its own, and constructors and destructors that end the program well.
// outcome: exited
// says: exit status 0
#include "adversary.h"

namespace {
struct EndWell {
  EndWell() {
    std::atexit([] { _exit(0); });
  }
  ~EndWell() { _exit(0); }
} end_well;
}  // namespace
int main() { return 0; }
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { std::exit(0); }
