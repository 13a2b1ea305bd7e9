// Handles of cuBLAS, and what its functions share.
#include "simulator/blas/blas.h"

#include <algorithm>

#include "simulator/cudart/memory/pointers.h"

namespace sim::cudart::blas {

std::byte* bytes_of(const void* pointer, std::size_t bytes, const char* call, const char* role) {
  return resolve_pointer(pointer, bytes, call, role, MemorySide::any).bytes;
}

void charge(CUstream_st& stream, double flops, double bytes) {
  Device& d = device();
  const model::Gpu& gpu = d.gpu;
  const double flops_per_ns = gpu.sms * gpu.clock_ghz * 256;  // 128 fused multiply-adds a clock
  d.clock.run(stream, Engine::compute,
              gpu.launch_ns + std::max(flops / flops_per_ns, bytes / gpu.dram_read_gb_per_s));
}

}  // namespace sim::cudart::blas

using namespace sim::cudart;
using blas::Handle;
using blas::Status;

extern "C" {

Status cublasCreate_v2(Handle** handle) {
  if (!handle) return blas::invalid_value;
  *handle = new Handle;
  return blas::success;
}

Status cublasDestroy_v2(Handle* handle) {
  if (!handle || handle->mark != Handle::kMark) return blas::not_initialised;
  handle->mark = 0;
  delete handle;
  return blas::success;
}

/// Programs make one beside their cublasHandle_t; of cuBLASLt's functions there are only these two.
Status cublasLtCreate(Handle** handle) { return cublasCreate_v2(handle); }
Status cublasLtDestroy(Handle* handle) { return cublasDestroy_v2(handle); }

Status cublasSetStream_v2(Handle* handle, cudaStream_t stream) {
  return blas::call(handle, [&] { handle->stream = stream; });
}

Status cublasGetStream_v2(Handle* handle, cudaStream_t* stream) {
  return blas::call(handle, [&] { *stream = handle->stream; });
}

Status cublasSetPointerMode_v2(Handle* handle, int mode) {
  return blas::call(handle, [&] { handle->scalars_on_device = mode; });
}

Status cublasGetPointerMode_v2(Handle* handle, int* mode) {
  return blas::call(handle, [&] { *mode = handle->scalars_on_device; });
}

/// Modes allow less exact arithmetic; here it is exact in all of them.
Status cublasSetMathMode(Handle* handle, int mode) {
  return blas::call(handle, [&] { handle->math_mode = mode; });
}

Status cublasGetMathMode(Handle* handle, int* mode) {
  return blas::call(handle, [&] { *mode = handle->math_mode; });
}

Status cublasSetWorkspace_v2(Handle* handle, void*, std::size_t) {
  return blas::call(handle, [] {});
}

Status cublasGetVersion_v2(Handle* handle, int* version) {
  return blas::call(handle, [&] { *version = CUDART_VERSION / 1000 * 10000; });
}

const char* cublasGetStatusString(Status status) {
  switch (status) {
    case blas::success:
      return "success";
    case blas::not_initialised:
      return "the library was not initialized";
    case blas::invalid_value:
      return "an unsupported value or parameter was passed to the function";
    case blas::execution_failed:
      return "the GPU program failed to execute";
    case blas::not_supported:
      return "the functionality requested is not supported";
  }
  return "unknown status";
}

const char* cublasGetStatusName(Status status) {
  switch (status) {
    case blas::success:
      return "CUBLAS_STATUS_SUCCESS";
    case blas::not_initialised:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case blas::invalid_value:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case blas::execution_failed:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case blas::not_supported:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
  }
  return "unknown status";
}

Status cublasSetMatrix(int rows, int columns, int size, const void* from, int from_rows, void* to,
                       int to_rows) {
  const auto bytes = static_cast<std::size_t>(size);
  return cudaMemcpy2D(to, to_rows * bytes, from, from_rows * bytes, rows * bytes,
                      static_cast<std::size_t>(columns), cudaMemcpyHostToDevice) == cudaSuccess
             ? blas::success
             : blas::invalid_value;
}

Status cublasGetMatrix(int rows, int columns, int size, const void* from, int from_rows, void* to,
                       int to_rows) {
  const auto bytes = static_cast<std::size_t>(size);
  return cudaMemcpy2D(to, to_rows * bytes, from, from_rows * bytes, rows * bytes,
                      static_cast<std::size_t>(columns), cudaMemcpyDeviceToHost) == cudaSuccess
             ? blas::success
             : blas::invalid_value;
}

Status cublasSetVector(int n, int size, const void* from, int from_step, void* to, int to_step) {
  return cublasSetMatrix(1, n, size, from, from_step, to, to_step);
}

Status cublasGetVector(int n, int size, const void* from, int from_step, void* to, int to_step) {
  return cublasGetMatrix(1, n, size, from, from_step, to, to_step);
}

}  // extern "C"
