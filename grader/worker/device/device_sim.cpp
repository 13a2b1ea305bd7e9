// The simulated GPU: counters, findings, and a modelled clock.
#include <filesystem>
#include <string>

#include "grader/lesson/element.h"
#include "grader/lesson/scratch.h"
#include "grader/worker/device/device.h"
#include "grader/worker/device/simulator_process.h"
#include "simulator/model/gpu.h"
#include "simulator/telemetry.h"

namespace ladder {
namespace {

class Simulated final : public Device {
 public:
  DeviceKind kind() const override { return DeviceKind::simulator; }
  // The simulator knows every allocation's end to the byte and keeps its own redzones; a guard band inside
  // the allocation would hide the student's stray access from it.
  std::size_t guard_bytes() const override { return 0; }
  Peaks modelled_peaks() const override {
    constexpr double kWarpOperations = 2 * 32;  // of a warp's fused multiply-add
    const sim::model::Gpu& gpu = sim::model::selected_gpu();
    return {kWarpOperations * gpu.issue_per_clock, kWarpOperations * gpu.doubles_per_clock,
            2 * gpu.tensor_macs_per_clock, 2 * gpu.wgmma_macs_per_clock};
  }
  void set_up() override {
    // Warp instructions of one block, after which a kernel counts as never ending. The judge's time limit
    // would end it too, but could not say where. The longest rung, one thread over a million elements, takes
    // a tenth of this.
    sim::LaunchSettings how = sim::launch_settings();
    if (how.instruction_limit == 0) how.instruction_limit = 100'000'000;
    // Findings are looked for in small launches; large ones are there for their time.
    const sim::LaunchSettings otherwise;
    if (how.check_threads == otherwise.check_threads) how.check_threads = 70'000;
    if (how.check_seconds == otherwise.check_seconds) how.check_seconds = 3;
    // Blocks that wait for others are to do so on the smallest GPU there could be.
    how.resident_blocks = 1;
    sim::configure(how);
  }
  double host_clock_ns() override { return sim::modelled_host_ns(); }
  std::vector<sim::KernelRecord> take_kernels() override { return sim::take_kernel_records(); }
  std::vector<sim::Finding> take_findings() override { return sim::take_findings(); }
  std::map<std::string, std::uint64_t> take_api_calls() override { return sim::take_api_calls(); }
  void opened(const std::string& module) override {
    const std::filesystem::path check = std::filesystem::path(module).replace_extension("check.ptx");
    std::error_code none;
    if (std::filesystem::file_size(check, none) == 0 || none) return;
    try {
      sim::load_check_build(check.string());
    } catch (const std::exception&) {  // fewer findings, that is all
    }
  }
  void name_memory(const void* start, const std::string& name, const Buffer& array) override {
    sim::name_allocation(
        start, name,
        {array.name, static_cast<std::uint32_t>(size_of(array.type)), array.shape, array.offset_bytes()});
  }
  std::vector<sim::OpenObjects> open_objects() override { return sim::open_objects(); }
  void say_where_newest_was_made(sim::Finding& finding, std::size_t kind) override {
    sim::say_where_newest_was_made(finding, kind);
  }
  std::uint64_t resets() override { return sim::device_resets(); }
  std::optional<sim::Finding> work_not_waited_for(bool on_the_host) override {
    return sim::work_not_waited_for(on_the_host);
  }
  void sample_launches(std::uint64_t seed) override { sim::sample_launches(seed); }
  std::vector<sim::ByteRange> touched_pages(const void* start) override { return sim::touched_pages(start); }
  void order_by(std::uint64_t seed) override {
    sim::LaunchSettings how = sim::launch_settings();
    how.schedule_seed = seed;
    sim::configure(how);
  }
  void fill_new_memory(int byte) override {
    sim::LaunchSettings how = sim::launch_settings();
    how.fill = byte;
    sim::configure(how);
  }
  void fail_call(std::uint64_t number) override { sim::fail_call(number); }
  std::string take_failed_call() override {
    std::string failed = sim::failed_call();
    if (!failed.empty()) sim::fail_call(0);
    return failed;
  }
  void look_closely(bool closely) override { sim::look_closely(closely); }
  int simulate() override { return simulator_main(); }
  void chill_caches(void*, std::size_t) override {}  // the model has cold caches at every launch
};

}  // namespace

Device& device() {
  static Simulated simulated;
  return simulated;
}

}  // namespace ladder

extern "C" void ladder_name_scratch(const void* start, const char* name, std::uint32_t element_bytes,
                                    std::int64_t elements, std::uint64_t before) {
  sim::name_allocation(start, std::string("array '") + name + "'", {name, element_bytes, {elements}, before});
}
