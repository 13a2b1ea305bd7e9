#include "simulator/cudart/launch/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/cudart/launch/residency.h"
#include "simulator/cudart/launch/sampling.h"
#include "simulator/cudart/memory/pool.h"
#include "simulator/cudart/report/host_place.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/cudart/stream/suspended_launch.h"
#include "simulator/cudart/texture/texture.h"
#include "simulator/engine/selection.h"
#include "simulator/model/model.h"

namespace sim::cudart {
namespace {

constexpr std::chrono::milliseconds kTurn(2);  ///< of a parked kernel

/// Buffers whose address is among the arguments.
std::vector<const memory::Allocation*> buffers_among(const std::vector<std::byte>& params) {
  std::vector<const memory::Allocation*> found;
  for (std::size_t at = 0; at + 8 <= params.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, params.data() + at, sizeof word);
    const memory::Allocation* allocation = device().space.find(word);
    if (allocation && std::find(found.begin(), found.end(), allocation) == found.end())
      found.push_back(allocation);
  }
  return found;
}

cudaError_t code_of(const Finding& finding) {
  if (finding.kind == FindingKind::misaligned) return cudaErrorMisalignedAddress;
  if (finding.kind == FindingKind::out_of_bounds || finding.kind == FindingKind::use_after_free)
    return cudaErrorIllegalAddress;
  if (finding.kind == FindingKind::assert) return cudaErrorAssert;
  if (finding.kind == FindingKind::hang) return cudaErrorLaunchTimeout;
  if (finding.kind == FindingKind::unsupported) return cudaErrorNotSupported;
  return cudaErrorLaunchFailure;
}

void record(const CheckedLaunch& run, exec::LaunchResult& result, const model::Estimate& time,
            double migration_ns) {
  Device& d = device();
  KernelRecord record;
  record.name = run.shown;
  record.launch = d.launches;
  record.grid = run.what.grid;
  record.block = run.what.block;
  record.dynamic_shared_bytes = run.what.dynamic_shared_bytes;
  record.counters = result.counters;
  const exec::ChainOfWaits& waits = result.cost.waits;
  const exec::UnitUse& units = result.cost.units;
  record.model = {run.facts.registers,
                  run.facts.static_shared_bytes + run.what.dynamic_shared_bytes,
                  result.read_footprint,
                  result.written_footprint,
                  waits.global,
                  waits.shared,
                  waits.atomics,
                  waits.arithmetic,
                  result.cost.sass_instructions,
                  units.doubles,
                  units.specials,
                  units.textures,
                  units.tensor_macs,
                  result.longest_warp,
                  result.slowest_warp,
                  result.same_address_atomics,
                  result.partial_line_load_sectors,
                  result.partial_line_store_sectors,
                  result.chain_lanes};
  record.lines = std::move(result.lines);
  record.trace = std::move(result.trace);
  record.modelled_ns = time.ns + migration_ns;
  record.bound = migration_ns > time.ns ? "migration" : time.bound;
  d.records.push_back(std::move(record));
}

/// What faults and transfers of managed pages add to a kernel that meets them.
double migration_ns(const Managed::Move& move) {
  const model::Gpu& gpu = device().gpu;
  return move.granules * gpu.fault_ns + move.bytes / gpu.pinned_gb_per_s;
}

/// Zeroed device memory where the blocks of a cooperative launch count their arrivals at grid.sync().
std::uint64_t grid_sync_workspace() {
  static constexpr std::size_t kBytes = 4096;
  Device& d = device();
  if (!d.grid_sync) d.grid_sync = d.space.allocate(kBytes, memory::Kind::symbol, "grid.sync() counters");
  std::memset(d.grid_sync->host, 0, kBytes);
  return d.grid_sync->base;
}

/// Whether the device may access all buffers among a kernel's arguments; tells, and fails it, where not.
bool peers_open(const CheckedLaunch& run, const std::vector<const memory::Allocation*>& buffers) {
  Device& d = device();
  for (const auto* allocation : buffers) {
    const bool foreign = allocation->kind == memory::Kind::device && allocation->device != d.ordinal;
    if (!foreign || d.peers.contains(allocation->device) || pool_opens(*allocation, d.ordinal)) continue;
    report(
        FindingKind::out_of_bounds,
        Message("{} runs on device {} and is given a buffer of {} bytes ({}) on device {}, whose memory "
                    "it may not access.",
                    run.shown, d.ordinal, allocation->size, allocation->name(), allocation->device),
        run.shown,
        fmt::format("cudaDeviceEnablePeerAccess({}, 0) on device {}", allocation->device, d.ordinal));
    d.pending = cudaErrorIllegalAddress;
    return false;
  }
  return true;
}

/// One launch from its begin to its end, which may be much later.
class Execution : public Parked {
 public:
  Execution(std::shared_ptr<const CheckedLaunch> run, CUstream_st& stream)
      : run_(std::move(run)), stream_(stream), device_(device()), managed_(buffers_among(run_->params)) {}

