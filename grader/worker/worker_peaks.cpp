#include "grader/worker/worker_peaks.h"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "grader/worker/device/device.h"
#include "grader/worker/worker_memory.h"

namespace ladder {
namespace {

using LaunchMix = cudaError_t (*)(int mix, int loads, int threads, void* out, const void* a, const void* b,
                                  long long bytes);

using LaunchCompute = cudaError_t (*)(int unit, int blocks, int steps, void* out, double* flops);

using LaunchWarpgroup = cudaError_t (*)(int blocks, int steps, void* out, double* flops);

constexpr const char* kUnits[] = {"fp32", "fp64", "tensor"};
constexpr const char* kMixes[] = {"read", "two_to_one", "copy", "write"};
constexpr int kArrays[] = {1, 3, 2, 1};  // arrays that each mix moves
constexpr int kRepeats = 15;

/// Device memory for as long as it is needed.
struct DeviceBytes {
  void* data = nullptr;
  explicit DeviceBytes(std::size_t bytes) {
    require(cudaMalloc(&data, bytes), "cudaMalloc");
    const cudaError_t error = cudaMemset(data, 0, bytes);
    if (error != cudaSuccess) {
      (void)cudaFree(data);
      require(error, "cudaMemset");
    }
  }
  ~DeviceBytes() { (void)cudaFree(data); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
};

struct PinnedBytes {
  void* data = nullptr;
  explicit PinnedBytes(std::size_t bytes) { require(cudaMallocHost(&data, bytes), "cudaMallocHost"); }
  ~PinnedBytes() { (void)cudaFreeHost(data); }
  PinnedBytes(const PinnedBytes&) = delete;
  PinnedBytes& operator=(const PinnedBytes&) = delete;
};

/// The middle of kRepeats times of @p launch by events, ms, after two that do not count.
template <class Launch>
double median_event_ms(Launch launch) {
  cudaEvent_t start{};
  cudaEvent_t stop{};
  require(cudaEventCreate(&start), "cudaEventCreate");
  require(cudaEventCreate(&stop), "cudaEventCreate");
  std::vector<float> times;
  for (int i = -2; i < kRepeats; ++i) {
    require(cudaEventRecord(start, nullptr), "cudaEventRecord");
    require(launch(), "launching a peak kernel");
    require(cudaEventRecord(stop, nullptr), "cudaEventRecord");
    require(cudaEventSynchronize(stop), "running a peak kernel");
    float ms = 0;
    require(cudaEventElapsedTime(&ms, start, stop), "cudaEventElapsedTime");
    if (i >= 0) times.push_back(ms);
  }
  (void)cudaEventDestroy(start);
  (void)cudaEventDestroy(stop);
  std::nth_element(times.begin(), times.begin() + kRepeats / 2, times.end());
  return static_cast<double>(times[kRepeats / 2]);
}

/// A function of the module. @throws std::runtime_error
template <class Function>
Function function_of(const std::string& module, const char* name) {
  void* handle = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw std::runtime_error(dlerror());
  const auto function = reinterpret_cast<Function>(dlsym(handle, name));
  if (function == nullptr) throw std::runtime_error(std::string("the peaks module has no ") + name + "()");
  return function;
}

/// Operations a second of each unit, with as many threads as all multiprocessors hold.
void measure_compute(const std::string& module, nlohmann::json& into) {
  const auto launch = function_of<LaunchCompute>(module, "ladder_peak_compute");
  const DeviceBytes out(sizeof(double));
  int multiprocessors = 0;
  require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
          "cudaDeviceGetAttribute");
  for (int unit = 0; unit < 3; ++unit) {
    double flops = 0;
    // Long against a launch; double precision may be 64 times as slow as single.
    const int steps = unit == 1 ? 1024 : 8192;
    const double ms =
        median_event_ms([&] { return launch(unit, 8 * multiprocessors, steps, out.data, &flops); });
    into[kUnits[unit]] = flops / ms / 1e6;
  }
}

/// What wgmma does, by a module of its own beside the other, where the device has it.
void measure_warpgroup(const std::string& module, nlohmann::json& into) {
  int major = 0, minor = 0, multiprocessors = 0;
  require(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0), "cudaDeviceGetAttribute");
  require(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0), "cudaDeviceGetAttribute");
  const auto beside = std::filesystem::path(module).replace_filename("peaks_warpgroup.so");
  if (major != 9 || minor != 0 || !std::filesystem::exists(beside)) return;
  const auto launch = function_of<LaunchWarpgroup>(beside, "ladder_peak_warpgroup");
  const DeviceBytes out(sizeof(float));
  require(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
          "cudaDeviceGetAttribute");
  double flops = 0;
  const double ms = median_event_ms([&] { return launch(multiprocessors, 4096, out.data, &flops); });
  into["warpgroup"] = flops / ms / 1e6;
}

void measure_mixes(const std::string& module, nlohmann::json& into) {
  const auto launch = function_of<LaunchMix>(module, "ladder_peak_launch");
  std::size_t free = 0;
  std::size_t total = 0;
  require(cudaMemGetInfo(&free, &total), "cudaMemGetInfo");
  // Many times any cache, so that lines left from the run before hardly matter, yet gentle to small cards.
  const std::size_t bytes = std::min(std::size_t{1} << 30, free / 8 / 4096 * 4096);
  const DeviceBytes out(bytes);
  const DeviceBytes a(bytes);
  const DeviceBytes b(bytes);
  for (int mix = 0; mix < 4; ++mix) {
    double best_ms = std::numeric_limits<double>::infinity();
    // Which shape is fastest differs from mix to mix: an H200
    // copies best with small blocks and one load a thread.
    for (const int threads : {128, 512})
      for (const int loads : {1, 2, 4, 8})
        best_ms = std::min(best_ms, median_event_ms([&] {
                             return launch(mix, loads, threads, out.data, a.data, b.data,
                                           static_cast<long long>(bytes));
                           }));
    into[kMixes[mix]] = static_cast<double>(bytes) * kArrays[mix] / best_ms / 1e6;
  }
}

void measure_link(nlohmann::json& into) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  const PinnedBytes host(kBytes);
  const DeviceBytes there(kBytes);
  const auto gigabytes_per_s = [&](void* to, const void* from, cudaMemcpyKind kind) {
    double best_ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < (device().modelled() ? 1 : 5); ++i) {
      const double begin = device().host_clock_ns();
      require(cudaMemcpy(to, from, kBytes, kind), "copying over the link");
      best_ns = std::min(best_ns, device().host_clock_ns() - begin);
    }
    return best_ns > 0 ? static_cast<double>(kBytes) / best_ns : 0.0;
  };
  into["to_device"] = gigabytes_per_s(there.data, host.data, cudaMemcpyHostToDevice);
  into["from_device"] = gigabytes_per_s(host.data, there.data, cudaMemcpyDeviceToHost);
}

}  // namespace

nlohmann::json measure_peaks(const std::string& module) {
  nlohmann::json found = nlohmann::json::object();
  measure_link(found);
  if (!module.empty()) {
    measure_mixes(module, found);
    measure_compute(module, found);
    measure_warpgroup(module, found);
  }
  return found;
}

}  // namespace ladder
