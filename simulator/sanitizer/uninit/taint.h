// Values that come from memory or registers which nobody wrote, followed until they matter.
//
// Reading such a value is no mistake: copies of structures read their padding, and guarded code reads beyond
// what it uses. It becomes one when the value decides a branch, is an address, or is stored in global memory;
// local and shared memory hand it on. Only warps that hold such a value are followed, instruction by
// instruction; all others run at full speed.
#pragma once

#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "simulator/sanitizer/finding_collector.h"
#include "simulator/sanitizer/uninit/uninit_findings.h"

namespace sim::sanitizer {

class Taint {
 public:
  Taint(const KernelAnalysis& analysis, FindingCollector& collector)
      : analysis_(analysis), collector_(collector) {}

  /// A warp starts: registers that are read before they are written.
  void starts(Warp& w);

  /// Lanes of a load get values that nobody wrote into one of the registers loaded.
  /// @param element  which register of a vector
  /// @param padding  the bytes may be padding of a structure
  /// @param make     makes the finding for the case that the value is used; called when first needed
  template <class Make>
  void loaded(Warp& w, const Instr& in, std::size_t element, Mask lanes, bool padding, Make make) {
    const u32 at = analysis_.code().index_of(in);
    if (settled_.contains(at)) return;
    if (!prepared_.contains(at)) prepared_[at] = make();
    enter(w, in, element, lanes, at | (padding ? kCopied : 0));
  }

  /// Before each instruction of a warp that holds tainted values.
  void step(Warp& w, const Instr& in);

  /// A store of such a warp goes to memory. Local and shared memory hold the taint for later; elsewhere it
  /// is a use.
  /// @return lanes whose bytes stay as if unwritten
  Mask stored(Warp& w, const Instr& in, ptx::Space space);
  /// The same of each register of the vector last stored.
  const std::vector<Mask>& stored_each() const { return store_.each; }
  /// Where the value last stored came from.
  u32 stored_origin() const { return store_.value.origin; }
  /// An atomic adds to a value that was tainted when it was stored.
  void added_to(Warp& w, const Instr& in, Mask lanes, u32 origin) {
    if (!settled_.contains(origin & ~kCopied)) used(w, in, lanes, origin, Use::atomic);
  }
  /// A value that was stored in local or shared memory comes back, tainted as it was.
  void reloaded(Warp& w, const Instr& in, std::size_t element, Mask lanes, u32 origin) {
    if (!settled_.contains(origin & ~kCopied)) enter(w, in, element, lanes, origin);
  }

 private:
  static constexpr u32 kCopied = u32{1} << 31;      ///< perhaps padding, and not computed with since
  static constexpr u32 kRegister = (1u << 30) - 1;  ///< an unwritten register, not computed with yet
  /// What lanes hold, and the origin of one of them: the instruction that loaded it, and flags.
  struct Value {
    Mask lanes = 0;
    u32 origin = 0;
  };
  /// Of a frame.
  struct Slots {
    std::vector<Mask> lanes;               ///< by slot
    std::vector<u32> origin;               ///< by slot
    std::unordered_map<u32, Value> areas;  ///< arguments and results, by offset
  };
  Slots& slots_of(const Warp& w);
  void enter(Warp& w, const Instr& in, std::size_t element, Mask lanes, u32 origin);
  /// The tainted sources of an instruction; addresses among them are uses.
  Value sources(Warp& w, const Instr& in, const Slots& s, Mask running, TaintRule rule);
  /// The lanes of its tainted sources that matter for what it gives.
  Mask that_matter(const Warp& w, const Instr& in, const Slots& s, Value value, TaintRule rule) const;
  void step_call(const Instr& in, Slots& s, Mask running) const;
  void step_return(const Warp& w, Slots& s, Mask running);
  /// Whether a value stays tainted behind the function that returns it: one that a shuffle got from a lane
  /// that takes no part, and one that depends on shared memory.
  bool outlives_its_function(u32 origin) const;
  void compute(const Warp& w, const Instr& in, Mask lanes, u32& origin, const char* verb);
  void used(Warp& w, const Instr& in, Mask lanes, u32 origin, Use use);

  const KernelAnalysis& analysis_;
  FindingCollector& collector_;
  std::unordered_map<const Frame*, Slots> frames_;
  struct {
    const Instr* in = nullptr;
    Value value;
    std::vector<Mask> each;                    ///< by register stored
  } store_;                                    ///< under way
  std::unordered_map<u32, Finding> prepared_;  ///< by instruction that loads
  std::unordered_set<u32> settled_;            ///< found already
};

}  // namespace sim::sanitizer
