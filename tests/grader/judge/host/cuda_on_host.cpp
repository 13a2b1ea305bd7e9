// A CUDA runtime whose device is the host: just enough for the harness, so that the harness can be tested
// with rungs in plain C++, with guard bands and timing batches as on a GPU, but without one.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace {

cudaError_t last_error = cudaSuccess;
constexpr std::size_t kMemory = std::size_t{1} << 30;

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

cudaError_t note(cudaError_t error) {
  if (error != cudaSuccess) last_error = error;
  return error;
}

}  // namespace

struct CUevent_st {
  double ms = 0;
};

/// For the tests' rungs: what a failed launch leaves behind.
extern "C" void host_cuda_leave_error(cudaError_t error) { last_error = error; }

extern "C" {
cudaError_t cudaMalloc(void** pointer, std::size_t bytes) {
  *pointer = bytes <= kMemory ? std::aligned_alloc(256, (bytes + 511) / 256 * 256) : nullptr;
  return note(*pointer != nullptr ? cudaSuccess : cudaErrorMemoryAllocation);
}
cudaError_t cudaFree(void* pointer) {
  std::free(pointer);
  return cudaSuccess;
}
cudaError_t cudaMallocHost(void** pointer, std::size_t bytes) { return cudaMalloc(pointer, bytes); }
cudaError_t cudaFreeHost(void* pointer) { return cudaFree(pointer); }
cudaError_t cudaMemcpy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind) {
  std::memcpy(to, from, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t) {
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemset(void* to, int byte, std::size_t bytes) {
  std::memset(to, byte, bytes);
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t) {
  return cudaMemset(to, byte, bytes);
}
cudaError_t cudaDeviceSynchronize() { return cudaSuccess; }
cudaError_t cudaGetLastError() {
  const cudaError_t error = last_error;
  last_error = cudaSuccess;
  return error;
}
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return "cudaErrorMemoryAllocation";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    default:
      return "cudaErrorUnknown";
  }
}
const char* cudaGetErrorString(cudaError_t error) {
  switch (error) {
    case cudaErrorMemoryAllocation:
      return "out of memory";
    case cudaErrorInvalidConfiguration:
      return "invalid configuration argument";
    default:
      return "unknown error";
  }
}
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 1;
  return cudaSuccess;
}
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int) {
  *properties = {};
  std::strcpy(properties->name, "the host");
  properties->major = 8;
  properties->minor = 0;
  properties->totalGlobalMem = kMemory;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  switch (attribute) {
    case cudaDevAttrL2CacheSize:
      *value = 1 << 16;
      break;
    case cudaDevAttrClockRate:
      *value = 1'000'000;
      break;  // kHz
    default:
      *value = 4;
  }
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *free = *total = kMemory;
  return cudaSuccess;
}
cudaError_t cudaEventCreate(cudaEvent_t* event) {
  *event = new CUevent_st;
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  delete event;
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t) {
  event->ms = now_ms();
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t) { return cudaSuccess; }
cudaError_t cudaEventElapsedTime(float* ms, cudaEvent_t start, cudaEvent_t stop) {
  *ms = static_cast<float>(stop->ms - start->ms);
  return cudaSuccess;
}
}
