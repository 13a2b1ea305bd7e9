// The four wrong kernels of this lesson in a program of their own, for tools that want one. Its argument is
// the rung, 1 to 4. It compares with the CPU and says how many elements are wrong, which may be none.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/cuda_check.h"
#include "debugging.h"
#include "wrong_differences.h"
#include "wrong_minima.h"
#include "wrong_neighbours.h"
#include "wrong_sums.h"

constexpr int kCount = 1000;  // no multiple of kBlock
constexpr int kBlocks = (kCount + kBlock - 1) / kBlock;

/// Runs a kernel on 1, 2, 3 ... and counts the elements of out that are not what `want(i)` says.
template <class T, class Want>
int wrong_elements(void (*kernel)(T*, const T*, int), int results, Want want) {
  std::vector<T> in(kCount), out(results);
  for (int i = 0; i < kCount; ++i) in[i] = static_cast<T>(i + 1);
  T *d_in = nullptr, *d_out = nullptr;
  CUDA_CHECK(cudaMalloc(&d_in, in.size() * sizeof(T)));
  CUDA_CHECK(cudaMalloc(&d_out, out.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice));
  kernel<<<kBlocks, kBlock>>>(d_out, d_in, kCount);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaMemcpy(out.data(), d_out, out.size() * sizeof(T), cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
  int wrong = 0;
  for (int i = 0; i < results; ++i) wrong += out[i] != static_cast<T>(want(i));
  return wrong;
}

int main(int count, char** arguments) {
  const auto last = [](int block) { return std::min((block + 1) * kBlock, kCount); };
  int wrong = 0;
  switch (count > 1 ? std::atoi(arguments[1]) : 0) {
    case 1:
      wrong = wrong_elements(differences_kernel, kCount - 1, [](int) { return 1; });
      break;
    case 2:
      wrong = wrong_elements(neighbours_kernel, kCount,
                             [](int i) { return 3 * (i + 1) - (i == kCount - 1 ? kCount + 1 : 0); });
      break;
    case 3:
      wrong = wrong_elements(minima_kernel, kBlocks, [](int block) { return block * kBlock + 1; });
      break;
    case 4:
      wrong = wrong_elements(sums_kernel, kBlocks, [&](int block) {
        return (last(block) - block * kBlock) * (block * kBlock + 1 + last(block)) / 2;
      });
      break;
    default:
      std::puts("which rung's kernel? 1 to 4");
      return 2;
  }
  std::printf("%d elements are wrong\n", wrong);
  return wrong > 0;
}
