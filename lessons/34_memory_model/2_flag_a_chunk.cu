// Rung 2: one flag for the 256 words of a chunk: a barrier gathers what the block's threads have stored, and
// one thread releases it for all.
#include <cstdint>

#include "atomics.h"
#include "memory_model.h"

/// Raises the flag for what all threads of the block have stored.
__device__ void send(unsigned* flag) {
  // TODO(1): all threads have stored, and thread 0 knows of it, behind a barrier; then it releases (2 lines).
}

/// Waits until the flag is up: behind it all threads of the block may read what it stands for.
__device__ void receive(const unsigned* flag) {
  // TODO(2): thread 0 waits, by loads that acquire; what it then knows, a barrier tells the others (4 lines).
}

/// Block number s is stage s.
__global__ void relay_kernel(unsigned* out, unsigned* messages, unsigned* flags, const unsigned* in,
                             const unsigned* keys, int n) {
  const std::int64_t mine = static_cast<std::int64_t>(blockIdx.x) * n, from = mine - n;
  const unsigned key = keys[blockIdx.x];
  const bool first = blockIdx.x == 0, last = blockIdx.x == gridDim.x - 1;
  for (int begin = 0; begin < n; begin += kChunk) {  // of all threads: there are barriers in the loop
    const int i = begin + static_cast<int>(threadIdx.x);
    if (!first) receive(flags + from + begin);
    if (i < n) (last ? out : messages + mine)[i] = step((first ? in : messages + from)[i], key);
    if (!last) send(flags + mine + begin);
  }
}

cudaError_t relay(unsigned* out, unsigned* messages, unsigned* flags, const unsigned* in,
                  const unsigned* keys, int n, int stages) {
  if (n == 0) return cudaSuccess;
  relay_kernel<<<stages, kChunk>>>(out, messages, flags, in, keys, n);
  return cudaGetLastError();
}
