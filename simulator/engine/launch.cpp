#include "simulator/engine/launch.h"

#include "language/catalogue.h"
#include "simulator/engine/grid/grid.h"

namespace sim::exec {

LaunchResult launch(const LoadedModule::Program& kernel, const Launch& what, memory::AddressSpace& space) {
  Grid grid(kernel, what, space);
  if (grid.resume()) return grid.outcome();
  Finding f;
  f.kind = FindingKind::waits;
  f.kernel = kernel.code->kernel->name;
  f.message = tr("The kernel waits for memory that only somebody outside can write.");
  throw Fault(std::move(f));
}

struct ResumableLaunch::State {
  State(const LoadedModule::Program& kernel, const Launch& of, memory::AddressSpace& space)
      : what(of), grid(kernel, what, space) {}
  const Launch what;
  Grid grid;
};

ResumableLaunch::ResumableLaunch(const LoadedModule::Program& kernel, const Launch& what,
                                 memory::AddressSpace& space)
    : state_(std::make_unique<State>(kernel, what, space)) {}
ResumableLaunch::~ResumableLaunch() = default;
bool ResumableLaunch::resume(std::chrono::steady_clock::time_point until, std::uint64_t weight) {
  return state_->grid.resume(until, weight);
}
bool ResumableLaunch::is_blocked() const { return state_->grid.is_blocked(); }
LaunchResult ResumableLaunch::outcome() const { return state_->grid.outcome(); }

}  // namespace sim::exec
