// CUB inside kernels: block and warp primitives.
#include <cub/block/block_adjacent_difference.cuh>
#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_run_length_decode.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_shuffle.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_exchange.cuh>
#include <cub/warp/warp_load.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>
#include <cuda/std/functional>

#include <algorithm>
#include <numeric>

#include "program.h"

constexpr int kBlock = 64, kItems = 4, kAll = kBlock * kItems;

struct Less {
  template <class T>
  __device__ bool operator()(const T& a, const T& b) const {
    return a < b;
  }
};

struct Minus {
  __device__ int operator()(int a, int b) const { return a - b; }
};

__global__ void sorts(int* radix, int* merged, int* warp_sorted, const int* in) {
  using Load = cub::BlockLoad<int, kBlock, kItems, cub::BLOCK_LOAD_TRANSPOSE>;
  using Radix = cub::BlockRadixSort<int, kBlock, kItems>;
  using Merge = cub::BlockMergeSort<int, kBlock, kItems>;
  using Store = cub::BlockStore<int, kBlock, kItems, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  using Warp = cub::WarpMergeSort<int, kItems, 32>;
  __shared__ union {
    Load::TempStorage load;
    Radix::TempStorage radix;
    Merge::TempStorage merge;
    Store::TempStorage store;
    Warp::TempStorage warp[2];
  } temp;
  int mine[kItems], kept[kItems];
  Load(temp.load).Load(in, mine);
  for (int k = 0; k < kItems; ++k) kept[k] = mine[k];
  __syncthreads();
  Radix(temp.radix).Sort(mine);
  __syncthreads();
  Store(temp.store).Store(radix, mine);
  __syncthreads();
  for (int k = 0; k < kItems; ++k) mine[k] = kept[k];
  Merge(temp.merge).Sort(mine, Less());
  __syncthreads();
  Store(temp.store).Store(merged, mine);
  __syncthreads();
  Warp(temp.warp[threadIdx.x / 32]).Sort(kept, Less());
  __syncthreads();
  Store(temp.store).Store(warp_sorted, kept);
}

__global__ void collectives(int* out, unsigned* histogram, const int* in) {
  using Reduce = cub::BlockReduce<int, kBlock, cub::BLOCK_REDUCE_RAKING>;
  using Scan = cub::BlockScan<int, kBlock, cub::BLOCK_SCAN_WARP_SCANS>;
  using Flags = cub::BlockDiscontinuity<int, kBlock>;
  using Difference = cub::BlockAdjacentDifference<int, kBlock>;
  using Histogram = cub::BlockHistogram<unsigned char, kBlock, kItems, 16, cub::BLOCK_HISTO_ATOMIC>;
  using Shuffle = cub::BlockShuffle<int, kBlock>;
  using Exchange = cub::BlockExchange<int, kBlock, kItems>;
  using WarpReduce = cub::WarpReduce<int, 16>;
  using WarpScan = cub::WarpScan<int>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
    Flags::TempStorage flags;
    Difference::TempStorage difference;
    Histogram::TempStorage histogram;
    Shuffle::TempStorage shuffle;
    Exchange::TempStorage exchange;
    WarpReduce::TempStorage warp_reduce[kBlock / 16];
    WarpScan::TempStorage warp_scan[2];
  } temp;
  const int t = threadIdx.x;
  int items[kItems];
  for (int k = 0; k < kItems; ++k) items[k] = in[t * kItems + k];
  const int sum = Reduce(temp.reduce).Sum(items);
  __syncthreads();
  if (t == 0) out[0] = sum;
  int scanned[kItems], total = 0;
  Scan(temp.scan).ExclusiveSum(items, scanned, total);
  __syncthreads();
  out[64 + t] = scanned[kItems - 1] + total;
  int heads[kItems], differences[kItems];
  int quarters[kItems];
  for (int k = 0; k < kItems; ++k) quarters[k] = (t * kItems + k) / 10;
  Flags(temp.flags).FlagHeads(heads, quarters, cuda::std::not_equal_to<>());
  __syncthreads();
  out[128 + t] = heads[0] + heads[1] + heads[2] + heads[3];
  Difference(temp.difference).SubtractLeft(items, differences, Minus());
  __syncthreads();
  out[192 + t] = differences[0];
  __shared__ unsigned bins[16];
  unsigned char small[kItems];
  for (int k = 0; k < kItems; ++k) small[k] = items[k] & 15;
  Histogram(temp.histogram).Histogram(small, bins);
  __syncthreads();
  if (t < 16) histogram[t] = bins[t];
  int up = 0;
  Shuffle(temp.shuffle).Offset(t, up, 1);
  __syncthreads();
  out[256 + t] = t == kBlock - 1 ? 0 : up;
  Exchange(temp.exchange).BlockedToStriped(items, items);
  __syncthreads();
  out[320 + t] = items[1];
  const int sixteen = WarpReduce(temp.warp_reduce[t / 16]).Sum(t);
  __syncthreads();
  if (t % 16 == 0) out[1 + t / 16] = sixteen;
  int inclusive = 0;
  WarpScan(temp.warp_scan[t / 32]).InclusiveSum(1, inclusive);
  out[384 + t] = inclusive;
}

