// Rung 1: ordinary host memory. It may be moved or swapped out, so the driver copies it chunk by chunk
// through a buffer of its own.
#include "spring.h"
#include "streams_and_overlap.h"

cudaError_t springs_allocate(Springs& s, std::int64_t n) {
  s.n = n;
  // TODO(1): room for n springs and as many results: s.in and s.out in the host's memory, by new; s.d_in and
  //          s.d_out on the device (4 lines).
  return cudaSuccess;
}

cudaError_t springs_run(Springs& s) {
  if (s.n == 0) return cudaSuccess;
  // TODO(2): copy in, launch_springs() on the default stream (which is nullptr), copy out (3 lines).
  return cudaSuccess;
}

cudaError_t springs_free(Springs& s) {
  // TODO(3): free all four (4 lines).
  s = {};
  return cudaSuccess;
}
