#include "simulator/cudart/device/device.h"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <utility>

#include "simulator/cudart/launch/fault_injection.h"
#include "simulator/cudart/module/registry.h"
#include "simulator/cudart/report/complete.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/cudart/report/set_place.h"
#include "simulator/cudart/stream/deferred_work.h"
#include "simulator/memory/placed_arrays.h"
#include "simulator/report/fold.h"
#include "simulator/report/wording/words.h"
#include "simulator/telemetry.h"

namespace sim::cudart {

namespace {

constexpr int kMostDevices = 64;

RuntimeState& runtime_state() {
  static RuntimeState& only = *new RuntimeState;
  return only;
}

std::vector<std::unique_ptr<Device>>& devices() {
  static auto& all = *[] {
    auto* made = new std::vector<std::unique_ptr<Device>>;
    const char* wanted = std::getenv("LADDER_SIM_DEVICES");
    const int count = std::clamp(wanted ? std::atoi(wanted) : 1, 1, kMostDevices);
    for (int i = 0; i < count; ++i) made->push_back(std::make_unique<Device>(i, runtime_state()));
    runtime_state().space.set_capacity(made->front()->gpu.memory_bytes * static_cast<std::uint64_t>(count));
    return made;
  }();
  return all;
}

int& chosen() {
  thread_local int ordinal = 0;
  return ordinal;
}

}  // namespace

Device::Device(int number, RuntimeState& state)
    : ordinal(number),
      lock(state.lock),
      space(state.space),
      managed(state.managed),
      records(state.records),
      findings(state.findings),
      launches(state.launches),
      allocations(state.allocations),
      calls(state.calls),
      clock(default_stream, state.host_ns) {
  default_stream.device = this;
}

int device_count() { return static_cast<int>(devices().size()); }

Device& device() { return *devices()[static_cast<std::size_t>(chosen())]; }

Device& device(int ordinal) {
  require(ordinal >= 0 && ordinal < device_count(), cudaErrorInvalidDevice);
  return *devices()[static_cast<std::size_t>(ordinal)];
}

void choose_device(int ordinal) { chosen() = device(ordinal).ordinal; }

OnDevice::OnDevice(const Device& other) : before_(chosen()) { chosen() = other.ordinal; }
OnDevice::~OnDevice() { chosen() = before_; }

cudaError_t& last_error() {
  thread_local cudaError_t code = cudaSuccess;
  return code;
}

void Device::host_waits_until(double ns) {
  clock.host_waits_until(ns);
  // Who waits in place of asking for the launch's error has looked for errors as well.
  if (has_failed_on_purpose() && last_error() != cudaSuccess) throw ApiError{last_error()};
  if (pending == cudaSuccess) return;
  sticky = pending;
  pending = cudaSuccess;
  throw ApiError{sticky};
}

void Device::synchronise() {
  wait_for_deferred(*this);
  host_waits_until(clock.all_done());
  host_waited_for_all(*this);
}

void report(FindingKind kind, const Message& message, const std::string& kernel, Cure cure) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = kernel;
  finding.message = message;
  finding.cure = std::move(cure);
  auto& all = device().findings;
  if (!all.empty() && all.back().kind == kind && sentence(all.back()) == sentence(finding)) {
    ++all.back().count;
  } else {
    set_place(finding, host_backtrace(), kind == FindingKind::launch || kind == FindingKind::unsupported);
    all.push_back(std::move(finding));
  }
}

void refuse(cudaError_t code, FindingKind kind, const Message& message, const std::string& kernel) {
  report(kind, message, kernel);
  throw ApiError{code};
}

void flush_report(Device& device) {
  if (writes_report()) write_report(device);
}

cudaError_t current_exception_code() {
  try {
    throw;
  } catch (const ApiError& error) {
    return error.code;
  } catch (const exec::Fault& fault) {
    device().findings.push_back(fault.finding);
    Finding& told = device().findings.back();
    told.kernel = shown_name(told.kernel);
    return cudaErrorNotSupported;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    report(FindingKind::unsupported, error.what());
    return cudaErrorUnknown;
  }
}

int& CountedCall::depth() {
  thread_local int calls = 0;
  return calls;
}

}  // namespace sim::cudart

namespace sim {

std::vector<KernelRecord> take_kernel_records() {
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  return std::exchange(d.records, {});
}

std::map<std::string, std::uint64_t> take_api_calls() {
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  std::map<std::string, std::uint64_t> by_name;
  for (const auto& [name, count] : std::exchange(d.calls, {})) by_name[name] += count;
  return by_name;
}

std::vector<Finding> take_findings() {
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  cudart::complete(d.findings);
  return fold(std::exchange(d.findings, {}));
}

void name_allocation(const void* start, const std::string& name, const ArrayShape& array) {
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  if (memory::Allocation* found = d.space.find_base(reinterpret_cast<std::uint64_t>(start))) {
    found->origin = name;
    if (array.known()) memory::place_array(found->base, found->size, array);
  }
}

void revive_device() {
  cudaDeviceReset();
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  d.pending = d.sticky = cudart::last_error() = cudaSuccess;
}

double modelled_host_ns() {
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  return d.clock.host();
}

const char* modelled_device_name() { return cudart::device().gpu.name; }

}  // namespace sim
