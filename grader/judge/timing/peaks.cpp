#include "grader/judge/timing/peaks.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ladder {
namespace {

// Our kernels are within a few percent of the best known; a time a tenth below theirs is no measurement.
constexpr double kRoom = 0.9;
// Floating-point operations a clock and multiprocessor that
// no chip reaches (Hopper: 4096 dense in half precision).
constexpr double kFlopsPerClock = 32768;

}  // namespace

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Peaks, read, two_to_one, copy, write, to_device, from_device,
                                                fp32, fp64, tensor, warpgroup, modelled)

double Peaks::of_mix(double bytes_read, double bytes_written) const {
  const double bytes = bytes_read + bytes_written;
  if (!(bytes > 0)) return 0;
  const double share = bytes_read / bytes;
  const struct { double share, peak; } points[] = {{0, write}, {0.5, copy}, {2.0 / 3, two_to_one}, {1, read}};
  for (int i = 0; i < 3; ++i) {
    if (share > points[i + 1].share) continue;
    if (!(points[i].peak > 0) || !(points[i + 1].peak > 0)) return 0;
    const double t = (share - points[i].share) / (points[i + 1].share - points[i].share);
    return 1 / ((1 - t) / points[i].peak + t / points[i + 1].peak);
  }
  return read;
}

double Peaks::bytes_ms(const Work& work, TimingScope scope) const {
  if (scope == TimingScope::end_to_end) {
    if (!(to_device > 0) || !(from_device > 0)) return 0;
    // The link carries both directions at once.
    return std::max(work.bytes_read / to_device, work.bytes_written / from_device) / 1e6;
  }
  const double peak = of_mix(work.bytes_read, work.bytes_written);
  return peak > 0 ? (work.bytes_read + work.bytes_written) / peak / 1e6 : 0;
}

double Peaks::of_unit(Unit unit) const {
  switch (unit) {
    case Unit::fp32:
      return fp32;
    case Unit::fp64:
      return fp64;
    case Unit::tensor:
      return tensor;
    case Unit::warpgroup:
      return warpgroup;
  }
  return 0;
}

double Peaks::flops_ms(const Work& work) const {
  const double peak = of_unit(work.unit);
  return peak > 0 ? work.flops / peak / 1e6 : 0;
}

double Peaks::floor_ms(const Work& work, TimingScope scope) const {
  return std::max(bytes_ms(work, scope), flops_ms(work));
}

std::string Peaks::roof(const Work& work, TimingScope scope) const {
  if (!(floor_ms(work, scope) > 0)) return "";
  if (!(flops_ms(work) > bytes_ms(work, scope))) return scope == TimingScope::end_to_end ? "link" : "memory";
  constexpr const char* kNames[] = {"fp32", "fp64", "tensor", "warpgroup"};
  return kNames[static_cast<std::size_t>(work.unit)];
}

std::optional<Peaks> kept_peaks(const std::string& file, const std::string& device) {
  std::ifstream stream(file);
  if (!stream) return std::nullopt;
  const auto kept = nlohmann::json::parse(stream, nullptr, false);
  if (!kept.is_object() || !kept.contains(device) || !kept[device].is_object()) return std::nullopt;
  try {
    return kept[device].get<Peaks>();
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  }
}

void keep_peaks(const std::string& file, const std::string& device, const Peaks& peaks) {
  nlohmann::json kept = nlohmann::json::object();
  if (std::ifstream stream(file); stream) {
    auto old = nlohmann::json::parse(stream, nullptr, false);
    if (old.is_object()) kept = std::move(old);
  }
  kept[device] = peaks;
  std::ofstream(file) << kept.dump(2) << '\n';
}

bool impossible(double median_ms, const Work& work, TimingScope scope, const Peaks& peaks,
                const DeviceInfo& device) {
  Work beyond_cache = work;
  if (scope == TimingScope::device)  // the last writes may not have reached memory yet
    beyond_cache.bytes_written = std::max(0.0, work.bytes_written - static_cast<double>(device.l2_bytes));
  // Of the bytes only: a method with fewer operations than
  // the contract counts is no lie (Winograd, Strassen).
  if (median_ms < kRoom * peaks.bytes_ms(beyond_cache, scope)) return true;
  const double flops_per_ms = kFlopsPerClock * device.multiprocessors * device.clock_ghz * 1e6;
  return flops_per_ms > 0 && median_ms < work.flops / flops_per_ms;
}

}  // namespace ladder
