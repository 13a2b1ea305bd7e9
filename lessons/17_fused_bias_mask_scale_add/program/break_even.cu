// From how many elements on is the GPU faster than one core of the CPU? Times the contract's function as your
// rung 2 computes it, with its arrays on the GPU and with copies there and back, and as a loop on the CPU.
//   nvcc -arch=native -O3 -I. -o break_even lessons/17_fused_bias_mask_scale_add/program/break_even.cu
//   ./break_even clock
// Without `clock` the GPU is timed by events, which leave out most of what the host's calls take, and only up
// to 262,144 elements. On the simulator these times are the model's, and the host's clock would show the
// simulator.
//   ./ladder sim -I. lessons/17_fused_bias_mask_scale_add/program/break_even.cu
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

#include "../2_fused.cu"
#include "common/cuda_check.h"

namespace {

constexpr int kCols = 64;               // a row, and the least number of elements
constexpr int kMostByClock = 1 << 18;   // rows: 16,777,216 elements
constexpr int kMostByEvents = 1 << 12;  // the simulator is slower than what it imitates
constexpr int kRuns = 15;               // of which the median counts
constexpr float kScale = 1.25f;

/// The five arrays of the contract, on one side.
struct Arrays {
  float *out, *in, *bias, *residual;
  std::uint8_t* mask;
};

/// Allocates for `rows` rows: pinned memory of the host, from which a copy goes without a detour, or the
/// GPU's.
Arrays allocate(int rows, bool on_host) {
  const auto array = [&](auto*& pointer, std::size_t elements) {
    const std::size_t bytes = elements * sizeof *pointer;
    if (on_host)
      CUDA_CHECK(cudaMallocHost(&pointer, bytes));
    else
      CUDA_CHECK(cudaMalloc(&pointer, bytes));
  };
  const std::size_t n = static_cast<std::size_t>(rows) * kCols;
  Arrays a{};
  array(a.out, n);
  array(a.in, n);
  array(a.bias, kCols);
  array(a.residual, n);
  array(a.mask, n);
  return a;
}

void release(const Arrays& a, bool on_host) {
  for (void* pointer : {static_cast<void*>(a.out), static_cast<void*>(a.in), static_cast<void*>(a.bias),
                        static_cast<void*>(a.residual), static_cast<void*>(a.mask)})
    CUDA_CHECK(on_host ? cudaFreeHost(pointer) : cudaFree(pointer));
}

void on_cpu(const Arrays& a, int rows) {
  for (int row = 0; row < rows; ++row)
    for (int col = 0; col < kCols; ++col) {
      const int i = row * kCols + col;
      a.out[i] = (a.in[i] + a.bias[col]) * (a.mask[i] ? kScale : 0.0f) + a.residual[i];
    }
}

void on_gpu(const Arrays& d, int rows) {
  CUDA_CHECK(bias_mask_scale_add(d.out, d.in, d.bias, d.mask, d.residual, kScale, rows, kCols));
}

void copies_and_gpu(const Arrays& h, const Arrays& d, int rows) {
  const std::size_t n = static_cast<std::size_t>(rows) * kCols;
  CUDA_CHECK(cudaMemcpyAsync(d.in, h.in, n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpyAsync(d.bias, h.bias, kCols * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpyAsync(d.residual, h.residual, n * sizeof(float), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpyAsync(d.mask, h.mask, n, cudaMemcpyHostToDevice));
  on_gpu(d, rows);
  CUDA_CHECK(cudaMemcpyAsync(h.out, d.out, n * sizeof(float), cudaMemcpyDeviceToHost));
}

/// The median of some runs, in microseconds: by the host's clock until all is done, or by events.
class Timer {
 public:
  explicit Timer(bool by_clock) : by_clock_(by_clock) {
    for (cudaEvent_t& event : events_) CUDA_CHECK(cudaEventCreate(&event));
  }

  template <class Work>
  double host(Work work) const {
    using Clock = std::chrono::steady_clock;
    return median([&] {
      const auto begin = Clock::now();
      work();
      return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
    });
  }

  template <class Work>
  double gpu(Work work) const {
    if (by_clock_)
      return host([&] {
        work();
        CUDA_CHECK(cudaDeviceSynchronize());
      });
    return median([&] {
      CUDA_CHECK(cudaEventRecord(events_[0]));
      work();
      CUDA_CHECK(cudaEventRecord(events_[1]));
      CUDA_CHECK(cudaEventSynchronize(events_[1]));
      float ms = 0;
      CUDA_CHECK(cudaEventElapsedTime(&ms, events_[0], events_[1]));
      return 1e3 * static_cast<double>(ms);
    });
  }

 private:
  template <class Once>
  double median(Once once) const {
    once();  // the first run pays for loading the kernel and for the caches
    std::vector<double> times(by_clock_ ? kRuns : 3);
    for (double& time : times) time = once();
    std::nth_element(times.begin(), times.begin() + times.size() / 2, times.end());
    return times[times.size() / 2];
  }

  bool by_clock_;
  cudaEvent_t events_[2]{};
};

/// @return whether the GPU's results are the CPU's, but for the rounding of a multiply-add
bool agree(const Arrays& h, const Arrays& d, int rows) {
  on_cpu(h, rows);
  const std::size_t n = static_cast<std::size_t>(rows) * kCols;
  const std::vector<float> expected(h.out, h.out + n);
  copies_and_gpu(h, d, rows);
  CUDA_CHECK(cudaDeviceSynchronize());
  return std::equal(expected.begin(), expected.end(), h.out,
                    [](float a, float b) { return std::fabs(a - b) <= 1e-5f; });
}

}  // namespace

int main(int count, char** arguments) try {
  const bool by_clock = count > 1 && std::strcmp(arguments[1], "clock") == 0;
  const int most = by_clock ? kMostByClock : kMostByEvents;
  const Arrays h = allocate(most, true), d = allocate(most, false);
  for (int i = 0; i < kCols; ++i) h.bias[i] = 0.01f * static_cast<float>(i);
  for (int i = 0; i < most * kCols; ++i) {
    h.in[i] = 1e-3f * static_cast<float>(i % 1999);
    h.residual[i] = 1e-3f * static_cast<float>(i % 997);
    h.mask[i] = i % 10 != 0;
  }
  if (!agree(h, d, kMostByEvents)) std::printf("2_fused.cu is not right yet: what it takes means nothing.\n");
  const Timer timer(by_clock);
  std::printf("microseconds, median; the CPU: one core%s\n",
              by_clock ? "; the GPU: until the host knows that it is done" : "; the GPU: between two events");
  std::printf("%10s  %10s  %10s  %12s\n", "elements", "CPU", "GPU", "with copies");
  int resident = 0, copied = 0;  // elements from which on the GPU is faster at every size tried
  for (int rows = 1; rows <= most; rows *= 2) {
    const double cpu = timer.host([&] { on_cpu(h, rows); });
    const double gpu = timer.gpu([&] { on_gpu(d, rows); });
    const double all = timer.gpu([&] { copies_and_gpu(h, d, rows); });
    std::printf("%10d  %10.2f  %10.2f  %12.2f\n", rows * kCols, cpu, gpu, all);
    if (gpu >= cpu)
      resident = 0;
    else if (resident == 0)
      resident = rows * kCols;
    if (all >= cpu)
      copied = 0;
    else if (copied == 0)
      copied = rows * kCols;
  }
  const auto say = [](const char* what, int elements) {
    if (elements == 0)
      std::printf("%s: the CPU is faster at the largest size tried\n", what);
    else
      std::printf("%s: the GPU is faster from %d elements on\n", what, elements);
  };
  say("arrays on the GPU", resident);
  say("with copies there and back", copied);
  release(h, true);
  release(d, false);
} catch (const std::exception& error) {
  std::fprintf(stderr, "break_even: %s\n", error.what());
  return 1;
}
