// What a process and all that it started hold.
#pragma once

#include <sys/types.h>

#include <cstddef>

namespace ladder {

/// Resident memory of a process and of all its descendants, as far as /proc shows them.
/// @return bytes; 0 where the process has ended
std::size_t resident_bytes_of_tree(pid_t root);

}  // namespace ladder
