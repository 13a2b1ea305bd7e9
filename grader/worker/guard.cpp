#include "grader/worker/guard.h"

#include <algorithm>

#include "grader/protocol/protocol.h"
#include "grader/worker/device/device.h"

namespace ladder {

std::size_t guard_bytes(Buffer::Location location) {
  return location == Buffer::Location::device ? device().guard_bytes() : kHostGuard;
}

std::size_t guarded_bytes(const Buffer& buffer) {
  return buffer.size_bytes() + buffer.offset_bytes() + 2 * guard_bytes(buffer.location);
}

std::vector<std::byte> guard_pattern(std::uint64_t seed, std::size_t size) {
  std::vector<std::byte> pattern(size);
  for (std::byte& byte : pattern) {
    seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth's MMIX generator
    // 0x80..0xBF: no byte of a poison, of zero, or of small positive numbers' exponents
    byte = static_cast<std::byte>(0x80 | ((seed >> 56) & 0x3f));
  }
  return pattern;
}

std::optional<std::size_t> first_damage(std::span<const std::byte> band, std::span<const std::byte> pattern) {
  const auto [at, expected] = std::mismatch(band.begin(), band.end(), pattern.begin(), pattern.end());
  if (at == band.end()) return std::nullopt;
  return static_cast<std::size_t>(at - band.begin());
}

}  // namespace ladder
