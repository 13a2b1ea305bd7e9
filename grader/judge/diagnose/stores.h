// How often a kernel stores: several times as many elements as there are to store is work done again.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "grader/lesson/lesson.h"
#include "simulator/report/kernel_record.h"

namespace ladder::diagnose {

/// A line that stores to global memory more often than the outputs have elements.
struct StoredAgain {
  std::string file;
  int line = 0;
  std::int64_t stores = 0;    ///< of single lanes
  std::int64_t elements = 0;  ///< of all outputs on the device
  std::int64_t times() const { return elements > 0 ? stores / elements : 0; }
};

/// The line that stores most often, when that is at least @p least times for each element of the outputs.
/// None where no output is on the device.
std::optional<StoredAgain> stored_again(std::span<const sim::KernelRecord> kernels,
                                        std::span<const Buffer> buffers, std::int64_t least = 2);

}  // namespace ladder::diagnose
