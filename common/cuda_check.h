// CUDA_CHECK(call): throws when a CUDA runtime call fails, with the call's text, file and line.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>
#include <string>

namespace ladder {

/// A CUDA runtime call that failed. `what()` reads "cudaMemcpy(...) failed: invalid argument (rung.cu:31)".
class CudaError : public std::runtime_error {
 public:
  /// @param code  what the call returned
  /// @param call  the call as written in the source
  /// @param file  where it stands
  /// @param line  1-based
  CudaError(cudaError_t code, const char* call, const char* file, int line)
      : std::runtime_error(std::string(call) + " failed: " + cudaGetErrorString(code) + " (" + file + ":" +
                           std::to_string(line) + ")"),
        code_(code) {}
  /// @return what the failed call returned; never cudaSuccess
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
};

/// @throws CudaError unless @p code is cudaSuccess
inline void cuda_check(cudaError_t code, const char* call, const char* file, int line) {
  if (code != cudaSuccess) throw CudaError(code, call, file, line);
}

}  // namespace ladder

/// Runs a CUDA call. A launch returns nothing: follow it with CUDA_CHECK(cudaGetLastError()).
#define CUDA_CHECK(call) ::ladder::cuda_check((call), #call, __FILE__, __LINE__)
