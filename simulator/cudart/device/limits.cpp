// Limits of a device: stack, heap, printf buffer, the L2's share for data that is to persist. Stacks, the
// heap and the buffer grow as needed here: a limit is a number that is kept.
#include <algorithm>
#include <map>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/device/limits.h"

using namespace sim::cudart;

namespace sim::cudart {

std::size_t most_persisting(const Device& d) {
  return d.gpu.major < 8 ? 0 : static_cast<std::size_t>(d.gpu.l2_bytes) / 8 * 5;
}

namespace {

/// The share of the L2 is given out in tenths of the most that can be had.
std::size_t persisting_step(const Device& d) { return std::max<std::size_t>(1, most_persisting(d) / 10); }

/// What a limit is before anybody sets it, as on an H200; 0: the device has no such limit.
std::size_t initial(const Device& d, cudaLimit limit) {
  switch (limit) {
    case cudaLimitStackSize:
      return 1024;
    case cudaLimitPrintfFifoSize:
      return static_cast<std::size_t>(d.gpu.sms) * 65536;
    case cudaLimitMallocHeapSize:
      return 8 << 20;
    case cudaLimitDevRuntimePendingLaunchCount:
      return 2048;
    case cudaLimitMaxL2FetchGranularity:
      return d.gpu.major < 8 ? 0 : 64;
    case cudaLimitPersistingL2CacheSize:
      return 3 * persisting_step(d) * (d.gpu.major >= 8);
    default:
      return 0;
  }
}

std::map<std::pair<int, cudaLimit>, std::size_t>& chosen_limits() {
  static auto& all = *new std::map<std::pair<int, cudaLimit>, std::size_t>;
  return all;
}

/// The value that a device takes for one that is asked for. @throws ApiError cudaErrorInvalidValue
std::size_t accepted(const Device& d, cudaLimit limit, std::size_t value) {
  constexpr std::size_t kLeastPrintf = 512 << 10, kMostStack = 512 << 10;
  switch (limit) {
    case cudaLimitStackSize:
      require(value <= kMostStack);
      return (value + 15) / 16 * 16;
    case cudaLimitPrintfFifoSize:
      return std::max(value, kLeastPrintf);
    case cudaLimitMaxL2FetchGranularity:
      require(value <= 128);
      return value;
    case cudaLimitPersistingL2CacheSize: {
      require(value <= most_persisting(d));
      const std::size_t step = persisting_step(d);
      return (value + step - 1) / step * step;
    }
    default:
      return value;
  }
}

void require_known(const Device& d, cudaLimit limit) {
  require(limit >= cudaLimitStackSize && limit <= cudaLimitPersistingL2CacheSize);
  require(initial(d, limit) != 0, cudaErrorUnsupportedLimit);
}

}  // namespace

void forget_limits(const Device& d) {
  std::erase_if(chosen_limits(), [&](const auto& entry) { return entry.first.first == d.ordinal; });
}

}  // namespace sim::cudart

extern "C" {

cudaError_t cudaDeviceGetLimit(std::size_t* value, cudaLimit limit) {
  return api([&](Device& d) {
    require(value);
    require_known(d, limit);
    const auto found = chosen_limits().find({d.ordinal, limit});
    *value = found != chosen_limits().end() ? found->second : initial(d, limit);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetLimit(cudaLimit limit, std::size_t value) {
  return api([&](Device& d) {
    require_known(d, limit);
    chosen_limits()[{d.ordinal, limit}] = accepted(d, limit, value);
    return cudaSuccess;
  });
}

/// Every launch starts with cold caches in the model.
cudaError_t cudaCtxResetPersistingL2Cache() {
  return api([](Device&) { return cudaSuccess; });
}

}  // extern "C"
