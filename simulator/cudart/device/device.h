// The simulated devices of this process: memory, clocks, errors, what there is to report.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "simulator/cudart/device/lock.h"
#include "simulator/cudart/memory/managed.h"
#include "simulator/cudart/stream/guards.h"
#include "simulator/cudart/stream/modelled_clock.h"
#include "simulator/cudart/stream/stream.h"
#include "simulator/engine/launch.h"
#include "simulator/memory/address_space.h"
#include "simulator/model/gpu.h"
#include "simulator/report/finding.h"
#include "simulator/report/kernel_record.h"

namespace sim::cudart {

/// Ends an API call with an error code.
struct ApiError {
  cudaError_t code;
};

/// What all devices of the process have in common. Addresses mean the same to each of them.
struct RuntimeState {
  ApiLock lock;  ///< held during every API call
  memory::AddressSpace space;
  ManagedPages managed;
  std::vector<KernelRecord> records;
  std::vector<Finding> findings;
  std::uint64_t launches = 0;
  std::uint64_t allocations = 0;
  double host_ns = 0;                          ///< the host's modelled time
  std::map<const char*, std::uint64_t> calls;  ///< by the name of the API function, a literal
};

struct Device {
  const int ordinal;
  ApiLock& lock;
  const model::Gpu& gpu = model::selected_gpu();
  memory::AddressSpace& space;
  ManagedPages& managed;
  std::vector<KernelRecord>& records;
  std::vector<Finding>& findings;
  std::uint64_t& launches;
  std::uint64_t& allocations;
  std::map<const char*, std::uint64_t>& calls;
  CUstream_st default_stream;
  ModelledClock clock;
  memory::Allocation* grid_sync = nullptr;  ///< made by the first cooperative launch
  std::set<int> peers;                      ///< devices whose memory this one may access

  /// A kernel failed, but no call that waits for it was made yet. Work given to the device since is dropped.
  cudaError_t pending = cudaSuccess;
  /// The same, once a call has told the program: from here on, every call that needs the device fails with
  /// it. After a cudaDeviceReset it is cudaErrorDevicesUnavailable: to this process the device is lost.
  cudaError_t sticky = cudaSuccess;
  bool failed() const { return pending != cudaSuccess || sticky != cudaSuccess; }

  /// Waits, on the modelled clock, and tells of a failed kernel. @throws ApiError
  void host_waits_until(double ns);
  /// The same for all that the device was given.
  void synchronise();

  Device(int number, RuntimeState& state);
};

/// How many devices there are: LADDER_SIM_DEVICES, 1 where it is not set.
int device_count();

/// The device that the calling thread has chosen with cudaSetDevice. Devices are created at first use, which
/// may be in a static constructor, and never destroyed.
Device& device();

/// A device by its number. @throws ApiError cudaErrorInvalidDevice
Device& device(int ordinal);

/// Chooses another device for the calling thread while this lives.
class OnDevice {
 public:
  explicit OnDevice(const Device& chosen);
  OnDevice(const OnDevice&) = delete;
  OnDevice& operator=(const OnDevice&) = delete;
  ~OnDevice();

 private:
  int before_;
};

/// Makes a device the calling thread's own. @throws ApiError cudaErrorInvalidDevice
void choose_device(int ordinal);

/// The calling thread's cudaGetLastError.
cudaError_t& last_error();

/// Notes a finding without a place in device code.
void report(FindingKind kind, const Message& message, const std::string& kernel = {}, Cure cure = Cure::none);

/// Reports and ends the API call.
[[noreturn]] void refuse(cudaError_t code, FindingKind kind, const Message& message,
                         const std::string& kernel = {});

/// Turns whatever is being handled by a catch (...) into an error code, reporting it where that helps.
cudaError_t current_exception_code();

/// Hands on what a call had to report, where the process writes a report.
void flush_report(Device& device);

/// The body of an API function that does not touch the device: takes the lock, turns exceptions into error
/// codes and remembers the code for cudaGetLastError.
/// @param name  of the function, by default the caller
template <class Body>
cudaError_t api_apart(Body&& body, bool asks_device = false, const char* name = __builtin_FUNCTION()) {
  Device& d = device();
  std::lock_guard hold(d.lock);
  ++d.calls[name];
  const GuardsLifted lifted;
  cudaError_t code = asks_device ? d.sticky : cudaSuccess;
  if (code == cudaSuccess) {
    try {
      d.clock.host_spends(100);  // entering the runtime and the driver
      code = body(d);
    } catch (...) {
      code = current_exception_code();
    }
  }
  if (code != cudaSuccess && code != cudaErrorNotReady) last_error() = code;
  flush_report(d);
  return code;
}

/// The body of every other one: it fails when the device has.
template <class Body>
cudaError_t api(Body&& body, const char* name = __builtin_FUNCTION()) {
  return api_apart(std::forward<Body>(body), true, name);
}

/// The body of a call that succeeds unless it throws, and looks at no device.
template <class Body>
cudaError_t done(Body&& body, const char* name = __builtin_FUNCTION()) {
  return api(
      [&](Device&) {
        body();
        return cudaSuccess;
      },
      name);
}

/// `if (bad) throw` in one word: the error most calls give for a bad argument.
inline void require(bool good, cudaError_t code = cudaErrorInvalidValue) {
  if (!good) throw ApiError{code};
}

}  // namespace sim::cudart
