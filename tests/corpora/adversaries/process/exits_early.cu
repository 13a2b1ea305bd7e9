// Ends the program with status 0 before anything is checked.
// outcome: exited
// says: exit status 0
#include "adversary.h"

cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { _exit(0); }
