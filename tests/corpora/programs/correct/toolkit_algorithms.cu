// The toolkit's own algorithms, between kernels and within them.
#include <thrust/device_vector.h>
#include <thrust/scan.h>
#include <thrust/set_operations.h>
#include <thrust/sort.h>
#include <thrust/unique.h>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/device/device_reduce.cuh>

#include <algorithm>
#include <iterator>
#include <vector>

#include "../case.h"

__global__ void keys(int* key, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) key[i] = i * 37 % 101;
}

__global__ void steps(int* out, const int* key, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = i == 0 || key[i] != key[i - 1];
}

CASE(sorted_and_scanned_between_kernels) {
  constexpr int kN = 500;
  thrust::device_vector<int> key(kN), step(kN);
  keys<<<4, 128>>>(thrust::raw_pointer_cast(key.data()), kN);
  thrust::sort(key.begin(), key.end());
  steps<<<4, 128>>>(thrust::raw_pointer_cast(step.data()), thrust::raw_pointer_cast(key.data()), kN);
  thrust::inclusive_scan(step.begin(), step.end(), step.begin());
  finish();
  CHECK_THAT(step[kN - 1] == 101);
}

CASE(reduced_between_kernels) {
  constexpr int kN = 500;
  Buffer<int> key(kN), out(1);
  keys<<<4, 128>>>(key, kN);
  void* scratch = nullptr;
  std::size_t bytes = 0;
  cub::DeviceReduce::Max(scratch, bytes, static_cast<int*>(key), static_cast<int*>(out), kN);
  cudaMalloc(&scratch, bytes);
  cub::DeviceReduce::Max(scratch, bytes, static_cast<int*>(key), static_cast<int*>(out), kN);
  finish();
  CHECK_THAT(out.host()[0] == 100);
  cudaFree(scratch);
}

// In place: a block writes where another one has read, ordered by what it works out from the other's value.
CASE(duplicates_removed_in_place) {
  std::vector<int> values(5000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i / 3);
  thrust::device_vector<int> v(values.begin(), values.end());
  const auto end = thrust::unique(v.begin(), v.end());
  finish();
  CHECK_THAT(end - v.begin() == 1667 && v[1666] == 1666);
}

struct Before {
  __host__ __device__ bool operator()(short a, short b) const { return a < b; }
};

// Reads one element beyond what a block has stored, and leaves it out: no mistake of the caller's.
CASE(what_two_sets_have_in_common) {
  const auto drawn = [](std::size_t count, unsigned range, unsigned seed) {
    std::vector<short> values(count);
    for (std::size_t i = 0; i < count; ++i) {
      unsigned x = static_cast<unsigned>(i) * 2654435761u + seed;
      x = (x ^ x >> 16) * 0x7feb352du;
      x = (x ^ x >> 15) * 0x846ca68bu;
      values[i] = static_cast<short>(static_cast<int>((x ^ x >> 16) % range) - static_cast<int>(range / 2));
    }
    std::sort(values.begin(), values.end());
    return values;
  };
  const std::vector<short> a = drawn(70001, 30000, 1), b = drawn(35003, 100, 4);
  std::vector<short> common;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(common));
  thrust::device_vector<short> x(a.begin(), a.end()), y(b.begin(), b.end()), out(b.size());
  const auto end = thrust::set_intersection(x.begin(), x.end(), y.begin(), y.end(), out.begin(), Before());
  finish();
  CHECK_THAT(end - out.begin() == static_cast<std::ptrdiff_t>(common.size()));
}

// One piece of scratch memory for two algorithms, with a barrier between them.
__global__ void places(int* out, int* total, const int* in) {
  using Scan = cub::BlockScan<int, 96>;
  using Reduce = cub::BlockReduce<int, 96>;
  __shared__ union {
    typename Scan::TempStorage scan;
    typename Reduce::TempStorage reduce;
  } temp;
  const int v = in[threadIdx.x] % 3 == 0;
  int place;
  Scan(temp.scan).ExclusiveSum(v, place);
  __syncthreads();
  const int sum = Reduce(temp.reduce).Sum(v);
  if (v != 0) out[place] = in[threadIdx.x];
  if (threadIdx.x == 0) *total = sum;
}
CASE(scratch_shared_by_two_algorithms) {
  Buffer<int> out(96), total(1), in(96, 0, 1);
  places<<<1, 96>>>(out, total, in);
  finish();
  CHECK_THAT(total.host()[0] == 32 && out.host()[31] == 93);
}
