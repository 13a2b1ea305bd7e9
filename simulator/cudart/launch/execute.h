// What a launch does once it is checked and its turn has come.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "simulator/cudart/module/registry.h"
#include "simulator/cudart/stream/deferred_work.h"
#include "simulator/cudart/stream/stream.h"

namespace sim::cudart {

/// A launch that was checked.
struct CheckedLaunch {
  const Kernel* kernel;
  const exec::LoadedModule::Program* program;
  exec::KernelFacts facts;
  std::string shown;  ///< the kernel's name
  exec::Launch what;  ///< without its parameters
  std::vector<std::byte> params;
  LazyLoad lazy_load;  ///< beside no suspended kernel where it was loaded before
};

/// Runs it, notes its findings and puts it on the modelled clock. A kernel that waits for
/// somebody outside is suspended.
void execute(std::shared_ptr<const CheckedLaunch> launch, CUstream_st& stream);

}  // namespace sim::cudart
