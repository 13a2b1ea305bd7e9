#include "simulator/sanitizer/examine.h"

#include <algorithm>

#include "simulator/decode/program.h"
#include "simulator/sanitizer/launch_observer.h"

namespace sim::sanitizer {

struct Subject {
  const exec::LoadedModule::Program& kernel;
  KernelAnalysis analysis;
  bool registers_only = false;
};

void SubjectDelete::operator()(Subject* subject) const { delete subject; }

std::unique_ptr<Subject, SubjectDelete> prepare(const exec::LoadedModule::Program& kernel,
                                                const ptx::Locals* locals,
                                                const exec::LoadedModule::Program* optimised) {
  const exec::Code* const fast = optimised == nullptr ? nullptr : optimised->code.get();
  return std::unique_ptr<Subject, SubjectDelete>(
      new Subject{kernel, KernelAnalysis(*kernel.code, locals, fast)});
}

std::unique_ptr<Subject, SubjectDelete> prepare_registers(const exec::LoadedModule::Program& kernel) {
  if (!RegisterDetector::applies(*kernel.code)) return nullptr;
  return std::unique_ptr<Subject, SubjectDelete>(new Subject{kernel, KernelAnalysis(*kernel.code), true});
}

Examined examine(Subject& subject, const exec::Launch& what, memory::AddressSpace& space, Written* written,
                 double seconds, bool touched, bool stores) {
  LaunchObserver observer(subject.analysis, what, space, written);
  observer.stop_after(seconds);
  if (stores) observer.count_stores();
  if (subject.registers_only) observer.keep_registers_only();
  exec::Launch watched = what;
  watched.observer = &observer;
  Examined result;
  try {
    result.lane_instructions = exec::launch(subject.kernel, watched, space).counters.thread_inst_executed;
    result.complete = true;
  } catch (const exec::Fault& fault) {
    const bool of_the_program =
        fault.finding.kind != FindingKind::unsupported && fault.finding.kind != FindingKind::waits;
    if (!observer.stopped() && of_the_program) observer.suppresses(fault);
  }
  result.findings = observer.take();
  if (touched) result.touched = observer.touched();
  return result;
}

}  // namespace sim::sanitizer
