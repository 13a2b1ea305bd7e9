// What differs between the two devices a rung runs on. Each runner links one implementation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "grader/lesson/lesson.h"
#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"
#include "simulator/sampling.h"
#include "simulator/telemetry.h"

namespace ladder {

class Device {
 public:
  virtual ~Device() = default;

  // Facts that hold without touching the device; the judge asks only these.
  virtual DeviceKind kind() const = 0;
  /// Bytes of patterned memory before and after every device
  /// array. 0 where the device itself sees stray accesses.
  virtual std::size_t guard_bytes() const = 0;
  /// Whether times come from a model.
  bool modelled() const { return kind() == DeviceKind::simulator; }
  /// Operations a clock that the model's machine does on each multiprocessor, a multiply-add being two; 0
  /// where nothing is modelled.
  struct Peaks {
    double fp32 = 0, fp64 = 0, tensor = 0, warpgroup = 0;
  };
  virtual Peaks modelled_peaks() const { return {}; }

  // In the worker.
  /// Called once, before anything else.
  virtual void set_up() {}
  /// The clock of end-to-end times, ns.
  virtual double host_clock_ns() = 0;
  virtual std::vector<sim::KernelRecord> take_kernels() = 0;
  virtual std::vector<sim::Finding> take_findings() = 0;
  /// Calls of the CUDA runtime since the last time, by name, where the device can tell.
  virtual std::map<std::string, std::uint64_t> take_api_calls() { return {}; }
  /// What findings are to call device memory.
  /// @param name  such as "array 'in', float [3][24]"
  virtual void name_memory(const void* start, const std::string& name, const Buffer& array) {
    (void)start, (void)name, (void)array;
  }
  /// What the rung's process holds of the device, where the
  /// device can tell: every kind, always in the same order.
  virtual std::vector<sim::OpenObjects> open_objects() { return {}; }
  /// Gives a finding the line that made the newest open object of a kind, an index in open_objects(), where
  /// that can be told.
  virtual void say_where_newest_was_made(sim::Finding& finding, std::size_t kind) {
    (void)finding, (void)kind;
  }
  /// How often the process has reset the device, where that can be told.
  virtual std::uint64_t resets() { return 0; }
  /// Work that a caller who goes on in the default stream does not come after, where that can be told.
  /// @param on_the_host  the caller goes on there, with memory that the device works on
  virtual std::optional<sim::Finding> work_not_waited_for(bool on_the_host) {
    return (void)on_the_host, std::nullopt;
  }
  /// See sim::sample_launches() and sim::touched_pages(); only where the device is modelled.
  virtual void sample_launches(std::uint64_t seed) { (void)seed; }
  virtual std::vector<sim::ByteRange> touched_pages(const void* start) {
    return (void)start, std::vector<sim::ByteRange>{};
  }
  /// In which order blocks and warps run from now on, where the device lets us choose: 0 is the usual one,
  /// every other seed another. What depends on the order is wrong, whichever it is.
  virtual void order_by(std::uint64_t seed) { (void)seed; }
  /// What memory holds that is allocated from now on, where the device lets us choose; -1: as it comes.
  virtual void fill_new_memory(int byte) { (void)byte; }
  /// Of the launches and allocations from now on the @p number th fails, where the device lets us choose; 0:
  /// none.
  virtual void fail_call(std::uint64_t number) { (void)number; }
  /// The one that has failed so, empty if none has. What comes after it is to work.
  virtual std::string take_failed_call() { return {}; }
  /// See sim::look_closely(); only where the device is modelled.
  virtual void look_closely(bool closely) { (void)closely; }
  /// Simulates for a rung in another process, at the judge's command, until the judge hangs up.
  /// @return exit status of the process
  virtual int simulate() { return 2; }
  /// A module has been loaded; its check build, if there is one, lies beside it.
  virtual void opened(const std::string& module) { (void)module; }
  /// Puts the caches into the state of a program that has just done something else; asynchronous.
  /// @param scratch        device memory to do something with, @p scratch_bytes long
  virtual void chill_caches(void* scratch, std::size_t scratch_bytes) = 0;
};

/// The device of this runner.
Device& device();

}  // namespace ladder
