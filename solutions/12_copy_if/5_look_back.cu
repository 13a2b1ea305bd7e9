// Rung 5: one pass. Each block learns by looking back how many elements were wanted before its own.
#include "copy_if.h"
#include "scan.h"

constexpr unsigned kWarps = 32;         // warps a block: as many as lanes, so one warp can scan their counts
constexpr int kBlock = kWarp * kWarps;  // 1024 threads, each with one element

struct Places {
  int before;  ///< wanted elements of lower threads of the block
  int total;   ///< of all its threads
};

/// Called by all threads of the block.
__device__ Places places_in_block(bool wanted) {
  Places places = {};
  __shared__ int up_to_warp[kWarps];  // first what each warp wants, then what all warps up to it want
  const unsigned lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned voters = __ballot_sync(kAllLanes, wanted);
  if (lane == 0) up_to_warp[warp] = __popc(voters);
  __syncthreads();  // all warps have counted before the first warp reads
  if (warp == 0) up_to_warp[lane] = scan_warp(up_to_warp[lane]);
  __syncthreads();  // and it is done before all read its sums
  const unsigned lower_lanes = (1u << lane) - 1;
  places.before = __popc(voters & lower_lanes) + (warp > 0 ? up_to_warp[warp - 1] : 0);
  places.total = up_to_warp[kWarps - 1];
  return places;
}

/// scratch[0] numbers the blocks; the word of block k is scratch[1 + k].
__global__ void copy_if_kernel(int* out, int* kept, const int* in, std::int64_t n, Word* scratch) {
  __shared__ unsigned number;
  __shared__ int start;
  if (threadIdx.x == 0) number = draw_number(scratch);
  __syncthreads();  // all threads know the block's number

  const std::int64_t i = static_cast<std::int64_t>(number) * kBlock + threadIdx.x;
  const int value = i < n ? in[i] : 0;
  const bool wanted = keep(value);
  const Places places = places_in_block(wanted);
  if (threadIdx.x < kWarp) {  // the first warp, all of it
    // TODO(1): publish the block's total; look_back(); publish the prefix; leave the place of the block's
    //          first element in `start`; and let the last block set *kept (6 to 9 lines). All lanes call
    //          look_back(), one lane does the rest.
    // BEGIN SOLUTION
    Word* const word = scratch + 1 + number;
    if (threadIdx.x == 0) publish(word, {Known::total, places.total});
    const int before = look_back(word, number);
    if (threadIdx.x == 0) {
      publish(word, {Known::prefix, before + places.total});
      start = before;
      if (number == gridDim.x - 1) *kept = before + places.total;
    }
    // END SOLUTION
  }
  __syncthreads();  // start is there
  if (wanted) out[start + places.before] = value;
}

Order output_order() { return Order::of_input; }

cudaError_t copy_if(int* out, int* kept, const int* in, std::int64_t n, unsigned long long* scratch) {
  if (n == 0) return cudaMemsetAsync(kept, 0, sizeof(*kept));
  const unsigned blocks = static_cast<unsigned>((n + kBlock - 1) / kBlock);
  // No number is drawn yet, and nothing is known of any block.
  const cudaError_t error =
      cudaMemsetAsync(scratch, 0, (1 + static_cast<std::size_t>(blocks)) * sizeof(Word));
  if (error != cudaSuccess) return error;
  copy_if_kernel<<<blocks, kBlock>>>(out, kept, in, n, scratch);
  return cudaGetLastError();
}
