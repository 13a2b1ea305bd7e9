// Thrust: transform, reduce, sort by key, unique.
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/reduce.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

#include <algorithm>
#include <numeric>

#include "cub.h"

struct Affine {
  __host__ __device__ int operator()(int x, int y) const { return 3 * x + y; }
};

extern "C" bool check() {
  const int n = 3'001;
  const std::vector<int> in = cub_input(n);
  const thrust::device_vector<int> x(in.begin(), in.end());
  thrust::device_vector<int> y(n), keys = x;
  thrust::transform(x.begin(), x.end(), x.rbegin(), y.begin(), Affine{});
  std::vector<int> expected(n);
  std::transform(in.begin(), in.end(), in.rbegin(), expected.begin(), Affine{});
  EXPECT(
      std::equal(expected.begin(), expected.end(), to_host(thrust::raw_pointer_cast(y.data()), n).begin()));
  EXPECT(thrust::reduce(y.begin(), y.end()) == std::accumulate(expected.begin(), expected.end(), 0));

  thrust::stable_sort_by_key(keys.begin(), keys.end(), y.begin());
  std::vector<int> order(n), sorted = in;
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return in[a] < in[b]; });
  std::sort(sorted.begin(), sorted.end());
  const std::vector<int> values = to_host(thrust::raw_pointer_cast(y.data()), n);
  for (int i = 0; i < n; ++i) EXPECT(values[i] == expected[order[i]]);

  const auto end = thrust::unique(keys.begin(), keys.end());
  EXPECT(end - keys.begin() == std::unique(sorted.begin(), sorted.end()) - sorted.begin());
  return true;
}
