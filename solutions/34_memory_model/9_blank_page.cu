// Blank page: a triangular system whose rows wait for each other, solved in one launch.
#include <algorithm>

#include "atomics.h"
#include "blank_page.h"

// TODO(1): solve(), whose contract is in blank_page.h: the kernel, any functions that you want it to call,
//          and the launch (about 40 lines).
// BEGIN SOLUTION
constexpr int kWarp = 32;
constexpr int kBlock = 128;                 // threads a block
constexpr int kMostBlocks = 1024;           // a few for each multiprocessor; their warps draw row after row
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// A warp draws rows in their order. Whoever waits, waits for a row of a smaller number, which has been drawn
/// by a warp that is running: blocks of the grid may begin in any order, and need not all be running.
__global__ void __launch_bounds__(kBlock)
    solve_kernel(unsigned* x, unsigned* next, unsigned* ready, const int* starts, const int* cols,
                 const unsigned* factors, const unsigned* b, unsigned n) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  for (;;) {
    unsigned row =
        lane == 0 ? fetch_add<Order::relaxed>(next, 1) : 0;  // a number, and nothing that is published
    row = __shfl_sync(kAllLanes, row, 0);
    if (row >= n) return;
    unsigned sum = 0;
    for (int k = starts[row] + lane; k < starts[row + 1]; k += kWarp) {
      const int col = cols[k];
      while (load<Order::acquire>(ready + col) == 0) continue;  // each lane for the row that it needs
      sum += factors[k] * x[col];
    }
    for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kAllLanes, sum, lanes);
    if (lane == 0) {
      x[row] = b[row] - sum;
      store<Order::release>(ready + row, 1);
    }
  }
}

cudaError_t solve(unsigned* x, unsigned* work, const int* starts, const int* cols, const unsigned* factors,
                  const unsigned* b, int n) {
  if (n == 0) return cudaSuccess;
  constexpr int kWarps = kBlock / kWarp;
  const int blocks = std::min((n + kWarps - 1) / kWarps, kMostBlocks);
  solve_kernel<<<blocks, kBlock>>>(x, work, work + 2, starts, cols, factors, b, static_cast<unsigned>(n));
  return cudaGetLastError();
}
// END SOLUTION
