// State that a detector keeps for each block of a launch.
#pragma once

#include <memory>
#include <unordered_map>

#include "simulator/engine/block.h"

namespace sim::sanitizer {

/// One State, made of the block, for each block that is resident. The engine uses a Block again for the next
/// block of the grid: its state is the detector's to reset when that one starts.
template <class State>
class PerBlock {
 public:
  State& of(const exec::Block& block) { return &block == last_block_ ? *last_ : look_up(block); }
  /// The next call of of() makes a new one.
  void reset(const exec::Block& block) {
    if (states_.empty()) return;
    states_.erase(&block);
    last_block_ = nullptr;
  }

 private:
  [[gnu::noinline]] State& look_up(const exec::Block& block) {
    auto& state = states_[&block];
    if (state == nullptr) state = std::make_unique<State>(block);
    last_block_ = &block;
    return *(last_ = state.get());
  }

  std::unordered_map<const exec::Block*, std::unique_ptr<State>> states_;
  const exec::Block* last_block_ = nullptr;  ///< most calls ask for the block of the call before
  State* last_ = nullptr;
};

}  // namespace sim::sanitizer
