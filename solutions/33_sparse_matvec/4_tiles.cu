// Rung 4: a block a tile of the path: entries are loaded side by side, and then merged in shared memory.
#include <climits>

#include "sparse_matvec.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;  // threads a block
constexpr int kWarps = kBlock / kWarp;
constexpr int kSteps = 5;               // of the path, a thread: odd, so that threads are in different banks
constexpr int kTile = kBlock * kSteps;  // steps of a block
constexpr unsigned kAllLanes = 0xffffffff;  // a bit for each lane of the warp
static_assert(kTile >= kShare, "there are enough carries");

/// How many ends of rows are among the first `steps` steps of the path, found by a warp together.
__device__ int rows_after(int steps, const Csr& a) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  int low = steps > a.entries ? steps - a.entries : 0;
  int high = steps < a.rows ? steps : a.rows;
  // TODO(1): rung 3's search, but in each round the warp looks at 32 places: low .. high falls into
  //          stretches of equal length, and a lane looks at the last row of its own. A ballot tells how
  //          many stretches lie whole among the steps. The next one may in part, but for its last row (7
  //          lines).
  // BEGIN SOLUTION
  while (low < high) {
    const int stretch = (high - low - 1) / kWarp + 1;
    const long long last = low + (lane + 1LL) * stretch - 1;
    const bool whole = last < high && a.row_start[last + 1] + last < steps;
    low += __popc(__ballot_sync(kAllLanes, whole)) * stretch;
    high = low + stretch - 1 < high ? low + stretch - 1 : high;
  }
  // END SOLUTION
  return low;
}

/// The sum of a row that is open at the end of some steps, and whether a row ends among them.
struct Open {
  bool ended;
  float sum;
};

/// Steps behind those of @p before: what was open there goes on, unless a row ends here.
__device__ Open join(Open before, Open after) {
  return {before.ended || after.ended, after.ended ? after.sum : before.sum + after.sum};
}

/// What is open at the end of this lane's steps, and of all lower lanes'.
__device__ Open scan_warp(Open own) {
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  // TODO(2): the inclusive scan of lesson 10 with join() in place of an addition: both members are shuffled
  //          up, by all lanes (6 lines).
  // BEGIN SOLUTION
#pragma unroll
  for (int offset = 1; offset < kWarp; offset *= 2) {
    const Open lower = {__shfl_up_sync(kAllLanes, own.ended, offset) != 0,
                        __shfl_up_sync(kAllLanes, own.sum, offset)};
    if (lane >= offset) own = join(lower, own);
  }
  // END SOLUTION
  return own;
}

__global__ void __launch_bounds__(kBlock) tiles_kernel(float* y, Csr a, const float* x, Carry* carries) {
  __shared__ int path[kTile + 1];  // a word for each step of the tile, and one for an end that there is not
  __shared__ int border[2];        // ends of rows before the tile, and before the next one
  __shared__ Open warps[kWarps];
  const int thread = static_cast<int>(threadIdx.x), lane = thread % kWarp, warp = thread / kWarp;
  const int all = a.rows + a.entries, begin = static_cast<int>(blockIdx.x) * kTile;
  const int steps = all - begin < kTile ? all - begin : kTile;
  if (warp < 2) {  // one warp for each border
    const int rows = rows_after(begin + warp * steps, a);
    if (lane == 0) border[warp] = rows;
  }
  __syncthreads();  // the borders are there
  const int first_row = border[0], rows = border[1] - first_row;
  const int first_entry = begin - first_row, entries = steps - rows;
  int* const ends = path;  // [rows + 1], counted from the tile's first entry
  float* const products = reinterpret_cast<float*>(path + rows + 1);  // [entries]

  // TODO(3): products of the tile's entries, and ends of its rows, relative to first_entry. First a loop of
  //          kSteps guarded loads of column and value, neighbouring threads side by side, into registers;
  //          then one of products: so all loads are under way together. Behind the last end there is none:
  //          INT_MAX (13 lines).
  // BEGIN SOLUTION
  int column[kSteps];
  float value[kSteps];
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
    const int i = thread + k * kBlock;
    column[k] = i < entries ? __ldcs(a.columns + first_entry + i) : 0;
    value[k] = i < entries ? __ldcs(a.values + first_entry + i) : 0;
  }
  for (int i = thread; i < rows; i += kBlock) ends[i] = a.row_start[first_row + i + 1] - first_entry;
  if (thread == 0) ends[rows] = INT_MAX;
