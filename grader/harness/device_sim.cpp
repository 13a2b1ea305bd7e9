// The simulated GPU: counters, findings, and a modelled clock.
#include <cstdlib>
#include <filesystem>
#include <string>

#include "grader/harness/device.h"
#include "simulator/model/gpu.h"
#include "simulator/telemetry.h"

namespace ladder {
namespace {

class Simulated final : public Device {
 public:
  Machine machine() const override { return Machine::simulator; }
  // The simulator knows every allocation's end to the byte and keeps its own redzones; a guard band inside
  // the allocation would hide the student's stray access from it.
  std::size_t guard_bytes() const override { return 0; }
  Peaks modelled_peaks() const override {
    constexpr double kWarpOperations = 2 * 32;  // of a warp's fused multiply-add
    const sim::model::Gpu& gpu = sim::model::selected_gpu();
    return {kWarpOperations * gpu.issue_per_clock, kWarpOperations * gpu.doubles_per_clock,
            2 * gpu.tensor_macs_per_clock};
  }
  void set_up() override {
    // Warp instructions of one block, after which a kernel counts as never ending. The judge's time limit
    // would end it too, but could not say where. The longest rung, one thread over a million elements, takes
    // a tenth of this.
    setenv("LADDER_SIM_INSTRUCTION_LIMIT", "100000000", 0);
    // Findings are looked for in small launches; large ones are there for their time.
    setenv("LADDER_SIM_CHECK_THREADS", "70000", 0);
    setenv("LADDER_SIM_CHECK_SECONDS", "3", 0);
  }
  double host_clock_ns() override { return sim::modelled_host_ns(); }
  std::vector<sim::KernelRecord> take_kernels() override { return sim::take_kernel_records(); }
  std::vector<sim::Finding> take_findings() override { return sim::take_findings(); }
  void opened(const std::string& module) override {
    const std::filesystem::path check = std::filesystem::path(module).replace_extension("check.ptx");
    std::error_code none;
    if (std::filesystem::file_size(check, none) == 0 || none) return;
    try {
      sim::load_check_twin(check.string());
    } catch (const std::exception&) {  // fewer findings, that is all
    }
  }
  void name_memory(const void* start, const std::string& name) override { sim::name_allocation(start, name); }
  void order_by(std::uint64_t seed) override { setenv("LADDER_SIM_SEED", std::to_string(seed).c_str(), 1); }
  void chill_caches(void*, std::size_t) override {}  // the model has cold caches at every launch
};

}  // namespace

Device& device() {
  static Simulated simulated;
  return simulated;
}

}  // namespace ladder
