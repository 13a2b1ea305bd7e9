// Right, and uses what honest code may: threads, memory, a scratch array, temporary files, output.
#include "adversary.h"

__global__ void gray_kernel(std::uint8_t* gray, const std::uint8_t* rgb, std::int64_t n) {
  const std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x;
  if (i < n) gray[i] = gray_of(rgb[3 * i], rgb[3 * i + 1], rgb[3 * i + 2]);
}

cudaError_t rgb_to_gray(std::uint8_t* gray, const std::uint8_t* rgb, int width, int height) {
  const std::int64_t n = std::int64_t{width} * height;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([] { std::vector<int> memory(1 << 20, 1); });
  for (std::thread& thread : threads) thread.join();
  if (FILE* scratch = std::tmpfile()) std::fclose(scratch);
  std::printf("%d x %d\n", width, height);
  if (n == 0) return cudaSuccess;
  std::uint8_t* copy = nullptr;
  cudaMalloc(&copy, static_cast<std::size_t>(n));
  gray_kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(copy, rgb, n);
  cudaMemcpy(gray, copy, static_cast<std::size_t>(n), cudaMemcpyDeviceToDevice);
  return cudaFree(copy);
}
