// Which memory a launch touched, from the shadows that the race detection has kept.
#include "simulator/sanitizer/state.h"

namespace sim::sanitizer {

namespace {
constexpr std::size_t kMostRuns = 256;         ///< of one allocation
constexpr u64 kLargestScanned = u64{1} << 28;  ///< bytes of one
}  // namespace

std::vector<Touched> Watch::touched() const {
  std::vector<Touched> all;
  for (const auto& [base, g] : globals_) {
    const Shadow& s = g->shadow;
    if (g->size > kLargestScanned) continue;
    const std::size_t first = all.size();
    const u64 cells = (g->size + (u64{1} << s.shift()) - 1) >> s.shift();
    u32 before = 0;
    for (u64 c = 0; c < cells && all.size() - first < kMostRuns; ++c) {
      const bool writes = s.write_when[c] != 0, reads = s.read_when[c] != 0;
      const bool atomic = writes && (s.write_at[c] & kStrong) != 0 && (s.write_at[c] & kVolatile) == 0;
      const auto of_system = [&](u32 at) { return plan_.semantics(at & kPlaceMask).of_system; };
      const bool with_host =
          (writes || reads) && (!writes || of_system(s.write_at[c])) && (!reads || of_system(s.read_at[c]));
      const u32 kind = (with_host ? 4 : 0) + (atomic ? 3 : writes ? 2 : reads ? 1 : 0);
      if (kind != 0 && kind == before)
        all.back().bytes += u64{1} << s.shift();
      else if (kind != 0)
        all.push_back({base + (c << s.shift()), u64{1} << s.shift(), writes, atomic, with_host});
      before = kind;
    }
    for (std::size_t i = first; i < all.size(); ++i)
      all[i].bytes = std::min(all[i].bytes, base + g->size - all[i].address);
  }
  return all;
}

}  // namespace sim::sanitizer
