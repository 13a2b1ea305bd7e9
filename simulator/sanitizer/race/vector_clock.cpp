#include "simulator/sanitizer/race/vector_clock.h"

namespace sim::sanitizer {

namespace {
constexpr std::size_t kMostEntries = 1 << 14;
constexpr std::size_t kMostAltogether = 1 << 25;  ///< a quarter of a gigabyte
}  // namespace

Epoch VectorClock::of(u32 block, u32 warp, u32 thread) const {
  return std::max({everybody_, in(blocks_, block), in(warps_, warp), in(threads_, thread)});
}

Epoch VectorClock::of_lanes(u32 block, u32 warp, Mask lanes) const {
  const Epoch together = std::max({everybody_, in(blocks_, block), in(warps_, warp)});
  Epoch least = ~Epoch{0};  // of those that are known one by one
  auto at = std::lower_bound(threads_.begin(), threads_.end(), warp * kLanes,
                             [](const Entry& e, u32 who) { return e.who < who; });
  for (u32 lane = 0; lane < kLanes && least > together; ++lane) {
    if ((lanes >> lane & 1) == 0) continue;
    while (at != threads_.end() && at->who < warp * kLanes + lane) ++at;
    least = at != threads_.end() && at->who == warp * kLanes + lane ? std::min(least, at->until) : 0;
  }
  return std::max(together, least);
}

void VectorClock::add(Entries& entries, Entry entry) {
  const auto at = std::lower_bound(entries.begin(), entries.end(), entry.who,
                                   [](const Entry& e, u32 who) { return e.who < who; });
  if (at != entries.end() && at->who == entry.who) {
    at->until = std::max(at->until, entry.until);
  } else {
    entries.insert(at, entry);
  }
}

void VectorClock::merge(Entries& into, const Entries& from, Epoch everybody) {
  if (from.empty()) return;
  Entries both;
  both.reserve(into.size() + from.size());
  auto a = into.begin();
  auto b = from.begin();
  const auto keep = [&](const Entry& e) {
    if (e.until > everybody) both.push_back(e);
  };
  while (a != into.end() || b != from.end()) {
    if (b == from.end() || (a != into.end() && a->who < b->who)) {
      keep(*a++);
    } else if (a == into.end() || b->who < a->who) {
      keep(*b++);
    } else {
      keep({a->who, std::max(a->until, b->until)});
      ++a, ++b;
    }
  }
  into = std::move(both);
}

void VectorClock::add(const VectorClock& other, Epoch now) {
  everybody_ = std::max(everybody_, other.everybody_);
  merge(blocks_, other.blocks_, everybody_);
  merge(warps_, other.warps_, everybody_);
  merge(threads_, other.threads_, everybody_);
  const std::size_t entries = blocks_.size() + warps_.size() + threads_.size();
  if (entries < kMostEntries && EntryCount::all() < kMostAltogether) return count_.set(entries);
  everybody_ = now;
  blocks_ = {};
  warps_ = {};
  threads_ = {};
  count_.set(0);
}

Known join(const Known& a, const Known& b, Epoch now) {
  if (b == nullptr || b == a || b->empty()) return a;
  if (a == nullptr || a->empty()) return b;
  auto both = std::make_shared<VectorClock>(*a);
  both->add(*b, now);
  return both;
}

}  // namespace sim::sanitizer
