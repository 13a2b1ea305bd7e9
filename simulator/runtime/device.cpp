#include "simulator/runtime/device.h"

#include <new>
#include <utility>

#include "simulator/runtime/report_file.h"
#include "simulator/telemetry.h"

namespace sim::runtime {

Device::Device() { space.set_capacity(gpu.memory_bytes); }

Device& device() {
  static Device& only = *new Device;
  return only;
}

cudaError_t& last_error() {
  thread_local cudaError_t code = cudaSuccess;
  return code;
}

void Device::host_waits_until(double ns) {
  clock.host_waits_until(ns);
  if (pending == cudaSuccess) return;
  sticky = pending;
  pending = cudaSuccess;
  throw ApiError{sticky};
}

void report(const char* kind, const std::string& message, const std::string& kernel) {
  Finding finding;
  finding.kind = kind;
  finding.kernel = kernel;
  finding.message = message;
  auto& all = device().findings;
  if (!all.empty() && all.back().kind == kind && all.back().message == message) {
    ++all.back().count;
  } else {
    all.push_back(std::move(finding));
  }
}

void refuse(cudaError_t code, const char* kind, const std::string& message, const std::string& kernel) {
  report(kind, message, kernel);
  throw ApiError{code};
}

void tell(Device& device) {
  if (writes_report()) write_report(device);
}

cudaError_t current_exception_code() {
  try {
    throw;
  } catch (const ApiError& error) {
    return error.code;
  } catch (const exec::Fault& fault) {
    device().findings.push_back(fault.finding);
    return cudaErrorNotSupported;
  } catch (const std::bad_alloc&) {
    return cudaErrorMemoryAllocation;
  } catch (const std::exception& error) {
    report("unsupported", error.what());
    return cudaErrorUnknown;
  }
}

}  // namespace sim::runtime

namespace sim {

std::vector<KernelRecord> take_kernel_records() {
  runtime::Device& d = runtime::device();
  std::lock_guard hold(d.lock);
  return std::exchange(d.records, {});
}

std::vector<Finding> take_findings() {
  runtime::Device& d = runtime::device();
  std::lock_guard hold(d.lock);
  return std::exchange(d.findings, {});
}

double modelled_host_ns() {
  runtime::Device& d = runtime::device();
  std::lock_guard hold(d.lock);
  return d.clock.host();
}

const char* modelled_device_name() { return runtime::device().gpu.name; }

}  // namespace sim
