// Which blocks of a launch run, and how many at a time, where that is not the GPU's to say.
#pragma once

#include <cstdint>
#include <span>
#include <utility>

namespace sim::exec {

struct BlockSelection {
  /// Blocks to run, by their number in the grid, ascending; empty: all.
  std::span<const std::uint64_t> chosen;
  std::uint64_t most_resident = 0;  ///< blocks that the GPU holds at a time; 0: as many as fit
};

/// What launches that begin now go by. Whoever starts launches holds the runtime's lock.
inline BlockSelection& block_selection() {
  static BlockSelection now;
  return now;
}

/// Holds for the launches that begin while this lives.
class ScopedBlockSelection {
 public:
  explicit ScopedBlockSelection(const BlockSelection& wanted)
      : before_(std::exchange(block_selection(), wanted)) {}
  ScopedBlockSelection(const ScopedBlockSelection&) = delete;
  ScopedBlockSelection& operator=(const ScopedBlockSelection&) = delete;
  ~ScopedBlockSelection() { block_selection() = before_; }

 private:
  BlockSelection before_;
};

}  // namespace sim::exec
