#include "simulator/findings/examine.h"

#include "simulator/exec/program.h"
#include "simulator/findings/watch.h"

namespace sim::findings {

struct Subject {
  const exec::LoadedModule::Program& kernel;
  Plan plan;
};

void SubjectDelete::operator()(Subject* subject) const { delete subject; }

std::unique_ptr<Subject, SubjectDelete> prepare(const exec::LoadedModule::Program& kernel) {
  return std::unique_ptr<Subject, SubjectDelete>(new Subject{kernel, Plan(*kernel.code)});
}

std::vector<Finding> examine(Subject& subject, const exec::Launch& what, memory::AddressSpace& space) {
  Watch watch(subject.plan, what, space);
  exec::Launch watched = what;
  watched.observer = &watch;
  try {
    exec::launch(subject.kernel, watched, space);
  } catch (const exec::Fault& fault) {
    if (fault.finding.kind != "unsupported") watch.forgives(fault);
  }
  return watch.take();
}

}  // namespace sim::findings
