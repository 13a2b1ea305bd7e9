// Findings of a launch, folded by what they are and where, and put into words.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "simulator/engine/observer.h"
#include "simulator/report/wording/words.h"
#include "simulator/sanitizer/analysis/kernel_analysis.h"

namespace sim::sanitizer {

/// What tells findings of a launch apart. An equal key is another occurrence of the same finding.
struct FindingKey {
  enum class Kind : u8 {
    race,
    pending_copy,
    unstarted_block,
    ended_block,
    unfenced_proxy,
    pending_register,
    unready_mbarrier,
    spare_arrival,
    missed_phase,
    register_budget,
    descriptor,
    uninitialized,
    outside_variable,
    barrier,
    mask
  };
  Kind kind;
  u32 at = 0;        ///< instruction
  u32 other_at = 0;  ///< of the other party; kNobody: there is none
  u8 variant = 0;    ///< tells findings of one kind at one place apart
  u8 reach = 0;      ///< of a race: 0 within a warp, 1 within a block, 2 between blocks
  static constexpr u32 kNobody = ~u32{0};
  auto fields() const { return std::tuple(kind, at, other_at, variant, reach); }
};

class FindingCollector {
 public:
  FindingCollector(const KernelAnalysis& analysis, const exec::Launch& launch)
      : analysis_(analysis), launch_(launch) {}

  /// Counts an occurrence. @return whether it is new: then add() is to be called with its details
  bool again(const FindingKey& s) {
    const auto known = index_.find(s.fields());
    if (known == index_.end()) return false;
    ++entries_[known->second].finding.count;
    return true;
  }
  /// A finding with kind, place and threads filled in as far as the key tells them.
  Finding& add(const FindingKey& s, const Warp& w, const Instr& in, int lane);
  void add(const Fault& fault);

  /// A note becomes an error when one occurrence of it is.
  Finding* find(const FindingKey& s) {
    const auto known = index_.find(s.fields());
    return known == index_.end() ? nullptr : &entries_[known->second].finding;
  }

  /// Forgets what is of other kinds.
  void keep(FindingKey::Kind kind) {
    std::erase_if(entries_, [&](const Entry& e) { return e.key.kind != kind; });
  }
  std::vector<Finding> take();

  /// The user's source line of an instruction; line 0 when there is none.
  using Line = SourceLine;
  Line line_of(u32 instruction) const;
  /// The same, but of an instruction in a function of the toolkit's or of a header's the lines that call it:
  /// an atomic is such a function where nothing is inlined. In ascending order; empty when there is none.
  std::vector<Line> lines_of(u32 instruction) const;
  Index3 thread_of(u32 thread_of_block) const;
  Index3 block_of(u32 index) const;

 private:
  struct Entry {
    FindingKey key;
    Finding finding;
  };
  const KernelAnalysis& analysis_;
  const exec::Launch& launch_;
  std::vector<Entry> entries_;
  std::map<decltype(FindingKey().fields()), std::size_t> index_;
};

}  // namespace sim::sanitizer
