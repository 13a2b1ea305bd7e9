// How fast the device can move bytes and compute at most: "speed of light".
#pragma once

#include <optional>
#include <string>

#include "grader/lesson/lesson.h"
#include "grader/protocol/events.h"
#include "grader/protocol/protocol.h"

namespace ladder {

/// The device's rates, and what follows from them.
struct Peaks : PeakRates {
  /// The peak of a mix, between the measured ones linear in time per byte.
  /// @return GB/s, or 0 when unknown
  double of_mix(double bytes_read, double bytes_written) const;
  /// The least time in which the bytes of @p work can move.
  /// @return milliseconds, or 0 when unknown
  double bytes_ms(const Work& work, TimingScope scope) const;
  /// What a unit computes.
  /// @return GFLOP/s, or 0 when unknown
  double of_unit(Unit unit) const;
  /// The least time in which the operations of @p work can be done.
  /// @return milliseconds, or 0 when unknown
  double flops_ms(const Work& work) const;
  /// The least time that @p work can take: the longer one of the two.
  /// @return milliseconds, or 0 when unknown
  double floor_ms(const Work& work, TimingScope scope) const;
  /// Which peak that time is of: "memory", "link", "fp32", "fp64", "tensor", "warpgroup", or "" when unknown.
  std::string roof(const Work& work, TimingScope scope) const;
};

/// Peaks kept in @p file for @p device, if there are any.
std::optional<Peaks> kept_peaks(const std::string& file, const std::string& device);
/// Keeps them; a file that cannot be written is not worth failing for.
void keep_peaks(const std::string& file, const std::string& device, const Peaks& peaks);

/// Whether @p median_ms is less than the hardware needs. Leaves room for kernels a little better than ours,
/// and for what may still lie in the L2 cache when the kernel ends.
bool impossible(double median_ms, const Work& work, TimingScope scope, const Peaks& peaks,
                const DeviceInfo& device);

}  // namespace ladder