#pragma unroll
  for (int k = 0; k < kSteps; ++k)
    if (thread + k * kBlock < entries) products[thread + k * kBlock] = value[k] * x[column[k]];
  // END SOLUTION
  __syncthreads();  // products and ends are there

  int ended = -1;  // the first row that ends here, if any, and the sum of it
  float ended_sum = 0, sum = 0;
  // TODO(4): this thread's kSteps steps of the tile, or what is left of it. Bisect in `ends` for where it
  //          begins. The first row that ends here is kept, for what is open before this thread belongs to
  //          it; further ones are stored; what is open at the end is left in `sum` (23 lines).
  // BEGIN SOLUTION
  const int from = thread * kSteps < steps ? thread * kSteps : steps;
  int row = from > entries ? from - entries : 0, high = from < rows ? from : rows;
  while (row < high) {
    const int middle = (row + high) / 2;
    if (ends[middle] + middle < from)
      row = middle + 1;
    else
      high = middle;
  }
  int entry = from - row;
#pragma unroll
  for (int k = 0; k < kSteps; ++k) {
    if (from + k >= steps) break;
    if (entry < ends[row]) {
      sum += products[entry++];
    } else {
      if (ended >= 0) y[first_row + row] = sum;
      if (ended < 0) ended_sum = sum;
      if (ended < 0) ended = row;
      ++row;
      sum = 0;
    }
  }
  // END SOLUTION

  // TODO(5): what is open before this thread: of all lower lanes, and of all warps before this one. It
  //          belongs to the row that ended first. The last thread has what is open behind the tile: its
  //          carry (10 lines).
  // BEGIN SOLUTION
  const Open up_to = scan_warp({ended >= 0, sum});
  if (lane == kWarp - 1) warps[warp] = up_to;
  Open before = {__shfl_up_sync(kAllLanes, up_to.ended, 1) != 0, __shfl_up_sync(kAllLanes, up_to.sum, 1)};
  if (lane == 0) before = {false, 0};
  __syncthreads();  // all warps have left theirs
  Open warps_before = {false, 0};
  for (int w = 0; w < warp; ++w) warps_before = join(warps_before, warps[w]);
  before = join(warps_before, before);
  if (ended >= 0) y[first_row + ended] = before.sum + ended_sum;
  if (thread == kBlock - 1) carries[blockIdx.x] = {border[1], join(warps_before, up_to).sum};
  // END SOLUTION
}

/// A thread for each carry.
__global__ void fix_up_kernel(float* y, const Carry* carries, int count, int rows) {
  const int i = static_cast<int>(blockIdx.x) * kBlock + static_cast<int>(threadIdx.x);
  if (i >= count) return;
  const Carry carry = carries[i];
  if (carry.row < rows && carry.sum != 0) atomicAdd(y + carry.row, carry.sum);
}

cudaError_t sparse_matvec(float* y, const Csr& a, const float* x, Carry* carries) {
  if (a.rows == 0) return cudaSuccess;
  const int tiles = (a.rows + a.entries - 1) / kTile + 1;
  tiles_kernel<<<tiles, kBlock>>>(y, a, x, carries);
  fix_up_kernel<<<(tiles - 1) / kBlock + 1, kBlock>>>(y, carries, tiles, a.rows);
  return cudaGetLastError();
}
