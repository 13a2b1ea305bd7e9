// Blank page: attention pooling, in which a row is its own key and value.
#include <cstdint>

#include "blank_page.h"

// TODO(1): attention_pool(), whose contract is in blank_page.h: the kernel, any functions that you want it to
//          call, and the launch (about 90 lines).
// BEGIN SOLUTION
constexpr int kWarp = 32;
constexpr int kBlock = 256;  // threads a block
constexpr int kWarps = kBlock / kWarp;
constexpr int kWide = kCols / kWarp;        // elements of a lane: eight bf16 are 16 bytes
constexpr int kRows = 4;                    // rows of a warp that are under way together
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp

/// The sum over the 32 lanes of a warp, in every lane. All lanes take part.
__device__ float warp_sum(float value) {
#pragma unroll
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) value += __shfl_xor_sync(kAllLanes, value, lanes);
  return value;
}

/// The eight bf16 that lie in 16 bytes.
__device__ void unpack(float (&to)[kWide], uint4 bits) {
  const __nv_bfloat162* const pair = reinterpret_cast<const __nv_bfloat162*>(&bits);
#pragma unroll
  for (int j = 0; j < kWide; ++j) to[j] = __bfloat162float(j % 2 == 0 ? pair[j / 2].x : pair[j / 2].y);
}

/// The factor of sums relative to @p old, where @p most is wanted: 0 where there are none.
__device__ float rescale(float old, float most) { return old == -INFINITY ? 0.0f : __expf(old - most); }

/// A warp's rows from `first` on, every kWarps-th, into its state.
__device__ void take(Softmax& state, float (&value)[kWide], const float (&w)[kWide], const uint4* x,
                     int first, int end) {
  uint4 held[kRows] = {};
#pragma unroll
  for (int i = 0; i < kRows; ++i)  // all loads before the first product
    if (first + i * kWarps < end)
      held[i] = __ldcs(x + static_cast<std::int64_t>(first + i * kWarps) * kWarp + threadIdx.x % kWarp);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    if (first + i * kWarps >= end) break;  // the same in all lanes
    float row[kWide], score = 0;
    unpack(row, held[i]);
#pragma unroll
    for (int j = 0; j < kWide; ++j) score += row[j] * w[j];
    score = warp_sum(score);
    const float most = fmaxf(state.most, score), factor = rescale(state.most, most);
    const float weight = __expf(score - most);
    state = {most, state.sum * factor + weight};
#pragma unroll
    for (int j = 0; j < kWide; ++j) value[j] = value[j] * factor + weight * row[j];
  }
}

/// Counts a block in. @return for all threads, whether it is the last of @p splits
__device__ bool is_last(unsigned* arrived, int splits) {
  __shared__ bool last;
  __threadfence();  // the block's part is in memory before its arrival is
  __syncthreads();
  if (threadIdx.x == 0) {
    last = atomicAdd(arrived, 1) == static_cast<unsigned>(splits) - 1;
    if (last) *arrived = 0;  // for the next launch
    __threadfence();         // nothing that is read behind the barrier was fetched before the count
  }
  __syncthreads();  // `last` is known
  return last;
}

__global__ void __launch_bounds__(kBlock)
    pool_kernel(float* out, Scratch scratch, const uint4* x, const float* w, const int* start) {
  __shared__ float values[kWarps][kCols];
  __shared__ Softmax softmax[kWarps];
  const int begin = start[blockIdx.y] + static_cast<int>(blockIdx.x) * kSplit, last = start[blockIdx.y + 1];
  const int used = (last - start[blockIdx.y] + kSplit - 1) / kSplit;
  if (blockIdx.x > 0 && begin >= last) return;  // the first block stays: it may have to store zeros
  const int warp = threadIdx.x / kWarp, col0 = threadIdx.x % kWarp * kWide, end = min(begin + kSplit, last);
  Softmax state = {-INFINITY, 0};
  float value[kWide] = {};
  alignas(16) float own[kWide];
#pragma unroll
  for (int j = 0; j < kWide; j += 4)
    *reinterpret_cast<float4*>(own + j) = *reinterpret_cast<const float4*>(w + col0 + j);
  for (int row = begin + warp; row < end; row += kWarps * kRows) take(state, value, own, x, row, end);
#pragma unroll
  for (int j = 0; j < kWide; ++j) values[warp][col0 + j] = value[j];
  if (threadIdx.x % kWarp == 0) softmax[warp] = state;
  __syncthreads();  // all warps have left what they know

  const int col = threadIdx.x;  // as many threads as columns
  Softmax all = {-INFINITY, 0};
  float sum = 0;
  for (int i = 0; i < kWarps; ++i) all.most = fmaxf(all.most, softmax[i].most);
  for (int i = 0; i < kWarps; ++i) {
    const float factor = rescale(softmax[i].most, all.most);
    all.sum += factor * softmax[i].sum;
    sum += factor * values[i][col];
  }
  if (used > 1) {
    const std::int64_t first = static_cast<std::int64_t>(blockIdx.y) * gridDim.x;
    scratch.sums[(first + blockIdx.x) * kCols + col] = sum;
    if (col == 0) scratch.softmax[first + blockIdx.x] = all;
    if (!is_last(scratch.arrived + blockIdx.y, used)) return;
    all = {-INFINITY, 0};
    sum = 0;
    for (int i = 0; i < used; ++i) all.most = fmaxf(all.most, __ldcg(&scratch.softmax[first + i].most));
    for (int i = 0; i < used; ++i) {
      const float factor = rescale(__ldcg(&scratch.softmax[first + i].most), all.most);
      all.sum += factor * __ldcg(&scratch.softmax[first + i].sum);
      sum += factor * __ldcg(&scratch.sums[(first + i) * kCols + col]);
    }
  }
  out[static_cast<std::int64_t>(blockIdx.y) * kCols + col] = used > 0 ? sum / all.sum : 0.0f;
}

cudaError_t attention_pool(float* out, const Scratch& scratch, const __nv_bfloat16* x, const float* w,
                           const int* start, int sequences, int longest) {
  if (sequences == 0) return cudaSuccess;
  const dim3 grid((longest + kSplit - 1) / kSplit, sequences);
  pool_kernel<<<grid, kBlock>>>(out, scratch, reinterpret_cast<const uint4*>(x), w, start);
  return cudaGetLastError();
}
// END SOLUTION
