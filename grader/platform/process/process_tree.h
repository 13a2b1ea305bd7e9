// What a process and all that it started hold.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>

namespace ladder {

/// Memory that a process and all its descendants hold, as far as /proc shows it: pages, whether in memory or
/// swapped out, their page tables, the kernel's stacks of threads; and of a sandbox's processes what lies in
/// their memory folders, /tmp and /dev/shm.
/// @return bytes; 0 where the process has ended
std::size_t bytes_of_tree(pid_t root);

/// What threads had of the machine's cores, in seconds.
struct CoreTime {
  double computed = 0;  ///< on a core
  double waited = 0;    ///< ready to compute, while others had the core
};

/// That the calling thread had since it began.
CoreTime core_time_of_this_thread();

/// Looks again and again at what a process and all its descendants had of the cores. Of a thread that comes
/// and goes between two looks nothing is seen.
class TreeSchedule {
 public:
  explicit TreeSchedule(pid_t root) : root_(root) {}

  /// @return since the last look; nothing where the kernel does not tell (no /proc/PID/task/TID/schedstat)
  CoreTime look();

 private:
  pid_t root_;
  std::map<pid_t, CoreTime> seen_;  ///< of each thread since it began
};

}  // namespace ladder
