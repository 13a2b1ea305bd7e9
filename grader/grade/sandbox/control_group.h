// Control groups of the kernel (cgroup v2): limits of a cell as a whole, where a part of their tree is ours.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace ladder::cli::grade {

/// The part of the tree that this process may divide, as the files say; nothing is changed to find it.
struct Delegated {
  std::filesystem::path base;            ///< the group below which others can be made
  std::vector<std::string> controllers;  ///< of pids, memory and cpu those that it can hand down
  std::string why_not;                   ///< in words, where there are none
};
/// @param proc  of this process: "/proc/self"; tests have a folder of their own
Delegated find_delegated(const std::filesystem::path& proc);

/// This process's group for its cells. A group that hands controllers down may hold no processes, so the tree
/// is BASE/ladder-judge, which this process moves to and all that it starts is in, BASE/ladder-PID of this
/// process, and BASE/ladder-PID/cell-PID of each cell's.
class ControlGroup {
 public:
  /// Made at the first call, and removed with all that is in it when the process ends.
  static const ControlGroup& of_this_process();

  /// Removes what processes left that were killed.
  explicit ControlGroup(Delegated delegated);
  ControlGroup(const ControlGroup&) = delete;
  ControlGroup& operator=(const ControlGroup&) = delete;
  ~ControlGroup();

  /// The words before a cell's own that put it into a group; none where there are no groups.
  /// @param processes  and threads
  /// @param memory_mb  of all that the kernel counts; 0: no limit
  std::vector<std::string> enter(int processes, int memory_mb) const;
  /// Whether cells are limited by this one of pids, memory and cpu.
  bool has(const std::string& controller) const;
  /// Empty where there are groups.
  const std::string& why_not() const { return delegated_.why_not; }

 private:
  void give_up(const char* why);
  Delegated delegated_;
  std::filesystem::path group_;
};

}  // namespace ladder::cli::grade
