// What is known of a kernel's instructions before it runs: how each access orders memory, and which object
// its address was made from.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "simulator/decode/code.h"
#include "simulator/decode/wrappers.h"
#include "simulator/ptx/debug_info.h"
#include "simulator/sanitizer/analysis/taint_rule.h"

namespace sim::sanitizer {

using namespace exec;

/// What an instruction does to memory beyond its bytes.
struct MemorySemantics {
  bool strong : 1 = false;  ///< atomic, volatile, relaxed or stronger: no race with its like
  bool is_volatile : 1 = false;
  bool acquires : 1 = false;        ///< sees what others released
  bool releases : 1 = false;        ///< carries a release of its own
  bool publishes : 1 = false;       ///< a strong write: hands on what was fenced before
  bool of_block : 1 = false;        ///< strong among threads of one block only (.cta)
  bool of_system : 1 = false;       ///< strong for the host, too (volatile, .sys)
  bool explicit_order : 1 = false;  ///< the program says relaxed: it takes over nothing without a fence
  bool expected_value : 1 = false;  ///< a load whose value a compare-and-swap checks
  bool reload : 1 = false;          ///< a load of what the thread has just stored there, in one statement
  bool async_copy : 1 = false;      ///< an asynchronous copy
  bool in_toolkit : 1 = false;      ///< code of the toolkit's headers, inlined or not
  bool of_fields : 1 = false;       ///< of those, it may read words of which it uses some bits
  bool of_groups : 1 = false;       ///< code of cooperative groups' own barriers and reductions
  bool spin_load : 1 = false;       ///< a strong load of one address in a loop that does nothing else
  bool read_only : 1 = false;       ///< a load through the cache that does not see the kernel's own stores
  bool activemask_shuffle : 1 = false;  ///< a shuffle whose mask is __activemask()'s
};

/// The object that an address is made from by adding to it.
struct PointerProvenance {
  enum class Kind : u8 { unknown, shared, local, parameter } kind = Kind::unknown;
  u32 index = 0;                              ///< shared: of Code::shared; parameter: offset of the pointer
  const ptx::LocalVariable* local = nullptr;  ///< null: the start of the frame, or another kind
  bool operator==(const PointerProvenance&) const = default;
};

/// Built once per kernel, used by all its launches.
class KernelAnalysis {
 public:
  /// @param locals     of the functions; null: not known
  /// @param optimised  the kernel as the optimiser makes it, which says what loads it takes for read-only;
  ///                   null: not known
  explicit KernelAnalysis(const Code& code, const ptx::Locals* locals = nullptr,
                          const Code* optimised = nullptr);
  const Code& code() const { return code_; }
  const MemorySemantics& semantics(u32 instruction) const { return semantics_[instruction]; }
  const PointerProvenance& provenance(u32 instruction) const { return provenance_[instruction]; }
  TaintRule taint_rule(u32 instruction) const { return taint_rules_[instruction]; }
  /// The local variables of a function, by offset; empty where they are not known.
  const std::vector<ptx::LocalVariable>& locals_of(const ptx::Function& function) const;
  /// The local variable in whose room behind it some bytes of a frame lie; null where there is none.
  const ptx::LocalVariable* left_behind(const FunctionCode& function, u64 offset, u32 bytes) const;
  /// The variable in shared memory next to a byte that belongs to none; null where it belongs to one, or
  /// where there is no room between them.
  const SharedVariable* beside(u64 offset) const;
  /// Whether [low, end) of shared memory is inside one variable.
  bool in_one_variable(u64 low, u64 end) const;
  /// Whether two instructions are the load and the store of one update, such as `count[b] += 1`.
  bool is_read_modify_write(u32 a, u32 b) const;
  /// Whether they are of an update that takes in another element of the array, such as `s[i] += s[i + half]`:
  /// a step of a reduction or a scan, in which each thread has elements of its own.
  bool combines_elements(u32 a, u32 b) const;
  /// Bytes of the widest load or store, whichever the instruction is, that the optimiser makes at its line:
  /// of a vector, which the check build may access in parts. 0: not known.
  u32 widest_at(u32 instruction) const;
  /// Whether some warps of a block wait for each other by other means than barriers of the whole block.
  bool warps_meet_apart() const { return warps_meet_apart_; }
  /// Whether threads wait for what others write by volatile accesses, and read other things so as well.
  bool passes_volatile() const { return passes_volatile_; }
  /// Whether threads wait in loops for what others store, but for cooperative groups' own.
  bool waits_for_flags() const { return waits_for_flags_; }
  /// Whether it exchanges words, as whoever takes a lock does.
  bool exchanges() const { return exchanges_; }
  /// Whether it copies asynchronously.
  bool has_copies() const { return has_copies_; }
  /// Whether some threads arrive at barriers without waiting there.
  bool arrives_apart() const { return arrives_apart_; }

  /// Functions that give instructions names.
  const Wrappers& wrappers() const {
    if (!wrappers_) wrappers_.emplace(code_);
    return *wrappers_;
  }

 private:
  void mark_read_only(const Code& optimised);
  void note_widths(const Code& optimised);
  void find_updates();

  const Code& code_;
  std::unordered_map<const ptx::Function*, const std::vector<ptx::LocalVariable>*> locals_;
  std::vector<std::vector<const ptx::LocalVariable*>>
      roomy_;  ///< by function: those with room behind them, in order
  std::vector<MemorySemantics> semantics_;
  std::vector<PointerProvenance> provenance_;
  std::vector<TaintRule> taint_rules_;
  std::map<const ptx::Instruction*, const ptx::Instruction*>
      read_modify_writes_;                                           ///< stores with their loads
  std::set<const ptx::Instruction*> combining_stores_;               ///< of these
  std::map<std::tuple<std::string, int, std::string>, u32> widest_;  ///< by file, line and opcode
  mutable std::optional<Wrappers> wrappers_;
  bool warps_meet_apart_ = false;
  bool passes_volatile_ = false, waits_for_flags_ = false, exchanges_ = false;
  bool has_copies_ = false;
  bool arrives_apart_ = false;
};

}  // namespace sim::sanitizer
