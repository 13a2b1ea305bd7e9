#include "simulator/bench/cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

namespace sim::bench {

namespace {

constexpr std::uint32_t kMillion = 1 << 20;
constexpr int kSide = 256;         // of matrices
constexpr int kSorted = 1 << 18;   // elements
constexpr int kRun = 8;            // elements that one thread sorts or merges
constexpr int kTransposed = 1024;  // side

memory::Allocation* floats(memory::AddressSpace& space, const char* origin) {
  memory::Allocation* made = space.allocate(kMillion * sizeof(float), memory::Kind::device, origin);
  auto* values = reinterpret_cast<float*>(made->host);
  for (std::size_t i = 0; i < kMillion; ++i) values[i] = float((i * 2654435761u >> 8) % 1000) / 1000 - 0.5f;
  return made;
}

template <class... T>
Step step(std::string kernel, Index3 grid, Index3 block, T... arguments) {
  Step s;
  s.kernel = std::move(kernel);
  s.shape.grid = grid;
  s.shape.block = block;
  const auto one = [&](auto v) {
    s.params.resize((s.params.size() + sizeof v - 1) / sizeof v * sizeof v + sizeof v);
    std::memcpy(s.params.data() + s.params.size() - sizeof v, &v, sizeof v);
  };
  (one(arguments), ...);
  return s;
}

[[gnu::noinline]] void plain_matmul(float* c, const float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

/// Bottom-up merge sort; the result is in one of the two buffers, as it is for the kernel.
[[gnu::noinline]] void plain_sort(int* a, int* b, const int* in) {
  std::copy(in, in + kSorted, a);
  for (int i = 0; i < kSorted; i += kRun) {
    for (int j = 1; j < kRun; ++j)
      for (int k = j; k > 0 && a[i + k] < a[i + k - 1]; --k) std::swap(a[i + k], a[i + k - 1]);
  }
  for (int run = kRun; run < kSorted; run *= 2, std::swap(a, b)) {
    for (int i = 0; i < kSorted; i += 2 * run)
      std::merge(a + i, a + i + run, a + i + run, a + i + 2 * run, b + i);
  }
}

std::vector<Step> sort_steps(const memory::Allocation& in, memory::Allocation& a, memory::Allocation& b) {
  const Index3 grid{kSorted / kRun / 256, 1, 1}, block{256, 1, 1};
  std::vector<Step> steps = {step("sort_runs", grid, block, a.base, in.base, kSorted)};
  const memory::Allocation *from = &a, *to = &b;
  for (int run = kRun; run < kSorted; run *= 2, std::swap(from, to))
    steps.push_back(step("merge_runs", grid, block, to->base, from->base, run, kSorted));
  return steps;
}

[[gnu::noinline]] void plain_collatz(int* steps, int n) {
  for (int i = 0; i < n; ++i) {
    unsigned long long v = static_cast<unsigned long long>(i) + 1;
    int count = 0;
    for (; v != 1; ++count) v = v % 2 == 0 ? v / 2 : 3 * v + 1;
    steps[i] = count;
  }
}

}  // namespace

std::vector<Case> all_cases(memory::AddressSpace& space) {
  memory::Allocation *ma = floats(space, kInput), *mb = floats(space, kInput),
                     *mc = floats(space, "bench output"), *md = floats(space, "bench output");
  auto *a = reinterpret_cast<float*>(ma->host), *b = reinterpret_cast<float*>(mb->host),
       *c = reinterpret_cast<float*>(mc->host), *d = reinterpret_cast<float*>(md->host);
  const auto pa = ma->base, pb = mb->base, pc = mc->base;
  const auto matmul = [=] { plain_matmul(c, a, b, kSide); };
  const int n = kMillion;
  std::vector<Case> all;
  all.push_back(
      {"matmul_tiled", "256^3", {step("matmul_tiled", {8, 8, 1}, {32, 32, 1}, pc, pa, pb, kSide)}, matmul});
  all.push_back(
      {"matmul_naive", "256^3", {step("matmul_naive", {16, 16, 1}, {16, 16, 1}, pc, pa, pb, kSide)}, matmul});
  all.push_back(
      {"reduction", "1 Mi floats", {step("reduction", {kMillion / 512, 1, 1}, {256, 1, 1}, pc, pa, n)}, [=] {
         float sum = 0;
         for (std::uint32_t i = 0; i < kMillion; ++i) sum += a[i];
         c[0] = sum;
       }});
  all.push_back({"vector_add",
                 "1 Mi floats",
                 {step("vector_add", {kMillion / 256, 1, 1}, {256, 1, 1}, pc, pa, pb, n)},
                 [=] {
                   for (std::uint32_t i = 0; i < kMillion; ++i) c[i] = a[i] + b[i];
                 }});
  all.push_back(
      {"transpose", "1024^2", {step("transpose", {32, 32, 1}, {32, 8, 1}, pc, pa, kTransposed)}, [=] {
         for (int i = 0; i < kTransposed; ++i)
           for (int j = 0; j < kTransposed; ++j) c[j * kTransposed + i] = a[i * kTransposed + j];
       }});
  all.push_back({"histogram", "1 Mi bytes", {step("histogram", {64, 1, 1}, {256, 1, 1}, pc, pa, n)}, [=] {
                   auto* bins = reinterpret_cast<unsigned*>(c);
                   const auto* in = reinterpret_cast<const unsigned char*>(a);
                   for (std::uint32_t i = 0; i < kMillion; ++i) ++bins[in[i]];
                 }});
  all.push_back({"merge_sort", "256 Ki ints", sort_steps(*ma, *mc, *md), [=] {
                   plain_sort(reinterpret_cast<int*>(c), reinterpret_cast<int*>(d),
                              reinterpret_cast<const int*>(a));
                 }});
  all.push_back({"collatz", "64 Ki starts", {step("collatz", {256, 1, 1}, {256, 1, 1}, pc, 1 << 16)}, [=] {
                   plain_collatz(reinterpret_cast<int*>(c), 1 << 16);
                 }});
  all.push_back({"gelu_half2",
                 "1 Mi halves",
                 {step("gelu_half2", {kMillion / 512, 1, 1}, {256, 1, 1}, pc, pa, n / 2)},
                 [=] {
                   for (std::uint32_t i = 0; i < kMillion; ++i) {
                     const float x = a[i];
                     c[i] = 0.5f * x * (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
                   }
                 }});
  all.push_back(
      {"matmul_wmma", "256^3", {step("matmul_wmma", {4, 16, 1}, {128, 1, 1}, pc, pa, pb, kSide)}, matmul});
  return all;
}

}  // namespace sim::bench
