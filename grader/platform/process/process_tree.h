// What a process and all that it started hold.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace ladder {

/// Memory that a process and all its descendants hold, as far as /proc shows it: pages, whether in memory or
/// swapped out, their page tables, the kernel's stacks of threads; and of a sandbox's processes what lies in
/// their memory folders, /tmp and /dev/shm.
/// @return bytes; 0 where the process has ended
std::size_t bytes_of_tree(pid_t root);

}  // namespace ladder
