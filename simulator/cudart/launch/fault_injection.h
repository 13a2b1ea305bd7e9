// Calls that fail on purpose: what a program makes of an error shows.
#pragma once

namespace sim::cudart {

/// Counts a launch or an allocation. @throws ApiError where it is the one that is to fail
/// @param call  "cudaMalloc", or a kernel's name
void may_fail(const char* call, bool launches = false);

/// Whether one was made to fail, and is still to be told of.
bool has_failed_on_purpose();

}  // namespace sim::cudart
