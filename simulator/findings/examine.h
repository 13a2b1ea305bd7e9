// The door into the findings: looking at one launch.
#pragma once

#include <memory>
#include <vector>

#include "simulator/exec/launch.h"

namespace sim::findings {

/// A kernel with what is worked out about it before it runs.
struct Subject;
struct SubjectDelete {
  void operator()(Subject* subject) const;
};

std::unique_ptr<Subject, SubjectDelete> prepare(const exec::LoadedModule::Program& kernel);

/// Runs the launch under observation, on the calling thread. Memory is changed as by any launch.
/// @return what was found, also when the kernel could not go on
std::vector<Finding> examine(Subject& subject, const exec::Launch& what, memory::AddressSpace& space);

}  // namespace sim::findings
