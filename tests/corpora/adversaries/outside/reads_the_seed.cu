// Looks for the seed that the hidden cases come from.
// outcome: wrong_values
// says: contained: the seed .No such file
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    told(opens("@RESULTS@/.work/seed"), "the seed");
    told(opens("@RESULTS@/.work/run.json"), "the settings of the run");
  }
  return cudaSuccess;
}
