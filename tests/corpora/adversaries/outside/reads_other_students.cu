// Looks for what others handed in, and for their results.
// outcome: wrong_values
// says: contained: other submissions .No such file
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    told(opens("@SUBMISSIONS@", O_RDONLY | O_DIRECTORY), "other submissions");
    told(opens("@RESULTS@/students", O_RDONLY | O_DIRECTORY), "others' results");
    told(opens("@RESULTS@/.work/sources", O_RDONLY | O_DIRECTORY), "others' sources");
  }
  return cudaSuccess;
}
