#include "simulator/engine/hang/endless_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "language/catalogue.h"
#include "simulator/engine/fault.h"
#include "simulator/engine/schedule.h"
#include "simulator/report/wording/words.h"

namespace sim::exec {

namespace {

constexpr int kBlocksWatched = 20'000;  ///< basic blocks: many rounds of any loop that a kernel is stuck in
constexpr std::size_t kFewRounds = 16;  ///< of which nothing can be said
constexpr std::size_t kLongestTurn = 1000;  ///< rounds after which a number comes again
constexpr std::size_t kShown = 4;           ///< numbers of a turn that are told

/// What one comparison of integers compared in each round, by the lane that is watched.
struct Compared {
  const Frame* frame = nullptr;
  std::vector<std::pair<s64, s64>> sides;
  bool is_int = false;                       ///< of 32 bits, and signed
  bool was_true = false, was_false = false;  ///< in some round
};

/// "s32" of `setp.lt.s32`; none where it does not compare two integers of 32 or 64 bits.
/// @param in  a setp
std::optional<std::string> compared_type(const ptx::Instruction& in) {
  if (in.operands.size() != 3 || in.qualifiers.empty()) return std::nullopt;
  const std::string& type = in.qualifiers.back();
  const bool known = type == "s32" || type == "u32" || type == "s64" || type == "u64";
  return known ? std::optional(type) : std::nullopt;
}

s64 value_of(const std::byte* lanes, int lane, const std::string& type) {
  if (type.ends_with("64")) {
    s64 value;
    std::memcpy(&value, lanes + std::size_t(lane) * sizeof value, sizeof value);
    return value;
  }
  s32 value;
  std::memcpy(&value, lanes + std::size_t(lane) * sizeof value, sizeof value);
  return type == "s32" ? value : s64(u32(value));
}

/// Whether the jump at a basic block's end goes by what instruction @p at of it has compared.
bool decides_jump(const Code& code, const BasicBlock& block, u32 at) {
  const Instr& jump = code.instructions[block.last - 1];
  if (jump.guard == kNoGuard || code.sources[block.last - 1]->opcode != "bra") return false;
  OperandRef predicate = jump.guard & ~kNegated;
  for (u32 i = block.last - 1; i-- > at + 1;)
    if (code.sources[i]->opcode == "not" && code.instructions[i].op[0] == predicate)
      predicate = code.instructions[i].op[1];
  return code.instructions[at].op[0] == predicate;
}

/// After how many rounds the same numbers come again; 0: not within what was watched.
std::size_t turn_of(const std::vector<std::pair<s64, s64>>& sides) {
  for (std::size_t turn = 1; turn <= std::min(kLongestTurn, sides.size() / 2); ++turn)
    if (std::equal(sides.begin() + std::ptrdiff_t(turn), sides.end(), sides.begin())) return turn;
  return 0;
}

class WatchedLoop {
 public:
  explicit WatchedLoop(Warp& w) : w_(w), code_(w.worker->code), lane_(first_lane(w.active)) {
    // The loop may be that of a function which has called the one that is running.
    for (const Frame* f = w.frame; f != nullptr; f = f->caller) frames_.push_back(f);
  }

  /// Runs on, a basic block at a time. @return whether the lane has stayed in the loop
  bool run() {
    for (int i = 0; i < kBlocksWatched; ++i) {
      const u32 pc = w_.pc;
      const Frame* const frame = w_.frame;
      const bool seen = (w_.active & kLaneBit[std::size_t(lane_)]) != 0 &&
                        std::find(frames_.begin(), frames_.end(), frame) != frames_.end();
      if (run_warp(w_, 1) != WarpState::ready) return false;
      if (seen) note(code_.blocks[pc], *frame);
    }
    return true;
  }

