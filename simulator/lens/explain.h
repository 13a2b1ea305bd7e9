// The one counter that tells why a kernel is slow.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulator/report/kernel_record.h"

namespace sim::lens {

/// With one decimal where it is no whole number.
std::string number(double value);

/// What stands out in the counters of some launches.
struct Explanation {
  std::string file;
  int line = 0;
  std::string sentence;  ///< "32 sectors per request where 4 would do: neighbouring threads ..., line 18"
};

/// Of all accesses of all launches the one that wastes most of the modelled time; nothing
/// where none wastes much.
std::optional<Explanation> explain(const std::vector<KernelRecord>& kernels);

}  // namespace sim::lens
