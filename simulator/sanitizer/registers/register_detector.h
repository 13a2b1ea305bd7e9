// Registers that a wgmma works with beside the program: from its issue until its group has been waited for.
//
// The PTX ISA leaves undefined what an accumulator holds meanwhile, and what a wgmma reads of registers that
// were written without a wgmma.fence behind. This is about the registers of the optimised PTX: an unoptimised
// one copies accumulators to memory and back around each product, on its own account.
#pragma once

#include <vector>

#include "simulator/sanitizer/launch_context.h"

namespace sim::sanitizer {

class RegisterDetector {
 public:
  explicit RegisterDetector(LaunchContext& context);

  /// Whether a kernel has products of warpgroups, in registers that are as the program has them.
  static bool applies(const Code& code);

  void block_starts(Block& block);
  /// Before each instruction of each warp.
  void step(const Warp& w, const Instr& in);

 private:
  enum class Does : u8 {
    other,
    product,
    fence,
    commit,
    wait,
    constant,  ///< into a register
    copy       ///< of a register: the compiler makes such copies where it joins paths
  };
  using Clock = u64;  ///< instructions of the warp

  struct Register {
    u32 product = FindingKey::kNobody;  ///< that works with it
    u32 group = 0;                      ///< of products
    bool accumulator = false;           ///< else it holds a fragment of A
    bool copied = false;                ///< another one stands for it: this one may be written
    u32 writer = FindingKey::kNobody;   ///< that has written it otherwise, last, ...
    Clock written = 0;                  ///< ... and when
  };
  struct State {
    std::vector<Register> registers;
    u32 open = 0;  ///< the group that products join
    u32 over = 0;  ///< groups before this one have been waited for
    u32 fence = FindingKey::kNobody;
    bool has_fenced = false;  ///< anywhere, also in functions that are called
    Clock now = 1, fenced = 0, multiplied = 0, waited = 0;
  };
  struct Warps {
    explicit Warps(const Block& block) : of(block.warps.size()) {}
    std::vector<State> of;
  };

  void waits(const Warp& w, const Instr& in, State& s) const;
  void multiplies(const Warp& w, const Instr& in, u32 at, State& s);
  void accesses(const Warp& w, const Instr& in, u32 at, State& s);
  /// A register that a product still works with.
  void found_pending(const Warp& w, const Instr& in, u32 at, const State& s, const Register& r, bool writes);
  void found_unfenced(const Warp& w, u32 product, const Register& r, bool accumulator);
  /// The first product of a warpgroup wants a fence whatever its registers hold.
  void found_first_unfenced(const Warp& w, const Instr& in, u32 product);
  /// Whether a write between the last fence and a product counts: the compiler moves copies and constants,
  /// and what it computes, behind a fence that the program has in front of it.
  bool is_unfenced(const State& s, const Register& r, u32 product) const;
  OtherParty party(u32 at, const Warp& w) const;
  /// The line of an instruction that a function of the program's own may stand around.
  void place(Finding& f, u32 at, const Warp& w) const;
  bool is_computed(const Register& r) const { return does_[r.writer] == Does::other; }
  /// The line of the kernel itself that an instruction belongs to, whatever was inlined there.
  int outermost_line(u32 at) const;

  LaunchContext& context_;
  std::vector<Does> does_;  ///< by instruction
  PerBlock<Warps> warps_;
};

}  // namespace sim::sanitizer
