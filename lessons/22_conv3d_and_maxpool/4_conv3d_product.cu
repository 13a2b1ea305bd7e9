// Rung 4: filters x patches, the matrix product of lesson 21's rung 8, with a third axis in its lookup.
#include <climits>
#include <cstddef>
#include <cstdint>

#include "conv3d_and_maxpool.h"

constexpr int BM = 64, BN = 256;               // a block has 64 filters x 256 pixels of one volume
constexpr int BK = 8;                          // and takes the taps, channels * side^3, in steps of 8
constexpr int TM = 16, TN = 8;                 // sums of a thread: four by two groups of 4 x 4
constexpr int kThreads = BM * BN / (TM * TN);  // 128
constexpr int kEach = BN / kThreads;  // pixels whose taps a thread brings in, besides four of a filter
constexpr int kPad = 4;               // rows of the transposed filter tile, as in lesson 19

constexpr int WN = 64;                       // a warp has all 64 filters of 64 of the pixels
constexpr int kLaneRows = 4, kLaneCols = 8;  // lanes of a warp, one below the other and side by side
constexpr int kRowStep = kLaneRows * 4;      // from a lane's first four filters to its next four
constexpr int kColStep = kLaneCols * 4;      // from its first four pixels to its next four

/// Which elements of a filter come next: those at (t, r, s), of BK channels from c on.
struct Taps {
  int c, t, r, s;
  __device__ void next(int side) {
    // TODO(1): the next place: s runs fastest, then r, then t; behind the last place the next BK channels
    //          begin (7 lines).
  }
};

__global__ void __launch_bounds__(kThreads)
    conv3d_kernel(float* out, const float* in, const float* filter, Conv3dShape shape) {
  __shared__ alignas(16) float filter_tile[2][BK][BM + kPad];  // transposed: [l][i] is tap l of filter i
  __shared__ alignas(16) float patch_tile[2][BK][BN];
  const int out_cols = shape.out_cols(), out_plane = shape.out_rows() * out_cols;
  const int pixels = shape.out_depth() * out_plane, cube = shape.side * shape.side * shape.side;
  const int steps = (shape.channels + BK - 1) / BK * cube;
  const std::size_t channel = static_cast<std::size_t>(shape.depth) * shape.rows * shape.cols;  // elements
  const int down = (shape.filters + BM - 1) / BM, across = (pixels - 1) / BN + 1;
  const int f0 = blockIdx.x % down * BM;  // neighbouring blocks share their pixels, not their filters
  const int p0 = blockIdx.x / down % across * BN;
  const std::size_t n = blockIdx.x / down / across;

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = lane / kLaneCols * 4, col = warp * WN + lane % kLaneCols * 4;

  // What this thread brings in: half of a step's taps of one filter, and all of them of two pixels' patches.
  const int filter_row = threadIdx.x / 2, filter_tap = threadIdx.x % 2 * (BK / 2);
  const float* my_filter = filter + static_cast<std::size_t>(f0 + filter_row) * shape.channels * cube;
  const bool is_filter = f0 + filter_row < shape.filters;
  const float* volume = in + n * shape.channels * channel;
  int z0[kEach], y0[kEach], x0[kEach];
#pragma unroll
  for (int e = 0; e < kEach; ++e) {
    const int p = p0 + e * kThreads + threadIdx.x;
    z0[e] = p < pixels ? p / out_plane - shape.padding : INT_MIN / 2;  // the latter is outside of all volumes
    y0[e] = p % out_plane / out_cols - shape.padding;
    x0[e] = p % out_cols - shape.padding;
  }

  Taps tap = {};                                     // the same for all threads
  float filter_part[BK / 2], patch_part[kEach][BK];  // the next step's, while they are on their way
  const auto fetch = [&] {
    const int left = shape.channels - tap.c;  // channels, of which this step takes eight
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
      // TODO(2): patch_part[e][l] is the element of this pixel's patch in channel tap.c + l, 0 in the padding
      //          and behind the last channel. Where it lies is worked out once; from one channel to the
      //          next it moves by `channel` (7 lines).
    }
    // TODO(3): filter_part[i] is the weight that stands beside it: of this thread's filter, in channel tap.c
    //          + filter_tap + i, at place (t, r, s); 0 where there is no such filter or channel (5 lines).
    tap.next(shape.side);
  };
  const auto put = [&](int set) {
#pragma unroll
    for (int i = 0; i < BK / 2; ++i) filter_tile[set][filter_tap + i][filter_row] = filter_part[i];
#pragma unroll
    for (int e = 0; e < kEach; ++e)
#pragma unroll
      for (int l = 0; l < BK; ++l) patch_tile[set][l][e * kThreads + threadIdx.x] = patch_part[e][l];
  };

  alignas(16) float a_part[2][TM], b_part[2][TN];  // of the step at hand and of the next one
  const auto read = [&](int set, int l) {
#pragma unroll
    for (int i = 0; i < TM; i += 4)
      *reinterpret_cast<float4*>(&a_part[l % 2][i]) =
          *reinterpret_cast<const float4*>(&filter_tile[set][l][row + i / 4 * kRowStep]);
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&b_part[l % 2][j]) =
          *reinterpret_cast<const float4*>(&patch_tile[set][l][col + j / 4 * kColStep]);
  };
  float sum[TM][TN] = {};  // 128 registers
  const auto multiply = [&](int l) {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sum[i][j] += a_part[l % 2][i] * b_part[l % 2][j];
  };

  fetch();
  put(0);
  __syncthreads();  // the first tiles are there
  read(0, 0);
  for (int step = 0, set = 0; step < steps; ++step, set ^= 1) {
    if (step + 1 < steps) fetch();  // nobody waits for it before put() needs it
#pragma unroll
    for (int l = 0; l < BK; ++l) {
      if (l + 1 < BK) {
        read(set, l + 1);
      } else {
        put(set ^ 1);      // of which nobody reads: all have passed the barrier of the step before
        __syncthreads();   // the next tiles are there, and all have read these
        read(set ^ 1, 0);  // behind the last step these are old ones: they are not multiplied
      }
      multiply(l);
    }
  }

  // TODO(4): the epilogue: a thread's sums are of filters f0 + row + 0 to 3, and again kRowStep further on,
  //          and so on; and of pixels p0 + col + 0 to 3, and kColStep further on. Store those that exist: a
  //          pixel's number is its place in the result's channel (10 lines).
}

cudaError_t conv3d(float* out, const float* in, const float* filter, const Conv3dShape& shape) {
  const int pixels = shape.out_depth() * shape.out_rows() * shape.out_cols();  // of one volume
  if (shape.batch == 0 || shape.filters == 0 || pixels == 0) return cudaSuccess;
  const unsigned down = (shape.filters + BM - 1) / BM, across = (pixels - 1) / BN + 1;
  conv3d_kernel<<<down * across * shape.batch, kThreads>>>(out, in, filter, shape);
  return cudaGetLastError();
}