  /// @return whether it has ended
  bool begin();
  bool go_on(bool counts) override;
  bool waits() const override { return running_->waits(); }
  void has_run(const LateLoad& late) override { late_ = late; }
  void abandon() override;

 private:
  void tell_late() const;
  void look();
  void tell();
  void conclude();
  void fails(const exec::Fault& fault);
  void add_cure(Finding& finding) const;

  std::shared_ptr<const CheckedLaunch> run_;
  CUstream_st& stream_;
  Device& device_;
  std::vector<const memory::Allocation*> managed_;
  Managed::Move to_device_;
  std::vector<std::uint64_t> chosen_;  ///< blocks, where only a sample of them runs
  std::unique_ptr<Check> check_;
  std::unique_ptr<Residency> residency_;
  std::vector<Finding> found_;
  std::optional<exec::Running> running_;
  std::optional<LateLoad> late_;  ///< has run since this one's last turn
};

bool Execution::begin() {
  ++device_.launches;
  if (!peers_open(*run_, managed_)) return true;
  std::erase_if(managed_, [&](const auto* allocation) { return !device_.managed.holds(allocation); });
  Managed::Move to_host;
  for (const auto* allocation : managed_) to_device_ += device_.managed.before_kernel(allocation, to_host);
  device_.clock.host_spends(migration_ns(to_host));
  exec::Launch what = run_->what;
  what.params = run_->params;
  what.textures = &textures();
  what.may_wait = run_->facts.watches && may_overlap();
  if (what.cooperative) what.grid_sync_workspace = grid_sync_workspace();
  if (sampling()) {
    chosen_ = sampled_blocks(std::uint64_t(what.grid[0]) * what.grid[1] * what.grid[2]);
    what.instruction_limit = kMostInstructionsSampled;
  } else {
    check_ = start_check(*run_->kernel, what);
    residency_ = start_residency(*run_->program, run_->facts, what);
  }
  {
    const exec::Selecting sampled({.chosen = chosen_});
    running_.emplace(*run_->program, what, device_.space);
  }
  const bool ended = running_->go_on();
  look();
  if (ended) {
    if (check_ != nullptr)
      for (const Touch& touch : check_->touched()) touches(stream_, touch, "kernel " + run_->shown);
    conclude();
  } else if (what.cooperative) {
    device_.grid_sync = nullptr;  // this kernel's; the next gets its own
  }
  check_.reset();
  return ended;
}

/// What host and kernel tell each other through memory orders their accesses: it is not told as a race.
bool Execution::go_on(bool counts) {
  const bool ended = running_->go_on(std::chrono::steady_clock::now() + kTurn, counts);
  if (late_ && !running_->waits()) tell_late();
  late_.reset();
  if (ended) conclude();
  return ended;
}

/// Here launches never wait. A GPU's do: what is seen is a hang there.
void Execution::tell_late() const {
  Finding f;
  f.kind = FindingKind::hang;
  f.kernel = late_->kernel;
  f.message = Message(
      "{} is used for the first time while {} is running and waits for it. A GPU loads a kernel at its first "
      "use, and loading may wait for kernels that run: then neither ever goes on.",
      late_->kernel, run_->shown);
  f.cure = fmt::format(
      "use {} once before {} is launched, for instance by cudaFuncGetAttributes(), or set "
      "CUDA_MODULE_LOADING=EAGER in the environment",
      late_->kernel, run_->shown);
  f.host_frames = late_->host_frames;
  device_.findings.push_back(std::move(f));
}

void Execution::abandon() {
  Finding f;
  f.kind = FindingKind::hang;
  f.severity = Severity::note;
  f.kernel = run_->shown;
  f.message = Message(
      "The program ended while {} still waited for memory that nobody had written. On a GPU it is cut off.",
      run_->shown);
  device_.findings.push_back(std::move(f));
}

/// What lies wholly in the toolkit's headers is told at the call that led there: its line is worked out from
/// the host's frames, and the message says where in the toolkit it is.
void name_call(Finding& f) {
  if (!writes_report() || f.line == 0 || !ptx::is_toolkit_file(f.file)) return;
  f.message = Message("In the toolkit's {}, line {}, which this call runs: {}",
                          f.file.substr(f.file.find_last_of('/') + 1), f.line, f.message);
  f.host_frames = frames_of(host_place());
  f.file.clear();
  f.line = f.column = 0;
}

void Execution::look() {
  if (check_ != nullptr) found_ = check_->finish();
  for (Finding& f : found_) {
    f.kernel = run_->shown;  // the interpreter knows the mangled name only
    name_call(f);
  }
}

void Execution::tell() {
  auto& all = device_.findings;
  all.insert(all.end(), found_.begin(), found_.end());
}

/// A loop over a plain variable is compiled as if nobody else wrote to it.
void Execution::add_cure(Finding& f) const {
  if (f.kind == FindingKind::hang && f.cure.empty() && !run_->facts.watches)
    f.cure =
        "a condition that is sure to change. Where another thread or the host changes it in memory, read it "
        "by "
        "volatile or atomic accesses: a plain variable the compiler may read once, before the loop";
}

void Execution::fails(const exec::Fault& fault) {
  for (Finding& f : found_) add_cure(f);
  tell();
  // What the check build says of the same thing is nearer to the source. A bad access ends a kernel: that it
  // goes on for ever where the optimiser left the access out is no second mistake.
  const auto ends = [](FindingKind kind) {
    return kind == FindingKind::out_of_bounds || kind == FindingKind::misaligned ||
           kind == FindingKind::use_after_free;
  };
  const bool told = std::any_of(found_.begin(), found_.end(), [&](const Finding& f) {
    const bool same =
        f.kind == fault.finding.kind || (fault.finding.kind == FindingKind::hang && ends(f.kind));
    return same && f.severity == Severity::error;
  });
  if (!told) {
    device_.findings.push_back(fault.finding);
    device_.findings.back().kernel = run_->shown;
    add_cure(device_.findings.back());
  }
  device_.pending = code_of(fault.finding);
}

void Execution::conclude() {
  exec::LaunchResult result;
  try {
    result = running_->outcome();
  } catch (const exec::Fault& fault) {
    return fails(fault);
  }
  // A kernel that comes to its end is not endless, however long its check build takes.
  std::erase_if(found_, [](const Finding& f) { return f.kind == FindingKind::hang; });
  if (residency_ != nullptr)
    for (Finding& f : residency_->finish(result.counters.inst_executed)) {
      f.kernel = run_->shown;
      found_.push_back(std::move(f));
    }
  tell();
  device_.findings.insert(device_.findings.end(), result.notes.begin(), result.notes.end());
  for (const auto* allocation : managed_) device_.managed.after_kernel(allocation);
  const exec::Launch& what = run_->what;
  const model::Estimate time = model::estimate(device_.gpu, run_->facts, what, result);
  const double migration = migration_ns(to_device_);
  const auto shared = run_->facts.static_shared_bytes + what.dynamic_shared_bytes;
  const auto& [bx, by, bz] = what.block;
  const auto fit = model::occupancy(device_.gpu, run_->facts.registers, shared, bx * by * bz);
  const double room = std::max(1, fit.blocks_per_sm) * double(device_.gpu.sms);
  const auto& [gx, gy, gz] = what.grid;
  device_.clock.run(stream_, Engine::compute, time.ns + migration,
                    std::min(1.0, double(gx) * gy * gz / room));
  record(*run_, result, time, migration);
  cudart::has_run(run_->late);
}

}  // namespace

void execute(std::shared_ptr<const CheckedLaunch> launch, CUstream_st& stream) {
  auto execution = std::make_unique<Execution>(std::move(launch), stream);
  if (!execution->begin()) park(stream, std::move(execution));
}

}  // namespace sim::cudart
