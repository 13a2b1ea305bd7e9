// Rung 5: a matrix product. Rows are filters, columns are the result's pixels, and the second factor, in
// which each column is the patch under the filter, is never stored: every element is looked up in the image.
#include <climits>

#include "conv2d.h"
#include "pixel.h"

constexpr int BM = 64, BN = 128;               // a block has 64 filters x 128 pixels
constexpr int BK = 8;                          // and takes the taps, channels * side * side, in steps of 8
constexpr int TM = 8, TN = 8;                  // sums of a thread: two by two groups of 4 x 4
constexpr int kThreads = BM * BN / (TM * TN);  // 128, each with a pixel to fetch
constexpr int kPad = 4;                        // rows of the transposed filter tile, as in lesson 19

constexpr int WN = 32;                       // a warp has all 64 filters of 32 of the pixels
constexpr int kLaneRows = 8, kLaneCols = 4;  // lanes of a warp, one below the other and side by side
constexpr int kRowStep = kLaneRows * 4;      // from a lane's first four filters to its next four
constexpr int kColStep = kLaneCols * 4;      // from its first four pixels to its next four

/// Which element of a filter comes next: column, row, channel, as they are stored.
struct Taps {
  int l, c, r, s;  // element l of the filter is at row r and column s of channel c
  __device__ void next(int side) {
    ++l;
    if (++s < side) return;
    s = 0;
    if (++r < side) return;
    r = 0;
    ++c;
  }
};

__global__ void __launch_bounds__(kThreads)
    conv2d_kernel(float* out, const float* in, const float* filter, ConvShape shape) {
  __shared__ alignas(16) float filter_tile[2][BK][BM + kPad];  // transposed: [l][i] is tap l of filter i
  __shared__ alignas(16) float patch_tile[2][BK][BN];
  const int out_cols = shape.out_cols(), image_pixels = shape.out_rows() * out_cols;
  const int pixels = shape.batch * image_pixels, taps = shape.channels * shape.side * shape.side;
  const int steps = (taps + BK - 1) / BK;
  const std::size_t plane = static_cast<std::size_t>(shape.rows) * shape.cols;
  const int down = (shape.filters + BM - 1) / BM;
  const int f0 = blockIdx.x % down * BM;  // neighbouring blocks share their pixels, not their filters
  const int p0 = blockIdx.x / down * BN;

  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int row = lane / kLaneCols * 4, col = warp * WN + lane % kLaneCols * 4;

  // What this thread brings in: half of a step's taps of one filter, and all of them of one pixel's patch.
  const int filter_row = threadIdx.x / 2, filter_tap = threadIdx.x % 2 * (BK / 2);
  const float* my_filter = filter + static_cast<std::size_t>(f0 + filter_row) * taps;
  const bool is_filter = f0 + filter_row < shape.filters;
  // TODO(1): find the pixel with the number p0 + threadIdx.x: where its image begins, and in the image the
  //          row and column where the corner of the filter lies for it. If it is behind the last one, a row
  //          of INT_MIN / 2 makes pixel() give 0 (5 lines).
  // BEGIN SOLUTION
  const int number = p0 + threadIdx.x, in_image = number % image_pixels;
  const float* image = in + static_cast<std::size_t>(number / image_pixels) * shape.channels * plane;
  int row0 = in_image / out_cols * shape.stride - shape.padding;
  const int col0 = in_image % out_cols * shape.stride - shape.padding;
  if (number >= pixels) row0 = INT_MIN / 2;  // above all images
  // END SOLUTION

  Taps tap = {};                              // the same for all threads
  float filter_part[BK / 2], patch_part[BK];  // the next step's, while they are on their way
  const auto fetch = [&] {
    const int l0 = tap.l, left = taps - l0;  // taps, of which this step takes eight
    // TODO(2): fetch the BK taps' elements of the patch by pixel(), moving `tap` on, and BK / 2 of the same
    //          taps of this thread's filter, from tap l0 + filter_tap on. Behind the last tap, and for a
    //          filter that there is not, they are 0 (10 lines).
    // BEGIN SOLUTION
#pragma unroll
    for (int l = 0; l < BK; ++l) {
      const int y = row0 + tap.r * shape.dilation, x = col0 + tap.s * shape.dilation;
      patch_part[l] = l < left ? pixel(image + tap.c * plane, y, x, shape.rows, shape.cols) : 0.0f;
      tap.next(shape.side);
    }
    const float* weight = my_filter + l0 + filter_tap;
#pragma unroll
    for (int i = 0; i < BK / 2; ++i, ++weight)
      filter_part[i] = is_filter && filter_tap + i < left ? *weight : 0.0f;
    // END SOLUTION
  };
  const auto put = [&](int set) {
#pragma unroll
    for (int i = 0; i < BK / 2; ++i) filter_tile[set][filter_tap + i][filter_row] = filter_part[i];
#pragma unroll
    for (int l = 0; l < BK; ++l) patch_tile[set][l][threadIdx.x] = patch_part[l];
  };

  alignas(16) float a_part[TM], b_part[TN];
  const auto read = [&](int set, int l) {
#pragma unroll
    for (int i = 0; i < TM; i += 4)
      *reinterpret_cast<float4*>(&a_part[i]) =
          *reinterpret_cast<const float4*>(&filter_tile[set][l][row + i / 4 * kRowStep]);
#pragma unroll
    for (int j = 0; j < TN; j += 4)
      *reinterpret_cast<float4*>(&b_part[j]) =
          *reinterpret_cast<const float4*>(&patch_tile[set][l][col + j / 4 * kColStep]);
  };
  float sum[TM][TN] = {};  // 64 registers
  const auto multiply = [&] {
#pragma unroll
    for (int i = 0; i < TM; ++i)
#pragma unroll
      for (int j = 0; j < TN; ++j) sum[i][j] += a_part[i] * b_part[j];
  };

  fetch();
  put(0);
  __syncthreads();  // the first tiles are there
  for (int step = 0, set = 0; step < steps; ++step, set ^= 1) {
    if (step + 1 < steps) fetch();  // nobody waits for it before put() needs it
#pragma unroll
    for (int l = 0; l < BK; ++l) {
      read(set, l);
      multiply();
    }
    put(set ^ 1);     // of which nobody reads: all have passed the barrier of the step before
    __syncthreads();  // the next tiles are there, and all have read these
  }

#pragma unroll
  for (int j = 0; j < TN; ++j) {
    const int p = p0 + col + j / 4 * kColStep + j % 4;
    // TODO(3): store this pixel's sums of all filters. In out, the planes of a pixel's image are image_pixels
    //          apart; do not store what lies behind the last pixel or filter (7 lines).
    // BEGIN SOLUTION
    if (p >= pixels) break;
    float* place = out + static_cast<std::size_t>(p / image_pixels) * shape.filters * image_pixels;
#pragma unroll
    for (int i = 0; i < TM; ++i) {
      const int f = f0 + row + i / 4 * kRowStep + i % 4;
      if (f < shape.filters) place[static_cast<std::size_t>(f) * image_pixels + p % image_pixels] = sum[i][j];
    }
    // END SOLUTION
  }
}

cudaError_t conv2d(float* out, const float* in, const float* filter, const ConvShape& shape) {
  const int pixels = shape.batch * shape.out_rows() * shape.out_cols();
  if (shape.filters == 0 || pixels == 0) return cudaSuccess;
  const unsigned down = (shape.filters + BM - 1) / BM, across = (pixels - 1) / BN + 1;
  conv2d_kernel<<<down * across, kThreads>>>(out, in, filter, shape);
  return cudaGetLastError();
}
