#include "simulator/sanitizer/touched.h"

#include <algorithm>

namespace sim::sanitizer {

namespace {

constexpr std::size_t kMostRuns = 256;         ///< of one allocation
constexpr u64 kLargestScanned = u64{1} << 28;  ///< bytes of one

void add_touched(std::vector<Touched>& all, const GlobalShadow& g, const KernelAnalysis& analysis) {
  const Shadow& s = g.shadow;
  if (g.size > kLargestScanned) return;
  const std::size_t first = all.size();
  const u64 cells = (g.size + (u64{1} << s.shift()) - 1) >> s.shift();
  u32 before = 0;
  for (u64 c = 0; c < cells && all.size() - first < kMostRuns; ++c) {
    const bool writes = s.write_when[c] != 0, reads = s.read_when[c] != 0;
    const bool atomic = writes && (s.write_at[c] & kStrong) != 0 && (s.write_at[c] & kVolatile) == 0;
    const auto of_system = [&](u32 at) { return analysis.semantics(at & kInstructionMask).of_system; };
    const bool with_host =
        (writes || reads) && (!writes || of_system(s.write_at[c])) && (!reads || of_system(s.read_at[c]));
    const u32 kind = (with_host ? 4 : 0) + (atomic ? 3 : writes ? 2 : reads ? 1 : 0);
    if (kind != 0 && kind == before)
      all.back().bytes += u64{1} << s.shift();
    else if (kind != 0)
      all.push_back({g.base + (c << s.shift()), u64{1} << s.shift(), writes, atomic, with_host});
    before = kind;
  }
  for (std::size_t i = first; i < all.size(); ++i)
    all[i].bytes = std::min(all[i].bytes, g.base + g.size - all[i].address);
}

}  // namespace

std::vector<Touched> touched(const GlobalShadows& globals, const KernelAnalysis& analysis) {
  std::vector<Touched> all;
  globals.for_each([&](const GlobalShadow& g) { add_touched(all, g, analysis); });
  return all;
}

}  // namespace sim::sanitizer
