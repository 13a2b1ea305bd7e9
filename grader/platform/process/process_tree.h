// What a process and all that it started hold.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <map>

namespace ladder {

/// What threads had of the machine's cores, in seconds.
struct CoreTime {
  double computed = 0;  ///< on a core
  double waited = 0;    ///< ready to compute, while others had the core
};

/// That the calling thread had since it began.
CoreTime core_time_of_this_thread();

/// A process and all its descendants, as far as /proc shows them, looked at again and again.
class ProcessTree {
 public:
  struct Seen {
    /// Memory that they hold: pages, whether in memory or swapped out, their page tables, the kernel's stacks
    /// of threads; and of a sandbox's processes what lies in their memory folders, /tmp and /dev/shm. 0 where
    /// the process has ended.
    std::size_t bytes = 0;
    /// Since the last look; nothing where the kernel does not tell (no /proc/PID/task/TID/schedstat), nor of
    /// a thread that comes and goes between two looks.
    CoreTime since;
  };

  explicit ProcessTree(pid_t root) : root_(root) {}
  Seen look();

 private:
  pid_t root_;
  std::map<pid_t, CoreTime> had_;  ///< by each thread since it began
};

}  // namespace ladder
