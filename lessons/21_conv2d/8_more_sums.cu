// Rung 8: 16 x 8 sums a thread, as in lesson 19: 24 words read for 128 products. It has two pixels to fetch.
#include <climits>
#include <cstdint>

#include "conv2d.h"

constexpr int BM = 64, BN = 256;               // a block has 64 filters x 256 pixels
constexpr int BK = 8;                          // and takes the taps, channels * side * side, in steps of 8
constexpr int TM = 16, TN = 8;                 // sums of a thread: four by two groups of 4 x 4
constexpr int kThreads = BM * BN / (TM * TN);  // 128
constexpr int kEach = BN / kThreads;  // pixels whose taps a thread brings in, besides four of a filter
constexpr int kPad = 4;               // rows of the transposed filter tile, as in lesson 19

constexpr int WN = 64;                       // a warp has all 64 filters of 64 of the pixels
constexpr int kLaneRows = 4, kLaneCols = 8;  // lanes of a warp, one below the other and side by side
constexpr int kRowStep = kLaneRows * 4;      // from a lane's first four filters to its next four
constexpr int kColStep = kLaneCols * 4;      // from its first four pixels to its next four

/// Which elements of a filter come next: those at (r, s), of BK channels from c on. Places of the filter
/// change faster than channels, so that neighbouring steps read the same few planes, which the cache holds.
struct Taps {
  int c, r, s;
  __device__ void next(int side) {
    if (++s < side) return;
    s = 0;
    if (++r < side) return;
    r = 0;
    c += BK;
  }
};

__global__ void __launch_bounds__(kThreads)
    conv2d_kernel(float* out, const float* in, const float* filter, ConvShape shape) {
  __shared__ alignas(16) float filter_tile[2][BK][BM + kPad];  // transposed: [l][i] is tap l of filter i
  __shared__ alignas(16) float patch_tile[2][BK][BN];
  const int out_cols = shape.out_cols(), image_pixels = shape.out_rows() * out_cols;
  const int pixels = shape.batch * image_pixels, area = shape.side * shape.side;
  const int steps = (shape.channels + BK - 1) / BK * area;
  const std::size_t plane = static_cast<std::size_t>(shape.rows) * shape.cols;
  const int down = (shape.filters + BM - 1) / BM;
  const int f0 = blockIdx.x % down * BM;  // neighbouring blocks share their pixels, not their filters
  const int p0 = blockIdx.x / down * BN;

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = lane / kLaneCols * 4, col = warp * WN + lane % kLaneCols * 4;

  // What this thread brings in: half of a step's taps of one filter, and all of them of two pixels' patches.
  const int filter_row = threadIdx.x / 2, filter_tap = threadIdx.x % 2 * (BK / 2);
  const float* my_filter = filter + static_cast<std::size_t>(f0 + filter_row) * shape.channels * area;
  const bool is_filter = f0 + filter_row < shape.filters;
  const float* image[kEach];
  int row0[kEach], col0[kEach];
  // TODO(1): find the pixels number p0 + threadIdx.x and kThreads further on, as rung 7 found one. A row far
  //          above all images keeps fetch() from reading for a pixel behind the last (8 lines).

  Taps tap = {};                                     // the same for all threads
  float filter_part[BK / 2], patch_part[kEach][BK];  // the next step's, while they are on their way
  const auto fetch = [&] {
    const int left = shape.channels - tap.c;  // channels, of which this step takes eight
    // TODO(2): the step's taps of both pixels, into patch_part[e][l]. Unroll both loops: then all loads are
    //          under way before anybody waits (8 lines).
    const float* weight = my_filter + (tap.c + filter_tap) * area + tap.r * shape.side + tap.s;
#pragma unroll
    for (int i = 0; i < BK / 2; ++i, weight += area)
      filter_part[i] = is_filter && filter_tap + i < left ? *weight : 0.0f;
    tap.next(shape.side);
  };
  const auto put = [&](int set) {
    auto& filters = filter_tile[set];
    // TODO(3): store filter_part and both pixels' patch_part into the set, where rung 7 stored one pixel's:
    //          the second pixel lies kThreads columns further (6 lines).
  };

  alignas(16) float a_part[2][TM], b_part[2][TN];  // of the tap at hand and of the next one
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

#pragma unroll
  for (int j = 0; j < TN; ++j) {
    const int p = p0 + col + j / 4 * kColStep + j % 4;
    if (p >= pixels) break;
    float* place = out + static_cast<std::size_t>(p / image_pixels) * shape.filters * image_pixels;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int f = f0 + row + i / 4 * kRowStep + i % 4;
      if (f < shape.filters) place[static_cast<std::size_t>(f) * image_pixels + p % image_pixels] = sum[i][j];
    }
  }
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  const int pixels = shape.batch * shape.out_rows() * shape.out_cols();
  if (shape.filters == 0 || pixels == 0) return cudaSuccess;
  const unsigned down = (shape.filters + BM - 1) / BM, across = (pixels - 1) / BN + 1;
  conv2d_kernel<<<down * across, kThreads>>>(out, in, filter, shape);
  return cudaGetLastError();
}
