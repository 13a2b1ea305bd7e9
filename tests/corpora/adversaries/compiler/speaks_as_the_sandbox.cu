// Lets the assembler print what the sandbox says when it cannot be made, so that the grader gives up.
// outcome: wrong_values
// says: .
#include "adversary.h"

asm(".print \"bwrap: No permissions to create a new namespace\"\n"
    ".print \"ladder-confine: the limit on memory: no\"\n"
    ".print \"nvcc fatal   : out of order\"\n");
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