  /// The comparison that holds the lane in the loop: one with the same outcome in every round. Where several
  /// have, that at @p line.
  const std::pair<const u32, Compared>* condition(int line) const {
    const std::pair<const u32, Compared>* found = nullptr;
    for (const auto& entry : by_instruction_) {
      const auto& [at, compared] = entry;
      if ((compared.was_true && compared.was_false) || compared.sides.size() < kFewRounds) continue;
      if (found == nullptr || place_of(entry).line == line) found = &entry;
    }
    return found;
  }
  bool compares() const { return compares_; }

  Finding place_of(const std::pair<const u32, Compared>& one) const {
    Finding place;
    locate(place, code_, one.second.frame, code_.instructions[one.first]);
    return place;
  }

 private:
  void note(const BasicBlock& block, const Frame& frame) {
    for (u32 at = block.first; at < block.last; ++at) {
      const ptx::Instruction& source = *code_.sources[at];
      if (source.opcode != "setp") continue;
      compares_ = true;
      const auto type = compared_type(source);
      if (!type || !decides_jump(code_, block, at)) continue;
      const Instr& in = code_.instructions[at];  // setp p|q, a, b
      Compared& compared = by_instruction_[at];
      compared.frame = &frame;
      compared.is_int = *type == "s32";
      compared.sides.emplace_back(value_of(place(in.op[2], frame), lane_, *type),
                                  value_of(place(in.op[3], frame), lane_, *type));
      Mask outcomes;
      std::memcpy(&outcomes, place(in.op[0], frame), sizeof outcomes);
      ((outcomes >> lane_ & 1) != 0 ? compared.was_true : compared.was_false) = true;
    }
  }
  /// Whichever split runs now.
  const std::byte* place(OperandRef ref, const Frame& frame) const {
    const bool own = Bank(ref & 3) == Bank::registers;
    return (own ? frame.registers : w_.bank[ref & 3]) + (ref >> 2);
  }

  Warp& w_;
  const Code& code_;
  int lane_;
  std::vector<const Frame*> frames_;
  std::map<u32, Compared> by_instruction_;
  bool compares_ = false;
};

/// "-17, -50, -25, -74 ..."
std::string numbers(const std::vector<std::pair<s64, s64>>& sides, std::size_t turn) {
  std::string text;
  for (std::size_t i = 0; i < std::min(turn, kShown); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", sides[i].first);
  return text + (turn > kShown ? " ..." : "");
}

EndlessLoop told(const Compared& compared, const std::string& where) {
  auto sides = compared.sides;
  const auto constant = [&] {
    return std::all_of(sides.begin(), sides.end(),
                       [&](const auto& both) { return both.second == sides.front().second; });
  };
  if (!constant())
    for (auto& [a, b] : sides) std::swap(a, b);
  const std::size_t turn = turn_of(sides);
  if (turn == 0 || !constant()) return {};
  const s64 bound = sides.front().second;
  if (turn == 1)
    return {tr("In each round {} compares {} with {}: neither of the two changes.", where,
               sides.front().first, bound)};
  const bool below_zero = compared.is_int && std::all_of(sides.begin(), sides.end(),
                                                         [](const auto& both) { return both.first < 0; });
  return {
      tr("What {} compares with {} goes round in a circle of {} numbers: {}.{}", where, bound, turn,
         numbers(sides, turn),
         below_zero ? tr(" All are below 0, where an int goes on that has grown beyond 2147483647.") : ""),
      below_zero};
}

}  // namespace

EndlessLoop watch_loop(Warp& w, const Finding& place) {
  if (w.active == 0) return {};
  WatchedLoop loop(w);
  try {
    if (!loop.run()) return {};
  } catch (const Fault&) {  // what else is wrong is not what holds the block
    return {};
  }
  if (!loop.compares())
    return {
        tr("Nothing in the loop changes what its condition asks for: the compiler has left no comparison in "
           "it.")};
  const auto* const condition = loop.condition(place.line);
  if (condition == nullptr) return {};
  const Finding at = loop.place_of(*condition);
  return told(condition->second, place_beside(place, at.file, at.line));
}

}  // namespace sim::exec
