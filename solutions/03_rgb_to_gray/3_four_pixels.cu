// Rung 3: four pixels a thread: twelve bytes are three words in, four bytes are one word out.
#include "rgb_to_gray.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kPixels = 4;   // pixels a thread: the fewest whose bytes fill whole words of 4 bytes

/// Byte k of a word: bits 8k to 8k + 7, for the GPU stores the lowest byte first.
__device__ unsigned byte_of(unsigned word, int k) { return word >> (8 * k) & 0xff; }

/// Four pixels, three words R G B R | G B R G | B R G B with the lowest byte first, to four gray bytes.
__device__ unsigned gray_word(unsigned a, unsigned b, unsigned c) {
  // TODO(1): make four gray bytes of the twelve, and one word of them (5 lines).
  // BEGIN SOLUTION
  const unsigned p0 = gray_of(byte_of(a, 0), byte_of(a, 1), byte_of(a, 2));
  const unsigned p1 = gray_of(byte_of(a, 3), byte_of(b, 0), byte_of(b, 1));
  const unsigned p2 = gray_of(byte_of(b, 2), byte_of(b, 3), byte_of(c, 0));
  const unsigned p3 = gray_of(byte_of(c, 1), byte_of(c, 2), byte_of(c, 3));
  return p0 | p1 << 8 | p2 << 16 | p3 << 24;
  // END SOLUTION
}

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, std::int64_t pixels) {
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t groups = pixels / kPixels;  // whole ones
  if (group < groups) {
    // TODO(2): take the pictures as arrays of 4-byte words. Load the group's three words, and store its four
    //          gray bytes as one word (3 lines).
    // BEGIN SOLUTION
    const std::uint32_t* in = reinterpret_cast<const std::uint32_t*>(rgb) + 3 * group;
    const unsigned a = in[0], b = in[1], c = in[2];
    reinterpret_cast<std::uint32_t*>(gray)[group] = gray_word(a, b, c);
    // END SOLUTION
  }
  // Pixels left behind the last whole group, fewer than kPixels: one each for the first threads of the grid.
  // TODO(3): make that pixel gray, if there is one (2 lines).
  // BEGIN SOLUTION
  const std::int64_t i = groups * kPixels + group;
  if (i < pixels) gray[i] = gray_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
  // END SOLUTION
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  const std::int64_t pixels = static_cast<std::int64_t>(width) * height;
  if (pixels == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // A thread a group; the first block alone has more threads than pixels can be left over.
  // TODO(4): launch so many threads, the group that is not whole counted, too (3 lines).
  // BEGIN SOLUTION
  const std::int64_t threads = (pixels + kPixels - 1) / kPixels;
  const unsigned blocks = static_cast<unsigned>((threads + kBlock - 1) / kBlock);  // rounded up
  gray_kernel<<<blocks, kBlock>>>(gray, rgb, pixels);
  // END SOLUTION
  return cudaGetLastError();
}
