// Says what nvcc, the system and the sandbox would say of a machine in trouble, at lines that no file has.
// outcome: build_failed
// says: .
#include "rgb_to_gray.h"
#line 1 "nvcc fatal   : Could not open input file"
int first = "nvcc fatal   : Resource temporarily unavailable";
#line 1 "a(99999999999999): error: b"
int second = "cannot execute 'cc1plus': vfork: Resource temporarily unavailable";
#line 2147483647 "bwrap: No space left on device"
#error Cannot allocate memory
cudaError_t rgb_to_gray(std::uint8_t*, const std::uint8_t*, int, int) { return cudaSuccess; }
