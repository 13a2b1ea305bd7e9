#include "simulator/engine/timeline/recorder.h"

#include <algorithm>
#include <utility>

#include "simulator/engine/phase_barrier.h"
#include "simulator/engine/shared_name.h"

namespace sim::exec {

namespace {

constexpr std::size_t kMostSteps = std::size_t{1} << 17;

/// A basic block's own work: copies and products are steps.
Step work_of(const CodeCost& cost) {
  const CriticalPath& path = cost.critical_path;
  Step work;
  work.global = path.global - path.copies;
  work.shared = path.shared;
  work.atomics = path.atomics;
  work.arithmetic = path.arithmetic - path.products;
  work.machine_instructions = cost.sass_instructions;
  return work;
}

void add_work(Step& to, const Step& more) {
  to.global += more.global, to.shared += more.shared, to.atomics += more.atomics;
  to.arithmetic += more.arithmetic, to.machine_instructions += more.machine_instructions;
}

}  // namespace

TimelineRecorder::TimelineRecorder(const Cluster& cluster, const Block& example)
    : cluster_(&cluster), code_(example.worker->code), wrappers_(code_), running_(cluster.size()) {
  recording_.block = example.id;
  recording_.rank = example.rank;
  recording_.blocks = cluster.size();
  recording_.warps.resize(cluster.size() * example.warps.size());
  pending_.resize(recording_.warps.size());
  for (u32 rank = 0; rank < cluster.size(); ++rank)
    for (Warp& w : cluster.block(rank).warps) w.followed = true;
  example.worker->observer = this;
}

std::size_t TimelineRecorder::index_of(const Warp& w) const {
  return w.block->rank * w.block->warps.size() + w.index;
}

std::uint32_t TimelineRecorder::line_of(const Warp& w) {
  const Instr* const at = pending_[index_of(w)].at;
  const SourceLine place = at == nullptr ? SourceLine{} : wrappers_.line_of(w.frame, code_.index_of(*at));
  const auto [known, is_new] =
      lines_.try_emplace({place.file, place.line}, std::uint32_t(recording_.lines.size()));
  if (is_new) recording_.lines.push_back({place.file, place.line});
  return known->second;
}

Step& TimelineRecorder::add(const Warp& w, Step::Kind kind, AsyncUnit unit, bool before_block) {
  Pending& pending = pending_[index_of(w)];
  if (!before_block) add_work(pending.work, std::exchange(pending.entered, {}));
  Step step = std::exchange(pending.work, {});
  pending.polls = false;
  step.kind = kind;
  step.unit = unit;
  step.line = line_of(w);
  recording_.cut = ++steps_ >= kMostSteps;
  return recording_.warps[index_of(w)].emplace_back(step);
}

Step& TimelineRecorder::same_or_new(const Warp& w, Step::Kind kind, std::uint32_t barrier, u64 phase) {
  auto& steps = recording_.warps[index_of(w)];
  if (!steps.empty() && steps.back().kind == kind && steps.back().barrier == barrier &&
      steps.back().phase == phase)
    return steps.back();
  // What the wait for an mbarrier takes by itself comes behind the end of the phase.
  const bool wakes_up =
      kind == Step::Kind::wait && recording_.barriers[barrier].kind == RecordedBarrier::Kind::phases;
  Step& step = add(w, kind, {}, wakes_up);
  step.barrier = barrier;
  step.phase = phase;
  return step;
}

std::uint32_t TimelineRecorder::barrier_of(const Block* block, RecordedBarrier::Kind kind,
                                           std::uint32_t number) {
  const u32 rank = kind == RecordedBarrier::Kind::cluster ? 0 : block->rank;
  const auto [known, is_new] =
      barriers_.try_emplace({rank, kind, number}, std::uint32_t(recording_.barriers.size()));
  if (is_new) recording_.barriers.push_back({kind, "", rank, number});
  return known->second;
}

std::uint32_t TimelineRecorder::barrier_at(const SharedPlace& at) {
  const std::uint32_t index = barrier_of(at.owner, RecordedBarrier::Kind::phases, u32(at.offset));
  std::string& name = recording_.barriers[index].name;
  if (name.empty()) name = shared_name(code_, u32(at.offset), sizeof(PhaseBarrier));
  return index;
}

/// The work of a basic block is counted where it begins.
void TimelineRecorder::step(Warp& w, const Instr& in) {
  if (!records(w)) return;
  Pending& pending = pending_[index_of(w)];
  pending.at = &in;
  bulk_lines_ = w.worker->bulk.load_lines;
  const BasicBlock& block = code_.blocks[w.pc - 1];
  if (code_.index_of(in) != block.first || pending.polls) return;
  add_work(pending.work, pending.entered);
  pending.entered = work_of(block.cost);
  const UnitUse& units = block.cost.units;
  if (units.tensor_macs > units.wgmma_macs)
    add(w, Step::Kind::multiply).amount = units.tensor_macs - units.wgmma_macs;
}

void TimelineRecorder::arrives(const Warp& w, const Instr&, int number, u32, bool waits) {
  if (!records(w)) return;
  const std::uint32_t barrier = barrier_of(w.block, RecordedBarrier::Kind::block, u32(number));
  const u64 turn = turns_[barrier];
  same_or_new(w, Step::Kind::arrive, barrier, turn);
  if (waits) same_or_new(w, Step::Kind::wait, barrier, turn + 1);
}

void TimelineRecorder::block_barrier(Block& block, int number) {
  if (block.cluster == cluster_) ++turns_[barrier_of(&block, RecordedBarrier::Kind::block, u32(number))];
}

void TimelineRecorder::cluster_arrives(const Warp& w, bool) {
  if (!records(w)) return;
  const std::uint32_t barrier = barrier_of(w.block, RecordedBarrier::Kind::cluster, 0);
  same_or_new(w, Step::Kind::arrive, barrier, turns_[barrier]);
}

void TimelineRecorder::cluster_barrier(const Cluster& cluster) {
  if (&cluster == cluster_) ++turns_[barrier_of(nullptr, RecordedBarrier::Kind::cluster, 0)];
}

void TimelineRecorder::cluster_waited(const Warp& w, Mask) {
  if (!records(w)) return;
  const std::uint32_t barrier = barrier_of(w.block, RecordedBarrier::Kind::cluster, 0);
  same_or_new(w, Step::Kind::wait, barrier, turns_[barrier]);
}

void TimelineRecorder::exits(const Warp& w, Mask) {
  if (records(w) && w.live == 0) add(w, Step::Kind::end);
}

void TimelineRecorder::block_ends(Block& block) {
  if (block.cluster == cluster_ && --running_ == 0) block.worker->observer = nullptr;
}

void TimelineRecorder::phase_barrier(const Warp& w, const Instr&, const SharedPlace& at, int, u64 phase,
                                     bool releases, bool acquires) {
  if (!records(w)) return;
  Pending& pending = pending_[index_of(w)];
  if (!releases && !acquires) {
    pending.polls = true;
    return;
  }
  pending.polls = false;
  const std::uint32_t barrier = barrier_at(at);
  const Step::Kind kind = acquires         ? Step::Kind::wait
                          : pending.behind ? Step::Kind::arrive_behind
                                           : Step::Kind::arrive;
  pending.behind = false;
  same_or_new(w, kind, barrier, phase);
}

void TimelineRecorder::initialises_phase_barrier(const Warp& w, const Instr&, const SharedPlace& at, int) {
  if (w.block->cluster == cluster_)  // its phases are counted anew
    barriers_.erase({at.owner->rank, RecordedBarrier::Kind::phases, u32(at.offset)});
}

void TimelineRecorder::copies(Warp& w, const Instr&, int, u32 offset, u32 bytes) {
  if (!records(w)) return;
  auto& steps = recording_.warps[index_of(w)];
  const bool same =
      !steps.empty() && steps.back().kind == Step::Kind::start && steps.back().unit == AsyncUnit::copies;
  Step& step = same ? steps.back() : add(w, Step::Kind::start, AsyncUnit::copies);
  if (!same) step.offset = offset;
  step.amount += bytes;
}

void TimelineRecorder::commits_copies(const Warp& w) {
  if (records(w)) add(w, Step::Kind::commit, AsyncUnit::copies);
}

void TimelineRecorder::waits_for_copies(const Warp& w, u32 pending) {
  if (records(w)) add(w, Step::Kind::wait_group, AsyncUnit::copies).amount = pending;
}

void TimelineRecorder::copies_arrive(const Warp& w, const SharedPlace&, int) {
  if (w.block->cluster == cluster_) pending_[index_of(w)].behind = true;
}

void TimelineRecorder::bulk_copies(Warp& w, const Instr&, int, const SharedPlace& to, u32 bytes,
                                   const SharedPlace& mbarrier) {
  if (!records(w)) return;
  constexpr u64 kLine = 128;
  Step& step = add(w, Step::Kind::load);
  step.barrier = barrier_at(mbarrier);
  step.phase = phases_ended(mbarrier);
  step.amount = bytes;
  step.offset = u32(to.offset);
  // A multicast's lines have been counted for its first target.
  const u64 counted = w.worker->bulk.load_lines - bulk_lines_;
  step.lines = counted != 0 ? counted : (bytes + kLine - 1) / kLine;
  bulk_lines_ = w.worker->bulk.load_lines;
}

void TimelineRecorder::bulk_reads(Warp& w, const Instr&, int, const SharedPlace& from, u32 bytes) {
  if (!records(w)) return;
  Step& step = add(w, Step::Kind::start, AsyncUnit::stores);
  step.amount = bytes;
  step.offset = u32(from.offset);
}

/// Boxes of one line and shape lie alike, apart from where they begin.
void TimelineRecorder::moves_box(const Warp& w, const Instr&, const SharedPlace& at,
                                 const memory::TensorMap& map,
                                 const std::array<s32, memory::TensorMap::kMostAxes>&) {
  if (!records(w)) return;
  const RecordedLine& line = recording_.lines[line_of(w)];
  TileRecord tile{.file = line.file,
                  .line = line.line,
                  .name = variable_at(code_, u32(at.offset)),
                  .offset = u32(at.offset) % TileRecord::kPeriod,
                  .element_bytes = map.unit_bytes(),
                  .columns = map.length(0),
                  .rows = map.rows(),
                  .pitch = map.pitch(),
                  .swizzle = map.swizzle == 0 ? 0 : 16u << map.swizzle};
  auto& all = recording_.tiles;
  if (std::find(all.begin(), all.end(), tile) == all.end()) all.push_back(std::move(tile));
}

void TimelineRecorder::commits_bulk(const Warp& w) {
  if (records(w)) add(w, Step::Kind::commit, AsyncUnit::stores);
}

void TimelineRecorder::waits_for_bulk(Warp& w, u32 pending, bool) {
  if (records(w)) add(w, Step::Kind::wait_group, AsyncUnit::stores).amount = pending;
}

/// All four warps stand at the product, of which each has a quarter.
void TimelineRecorder::product_reads(Warp& w, const Instr& in, std::span<const u32>) {
  if (!records(w)) return;
  pending_[index_of(w)].at = &in;
  const u32 at = code_.index_of(in);
  const auto block = std::upper_bound(code_.blocks.begin(), code_.blocks.end(), at,
                                      [](u32 i, const BasicBlock& b) { return i < b.first; }) -
                     1;
  Step& step = add(w, Step::Kind::start, AsyncUnit::products);
  step.amount = block->cost.units.wgmma_macs;
  step.tile_bytes = block->cost.units.wgmma_bytes;
}

void TimelineRecorder::commits_products(const Warp& w) {
  if (records(w)) add(w, Step::Kind::commit, AsyncUnit::products);
}

void TimelineRecorder::waits_for_products(const Warp& w, u32 pending) {
  if (records(w)) add(w, Step::Kind::wait_group, AsyncUnit::products).amount = pending;
}

}  // namespace sim::exec
