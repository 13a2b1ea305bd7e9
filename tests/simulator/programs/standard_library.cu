// cuda::std: containers, algorithms and vocabulary types in device code.
#include <cuda/cmath>
#include <cuda/functional>
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/bitset>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/complex>
#include <cuda/std/expected>
#include <cuda/std/functional>
#include <cuda/std/inplace_vector>
#include <cuda/std/limits>
#include <cuda/std/mdspan>
#include <cuda/std/numeric>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/variant>

#include <algorithm>
#include <numeric>

#include "program.h"

namespace cs = cuda::std;

__device__ cs::optional<int> halved(int v) { return v % 2 == 0 ? cs::optional<int>(v / 2) : cs::nullopt; }
__device__ cs::expected<int, char> checked(int v) {
  if (v < 0) return cs::unexpected('n');
  return v;
}

__global__ void everything(int* out, const int* in, int n) {
  cs::span<const int> values(in, n);
  cs::array<int, 8> a{};
  for (int i = 0; i < 8; ++i) a[i] = values[(threadIdx.x + i * 3) % n];
  for (int i = 1; i < 8; ++i)
    for (int j = i; j > 0 && a[j] < a[j - 1]; --j) cs::swap(a[j], a[j - 1]);
  int k = threadIdx.x;
  const auto put = [&](int v) {
    out[k] = v;
    k += 32;
  };
  put(a[0]);
  put(cs::accumulate(a.begin(), a.end(), 0));
  put(halved(a[3]).value_or(-1));
  put(checked(threadIdx.x % 2 ? -1 : 5).has_value());
  const cs::tuple<int, double> t{a[1], 0.5};
  put(int(cs::get<0>(t) * cs::get<1>(t) * 2));
  cs::variant<int, float> v = a[2];
  if (threadIdx.x % 2) v = 0.5f;
  put(cs::visit([](auto x) { return int(x * 2); }, v));
  const cs::complex<float> z(3, 4);
  put(int(cs::abs(z * z)));
  put(cs::popcount(unsigned(a[4])) + cs::countl_zero(1u) + int(cs::bit_ceil(5u)));
  cs::mdspan<const int, cs::extents<int, 4, 8>> grid(in);
  put(grid(threadIdx.x / 8, threadIdx.x % 8));
  cs::bitset<40> bits;
  bits.set(threadIdx.x).set(39);
  put(int(bits.count()));
  put(int(cs::chrono::duration_cast<cs::chrono::milliseconds>(cs::chrono::seconds(3)).count()));
  put(cs::numeric_limits<short>::max());
  cs::inplace_vector<int, 4> few;
  few.push_back(a[5]);
  put(few.back() + int(few.size()));
  put(cs::max(a[6], cs::min(a[7], 3)));
  put(cuda::ceil_div(int(threadIdx.x) + 1, 8));
  put(int(cs::sqrt(16.0) + cs::fma(2.f, 3.f, 4.f) + cs::hypot(3.f, 4.f)));
}

extern "C" bool check() {
  std::vector<int> in(32);
  for (int i = 0; i < 32; ++i) in[i] = i * 13 % 32;
  int *d_in = to_device(in), *d_out = to_device(std::vector<int>(512));
  everything<<<1, 32>>>(d_out, d_in, 32);
  CUDA_OK(cudaDeviceSynchronize());
  const std::vector<int> out = to_host(d_out, 512);
  for (int i = 0; i < 32; ++i) {
    std::vector<int> a;
    for (int j = 0; j < 8; ++j) a.push_back(in[(i + 3 * j) % 32]);
    std::sort(a.begin(), a.end());
    const int sum = std::accumulate(a.begin(), a.end(), 0);
    const int expected[16] = {a[0],
                              sum,
                              a[3] % 2 ? -1 : a[3] / 2,
                              i % 2 == 0,
                              a[1],
                              i % 2 ? 1 : 2 * a[2],
                              25,
                              __builtin_popcount(a[4]) + 31 + 8,
                              in[i],
                              2,
                              3000,
                              32767,
                              a[5] + 1,
                              std::max(a[6], std::min(a[7], 3)),
                              i / 8 + 1,
                              19};
    for (int k = 0; k < 16; ++k) EXPECT(out[32 * k + i] == expected[k]);
  }
  CUDA_OK(cudaFree(d_in));
  CUDA_OK(cudaFree(d_out));
  return true;
}
