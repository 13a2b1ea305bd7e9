// What a launch that has ended leaves to be read: its counters, the time model's inputs
// and its modelled time.
#pragma once

#include "simulator/cudart/launch/execute.h"
#include "simulator/model/model.h"

namespace sim::cudart {

/// @param result        its lines and its trace are moved into the record
/// @param time          of the kernel alone
/// @param migration_ns  for which pages of managed memory moved to the device while the kernel waited
KernelRecord launch_record(const CheckedLaunch& launch, exec::LaunchResult& result,
                           const model::Estimate& time, double migration_ns);

}  // namespace sim::cudart
