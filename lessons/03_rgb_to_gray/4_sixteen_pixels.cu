// Rung 4: sixteen pixels a thread: three loads and a store of 16 bytes, the widest a thread has.
#include "rgb_to_gray.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kPixels = 16;  // pixels a thread: 48 bytes in, 16 bytes out

/// Byte k of a word: bits 8k to 8k + 7, for the GPU stores the lowest byte first.
__device__ unsigned byte_of(unsigned word, int k) { return word >> (8 * k) & 0xff; }

/// Four pixels, three words R G B R | G B R G | B R G B with the lowest byte first, to four gray bytes.
__device__ unsigned gray_word(unsigned a, unsigned b, unsigned c) {
  const unsigned p0 = gray_of(byte_of(a, 0), byte_of(a, 1), byte_of(a, 2));
  const unsigned p1 = gray_of(byte_of(a, 3), byte_of(b, 0), byte_of(b, 1));
  const unsigned p2 = gray_of(byte_of(b, 2), byte_of(b, 3), byte_of(c, 0));
  const unsigned p3 = gray_of(byte_of(c, 1), byte_of(c, 2), byte_of(c, 3));
  return p0 | p1 << 8 | p2 << 16 | p3 << 24;
}

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, std::int64_t pixels) {
  // TODO(1): this thread's group, if there is one: load its 48 bytes as three uint4 (a uint4 is four words:
  //          .x, .y, .z, .w), make four gray words of the twelve, and store them as one uint4. Pixels left
  //          behind the last whole group are made gray as in rung 3 (12 lines).
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  const std::int64_t pixels = static_cast<std::int64_t>(width) * height;
  if (pixels == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // A thread a group; the first block alone has more threads than pixels can be left over.
  const std::int64_t threads = (pixels + kPixels - 1) / kPixels;
  const unsigned blocks = static_cast<unsigned>((threads + kBlock - 1) / kBlock);  // rounded up
  gray_kernel<<<blocks, kBlock>>>(gray, rgb, pixels);
  return cudaGetLastError();
}
