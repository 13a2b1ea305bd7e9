// The library's way: cub::DeviceScan, which comes with the CUDA toolkit. It scans vectors: matrices go row by
// row, and columns, for which CUB has nothing, through the lesson's own kernel.
#include <cub/device/device_scan.cuh>

#include "columns.h"
#include "prefix_sum.h"

cudaError_t prefix_sum(int* out, const int* in, std::int64_t rows, std::int64_t cols, Kind kind,
                       Direction direction, unsigned long long* scratch) {
  if (rows == 0 || cols == 0) return cudaSuccess;
  if (direction == Direction::down_columns) return columns_prefix_sum(out, in, rows, cols, kind);
  for (std::int64_t row = 0; row < rows; ++row, in += cols, out += cols) {
    const auto run = [&](void* memory, std::size_t& bytes) {
      return kind == Kind::inclusive ? cub::DeviceScan::InclusiveSum(memory, bytes, in, out, cols)
                                     : cub::DeviceScan::ExclusiveSum(memory, bytes, in, out, cols);
    };
    std::size_t bytes = 0;  // CUB is asked for the size of its own scratch memory first: no launch
    cudaError_t error = run(nullptr, bytes);
    if (error != cudaSuccess) return error;
    if (bytes > scratch_words(rows, cols) * sizeof(*scratch)) return cudaErrorMemoryAllocation;
    error = run(scratch, bytes);
    if (error != cudaSuccess) return error;
  }
  return cudaSuccess;
}
