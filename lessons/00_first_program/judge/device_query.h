// Rung 3: what it says of the device is compared with what the device says, in the same process.
#pragma once

#include <cmath>
#include <string>

#include "first_program.h"
#include "judge/exercise.h"

[[gnu::weak]] cudaError_t query_device(Device&);
[[gnu::weak]] double peak_bandwidth(int, int);

/// @throws ladder::Objection that names the first member that is not as it should be
inline void compare_with_device(const Device& told) {
  const auto attribute = [](cudaDeviceAttr which) {
    int value = 0;
    must(cudaDeviceGetAttribute(&value, which, 0));
    return static_cast<double>(value);
  };
  static cudaDeviceProp properties;
  must(cudaGetDeviceProperties(&properties, 0));
  const double clock = attribute(cudaDevAttrMemoryClockRate),
               bits = attribute(cudaDevAttrGlobalMemoryBusWidth);
  const double held = attribute(cudaDevAttrMaxThreadsPerMultiProcessor);
  const struct {
    const char* name;
    double told, is;
  } members[] = {
      {"multiprocessors", static_cast<double>(told.multiprocessors),
       attribute(cudaDevAttrMultiProcessorCount)},
      {"threads_per_multiprocessor", static_cast<double>(told.threads_per_multiprocessor), held},
      {"threads_per_block", static_cast<double>(told.threads_per_block),
       attribute(cudaDevAttrMaxThreadsPerBlock)},
      {"memory_bytes", static_cast<double>(told.memory_bytes),
       static_cast<double>(properties.totalGlobalMem)},
      {"shared_bytes", static_cast<double>(told.shared_bytes), attribute(cudaDevAttrMaxSharedMemoryPerBlock)},
      {"l2_bytes", static_cast<double>(told.l2_bytes), attribute(cudaDevAttrL2CacheSize)},
      {"memory_clock_khz", static_cast<double>(told.memory_clock_khz), clock},
      {"bus_bits", static_cast<double>(told.bus_bits), bits},
      {"threads", static_cast<double>(told.threads), attribute(cudaDevAttrMultiProcessorCount) * held},
      {"peak_gbs", told.peak_gbs, peak_bandwidth(told.memory_clock_khz, told.bus_bits)},
  };
  for (const auto& member : members)
    if (!(std::abs(member.told - member.is) <= 1e-9 * member.is))
      throw ladder::Objection("query_device() says " + std::string(member.name) + " = " +
                              std::to_string(member.told) + "; the device says " + std::to_string(member.is));
}

class DeviceQuery : public Exercise {
  std::vector<Extents> checked() const override {
    return {{{"cards", 5}}, {{"cards", 1}}, {{"cards", 1000}}};
  }
  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t cards = problem.which()["cards"];
    const auto host = ladder::Buffer::Location::host;
    random.uniform(problem.input<int>("memory_clock_khz", {cards}, host), 405'000, 14'001'000);
    const auto bits = problem.input<int>("bus_bits", {cards}, host);
    random.uniform(bits, 1, 128);
    for (int& width : bits) width *= 64;
    problem.output<double>("peak_gbs", {cards}, host);
  }
  void reference(ladder::Problem& problem) const override {
    const auto clock = problem.read<int>("memory_clock_khz"), bits = problem.read<int>("bus_bits");
    const auto peak = problem.expect("peak_gbs", {.absolute = 0, .relative = 1e-12});
    for (std::size_t i = 0; i < peak.size(); ++i) peak[i] = 2.0 * clock[i] * 1e3 * bits[i] / 8 / 1e9;
  }
  cudaError_t launch(const ladder::Case& which, const ladder::Arguments& arguments) const override {
    const int *clock = arguments.get<int>("memory_clock_khz"), *bits = arguments.get<int>("bus_bits");
    for (std::int64_t i = 0; i < which["cards"]; ++i)
      arguments.get<double>("peak_gbs")[i] = defined(peak_bandwidth, "peak_bandwidth")(clock[i], bits[i]);
    Device device;
    const cudaError_t error = defined(query_device, "query_device")(device);
    if (error == cudaSuccess) compare_with_device(device);
    return error;
  }
};
