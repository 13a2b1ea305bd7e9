// The part of cuBLAS that ordinary programs call, computed on the host.
//
// Declared here as the library's ABI has it, so that building needs no cuBLAS header; a program is compiled
// against NVIDIA's. Results are those of a plain sum in the compute type: as exact as the library's, not bit
// by bit the same; but for products of 16-bit numbers, which are added as the tensor cores add them.
#pragma once

#include <cuda_runtime_api.h>
#include <library_types.h>

#include <cstddef>
#include <cstdint>

#include "simulator/cudart/device/device.h"

namespace sim::cudart::blas {

/// cublasStatus_t
enum Status : int {
  success = 0,
  not_initialised = 1,
  invalid_value = 7,
  execution_failed = 13,
  not_supported = 15
};

/// What a cublasHandle_t points to.
struct Handle {
  std::uint64_t mark = kMark;
  cudaStream_t stream = nullptr;
  int scalars_on_device = 0;  ///< cublasPointerMode_t
  int math_mode = 0;
  static constexpr std::uint64_t kMark = 0x6375626c61736c64;
};

struct StatusError {
  Status status;
};

inline void require(bool good, Status otherwise = invalid_value) {
  if (!good) throw StatusError{otherwise};
}

/// The body of every function: takes the lock and turns exceptions into a status.
template <class Body>
Status call(Handle* handle, Body&& body) {
  Device& d = device();
  std::lock_guard hold(d.lock);
  Status status = success;
  try {
    require(handle && handle->mark == Handle::kMark, not_initialised);
    require(!d.failed(), execution_failed);
    d.clock.host_spends(4000);
    body();
  } catch (const StatusError& error) {
    status = error.status;
  } catch (...) {
    current_exception_code();
    status = execution_failed;
  }
  flush_report(d);
  return status;
}

/// Host bytes behind a pointer that the device may access, checked against its allocation.
/// @throws ApiError after a finding that explains
std::byte* bytes_of(const void* pointer, std::size_t bytes, const char* call, const char* role);

/// Puts an operation's time on the stream: it is bound by its arithmetic or by its memory.
void charge(CUstream_st& stream, double flops, double bytes);

/// The value behind a scalar argument, on whichever side it is.
template <class T>
T scalar(const void* pointer) {
  require(pointer != nullptr);
  return *reinterpret_cast<const T*>(bytes_of(pointer, sizeof(T), "cuBLAS", "scalar"));
}

/// A scalar argument: one on the host is read by the call, one on the device by the work.
template <class T, class S = T>
class Scalar {
 public:
  Scalar(const Handle& handle, const void* pointer)
      : late_(handle.scalars_on_device ? pointer : nullptr),
        now_(late_ != nullptr ? T{} : static_cast<T>(scalar<S>(pointer))) {}
  T operator()() const { return late_ != nullptr ? static_cast<T>(scalar<S>(late_)) : now_; }

 private:
  const void* late_;
  T now_;
};

}  // namespace sim::cudart::blas
