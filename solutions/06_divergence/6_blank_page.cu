// Blank page: powers with exponents of very different lengths.
#include "blank_page.h"

// TODO(1): power_mod(), as blank_page.h has it: the kernel, and the function that launches it.
// BEGIN SOLUTION
constexpr int kBlock = 256;        // threads a block: eight warps
constexpr int kTile = 4 * kBlock;  // numbers a block does

__device__ std::uint32_t power(std::uint32_t base, std::uint64_t exponent, std::uint32_t modulus) {
  std::uint64_t square = base % modulus, result = 1 % modulus;  // products of two fit into 64 bits
  for (; exponent != 0; exponent >>= 1) {
    const std::uint64_t product = result * square % modulus;
    result = exponent % 2 != 0 ? product : result;  // selected, not branched over
    square = square * square % modulus;
  }
  return static_cast<std::uint32_t>(result);
}

__global__ void power_mod_kernel(std::uint32_t* out, const std::uint32_t* base, const std::uint64_t* exponent,
                                 std::int64_t n, std::uint32_t modulus) {
  __shared__ std::uint16_t order[kTile];  // numbers of elements: short from the front, long from the back
  __shared__ int shorts, longs;           // how many of each there are
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * kTile;
  if (threadIdx.x == 0) shorts = longs = 0;
  __syncthreads();  // the counters are 0 before anybody counts
  for (int i = threadIdx.x; i < kTile && first + i < n; i += kBlock) {
    const bool is_long = exponent[first + i] >= 256;
    order[is_long ? kTile - 1 - atomicAdd(&longs, 1) : atomicAdd(&shorts, 1)] = static_cast<std::uint16_t>(i);
  }
  __syncthreads();  // `order` is complete before it is read
  for (int place = threadIdx.x; place < kTile; place += kBlock) {
    if (place >= shorts && place < kTile - longs) continue;  // the last block's tile may have a gap
    const std::int64_t i = first + order[place];
    out[i] = power(base[i], exponent[i], modulus);
  }
}

cudaError_t power_mod(std::uint32_t* out, const std::uint32_t* base, const std::uint64_t* exponent,
                      std::int64_t n, std::uint32_t modulus) {
  if (n == 0) return cudaSuccess;
  const unsigned blocks = static_cast<unsigned>((n + kTile - 1) / kTile);
  power_mod_kernel<<<blocks, kBlock>>>(out, base, exponent, n, modulus);
  return cudaGetLastError();
}
// END SOLUTION
