// The parameters of kernels: values, where the program gives pointers to them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace sim::remote {

/// Where a parameter stands among the bytes of all.
struct Parameter {
  std::uint64_t offset, bytes;
};

/// Those of a kernel, which the simulator is asked for once.
const std::vector<Parameter>& parameters_of(const void* function);

/// @param arguments  one pointer per parameter; where it is null there are no values
std::vector<std::byte> parameter_values(const void* function, void* const* arguments);

}  // namespace sim::remote
