// CUB's device-wide reductions, scans and selections, compiled from the toolkit's headers, against the
// standard library.
#include <algorithm>
#include <cub/device/device_reduce.cuh>
#include <cub/device/device_scan.cuh>
#include <cub/device/device_select.cuh>
#include <iterator>
#include <numeric>

#include "cub.h"

struct Positive {
  __host__ __device__ bool operator()(int value) const { return value > 0; }
};

extern "C" bool check() {
  const int n = 10'007;  // a prime: the last tile is ragged
  const std::vector<int> in = cub_input(n);
  int *d_in = to_device(in), *d_out = to_device(in), *d_count = to_device(std::vector<int>(1));

  EXPECT(
      with_workspace([&](void* w, std::size_t& b) { return cub::DeviceReduce::Sum(w, b, d_in, d_out, n); }));
  EXPECT(to_host(d_out, 1)[0] == std::accumulate(in.begin(), in.end(), 0));
  EXPECT(
      with_workspace([&](void* w, std::size_t& b) { return cub::DeviceReduce::Max(w, b, d_in, d_out, n); }));
  EXPECT(to_host(d_out, 1)[0] == *std::max_element(in.begin(), in.end()));

  EXPECT(with_workspace(
      [&](void* w, std::size_t& b) { return cub::DeviceScan::InclusiveSum(w, b, d_in, d_out, n); }));
  std::vector<int> sums(n);
  std::partial_sum(in.begin(), in.end(), sums.begin());
  EXPECT(to_host(d_out, n) == sums);

  EXPECT(with_workspace([&](void* w, std::size_t& b) {
    return cub::DeviceSelect::If(w, b, d_in, d_out, d_count, n, Positive{});
  }));
  std::vector<int> positive;
  std::copy_if(in.begin(), in.end(), std::back_inserter(positive), Positive{});
  const int count = to_host(d_count, 1)[0];
  EXPECT(count == static_cast<int>(positive.size()));
  EXPECT(to_host(d_out, positive.size()) == positive);
  return true;
}
