#include "grader/judge/timing/time_rung.h"
#include "grader/worker/device/device.h"

namespace ladder {
namespace {

/// Asks a process without a rung to measure.
void measure(const Bench& bench, Peaks& found) {
  RungProcess process(bench.options, RungSpec{});
  if (process.start().outcome != Outcome::passed) return;
  const std::string module = found.modelled ? "" : bench.options.peaks_module;
  const auto answer = process.call({{"do", "peaks"}, {"module", module}});
  const auto* message = std::get_if<nlohmann::json>(&answer);
  if (message == nullptr || message->contains("failed")) return;
  found.to_device = message->value("to_device", 0.0);
  found.from_device = message->value("from_device", 0.0);
  if (found.modelled) return;
  found.read = message->value("read", 0.0);
  found.two_to_one = message->value("two_to_one", 0.0);
  found.copy = message->value("copy", 0.0);
  found.write = message->value("write", 0.0);
  found.fp32 = message->value("fp32", 0.0);
  found.fp64 = message->value("fp64", 0.0);
  found.tensor = message->value("tensor", 0.0);
  found.warpgroup = message->value("warpgroup", 0.0);
}

}  // namespace

Peaks find_peaks(const Bench& bench, const DeviceInfo& info) {
  const std::string& file = bench.options.peaks_file;
  Peaks found;
  found.modelled = device().modelled();
  if (found.modelled) {
    found.read = found.two_to_one = found.copy = found.write = info.datasheet_gbs;
    const Device::Peaks peaks = device().modelled_peaks();
    const double clocks = info.multiprocessors * info.clock_ghz;
    found.fp32 = peaks.fp32 * clocks;
    found.fp64 = peaks.fp64 * clocks;
    found.tensor = peaks.tensor * clocks;
    found.warpgroup = peaks.warpgroup * clocks;
    if (bench.lesson.timing_scope() == TimingScope::end_to_end) measure(bench, found);
    return found;
  }
  // What an older version has kept has no operations in it, or none by wgmma.
  const bool has_wgmma = info.major == 9 && info.minor == 0;
  if (const auto kept = kept_peaks(file, info.name);
      kept && kept->fp32 > 0 && (kept->warpgroup > 0 || !has_wgmma))
    return *kept;
  measure(bench, found);
  if (found.read > 0 && !file.empty()) keep_peaks(file, info.name, found);
  return found;
}

}  // namespace ladder
