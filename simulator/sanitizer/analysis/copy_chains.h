// Where values come from when they are copied: through registers, arguments and results of functions.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/sanitizer/analysis/kernel_analysis.h"

namespace sim::sanitizer {

/// CopyChains of values within the code of a kernel and its functions, followed against their direction.
class CopyChains {
 public:
  /// Who holds a value: a register or a .param variable of a function.
  using Holder = std::pair<const ptx::Function*, std::string>;

  explicit CopyChains(const Code& code);

  /// The name under which an operand of a function holds a value; empty where it is none that is followed.
  static std::string name_of(const ptx::Operand& operand);

  /// The loads and activemasks whose value reaches one of the holders by copying alone.
  std::set<const ptx::Instruction*> sources_of(std::vector<Holder> wanted) const;

 private:
  void add(const ptx::Function& f, const ptx::Instruction& in);
  void call(const ptx::Function& f, const ptx::Instruction& in);

  const Code& code_;
  std::multimap<Holder, Holder> from_;
  std::multimap<Holder, const ptx::Instruction*> sources_;
};

}  // namespace sim::sanitizer
