// Barriers of the block that not all threads keep to, and masks of warp-wide operations that name lanes which
// do not come.
//
// The rules of the PTX ISA, "bar, barrier" and "shfl.sync": a barrier completes by counting arrivals, so who
// arrived first at each is remembered, and who left instead; a lane that is read from has to exist, be named
// and take part.
#pragma once

#include <array>
#include <vector>

#include "simulator/sanitizer/launch_context.h"

namespace sim::sanitizer {

/// Lanes of a shuffle that read by distance, from lanes that take no part: reductions do so in lanes whose
/// results nobody uses.
struct UnnamedSource {
  Mask lanes = 0;
  int lane = 0, source = 0;  ///< one of them, and what it reads from
};

/// Finds barriers that are reached at two places, for different or impossible counts, or never by threads
/// that have returned; and masks that name lanes which have gone, lack lanes that are read from, or say who
/// happened to be there. Keeps, of each block, who arrived first at each barrier and who has exited, and of
/// each warp which of its lanes are converged.
class BarrierDetector {
 public:
  explicit BarrierDetector(LaunchContext& context) : context_(context) {}

  void block_starts(const Block& block);

  void arrives(const Warp& w, const Instr& in, int barrier, u32 expected);
  /// A barrier is complete; its waiting splits have not gone on yet.
  void block_barrier(Block& block, int barrier);
  /// All threads of the block have waited for each other.
  void converges(const Block& block);
  void exits(const Warp& w, Mask lanes);

  /// @return the lanes whose result is undefined, which is a mistake only where it is used
  UnnamedSource warp_primitive(Warp& w, const Instr& in, Mask lanes, Mask named);
  void reads_active_mask(const Warp& w);
  /// The finding for the case that an undefined result is used.
  Finding finding(const Warp& w, const Instr& in, const UnnamedSource& read, Mask named) const;

 private:
  static constexpr std::size_t kBarriers = std::tuple_size_v<decltype(Block::barriers)>;

  /// The first arrival of a round.
  struct FirstArrival {
    const Instr* at = nullptr;
    u32 expected = 0;
    u32 thread = 0;  ///< of the block
  };

  /// Which lanes of a warp are converged.
  struct Convergence {
    u32 divergences = 0;    ///< Warp::divergences when all of them last converged
    Mask active_mask = 0;   ///< __activemask()'s last result
    bool diverged = false;  ///< lanes had diverged before it
  };

  struct BlockState {
    explicit BlockState(const Block&) {}
    std::array<FirstArrival, kBarriers> first{};
    u32 exited = 0;         ///< threads
    u32 exited_thread = 0;  ///< one of them
    u32 exited_at = 0;      ///< the basic block that that one left from
    std::vector<Convergence> warps;
  };

  /// Where lanes have left that did so at the end of a basic block. A function has one exit, which stands at
  /// its closing brace: where one `return` jumps there, that is told.
  FindingCollector::Line place_of_exit(u32 block) const;
  void check_places(const Warp& w, const Instr& in, int barrier, u32 expected, const FirstArrival& first);
  void check_lanes_gone(const Warp& w, const Instr& in, Mask lanes, Mask named);
  UnnamedSource check_shuffle_sources(const Warp& w, const Instr& in, Mask lanes, Mask named);
  /// A shuffle among those who happen to be here, after the warp's lanes have diverged.
  void check_shuffle_by_chance(const Warp& w, const Instr& in, Mask lanes, Mask named);

  LaunchContext& context_;
  PerBlock<BlockState> blocks_;
};

}  // namespace sim::sanitizer
