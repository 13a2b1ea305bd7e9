#include "simulator/findings/watch.h"

#include <fmt/format.h>

#include "simulator/exec/fault.h"
#include "simulator/findings/state.h"

namespace sim::findings {

namespace {
constexpr u64 kMostForgiven = 2000;  ///< bad accesses after which a launch is not worth going on with
}

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
  if (const Origin& origin = plan_.origin(at); origin.kind != Origin::Kind::unknown)
    check_extent(w, seen, origin, at);
  if (seen.space == ptx::Space::shared || seen.space == ptx::Space::global)
    race_check(w, seen, at, plan_.manner(at));
  if (seen.space == ptx::Space::global) global_written(w, seen, at);
  if (seen.space == ptx::Space::local) {
    local_written(w, seen);
  } else if (w.doubtful && seen.kind == Access::write) {
    doubts_.stored(w, seen.in, seen.space);
  }
}

void Watch::check_extent(Warp& w, const Seen& seen, const Origin& origin, u32 at) {
  const u64 low = seen.first + u64(seen.pattern.low), end = seen.first + u64(seen.pattern.high) + seen.bytes;
  u64 base = 0, size = 0;
  if (origin.kind == Origin::Kind::shared && seen.space == ptx::Space::shared) {
    const SharedVariable& v = plan_.code().shared[origin.index];
    base = v.offset;
    size = v.size;
  } else if (origin.kind == Origin::Kind::parameter && seen.space == ptx::Space::global) {
    if (origin.index + 8 > launch_.params.size()) return;
    u64 pointer;
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
  } else {
    return;
  }
  if (low >= base && end - base <= size) return;
  for_each_lane(seen.pattern.mask, [&](int lane) {
    const u64 from = seen.first + u64(seen.pattern.offset[lane]);
    if (from >= base && from + seen.bytes - base <= size) return;
    const Sighting s{Sighting::Kind::outside_variable, at, Sighting::kNobody, 0};
    if (ledger_.again(s)) return;
    Finding& f = ledger_.add(s, w, seen.in, lane);
    f.space = seen.space == ptx::Space::shared ? "shared" : "global";
    f.access = seen.kind == Access::read ? "read" : seen.kind == Access::write ? "write" : "atomic";
    f.size = seen.bytes;
    const s64 past = s64(from - base);
    const char* verb = seen.kind == Access::read    ? "reads"
                       : seen.kind == Access::write ? "writes"
                                                    : "updates";
    const std::string where = past < 0            ? fmt::format("{} bytes before the start", -past)
                              : u64(past) == size ? std::string("just past the end")
                              : u64(past) < size  ? std::string("across the end")
                                                  : fmt::format("{} bytes past the end", u64(past) - size);
    if (seen.space == ptx::Space::shared) {
      const std::string name = source_name(plan_.code().shared[origin.index].name);
      f.symbol = fmt::format("{}[{}]", name, past / s64(seen.bytes));
      const std::string there = shared_name(plan_.code(), u32(from), seen.bytes);
      f.message = fmt::format("The thread {} {} bytes {} of {}, which has {} bytes{}.", verb, seen.bytes,
                              where, name, size, there.empty() ? "" : "; what it hits is " + there);
    } else {
      f.message = fmt::format(
          "The thread {} {} bytes {} of the buffer that the kernel was given ({} bytes, {}). The address "
          "lies inside "
          "another buffer: {}.",
          verb, seen.bytes, where, size, space_.find(base)->origin, space_.describe(from));
    }
    f.cure = "check the index against the number of elements before the access";
  });
}

}  // namespace sim::findings
