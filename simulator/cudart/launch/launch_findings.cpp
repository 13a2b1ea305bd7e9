#include "simulator/cudart/launch/launch_findings.h"

#include <algorithm>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/ptx/program.h"

namespace sim::cudart {
namespace {

bool is_bad_access(FindingKind kind) {
  return kind == FindingKind::out_of_bounds || kind == FindingKind::misaligned ||
         kind == FindingKind::use_after_free;
}

void name_toolkit_call(Finding& f) {
  if (!writes_report() || f.line == 0 || !ptx::is_toolkit_file(f.file)) return;
  f.message = Message("In the toolkit's {}, line {}, which this call runs: {}",
                      f.file.substr(f.file.find_last_of('/') + 1), f.line, f.message);
  f.host_frames = frames_of(host_backtrace());
  f.file.clear();
  f.line = f.column = 0;
}

}  // namespace

cudaError_t error_of(const Finding& finding) {
  // Of a block of the cluster that has left.
  if (finding.kind == FindingKind::use_after_free && finding.space == MemorySpace::shared)
    return cudaErrorLaunchFailure;
  if (finding.kind == FindingKind::misaligned) return cudaErrorMisalignedAddress;
  if (finding.kind == FindingKind::out_of_bounds || finding.kind == FindingKind::use_after_free)
    return cudaErrorIllegalAddress;
  if (finding.kind == FindingKind::illegal_instruction) return cudaErrorIllegalInstruction;
  if (finding.kind == FindingKind::assert) return cudaErrorAssert;
  if (finding.kind == FindingKind::hang) return cudaErrorLaunchTimeout;
  if (finding.kind == FindingKind::unsupported) return cudaErrorNotSupported;
  return cudaErrorLaunchFailure;
}

void name_findings(std::vector<Finding>& findings, const CheckedLaunch& launch) {
  for (Finding& f : findings) {
    f.kernel = launch.shown;  // the interpreter knows the mangled name only
    name_toolkit_call(f);
  }
}

void add_cure(Finding& f, const CheckedLaunch& launch) {
  if (f.kind == FindingKind::hang && f.cure.kind == Cure::none && !launch.facts.polls_memory)
    f.cure = Cure::condition_read_afresh;
}

bool is_found_by_check(const Finding& fault, const std::vector<Finding>& found) {
  return std::any_of(found.begin(), found.end(), [&](const Finding& f) {
    const bool same = f.kind == fault.kind || (fault.kind == FindingKind::hang && is_bad_access(f.kind));
    return same && f.severity == Severity::error;
  });
}

Finding lazy_load_hang(const LazyLoad& load, const CheckedLaunch& launch) {
  Finding f;
  f.kind = FindingKind::hang;
  f.kernel = load.kernel;
  f.message = Message(
      "{} is used for the first time while {} is running and waits for it. A GPU loads a kernel at its first "
      "use, and loading may wait for kernels that run: then neither ever goes on.",
      load.kernel, launch.shown);
  f.cure = {Cure::load_before_launch, {load.kernel, launch.shown}};
  f.host_frames = load.host_frames;
  return f;
}

Finding suspended_at_exit(const CheckedLaunch& launch) {
  Finding f;
  f.kind = FindingKind::hang;
  f.severity = Severity::note;
  f.kernel = launch.shown;
  f.message = Message(
      "The program ended while {} still waited for memory that nobody had written. On a GPU it is cut off.",
      launch.shown);
  return f;
}

void report_no_peer_access(const CheckedLaunch& launch, const memory::Allocation& buffer) {
  report(FindingKind::out_of_bounds,
         Message("{} runs on device {} and is given a buffer of {} bytes ({}) on device {}, whose memory "
                 "it may not access.",
                 launch.shown, device().ordinal, buffer.size, buffer.name(), buffer.device),
         launch.shown,
         {Cure::enable_peer_access, {std::to_string(buffer.device), std::to_string(device().ordinal)}});
}

}  // namespace sim::cudart
