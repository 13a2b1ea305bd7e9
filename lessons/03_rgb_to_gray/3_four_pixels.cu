// Rung 3: four pixels a thread: twelve bytes are three words in, four bytes are one word out.
#include "rgb_to_gray.h"

constexpr int kBlock = 256;  // threads a block: eight warps
constexpr int kPixels = 4;   // pixels a thread: the fewest whose bytes fill whole words of 4 bytes

/// Byte k of a word: bits 8k to 8k + 7, for the GPU stores the lowest byte first.
__device__ unsigned byte_of(unsigned word, int k) { return word >> (8 * k) & 0xff; }

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, std::int64_t pixels) {
  const std::int64_t group = static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  const std::int64_t groups = pixels / kPixels;  // whole ones
  if (group < groups) {
    // TODO(1): take the pictures as arrays of 4-byte words. Load the group's three words, R G B R | G B R G |
    //          B R G B with the lowest byte first; make four gray bytes of them, and store these as one
    //          word (8 lines).
  }
  // Up to three pixels are left behind the last whole group: one each for the first threads of the grid.
  // TODO(2): make that pixel gray, if there is one (2 lines).
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  const std::int64_t pixels = static_cast<std::int64_t>(width) * height;
  if (pixels == 0) return cudaSuccess;
  const std::int64_t threads = (pixels + kPixels - 1) / kPixels;  // also one where no group is whole
  gray_kernel<<<static_cast<unsigned>((threads + kBlock - 1) / kBlock), kBlock>>>(gray, rgb, pixels);
  return cudaGetLastError();
}
