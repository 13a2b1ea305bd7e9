#include "simulator/findings/watch.h"

#include <fmt/format.h>

#include "simulator/exec/fault.h"
#include "simulator/findings/state.h"

namespace sim::findings {

namespace {
constexpr u64 kMostForgiven = 2000;  ///< bad accesses after which a launch is not worth going on with

const char* verb(Access kind) {
  return kind == Access::read ? "reads" : kind == Access::write ? "writes" : "updates";
}

/// Where an access that starts @p past bytes behind the start of something is, relative to it.
std::string where(s64 past, u64 size) {
  if (past < 0) return fmt::format("{} bytes before the start", -past);
  if (u64(past) == size) return "just past the end";
  if (u64(past) < size) return "across the end";
  return fmt::format("{} bytes past the end", u64(past) - size);
}
}  // namespace

Watch::Watch(const Plan& plan, const exec::Launch& launch, memory::AddressSpace& space, Written* written)
    : plan_(plan),
      launch_(launch),
      space_(space),
      order_(u64(launch.grid[0]) * launch.grid[1] * launch.grid[2],
             launch.block[0] * launch.block[1] * launch.block[2], plan.code().ordered),
      ledger_(plan, launch),
      doubts_(plan, ledger_),
      written_(written),
      global_of_instruction_(plan.code().sources.size()),
      groups_(plan.code().sources.size()) {}

Watch::~Watch() = default;

std::vector<Finding> Watch::take() { return ledger_.take(); }

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
  state.local.assign(std::size_t(plan_.code().local_stride) * kLanes * block.warps.size(), false);
  state.local_doubts.clear();
  for (Warp& w : block.warps) doubts_.starts(w);
  for (int i = 0; i < 16; ++i) state.first_at[i] = nullptr;
}

void Watch::block_ends(Block&) {}

bool Watch::forgives(const Fault& fault) {
  ledger_.add(fault);
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
  if (seen.space == ptx::Space::shared) check_shared(w, seen, at);
  if (seen.space == ptx::Space::global && plan_.origin(at).kind == Origin::Kind::parameter)
    check_parameter(w, seen, at);
  if (seen.space == ptx::Space::shared || seen.space == ptx::Space::global)
    race_check(w, seen, at, plan_.manner(at));
  if (seen.space == ptx::Space::global) global_written(w, seen, at);
  if (seen.space == ptx::Space::local) {
    local_written(w, seen);
  } else if (w.doubtful && seen.kind == Access::write) {
    doubts_.stored(w, seen.in, seen.space);
  }
}

void Watch::check_shared(Warp& w, const Seen& seen, u32 at) {
  const Origin& origin = plan_.origin(at);
  const SharedVariable* meant =
      origin.kind == Origin::Kind::shared ? &plan_.code().shared[origin.index] : nullptr;
  const u64 low = seen.first + u64(seen.pattern.low), end = seen.first + u64(seen.pattern.high) + seen.bytes;
  if (meant != nullptr ? low >= meant->offset && end - meant->offset <= meant->size
                       : plan_.in_one_variable(low, end))
    return;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    const SharedVariable* v = meant;
    if (v == nullptr) v = plan_.beside(from);
    if (v == nullptr) v = plan_.beside(from + seen.bytes - 1);
    if (v == nullptr || (from >= v->offset && from + seen.bytes - v->offset <= v->size)) return;
    Finding* const f = outside(w, seen, at, lane);
    if (f == nullptr) return;
    f->space = "shared";
    const s64 past = s64(from) - s64(v->offset);
    const std::string name = source_name(v->name), there = shared_name(plan_.code(), u32(from), seen.bytes);
    f->symbol = fmt::format("{}[{}]", name, past / s64(seen.bytes));
    f->message =
        fmt::format("The thread {} {} bytes {} of {}, which has {} bytes{}.", verb(seen.kind), seen.bytes,
                    where(past, v->size), name, v->size, there.empty() ? "" : "; what it hits is " + there);
  });
}

void Watch::check_parameter(Warp& w, const Seen& seen, u32 at) {
  const Origin& origin = plan_.origin(at);
  const u64 low = seen.first + u64(seen.pattern.low), end = seen.first + u64(seen.pattern.high) + seen.bytes;
  if (origin.index + 8 > launch_.params.size()) return;
  u64 pointer, base, size;
  std::memcpy(&pointer, launch_.params.data() + origin.index, sizeof pointer);
  const GlobalShadow* recent = global_of_instruction_[at];
  if (recent != nullptr && pointer - recent->base <= recent->size) {
    base = recent->base;
    size = recent->size;
  } else {
    const memory::Allocation* a = space_.find(pointer);
    if (a == nullptr || a->freed || pointer - a->base > a->size) return;
    base = a->base;
    size = a->size;
  }
  if (low >= base && end - base <= size) return;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    if (from >= base && from + seen.bytes - base <= size) return;
    Finding* const f = outside(w, seen, at, lane);
    if (f == nullptr) return;
    f->space = "global";
    f->message = fmt::format(
        "The thread {} {} bytes {} of the buffer that the kernel was given ({} bytes, {}). The address lies "
        "inside another buffer: {}.",
        verb(seen.kind), seen.bytes, where(s64(from - base), size), size, space_.find(base)->origin,
        space_.describe(from));
  });
}

Finding* Watch::outside(Warp& w, const Seen& seen, u32 at, int lane) {
  const Sighting s{Sighting::Kind::outside_variable, at, Sighting::kNobody, 0};
  if (seen.kind != Access::read) spoilt_ = true;
  if (ledger_.again(s)) return nullptr;
  Finding& f = ledger_.add(s, w, seen.in, lane);
  f.access = seen.kind == Access::read ? "read" : seen.kind == Access::write ? "write" : "atomic";
  f.size = seen.bytes;
  f.cure = "check the index against the number of elements before the access";
  return &f;
}

}  // namespace sim::findings
