// Which reads a thread's registers, and what it does next, depend on.
#pragma once

#include <map>
#include <utility>

#include "simulator/decode/code.h"
#include "simulator/engine/warp.h"
#include "simulator/litmus/model/relation.h"

namespace sim::litmus {

using exec::u16;
using exec::u32;
using exec::u64;

/// Follows a thread instruction by instruction. What goes through local memory or a function's parameters is
/// not told apart there. Behind a branch everything depends on the branch's condition.
class Dependencies {
 public:
  /// An instruction is about to run. @param passes  its guard lets it
  void step(const exec::Warp& w, const exec::Code& code, const exec::Instr& in, bool passes);
  /// What the present instruction depends on by its address alone, and altogether.
  EventSet by_address() const { return address_ | control_; }
  EventSet by_all() const { return sources_ | control_; }
  /// The present instruction accesses local memory.
  void local(bool writes);
  /// Its result is what these reads returned.
  void result(EventSet reads);

 private:
  using Key = std::pair<const exec::Frame*, exec::OperandRef>;
  EventSet of(const Key& key) const;

  std::map<Key, EventSet> registers_;
  EventSet local_ = 0, parameters_ = 0, control_ = 0;
  EventSet sources_ = 0, address_ = 0;
  std::vector<Key> results_;
};

}  // namespace sim::litmus
