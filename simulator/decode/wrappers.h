// Functions that do no more than to give an instruction a name, such as those around wgmma and mbarriers: a
// finding is about the line that calls them.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "simulator/decode/code.h"
#include "simulator/engine/warp.h"
#include "simulator/report/finding.h"

namespace sim::exec {

class Wrappers {
 public:
  explicit Wrappers(const Code& code);

  /// The line that an instruction belongs to, outside the wrappers around it.
  /// @param frame  of the warp, whose callers count where nothing is inlined; null: not known
  SourceLine line_of(const Frame* frame, u32 instruction) const;
  /// The same, where of the callers no more is known than the call. @param call  -1: none
  SourceLine line_of_call(u32 instruction, int call) const;
  /// Behind the last instruction of the function that an instruction is of.
  u32 end_of_function(u32 instruction) const;
  /// Whether a function that is called is one.
  bool is_wrapper(std::size_t function) const {
    return function != 0 && called_[function].size() <= kMostLines;
  }
  /// Whether an instruction is one that programs write such functions for: asynchronous ones, mbarriers and
  /// the cluster's barrier.
  static bool wants_wrapper(const ptx::Instruction& in);

 private:
  using Lines = std::map<std::pair<int, std::string>, std::set<int>>;  ///< by file and name of a function
  /// The location of an instruction outside the wrappers that are inlined around it; -1: not known.
  int outside(u32 instruction) const;
  void find_outside(const Lines& inlined);
  const std::string& file_of(int location) const;
  bool in_toolkit(int location) const;
  SourceLine line_at(int location) const;
  std::size_t function_of(u32 instruction) const;
  /// Lines that a wrapper may have, with its braces.
  static constexpr std::size_t kMostLines = 4;

  const Code& code_;
  std::vector<int> outside_;           ///< by location, for it is asked at each use of an mbarrier
  std::vector<std::set<int>> called_;  ///< lines, by function
  std::vector<std::pair<u32, std::size_t>> begins_;  ///< functions by their first instruction, ascending
};

}  // namespace sim::exec
