// What differs between the two machines a rung runs on. Each runner links one implementation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "grader/harness/lesson.h"
#include "simulator/report.h"

namespace ladder {

class Device {
 public:
  virtual ~Device() = default;

  // Facts that hold without touching the device; the judge asks only these.
  virtual Machine machine() const = 0;
  /// Bytes of patterned memory before and after every device array. 0 where the device itself sees stray
  /// accesses.
  virtual std::size_t guard_bytes() const = 0;
  /// Whether times come from a model.
  bool modelled() const { return machine() == Machine::simulator; }
  /// Operations a clock that the model's machine does on each multiprocessor, a multiply-add being two; 0
  /// where nothing is modelled.
  struct Peaks {
    double fp32 = 0, fp64 = 0, tensor = 0;
  };
  virtual Peaks modelled_peaks() const { return {}; }

  // In the worker.
  /// Called once, before anything else.
  virtual void set_up() {}
  /// The clock of end-to-end times, ns.
  virtual double host_clock_ns() = 0;
  virtual std::vector<sim::KernelRecord> take_kernels() = 0;
  virtual std::vector<sim::Finding> take_findings() = 0;
  /// What findings are to call device memory.
  /// @param name  such as "array 'in', float [3][24]"
  virtual void name_memory(const void* start, const std::string& name) { (void)start, (void)name; }
  /// In which order blocks and warps run from now on, where the device lets us choose: 0 is the usual one,
  /// every other seed another. What depends on the order is wrong, whichever it is.
  virtual void order_by(std::uint64_t seed) { (void)seed; }
  /// A module has been loaded; its check build, if there is one, lies beside it.
  virtual void opened(const std::string& module) { (void)module; }
  /// Puts the caches into the state of a program that has just done something else; asynchronous.
  /// @param scratch        device memory to do something with, @p scratch_bytes long
  virtual void chill_caches(void* scratch, std::size_t scratch_bytes) = 0;
};

/// The device of this runner.
Device& device();

}  // namespace ladder
