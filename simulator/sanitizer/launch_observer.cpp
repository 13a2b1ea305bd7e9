#include "simulator/sanitizer/launch_observer.h"

#include <ctime>

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/touched.h"

namespace sim::sanitizer {

namespace {
constexpr u64 kMostForgiven = 2000;  ///< bad accesses after which a launch is not worth going on with

/// That this process has computed.
double cpu_seconds() {
  timespec spent{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &spent);
  return double(spent.tv_sec) + double(spent.tv_nsec) * 1e-9;
}

}  // namespace

LaunchObserver::LaunchObserver(const KernelAnalysis& analysis, const exec::Launch& launch,
                               memory::AddressSpace& space, Written* written)
    : context_(analysis, launch, space, written),
      bounds_(context_),
      races_(context_),
      uninit_(context_),
      barriers_(context_),
      budget_(context_),
      descriptors_(context_) {
  if (RegisterDetector::applies(context_.code())) registers_.emplace(context_);
}

std::vector<Finding> LaunchObserver::take() {
  if (registers_only_) context_.collector.keep(FindingKey::Kind::pending_register);
  std::vector<Finding> all = context_.collector.take();
  if (stores_)
    for (Finding& note : stores_->notes()) {
      note.kernel = context_.code().kernel->name;
      all.push_back(std::move(note));
    }
  return all;
}

std::vector<Touched> LaunchObserver::touched() const {
  return sanitizer::touched(context_.globals, context_.analysis);
}

void LaunchObserver::block_starts(Block& block) {
  races_.block_starts(block);
  uninit_.block_starts(block);
  barriers_.block_starts(block);
  budget_.block_starts(block);
  descriptors_.block_starts(block);
  if (registers_) registers_->block_starts(block);
}

void LaunchObserver::step(Warp& w, const Instr& in) {
  if (registers_) registers_->step(w, in);
  if (w.tainted) uninit_.step(w, in);
}

bool LaunchObserver::suppresses(const Fault& fault) {
  Fault named = fault;
  bounds_.name_variable(named);
  bounds_.tell_whole(named);
  context_.collector.add(named);
  // What was not written, or not copied, will be missed elsewhere: that follows from this finding.
  context_.store_missing |= fault.finding.access != AccessKind::read || context_.analysis.has_copies();
  return ++suppressed_ < kMostForgiven;
}

void LaunchObserver::stop_after(double seconds) { cpu_end_ = cpu_seconds() + seconds; }

void LaunchObserver::stop_when_late() {
  if (cpu_seconds() <= cpu_end_) return;
  stopped_ = true;
  throw Fault(Finding{});
}

SIM_INLINE void LaunchObserver::check_order(Warp& w, const ObservedAccess& seen, u32 at) {
  const std::optional<WarpAccess> a = races_.locate(w, seen, at);
  if (!a) return;
  const bool reads_shared = a->in_shared && seen.kind != Access::write;
  const bool tainted = reads_shared && uninit_.has_tainted_shared(seen.owner);
  if (reads_shared && (tainted || a->semantics.reload))
    uninit_.shared_read(*a);        // what was written may be tainted all the same
  if (a->semantics.reload) return;  // the program does not read here
  const Mask left = races_.enter_same_epoch(*a);
  if (left == 0) return;
  if (reads_shared && !tainted) uninit_.shared_read(*a);  // of what was entered, all is written
  races_.check(*a, left);
}

void LaunchObserver::access(Warp& w, const ObservedAccess& seen) {
  if ((++accesses_ & 0x3FFF) == 0) stop_when_late();
  const u32 at = context_.code().index_of(seen.in);
  uninit_.clear_unwritten_copy();
  if (stores_) [[unlikely]]
    stores_->add(w, seen);
  if (seen.space == ptx::Space::local) return uninit_.local(w, seen, bounds_.check_local(w, seen, at));
  const bool in_shared = seen.space == ptx::Space::shared, in_global = seen.space == ptx::Space::global;
  if (in_shared) bounds_.check_shared(w, seen, at);
  if (in_global) bounds_.check_global(w, seen, at);
  if (in_shared || in_global) check_order(w, seen, at);
  if (in_shared) {
    if (seen.kind != Access::read) uninit_.shared_stored(w, seen);
    return;
  }
  if (in_global) uninit_.global(w, seen, at);
  if (w.tainted && seen.kind == Access::write) uninit_.stored(w, seen);
}

void LaunchObserver::copies(Warp& w, const Instr& in, int lane, u32 offset, u32 bytes) {
  const u32 place = offset & 0xFFFFFFu;  // from a generic address as from one of shared memory
  uninit_.shared_copied(*w.block, place, bytes);
  races_.copies(w, in, lane, {w.block, place}, bytes,
                (uninit_.unwritten_copy() & kLaneBit[std::size_t(lane)]) != 0);
}

void LaunchObserver::bulk_copies(Warp& w, const Instr& in, int lane, const SharedPlace& to, u32 bytes,
                                 const SharedPlace& mbarrier) {
  uninit_.shared_copied(*to.owner, u32(to.offset), bytes);
  descriptors_.bulk_copies(w, in, lane, to, bytes);
  const bool garbage = (uninit_.unwritten_copy() & kLaneBit[std::size_t(lane)]) != 0;
  races_.bulk_copies(w, in, lane, to, bytes, mbarrier, garbage);
}

void LaunchObserver::arrives(const Warp& w, const Instr& in, int barrier, u32 expected, bool waits) {
  barriers_.arrives(w, in, barrier, expected);
  races_.arrives(w, barrier, expected, waits);
}

void LaunchObserver::block_barrier(Block& block, int barrier) {
  barriers_.block_barrier(block, barrier);
  if (races_.block_barrier(block, barrier)) barriers_.converges(block);
}

void LaunchObserver::warp_primitive(Warp& w, const Instr& in, Mask lanes, Mask named) {
  const UnnamedSource read = barriers_.warp_primitive(w, in, lanes, named);
  if (read.lanes != 0)
    uninit_.undefined_result(w, in, read.lanes, [&] { return barriers_.finding(w, in, read, named); });
}

}  // namespace sim::sanitizer
