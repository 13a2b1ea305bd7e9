// Which blocks of a launch run, and how many at a time, where that is not the GPU's to say.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace sim::exec {

struct Selection {
  std::span<const std::uint64_t>
      chosen;                       ///< blocks to run, by their number in the grid, ascending; empty: all
  std::uint64_t most_resident = 0;  ///< blocks that the GPU holds at a time; 0: as many as fit
};

/// What launches that begin now go by. Whoever starts launches holds the runtime's lock.
inline Selection& selection() {
  static Selection now;
  return now;
}

/// Holds for the launches that begin while this lives.
class Selecting {
 public:
  explicit Selecting(const Selection& wanted) : before_(std::exchange(selection(), wanted)) {}
  Selecting(const Selecting&) = delete;
  Selecting& operator=(const Selecting&) = delete;
  ~Selecting() { selection() = before_; }

 private:
  Selection before_;
};

}  // namespace sim::exec
