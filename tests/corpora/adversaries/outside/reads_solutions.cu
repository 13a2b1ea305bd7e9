// Looks for the finished rung in the checkout.
// outcome: wrong_values
// says: contained: the solution .No such file
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  if (once()) {
    told(opens("@CHECKOUT@/solutions/03_rgb_to_gray/1_one_row.cu"), "the solution");
    told(opens("@CHECKOUT@/lessons/03_rgb_to_gray/rgb_to_gray.cpp"), "the reference's source");
    told(opens("@CHECKOUT@/build/modules/03_rgb_to_gray/1_one_row.solution.so"), "the built solution");
  }
  return cudaSuccess;
}
