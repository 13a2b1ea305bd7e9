// Speed of the interpreter on a handful of kernels: lane-instructions per second and core, the time against
// plain C++ of the same algorithm, and two host threads against one. Usage: sim_bench kernels.ptx [name ...]
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "simulator/exec/launch.h"

namespace {

using namespace sim;

double seconds(const std::function<void()>& work) {
  const auto from = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

/// The least time of a few runs: what the machine does when nothing else disturbs it.
double best_of(int runs, const std::function<void()>& work) {
  double best = seconds(work);
  for (int i = 1; i < runs; ++i) best = std::min(best, seconds(work));
  return best;
}

struct Case {
  std::string name;
  exec::Launch shape;
  std::vector<std::byte> params;
  std::function<void()> plain;  ///< the same algorithm on the host, one thread
};

class Bench {
 public:
  explicit Bench(const char* ptx_file) : module_(load(ptx_file), space_) {
    a_ = floats(1 << 20);
    b_ = floats(1 << 20);
    c_ = floats(1 << 20);
  }

  void run(const Case& c) {
    const auto& kernel = module_.kernel(c.name);
    exec::Launch launch = c.shape;
    launch.params = c.params;
    Counters counters;
    const auto once = [&](int threads) {
      launch.host_threads = threads;
      return best_of(5, [&] { counters = exec::launch(kernel, launch, space_).counters; });
    };
    const double one = once(1), two = once(2), plain = c.plain ? best_of(3, c.plain) : 0;
    fmt::print("{:14} {:9.3f} ms {:9.3g} lane-instr/s/core", c.name, one * 1e3,
               double(counters.thread_inst_executed) / one);
    if (plain > 0) fmt::print(" {:7.1f} x plain C++", one / plain);
    fmt::print(" {:6.2f} x with 2 threads\n", one / two);
  }

  std::vector<Case> cases();

 private:
  static ptx::Module load(const char* file) {
    std::ifstream in(file);
    return ptx::parse(std::string(std::istreambuf_iterator<char>(in), {}));
  }
  memory::Allocation* floats(std::size_t n) {
    memory::Allocation* made = space_.allocate(n * sizeof(float), memory::Kind::device, "bench");
    auto* values = reinterpret_cast<float*>(made->host);
    for (std::size_t i = 0; i < n; ++i) values[i] = float((i * 2654435761u >> 8) % 1000) / 1000 - 0.5f;
    return made;
  }
  template <class... T>
  static std::vector<std::byte> pack(T... values) {
    std::vector<std::byte> bytes;
    const auto one = [&](auto v) {
      bytes.resize((bytes.size() + sizeof v - 1) / sizeof v * sizeof v + sizeof v);
      std::memcpy(bytes.data() + bytes.size() - sizeof v, &v, sizeof v);
    };
    (one(values), ...);
    return bytes;
  }
  template <class T>
  static T* host(memory::Allocation* a) {
    return reinterpret_cast<T*>(a->host);
  }

  memory::AddressSpace space_;
  exec::LoadedModule module_;
  memory::Allocation *a_, *b_, *c_;
};

[[gnu::noinline]] void plain_matmul(float* c, const float* a, const float* b, int n) {
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) c[i * n + j] = 0;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j) c[i * n + j] += a[i * n + k] * b[k * n + j];
  }
}

std::vector<Case> Bench::cases() {
  constexpr std::uint32_t kMillion = 1 << 20;
  constexpr int kSide = 256;
  const auto shape = [](std::uint32_t gx, std::uint32_t gy, std::uint32_t bx, std::uint32_t by) {
    exec::Launch l;
    l.grid = {gx, gy, 1};
    l.block = {bx, by, 1};
    return l;
  };
  float *a = host<float>(a_), *b = host<float>(b_), *c = host<float>(c_);
  const auto matmul = [=] { plain_matmul(c, a, b, kSide); };
  std::vector<Case> all;
  all.push_back({"matmul_tiled", shape(8, 8, 32, 32), pack(c_->base, a_->base, b_->base, kSide), matmul});
  all.push_back({"matmul_naive", shape(16, 16, 16, 16), pack(c_->base, a_->base, b_->base, kSide), matmul});
  all.push_back({"reduction", shape(kMillion / 512, 1, 256, 1), pack(c_->base, a_->base, int(kMillion)), [=] {
                   float sum = 0;
                   for (std::uint32_t i = 0; i < kMillion; ++i) sum += a[i];
                   c[0] = sum;
                 }});
  all.push_back({"vector_add", shape(kMillion / 256, 1, 256, 1),
                 pack(c_->base, a_->base, b_->base, int(kMillion)), [=] {
                   for (std::uint32_t i = 0; i < kMillion; ++i) c[i] = a[i] + b[i];
                 }});
  all.push_back({"transpose", shape(32, 32, 32, 8), pack(c_->base, a_->base, 1024), [=] {
                   for (int i = 0; i < 1024; ++i)
                     for (int j = 0; j < 1024; ++j) c[j * 1024 + i] = a[i * 1024 + j];
                 }});
  all.push_back({"histogram", shape(64, 1, 256, 1), pack(c_->base, a_->base, int(kMillion)), [=] {
                   auto* bins = reinterpret_cast<unsigned*>(c);
                   const auto* in = reinterpret_cast<const unsigned char*>(a);
                   for (std::uint32_t i = 0; i < kMillion; ++i) ++bins[in[i]];
                 }});
  all.push_back({"merge_runs", shape(128, 1, 256, 1), pack(c_->base, a_->base, 1024, 1 << 18), [=] {
                   const auto* in = reinterpret_cast<const int*>(a);
                   for (int i = 0; i < 1 << 18; i += 2048)
                     std::merge(in + i, in + i + 1024, in + i + 1024, in + i + 2048,
                                reinterpret_cast<int*>(c) + i);
                 }});
  all.push_back({"collatz", shape(256, 1, 256, 1), pack(c_->base, 1 << 16), [=] {
                   for (int i = 0; i < 1 << 16; ++i) {
                     unsigned long long v = static_cast<unsigned long long>(i) + 1;
                     int steps = 0;
                     for (; v != 1; ++steps) v = v % 2 == 0 ? v / 2 : 3 * v + 1;
                     reinterpret_cast<int*>(c)[i] = steps;
                   }
                 }});
  all.push_back(
      {"gelu_half2", shape(kMillion / 512, 1, 256, 1), pack(c_->base, a_->base, int(kMillion / 2)), [=] {
         for (std::uint32_t i = 0; i < kMillion; ++i) {
           const float x = a[i];
           c[i] = 0.5f * x * (1 + std::tanh(0.79788456f * (x + 0.044715f * x * x * x)));
         }
       }});
  all.push_back({"matmul_wmma", shape(4, 16, 128, 1), pack(c_->base, a_->base, b_->base, kSide), matmul});
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: sim_bench kernels.ptx [name ...]\n");
    return 2;
  }
  try {
    Bench bench(argv[1]);
    for (const Case& c : bench.cases()) {
      const bool wanted =
          argc == 2 || std::any_of(argv + 2, argv + argc, [&](const char* n) { return c.name == n; });
      if (wanted) bench.run(c);
    }
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
