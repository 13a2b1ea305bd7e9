#include "simulator/cudart/launch/execute.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <optional>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/cudart/launch/launch_findings.h"
#include "simulator/cudart/launch/litmus.h"
#include "simulator/cudart/launch/residency.h"
#include "simulator/cudart/launch/sampling.h"
#include "simulator/cudart/memory/pool.h"
#include "simulator/cudart/report/launch_record.h"
#include "simulator/cudart/stream/deferred_work.h"
#include "simulator/cudart/texture/texture.h"
#include "simulator/engine/grid/selection.h"
#include "simulator/model/model.h"
#include "simulator/model/timeline/timeline.h"

namespace sim::cudart {
namespace {

constexpr std::chrono::milliseconds kSlice(2);  ///< of a suspended kernel

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

/// Whether the device may access all of the buffers; reports, and fails it, where not.
bool check_peer_access(const CheckedLaunch& launch, const std::vector<const memory::Allocation*>& buffers) {
  Device& d = device();
  for (const auto* buffer : buffers) {
    if (!buffer->is_of_other_device(d.ordinal) || d.peers.contains(buffer->device) ||
        pool_opens(*buffer, d.ordinal))
      continue;
    report_no_peer_access(launch, *buffer);
    d.pending = cudaErrorIllegalAddress;
    return false;
  }
  return true;
}

/// What faults and transfers of managed pages add to a kernel that meets them.
double migration_ns(const ManagedPages::Migration& move) {
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

/// Share of the places for blocks on the GPU that a launch fills.
double compute_share(const CheckedLaunch& launch, const model::Gpu& gpu) {
  const auto& [bx, by, bz] = launch.what.block;
  const auto& [gx, gy, gz] = launch.what.grid;
  const auto shared = launch.facts.static_shared_bytes + launch.what.dynamic_shared_bytes;
  const auto fit = model::occupancy(gpu, launch.facts.registers, shared, bx * by * bz);
  const double places = std::max(1, fit.blocks_per_sm) * double(gpu.sms);
  return std::min(1.0, double(gx) * gy * gz / places);
}

/// One launch from its start to its end; it may be suspended in between.
class Execution : public SuspendedLaunch {
 public:
  Execution(std::shared_ptr<const CheckedLaunch> launch, CUstream_st& stream)
      : launch_(std::move(launch)),
        stream_(stream),
        device_(device()),
        managed_(buffers_among(launch_->params)) {}

  /// @return whether it has ended; else it is to be suspended
  bool start();
  bool resume(std::uint64_t weight) override;
  bool is_blocked() const override { return running_->is_blocked(); }
  void lazy_load_ran(const LazyLoad& load) override { lazy_load_ = load; }
  void abandon() override { device_.findings.push_back(suspended_at_exit(*launch_)); }

 private:
  exec::Launch prepare();
  void finish_check(bool ended);
  void end();
  void succeed(exec::LaunchResult result);
  void fail(const exec::Fault& fault);

  std::shared_ptr<const CheckedLaunch> launch_;
  CUstream_st& stream_;
  Device& device_;
  std::vector<const memory::Allocation*> managed_;  ///< buffers of managed memory among the arguments
  ManagedPages::Migration to_device_;               ///< pages of theirs that migrate
  std::vector<std::uint64_t> chosen_;               ///< blocks, where only a sample of them runs
  std::unique_ptr<Check> check_;
  std::unique_ptr<Residency> residency_;
  std::vector<Finding> found_;  ///< by the check build and the residency check
  std::optional<exec::ResumableLaunch> running_;
  std::optional<LazyLoad> lazy_load_;  ///< ran since the last slice
};

/// Moves managed pages, and starts the processes that check the launch.
exec::Launch Execution::prepare() {
  std::erase_if(managed_, [&](const auto* buffer) { return !device_.managed.holds(buffer); });
  ManagedPages::Migration to_host;
  for (const auto* buffer : managed_) to_device_ += device_.managed.before_kernel(buffer, to_host);
  device_.clock.host_spends(migration_ns(to_host));
  exec::Launch what = launch_->what;
  what.params = launch_->params;
  if (device_count() > 1) what.device = device_.ordinal;
  what.textures = &textures();
  what.may_wait = launch_->facts.polls_memory && may_overlap();
  if (what.cooperative) what.grid_sync_workspace = grid_sync_workspace();
  if (sampling()) {
    chosen_ = sampled_blocks(std::uint64_t(what.grid[0]) * what.grid[1] * what.grid[2]);
    what.instruction_limit = kMostInstructionsSampled;
  } else {
    check_ = start_check(*launch_->kernel, what);
    residency_ = start_residency(*launch_->program, launch_->facts, what);
  }
  return what;
}

bool Execution::start() {
  ++device_.launches;
  if (!check_peer_access(*launch_, managed_)) return true;
  const exec::Launch what = prepare();
  {
    const exec::ScopedBlockSelection sampled({.chosen = chosen_});
    running_.emplace(*launch_->program, what, device_.space);
  }
  const bool ended = running_->resume();
  finish_check(ended);
  if (!ended) residency_.reset();  // what a copy of the process never sees written, it waits for in vain
  if (ended) end();
  // The workspace is this kernel's until it ends; the next launch gets its own.
  if (!ended && what.cooperative) device_.grid_sync = nullptr;
  return ended;
}

/// What host and kernel tell each other through memory orders their accesses: those of a suspended kernel are
/// not compared with other work's.
void Execution::finish_check(bool ended) {
  if (check_ == nullptr) return;
  found_ = check_->finish();
  name_findings(found_, *launch_);
  if (ended)
    for (const MemoryAccess& access : check_->accesses())
      record_access(stream_, access, "kernel " + launch_->shown);
  check_.reset();
}

bool Execution::resume(std::uint64_t weight) {
  const bool ended = running_->resume(std::chrono::steady_clock::now() + kSlice, weight);
  if (lazy_load_ && !running_->is_blocked())
    device_.findings.push_back(lazy_load_hang(*lazy_load_, *launch_));
  lazy_load_.reset();
  if (ended) end();
  return ended;
}

void Execution::end() {
  exec::LaunchResult result;
  try {
    result = running_->outcome();
  } catch (const exec::Fault& fault) {
    return fail(fault);
  }
  succeed(std::move(result));
}

void Execution::fail(const exec::Fault& fault) {
  for (Finding& f : found_) add_cure(f, *launch_);
  device_.findings.insert(device_.findings.end(), found_.begin(), found_.end());
  if (!is_found_by_check(fault.finding, found_)) {
    Finding finding = fault.finding;
    finding.kernel = launch_->shown;
    add_cure(finding, *launch_);
    device_.findings.push_back(std::move(finding));
  }
  device_.pending = error_of(fault.finding);
}

void Execution::succeed(exec::LaunchResult result) {
  // A kernel that comes to its end is not endless, however long its check build takes.
  std::erase_if(found_, [](const Finding& f) { return f.kind == FindingKind::hang; });
  if (residency_ != nullptr)
    for (Finding& f : residency_->finish(result.counters.inst_executed)) {
      f.kernel = launch_->shown;
      found_.push_back(std::move(f));
    }
  device_.findings.insert(device_.findings.end(), found_.begin(), found_.end());
  device_.findings.insert(device_.findings.end(), result.notes.begin(), result.notes.end());
  for (const auto* buffer : managed_) device_.managed.after_kernel(buffer);
  const model::Estimate time = model::estimate(device_.gpu, launch_->facts, launch_->what, result);
  const double migration = migration_ns(to_device_);
  device_.clock.run(stream_, Engine::compute, time.ns + migration, compute_share(*launch_, device_.gpu));
  device_.records.push_back(launch_record(*launch_, result, time, migration));
  device_.records.back().timeline = model::timeline(device_.gpu, launch_->facts, launch_->what, result);
  cudart::lazy_load_ran(launch_->lazy_load);
}

}  // namespace

void execute(std::shared_ptr<const CheckedLaunch> launch, CUstream_st& stream) {
  if (explores(*launch)) return explore(*launch);
  auto execution = std::make_unique<Execution>(std::move(launch), stream);
  if (!execution->start()) suspend(stream, std::move(execution));
}

}  // namespace sim::cudart
