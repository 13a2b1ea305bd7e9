// Rung 2: a vector of lanes a row, as wide as rows are long on average: a warp, or a part of one.
#include "sparse_matvec.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;                 // threads a block
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// @tparam kWidth  lanes a row: a power of two up to 32, so that a warp has whole vectors
template <int kWidth>
__global__ void sparse_matvec_kernel(float* y, Csr a, const float* x) {
  const int lane = static_cast<int>(threadIdx.x) % kWidth;
  const long long row = (static_cast<long long>(blockIdx.x) * kBlock + threadIdx.x) / kWidth;
  float sum = 0;
  // No return for vectors behind the last row: all lanes of the warp have to come to the shuffles.
  if (row < a.rows) {
    // TODO(1): the lanes take neighbouring entries, and go on together. Columns and values come by once and
    //          x often: __ldcs tells the caches (3 lines).
    // BEGIN SOLUTION
    const int end = a.row_start[row + 1];
    for (int i = a.row_start[row] + lane; i < end; i += kWidth)
      sum += __ldcs(a.values + i) * x[__ldcs(a.columns + i)];
    // END SOLUTION
  }
  // TODO(2): the sum of the vector's lanes, by shuffles within kWidth lanes; one of them stores it, if the
  //          row exists (3 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int lanes = kWidth / 2; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kAllLanes, sum, lanes);
  if (lane == 0 && row < a.rows) y[row] = sum;
  // END SOLUTION
}

template <int kWidth>
cudaError_t launch(float* y, const Csr& a, const float* x) {
  const long long threads = static_cast<long long>(a.rows) * kWidth;
  const unsigned blocks = static_cast<unsigned>((threads - 1) / kBlock + 1);
  sparse_matvec_kernel<kWidth><<<blocks, kBlock>>>(y, a, x);
  return cudaGetLastError();
}

cudaError_t sparse_matvec(float* y, const Csr& a, const float* x, Carry*) {
  if (a.rows == 0) return cudaSuccess;
  // TODO(3): the smallest width that is at least half of the mean length of a row, from 2 to kWarp lanes:
  //          with more lanes, most would have nothing to do (6 lines).
  // BEGIN SOLUTION
  const int mean = a.entries / a.rows;
  if (mean <= 4) return launch<2>(y, a, x);
  if (mean <= 8) return launch<4>(y, a, x);
  if (mean <= 16) return launch<8>(y, a, x);
  if (mean <= 32) return launch<16>(y, a, x);
  return launch<kWarp>(y, a, x);
  // END SOLUTION
}
