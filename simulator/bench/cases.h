// What the benchmark runs: kernels of kernels.cu with their arguments, and the same algorithms as plain C++.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "simulator/engine/launch.h"

namespace sim::bench {

/// One launch; `shape.params` points to `params`.
struct Step {
  std::string kernel;
  exec::Launch shape;
  std::vector<std::byte> params;
};

struct Case {
  std::string name;
  std::string what;             ///< size, for people
  std::vector<Step> steps;      ///< run one after the other
  std::function<void()> plain;  ///< the same algorithm on the host, one thread
};

/// Origin of the buffers that the cases do not write to.
inline constexpr const char* kInput = "bench input";

/// All cases, with their buffers allocated in @p space, which must outlive them.
std::vector<Case> all_cases(memory::AddressSpace& space);

}  // namespace sim::bench
