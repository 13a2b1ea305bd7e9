// Arrays as a rung sees them: poisoned or filled, with patterned memory before and after.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/harness/lesson.h"
#include "grader/harness/protocol.h"
#include "grader/harness/shared_bytes.h"

namespace ladder {

/// A CUDA call of the harness itself failed.
struct CudaFailure : std::runtime_error {
  CudaFailure(cudaError_t error, const char* call);
  cudaError_t error;
};

/// @throws CudaFailure unless @p error is cudaSuccess
void require(cudaError_t error, const char* call);
CudaStatus status_of(cudaError_t error);

/// One array with its guard bands: [guard][data][guard].
class GuardedArray {
 public:
  /// @param pattern  repeated over the guard bands
  /// @throws CudaFailure, std::bad_alloc when there is no memory for it
  GuardedArray(const Buffer& buffer, std::span<const std::byte> pattern);
  ~GuardedArray();
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  const Buffer& buffer() const { return buffer_; }
  void* data() const { return base_ + guard_; }
  std::size_t bytes() const { return bytes_; }
  bool on_device() const { return buffer_.place == Buffer::Place::device; }

  /// Puts the guards back and the array into its state before a run. Asynchronous on the default stream.
  /// @param initial  contents of inputs and inouts; empty for outputs
  /// @param poison   byte that fills outputs
  void reset(std::span<const std::byte> initial, int poison);
  /// The same for a timed run: inputs are taken to be untouched, inouts come from a copy kept on the device.
  void reset_quickly(std::span<const std::byte> initial, int poison);
  /// Copies guards and data to @p into, of 2 * guard + bytes bytes.
  void download(std::span<std::byte> into) const;

 private:
  void fill_guards();
  Buffer buffer_;
  std::size_t guard_, bytes_;
  std::vector<std::byte> pattern_;  ///< one guard band
  std::byte* base_ = nullptr;
  std::byte* pristine_ = nullptr;  ///< device copy of an inout's initial contents
};

/// The arrays of one case, by name.
class ArgumentSet final : public Arguments {
 public:
  ArgumentSet(const std::vector<Buffer>& buffers, std::span<const std::byte> pattern);
  std::span<const std::unique_ptr<GuardedArray>> arrays() const { return arrays_; }

 protected:
  void* pointer(std::string_view name) const override;

 private:
  std::vector<std::unique_ptr<GuardedArray>> arrays_;
};

}  // namespace ladder
