// Addresses of names: what the decoder asks of the module that a kernel belongs to.
#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "simulator/instructions/lanes.h"

namespace sim::exec {

struct SymbolAddress {
  ptx::Space space = ptx::Space::global;
  u64 value = 0;  ///< in that space
  const ptx::Variable* variable = nullptr;
};

/// Module-scope variables in device memory and addresses of functions.
class Symbols {
 public:
  virtual ~Symbols() = default;
  /// @return nothing when the module has no variable or function of that name
  virtual std::optional<SymbolAddress> find(std::string_view name) const = 0;
};

}  // namespace sim::exec
