// CUDA_CHECK(call): throws when a CUDA runtime call fails, with the call's text, file and line.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <exception>

namespace ladder {

/// A CUDA runtime call that failed. `what()` reads "cudaMemcpy(...) failed: invalid argument (rung.cu:31)".
/// It holds its text itself: `<string>` would make the compilation of a rung half as long again.
class CudaError : public std::exception {
 public:
  /// @param code  what the call returned
  /// @param call  the call as written in the source; cut where it is very long
  /// @param file  where it stands
  /// @param line  1-based
  CudaError(cudaError_t code, const char* call, const char* file, int line) : code_(code) {
    std::snprintf(what_, sizeof what_, "%.400s failed: %.200s (%.400s:%d)", call, cudaGetErrorString(code),
                  file, line);
  }
  const char* what() const noexcept override { return what_; }
  /// @return what the failed call returned; never cudaSuccess
  cudaError_t code() const { return code_; }

 private:
  cudaError_t code_;
  char what_[1040];
};

/// @throws CudaError unless @p code is cudaSuccess
inline void cuda_check(cudaError_t code, const char* call, const char* file, int line) {
  if (code != cudaSuccess) throw CudaError(code, call, file, line);
}

}  // namespace ladder

/// Runs a CUDA call. A launch returns nothing: follow it with CUDA_CHECK(cudaGetLastError()).
#define CUDA_CHECK(call) ::ladder::cuda_check((call), #call, __FILE__, __LINE__)
