#include "simulator/cudart/launch/sampling.h"

#include <sys/mman.h>

#include <algorithm>

#include "simulator/cudart/device/device.h"
#include "simulator/memory/arena.h"

namespace sim::cudart {
namespace {

constexpr std::uint64_t kFew = 64;           ///< blocks that all run
constexpr std::uint64_t kPersistent = 8192;  ///< blocks of a grid whose threads loop: each does much
constexpr std::uint64_t kOfFew = 6, kOfMany = 64;

std::uint64_t& seed() {
  static std::uint64_t chosen = 0;
  return chosen;
}

std::uint64_t mix(std::uint64_t x) {  // SplitMix64
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

}  // namespace

bool sampling() { return seed() != 0; }

std::vector<std::uint64_t> sampled_blocks(std::uint64_t blocks) {
  if (blocks <= kFew) return {};
  const std::uint64_t parts = blocks <= kPersistent ? kOfFew : kOfMany;
  std::vector<std::uint64_t> chosen{0, 1, blocks - 2, blocks - 1};
  // One from the middle third of each part of the grid: no two neighbours of a few blocks are further apart
  // than two ninths of it. A part of a giant array that none of them reads, no block reads. More blocks would
  // touch more of such arrays than is looked at.
  const std::uint64_t part = blocks / parts, third = part / 3;
  for (std::uint64_t i = 0; i < parts; ++i)
    chosen.push_back(part * i + third + mix(seed() + i) % (part - 2 * third));
  std::sort(chosen.begin(), chosen.end());
  chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
  return chosen;
}

std::vector<ByteRange> touched_pages(const memory::Allocation& a) {
  using memory::kPage;
  if (a.host == nullptr || a.freed) return {};
  std::vector<unsigned char> present(memory::round_up(a.size, kPage) / kPage);
  if (mincore(a.host, a.size, present.data()) != 0) return {};
  std::vector<ByteRange> ranges;
  for (std::uint64_t page = 0; page < present.size(); ++page) {
    if ((present[page] & 1) == 0) continue;
    const std::uint64_t first = page * kPage, bytes = std::min(kPage, a.size - first);
    if (!ranges.empty() && ranges.back().first + ranges.back().bytes == first)
      ranges.back().bytes += bytes;
    else
      ranges.push_back({first, bytes});
  }
  return ranges;
}

}  // namespace sim::cudart

namespace sim {

void sample_launches(std::uint64_t seed) {
  std::lock_guard hold(cudart::device().lock);
  cudart::seed() = seed;
}

std::vector<ByteRange> touched_pages(const void* start) {
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  const memory::Allocation* found = d.space.find_base(reinterpret_cast<std::uint64_t>(start));
  return found == nullptr ? std::vector<ByteRange>{} : cudart::touched_pages(*found);
}

}  // namespace sim
