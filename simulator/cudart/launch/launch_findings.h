// The findings that the runtime adds to, or makes of, a launch's own.
#pragma once

#include <string>
#include <vector>

#include "simulator/cudart/launch/execute.h"
#include "simulator/report/finding.h"

namespace sim::cudart {

/// What a call that waits returns after a kernel that ended with @p finding.
cudaError_t error_of(const Finding& finding);

/// Findings of another run of the launch, such as its check build's, under the kernel's name as the program
/// writes it. What lies wholly in the toolkit's headers is put at the call that led there: its line is worked
/// out from the host's frames, and the message says where in the toolkit it is.
void name_findings(std::vector<Finding>& findings, const CheckedLaunch& launch);

/// Adds the cure of an endless kernel that reads no memory by volatile or atomic accesses: a loop over a
/// plain variable is compiled as if nobody else wrote to it.
void add_cure(Finding& finding, const CheckedLaunch& launch);

/// Whether a fault of the plain build is one of the check build's findings, which are nearer to the source. A
/// bad access ends a kernel: that it is endless where the optimiser left the access out is the same mistake.
bool is_found_by_check(const Finding& fault, const std::vector<Finding>& found);

/// A kernel that was loaded while @p launch ran, which waited for it. Launches never wait for loading here. A
/// GPU's do: there, both hang.
Finding lazy_load_hang(const LazyLoad& load, const CheckedLaunch& launch);

/// The process ends while the kernel is suspended.
Finding suspended_at_exit(const CheckedLaunch& launch);

/// A buffer among the arguments lies on a device whose memory the launch's device may not access.
void report_no_peer_access(const CheckedLaunch& launch, const memory::Allocation& buffer);

}  // namespace sim::cudart
