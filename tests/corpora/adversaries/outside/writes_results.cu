// Writes the result file itself.
// outcome: wrong_values
// says: contained: a result
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    told(opens("@RESULTS@/students/writes_results.json", O_WRONLY | O_CREAT), "a result");
    mkdir("@RESULTS@", 0777);
    told(opens("@RESULTS@/gradebook.csv", O_WRONLY | O_CREAT), "the gradebook");
  }
  return cudaSuccess;
}
