// How often a launch stores to each element of an array.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "simulator/engine/observer.h"
#include "simulator/report/array_shape.h"

namespace sim::sanitizer {

/// Counts plain stores to arrays whose shape is known; of atomic updates several to one element are meant.
class StoreCounts {
 public:
  void add(const exec::Warp& w, const exec::ObservedAccess& seen);

  /// Of each array whose elements are nearly all stored equally often, and more than once, where they are
  /// stored at all: a note of kind "stored-again" that says how often. It is at the line that stores most.
  std::vector<Finding> notes() const;

 private:
  struct Counts {
    ArrayShape shape;
    std::vector<std::uint32_t> of_element;
    std::map<const exec::Instr*, std::pair<std::uint64_t, Finding>> by_instruction;
  };
  std::map<std::uint64_t, Counts> arrays_;  ///< by address
};

}  // namespace sim::sanitizer
