// Where a finding, or its other party, stands in the program's host code.
#pragma once

#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/report/finding.h"

namespace sim::cudart {

/// By what a report's reader looks up, else by the line, where it has one.
/// @param in_stub  it is a launch, which stands in a stub of nvcc's, at whose line nobody wrote it
void set_place(Finding& finding, const HostBacktrace& place, bool in_stub);
void set_place(OtherParty& party, const HostBacktrace& place, bool in_stub);

}  // namespace sim::cudart
