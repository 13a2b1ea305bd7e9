#include "simulator/sanitizer/watch.h"

#include "simulator/engine/fault.h"
#include "simulator/sanitizer/state.h"

namespace sim::sanitizer {

namespace {
constexpr u64 kMostForgiven = 2000;  ///< bad accesses after which a launch is not worth going on with
}  // namespace

Watch::Watch(const Plan& plan, const exec::Launch& launch, memory::AddressSpace& space, Written* written)
    : plan_(plan),
      launch_(launch),
      space_(space),
      order_(u64(launch.grid[0]) * launch.grid[1] * launch.grid[2],
             launch.block[0] * launch.block[1] * launch.block[2], plan.code().ordered),
      collector_(plan, launch),
      doubts_(plan, collector_),
      written_(written),
      global_of_instruction_(plan.code().sources.size()),
      groups_(plan.code().sources.size()) {}

Watch::~Watch() = default;

std::vector<Finding> Watch::take() {
  std::vector<Finding> all = collector_.take();
  if (stores_)
    for (Finding& note : stores_->notes()) {
      note.kernel = plan_.code().kernel->name;
      all.push_back(std::move(note));
    }
  return all;
}

Watch::BlockState& Watch::state_of(const Block& block) {
  if (&block != last_block_) {
    auto& state = blocks_[&block];
    if (state == nullptr) state = std::make_unique<BlockState>(block.shared_bytes, block.warps.size());
    last_block_ = &block;
    last_state_ = state.get();
  }
  return *last_state_;
}

void Watch::block_starts(Block& block) {
  BlockState& state = state_of(block);
  order_.starts(state.order, u32(block.index));
  state.exited = 0;
  state.local.reset();  // first, so that the pages of the block before go back
  state.local = exec::lazy_zeros<Mask>(std::size_t(plan_.code().local_stride) * block.warps.size());
  state.local_doubts.clear();
  state.shared_doubts.clear();
  state.behind.clear();
  state.heard.clear();
  state.company.clear();
  for (const Warp& w : block.warps) state.company.push_back({w.partings, 0, false});
  for (Warp& w : block.warps) doubts_.starts(w);
  for (int i = 0; i < 16; ++i) state.first_at[i] = nullptr;
}

void Watch::block_ends(Block&) {}

bool Watch::forgives(const Fault& fault) {
  collector_.add(fault);
  // What was not written, or not copied, will be missed elsewhere: that follows from this finding.
  spoilt_ |= fault.finding.access != "read" || plan_.has_copies();
  return ++forgiven_ < kMostForgiven;
}

Watch::GlobalShadow* Watch::global(u32 instruction, u64 address) {
  GlobalShadow*& recent = global_of_instruction_[instruction];
  if (recent != nullptr && address - recent->base < recent->size) return recent;
  const memory::Allocation* a = space_.find(address);
  if (a == nullptr || address - a->base >= a->size) return nullptr;
  auto& shadow = globals_[a->base];
  if (shadow == nullptr) {
    shadow = std::make_unique<GlobalShadow>(a->size);
    shadow->base = a->base;
    shadow->size = a->size;
    if (written_ != nullptr) shadow->written = written_->of(*a);
  }
  return recent = shadow.get();
}

void Watch::access(Warp& w, const Seen& seen) {
  const u32 at = plan_.code().index_of(seen.in);
  if ((++accesses_ & 0x3FFF) == 0 && std::chrono::steady_clock::now() > deadline_) {
    stopped_ = true;
    throw Fault(Finding{});
  }
  uncopied_ = 0;
  if (stores_) [[unlikely]]
    stores_->add(w, seen);
  if (seen.space == ptx::Space::shared) check_shared(w, seen, at);
  if (seen.space == ptx::Space::global && plan_.origin(at).kind == PointerProvenance::Kind::parameter)
    check_parameter(w, seen, at);
  if (seen.space == ptx::Space::shared || seen.space == ptx::Space::global)
    race_check(w, seen, at, plan_.semantics(at));
  if (seen.space == ptx::Space::global) global_written(w, seen, at);
  if (seen.space == ptx::Space::local) {
    local_written(w, seen, check_local(w, seen, at));
  } else if (seen.space == ptx::Space::shared) {
    if (seen.kind != Access::read) shared_stored(w, seen);
  } else if (w.doubtful && seen.kind == Access::write) {
    doubts_.stored(w, seen.in, seen.space);
  }
}

}  // namespace sim::sanitizer
