// setmaxnreg: by all warps of a warpgroup, and no more in all than the block was launched with.
#pragma once

#include <optional>
#include <vector>

#include "simulator/sanitizer/launch_context.h"

namespace sim::sanitizer {

class RegisterBudget {
 public:
  explicit RegisterBudget(LaunchContext& context) : context_(context) {}

  void block_starts(const Block& block) { warps_.of(block).requests.clear(); }
  void sets_registers(const Warp& w, const Instr& in, u32 count, bool more);
  void block_ends(const Block& block);

 private:
  /// The last setmaxnreg of a warp.
  struct Request {
    const Instr* at = nullptr;  ///< null: none
    SourceLine line;
    u32 count = 0;
    bool more = false;
    u32 number = 0;  ///< of the warp's
    bool like(const Request& o) const { return count == o.count && more == o.more && number == o.number; }
  };
  struct Warps {
    explicit Warps(const Block&) {}
    std::vector<Request> requests;  ///< by warp; empty: none so far
  };

  /// Registers of a thread at the start, as ptxas makes them where the kernel's bounds say how many blocks
  /// there are; none where it cannot know.
  std::optional<u32> at_launch();
  void check_warpgroup(const Block& block, const std::vector<Request>& requests, std::size_t first);
  void check_total(const Block& block, const std::vector<Request>& requests);
  /// @return null where it has been found already
  Finding* add(const Block& block, std::size_t warp, const Request& request, u8 variant);

  LaunchContext& context_;
  PerBlock<Warps> warps_;
};

}  // namespace sim::sanitizer
