// The shadows of global memory, one for each allocation that a launch touches.
#pragma once

#include <memory>
#include <unordered_map>
#include <vector>

#include "simulator/memory/address_space.h"
#include "simulator/sanitizer/race/shadow.h"
#include "simulator/sanitizer/uninit/written.h"

namespace sim::sanitizer {

/// What is kept about one allocation.
struct GlobalShadow {
  GlobalShadow(u64 base_of_it, u64 bytes) : shadow(bytes), base(base_of_it), size(bytes) {}
  Shadow shadow;
  u64 base, size;
  WrittenBytes* written = nullptr;  ///< null: all is
};

class GlobalShadows {
 public:
  /// @param instructions  of the kernel's code
  /// @param written       which bytes have been written; null: all
  GlobalShadows(std::size_t instructions, memory::AddressSpace& space, Written* written)
      : space_(space), written_(written), last_of_(instructions) {}

  /// That of the allocation that has @p address, made when it is first asked for; null where none has it.
  /// @param instruction  that accesses it: most stay in one allocation, which is found at once
  GlobalShadow* find(u32 instruction, u64 address) {
    GlobalShadow* const last = last_of_[instruction];
    if (last != nullptr && address - last->base < last->size) return last;
    return look_up(instruction, address);
  }

  /// What find() last gave for an instruction; null: nothing yet.
  GlobalShadow* last_of(u32 instruction) const { return last_of_[instruction]; }

  /// @param visit  called with each shadow
  template <class Visit>
  void for_each(Visit visit) const {
    for (const auto& [base, shadow] : shadows_) visit(*shadow);
  }

 private:
  GlobalShadow* look_up(u32 instruction, u64 address);

  memory::AddressSpace& space_;
  Written* written_;
  std::unordered_map<u64, std::unique_ptr<GlobalShadow>> shadows_;  ///< by base
  std::vector<GlobalShadow*> last_of_;                              ///< by instruction
};

}  // namespace sim::sanitizer
