// CUB's radix and merge sort, unique and histogram, against the standard library.
#include <algorithm>
#include <cub/device/device_histogram.cuh>
#include <cub/device/device_merge_sort.cuh>
#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_select.cuh>

#include "cub.h"

struct Greater {
  __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};

extern "C" bool check() {
  const int n = 5'003;
  const std::vector<int> in = cub_input(n);
  std::vector<int> sorted = in;
  std::sort(sorted.begin(), sorted.end());
  int *d_in = to_device(in), *d_out = to_device(in), *d_count = to_device(std::vector<int>(1));

  EXPECT(with_workspace(
      [&](void* w, std::size_t& b) { return cub::DeviceRadixSort::SortKeys(w, b, d_in, d_out, n); }));
  EXPECT(to_host(d_out, n) == sorted);

  EXPECT(with_workspace(
      [&](void* w, std::size_t& b) { return cub::DeviceSelect::Unique(w, b, d_out, d_in, d_count, n); }));
  const std::vector<int> unique(sorted.begin(), std::unique(sorted.begin(), sorted.end()));
  EXPECT(to_host(d_count, 1)[0] == static_cast<int>(unique.size()));
  EXPECT(to_host(d_in, unique.size()) == unique);

  d_in = to_device(in);
  EXPECT(with_workspace(
      [&](void* w, std::size_t& b) { return cub::DeviceMergeSort::SortKeys(w, b, d_in, n, Greater{}); }));
  std::vector<int> falling = in;
  std::sort(falling.begin(), falling.end(), Greater{});
  EXPECT(to_host(d_in, n) == falling);

  const int bins = 16;
  EXPECT(with_workspace([&](void* w, std::size_t& b) {
    return cub::DeviceHistogram::HistogramEven(w, b, d_in, d_out, bins + 1, -100, 156, n);
  }));
  std::vector<int> histogram(bins);
  for (const int value : in) ++histogram[static_cast<std::size_t>((value + 100) / 16)];
  EXPECT(to_host(d_out, bins) == histogram);
  return true;
}