extern "C" bool check() {
  std::vector<int> in(kAll);
  for (int i = 0; i < kAll; ++i) in[i] = int(i * 2654435761u >> 20) - 2000;
  int *d_in = to_device(in), *d_out = to_device(std::vector<int>(3 * kAll));
  unsigned* d_bins = to_device(std::vector<unsigned>(16));
  sorts<<<1, kBlock>>>(d_out, d_out + kAll, d_out + 2 * kAll, d_in);
  CUDA_OK(cudaDeviceSynchronize());
  std::vector<int> out = to_host(d_out, 3 * kAll), sorted = in, halves = in;
  std::sort(sorted.begin(), sorted.end());
  std::sort(halves.begin(), halves.begin() + 128);
  std::sort(halves.begin() + 128, halves.end());
  for (int i = 0; i < kAll; ++i)
    EXPECT(out[i] == sorted[i] && out[kAll + i] == sorted[i] && out[2 * kAll + i] == halves[i]);
  collectives<<<1, kBlock>>>(d_out, d_bins, d_in);
  CUDA_OK(cudaDeviceSynchronize());
  out = to_host(d_out, 448);
  const std::vector<unsigned> bins = to_host(d_bins, 16);
  const int total = std::accumulate(in.begin(), in.end(), 0);
  EXPECT(out[0] == total);
  std::vector<unsigned> expected(16);
  for (int v : in) ++expected[v & 15];
  for (int b = 0; b < 16; ++b) EXPECT(bins[b] == expected[b]);
  int before = 0;
  for (int t = 0; t < kBlock; ++t) {
    EXPECT(out[64 + t] == before + in[4 * t] + in[4 * t + 1] + in[4 * t + 2] + total);
    for (int k = 0; k < 4; ++k) before += in[4 * t + k];
    int heads = 0;
    for (int k = 0; k < 4; ++k) heads += (4 * t + k) % 10 == 0;
    EXPECT(out[128 + t] == heads);
    EXPECT(out[192 + t] == (t == 0 ? in[0] : in[4 * t] - in[4 * t - 1]));
    EXPECT(out[256 + t] == (t == kBlock - 1 ? 0 : t + 1));
    EXPECT(out[320 + t] == in[kBlock + t]);
    EXPECT(out[384 + t] == t % 32 + 1);
    if (t < 4) EXPECT(out[1 + t] == 16 * 16 * t + 120);
  }
  for (void* p : {(void*)d_in, (void*)d_out, (void*)d_bins}) CUDA_OK(cudaFree(p));
  return true;
}
