// Rung 1: digit by digit, from the lowest: count, add up the counts, move each key to its place. A warp a
// tile.
#include "digits.h"
#include "radix_sort.h"

constexpr int kBlock = 256;  // threads a block: one for each value of a digit
constexpr int kWarps = kBlock / kWarp;
constexpr int kTile = 4096;  // keys of a warp

/// counts[d * tiles + t]: the keys of tile t whose digit is d.
__global__ void __launch_bounds__(kBlock)
    count_kernel(unsigned* counts, const unsigned* in, int n, int shift, int tiles) {
  __shared__ unsigned histograms[kWarps][kDigits];
  const int lane = static_cast<int>(threadIdx.x % kWarp), warp = static_cast<int>(threadIdx.x / kWarp);
  const int tile = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (tile >= tiles) return;
  unsigned* const histogram =
      histograms[warp];  // no other warp touches it: no barrier of the block is needed
  for (int d = lane; d < kDigits; d += kWarp) histogram[d] = 0;
  __syncwarp();
  const int begin = tile * kTile, end = n - begin < kTile ? n : begin + kTile;
  // TODO(1): count the digits of the tile's keys, lane by lane (2 lines).
  // BEGIN SOLUTION
  for (int i = begin + lane; i < end; i += kWarp) atomicAdd(&histogram[digit_of(in[i], shift)], 1u);
  __syncwarp();  // everything is counted
  // END SOLUTION
  for (int d = lane; d < kDigits; d += kWarp)
    counts[static_cast<std::int64_t>(d) * tiles + tile] = histogram[d];
}

/// A block a digit: replaces the counts of its tiles by the counts of all tiles before, and leaves the sum of
/// all in totals[digit].
__global__ void __launch_bounds__(kBlock) scan_kernel(unsigned* counts, unsigned* totals, int tiles) {
  unsigned* const row = counts + static_cast<std::int64_t>(blockIdx.x) * tiles;
  __shared__ unsigned sum;
  unsigned before = 0;  // of all earlier stretches of kBlock tiles
  for (int first = 0; first < tiles; first += kBlock) {
    const int tile = first + static_cast<int>(threadIdx.x);
    const unsigned count = tile < tiles ? row[tile] : 0;
    const unsigned lower = scan_digits(count);  // it adds up any kBlock values
    if (tile < tiles) row[tile] = before + lower;
    if (threadIdx.x == kBlock - 1) sum = lower + count;
    __syncthreads();  // the sum is there
    before += sum;
    __syncthreads();  // and has been read before the next stretch overwrites it
  }
  if (threadIdx.x == 0) totals[blockIdx.x] = before;
}

/// Moves the keys of each tile behind all that have a smaller digit, and behind those of the same digit that
/// come before it.
__global__ void __launch_bounds__(kBlock)
    scatter_kernel(unsigned* out, const unsigned* in, int n, int shift, const unsigned* counts,
                   const unsigned* totals, int tiles) {
  __shared__ unsigned smaller[kDigits];        // keys whose digit is smaller than this one, of all tiles
  __shared__ unsigned nexts[kWarps][kDigits];  // where the next key of this digit goes
  smaller[threadIdx.x] = scan_digits(totals[threadIdx.x]);
  __syncthreads();  // all of it is there
  const int lane = static_cast<int>(threadIdx.x % kWarp), warp = static_cast<int>(threadIdx.x / kWarp);
  const int tile = static_cast<int>(blockIdx.x) * kWarps + warp;
  if (tile >= tiles) return;
  unsigned* const next = nexts[warp];
  for (int d = lane; d < kDigits; d += kWarp)
    next[d] = smaller[d] + counts[static_cast<std::int64_t>(d) * tiles + tile];
  __syncwarp();
  const int begin = tile * kTile, end = n - begin < kTile ? n : begin + kTile;
  for (int first = begin; first < end; first += kWarp) {
    const int i = first + lane;
    const bool there = i < end;
    const unsigned key = there ? in[i] : 0;
    // No key has the digit kDigits: lanes behind the end are apart from all others.
    const unsigned digit = there ? digit_of(key, shift) : kDigits;
    // TODO(2): the lanes with the same digit are one __match_any_sync. A key's place is the next one of its
    //          digit, and as many further on as lower lanes have the digit. Once all have read it, the lowest
    //          lane of a digit moves it on (6 lines).
    // BEGIN SOLUTION
    const unsigned same = __match_any_sync(kAllLanes, digit);
    const unsigned rank = __popc(same & lower_lanes());
    if (there) out[next[digit] + rank] = key;
    __syncwarp();  // all lanes have read their digit's place
    if (there && rank == 0) next[digit] += __popc(same);
    __syncwarp();  // the places are those of the next 32 keys
    // END SOLUTION
  }
}

cudaError_t sort_keys(unsigned* out, const unsigned* in, int n, unsigned* scratch) {
  if (n == 0) return cudaSuccess;
  const int tiles = (n - 1) / kTile + 1, blocks = (tiles - 1) / kWarps + 1;
  unsigned* const temp = scratch;
  unsigned* const totals = temp + n;
  unsigned* const counts = totals + kDigits;
  // TODO(3): a pass for each digit, the lowest first: three launches. A pass reads what the one before wrote:
  //          in, temp, out, temp, and the last one leaves the keys in out (9 lines).
  // BEGIN SOLUTION
  const unsigned* from = in;
  for (int shift = 0; shift < 32; shift += kDigitBits) {
    unsigned* const to = from == temp ? out : temp;
    count_kernel<<<blocks, kBlock>>>(counts, from, n, shift, tiles);
    scan_kernel<<<kDigits, kBlock>>>(counts, totals, tiles);
    scatter_kernel<<<blocks, kBlock>>>(to, from, n, shift, counts, totals, tiles);
    from = to;
  }
  // END SOLUTION
  return cudaGetLastError();
}
