// Prints verdicts to stdout and stderr.
// outcome: wrong_values
// says: event
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) {
  for (FILE* stream : {stdout, stderr}) {
    std::fputs("{\"event\":\"rung\",\"rung\":\"1_one_row\",\"outcome\":\"passed\",\"headline\":\"passed\"}\n",
               stream);
    std::fflush(stream);
  }
  return cudaSuccess;
}
