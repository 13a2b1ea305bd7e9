// Guard bands: patterned memory around every array, and whether it is still as it was.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grader/harness/lesson.h"

namespace ladder {

/// @return bytes of one guard band of an array at @p place, on this runner's device
std::size_t guard_bytes(Buffer::Place place);

/// @return @p size bytes that follow from @p seed alone, none of them a poison byte
std::vector<std::byte> guard_pattern(std::uint64_t seed, std::size_t size);

/// The first byte that differs from the pattern.
/// @return its offset in @p band, or nothing when the band is intact
std::optional<std::size_t> first_damage(std::span<const std::byte> band, std::span<const std::byte> pattern);

}  // namespace ladder
