// Arrays as a rung sees them: poisoned or filled, with patterned memory before and after.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "grader/lesson/lesson.h"
#include "grader/lesson/shared_bytes.h"
#include "grader/protocol/protocol.h"
#include "simulator/sampling.h"

namespace ladder {

/// A CUDA call of the harness itself failed.
struct CudaFailure : std::runtime_error {
  CudaFailure(cudaError_t error, const char* call);
  cudaError_t error;
};

/// @throws CudaFailure unless @p error is cudaSuccess
void require(cudaError_t error, const char* call);
CudaStatus status_of(cudaError_t error);

/// One array with its guard bands: [guard][offset][data][guard].
class GuardedArray {
 public:
  /// @param pattern  repeated over the guard bands
  /// @throws CudaFailure, std::bad_alloc when there is no memory for it
  GuardedArray(const Buffer& buffer, std::span<const std::byte> pattern);
  /// One whose memory somebody else owns, and fills and reads.
  GuardedArray(const Buffer& buffer, void* elsewhere);
  ~GuardedArray();
  GuardedArray(const GuardedArray&) = delete;
  GuardedArray& operator=(const GuardedArray&) = delete;

  const Buffer& buffer() const { return buffer_; }
  void* data() const { return base_ + guard_ + offset_; }
  std::size_t bytes() const { return bytes_; }
  bool is_elsewhere() const { return elsewhere_; }
  bool on_device() const { return buffer_.location == Buffer::Location::device; }

  /// Puts the guards back and the array into its state before a run. Asynchronous on the default stream.
  /// @param initial  contents of inputs and inouts; empty for outputs
  /// @param poison   byte that fills outputs
  void reset(std::span<const std::byte> initial, int poison);
  /// The same for a timed run: inputs are taken to be untouched, inouts come from a copy kept on the device.
  void reset_quickly(std::span<const std::byte> initial, int poison);
  /// Fills some of a device array without guards: inputs from @p initial, outputs with bytes of 0xFF.
  void reset_pages(std::span<const std::byte> initial, std::span<const sim::ByteRange> pages);
  /// Copies a range of such an array to the same place in @p into.
  void download_pages(std::span<std::byte> into, const sim::ByteRange& range) const;
  /// Copies guards and data to @p into, of guarded_bytes() bytes.
  void download(std::span<std::byte> into) const;

 private:
  void fill_guards();
  Buffer buffer_;
  std::size_t guard_ = 0, offset_ = 0, bytes_;
  std::vector<std::byte> pattern_;  ///< one guard band
  std::byte* base_ = nullptr;
  bool elsewhere_ = false;         ///< base_ is not ours
  std::byte* pristine_ = nullptr;  ///< device copy of an inout's initial contents
};

/// The arrays of one case, by name.
class ArgumentSet final : public Arguments {
 public:
  /// @param elsewhere  addresses of the device's arrays in
  /// their order, where somebody else owns those; else empty
  ArgumentSet(const std::vector<Buffer>& buffers, std::span<const std::byte> pattern,
              std::span<void* const> elsewhere = {});
  std::span<const std::unique_ptr<GuardedArray>> arrays() const { return arrays_; }

 protected:
  void* pointer(std::string_view name) const override;

 private:
  std::vector<std::unique_ptr<GuardedArray>> arrays_;
};

}  // namespace ladder
