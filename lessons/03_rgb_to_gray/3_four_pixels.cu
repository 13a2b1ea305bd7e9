// Rung 3: four pixels a thread: twelve bytes are three words in, four bytes are one word out.
#include "rgb_to_gray.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kPixels = 4;   // pixels a thread: the fewest whose bytes fill whole words of 4 bytes

/// Byte k of a word: bits 8k to 8k + 7, for the GPU stores the lowest byte first.
__device__ unsigned byte_of(unsigned word, int k) { return word >> (8 * k) & 0xff; }

/// Four pixels, three words R G B R | G B R G | B R G B with the lowest byte first, to four gray bytes.
__device__ unsigned gray_word(unsigned a, unsigned b, unsigned c) {
  // TODO(1): make four gray bytes of the twelve, and one word of them (5 lines).
}

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, std::int64_t pixels) {
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t groups = pixels / kPixels;  // whole ones
  if (group < groups) {
    // TODO(2): take the pictures as arrays of 4-byte words. Load the group's three words, and store its four
    //          gray bytes as one word (3 lines).
  }
  // Pixels left behind the last whole group, fewer than kPixels: one each for the first threads of the grid.
  // TODO(3): make that pixel gray, if there is one (2 lines).
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  const std::int64_t pixels = static_cast<std::int64_t>(width) * height;
  if (pixels == 0) return cudaSuccess;  // a grid of no blocks would be a launch error
  // A thread a group; the first block alone has more threads than pixels can be left over.
  // TODO(4): launch so many threads, the group that is not whole counted, too (3 lines).
  return cudaGetLastError();
}
