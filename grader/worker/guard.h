// Guard bands: patterned memory around every array, and whether it is still as it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grader/lesson/lesson.h"

namespace ladder {

/// @return bytes of one guard band of an array at @p location, on this runner's device
std::size_t guard_bytes(Buffer::Location location);

/// Fills what lies between the guard band and an array with an offset: not 0, and above 0 in every type, so
/// that it shows where it is taken for a part of the array.
inline constexpr std::byte kBeforeOffset{0x41};

/// What memory holds that a rung allocates: no poison, so that it is told apart from an output that nobody
/// wrote, and neither 0 nor a likely value in any type. The same in all runs: what differs between them then
/// differs for another reason.
inline constexpr int kNewMemory = 0x6D;

/// @return bytes from the first one before @p buffer that is watched to the last one behind it
std::size_t guarded_bytes(const Buffer& buffer);

/// @return @p size bytes that follow from @p seed alone, none of them a poison byte
std::vector<std::byte> guard_pattern(std::uint64_t seed, std::size_t size);

/// The first byte that differs from the pattern.
/// @return its offset in @p band, or nothing when the band is intact
std::optional<std::size_t> first_damage(std::span<const std::byte> band, std::span<const std::byte> pattern);

}  // namespace ladder
