#include "fake_runtime.h"

FakeRuntime& fake_runtime() {
  static FakeRuntime runtime;
  return runtime;
}

extern "C" {

const char* cudaGetErrorString(cudaError_t error) {
  return error == cudaErrorInvalidConfiguration ? "invalid configuration argument" : "another error";
}

cudaError_t cudaGetDevice(int* device) {
  *device = 0;
  return fake_runtime().device_error;
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int) {
  if (attribute != cudaDevAttrMultiProcessorCount) return cudaErrorInvalidValue;
  *value = fake_runtime().multiprocessors;
  return cudaSuccess;
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync(const void* data, std::size_t bytes, cudaMemLocation location, unsigned,
                                 cudaStream_t) {
  fake_runtime().prefetched_to = location;
#else
cudaError_t cudaMemPrefetchAsync(const void* data, std::size_t bytes, int device, cudaStream_t) {
  fake_runtime().prefetched_to = {
      device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice,
      device == cudaCpuDeviceId ? 0 : device};
#endif
  fake_runtime().prefetched = data;
  fake_runtime().prefetched_bytes = bytes;
  return cudaSuccess;
}

}  // extern "C"
