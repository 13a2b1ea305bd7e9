// Driver API: memory, copies, streams, events. Each is the runtime's call under another name.
#include "simulator/driver/driver.h"

using namespace sim::cudart;
using driver::pointer;
using driver::result;

extern "C" {

CUresult cuMemAlloc(CUdeviceptr* address, std::size_t bytes) {
  return bytes == 0 ? CUDA_ERROR_INVALID_VALUE : result(cudaMalloc(reinterpret_cast<void**>(address), bytes));
}
CUresult cuMemAllocManaged(CUdeviceptr* address, std::size_t bytes, unsigned flags) {
  return result(cudaMallocManaged(reinterpret_cast<void**>(address), bytes, flags));
}
CUresult cuMemAllocPitch(CUdeviceptr* address, std::size_t* pitch, std::size_t width, std::size_t height,
                         unsigned) {
  return result(cudaMallocPitch(reinterpret_cast<void**>(address), pitch, width, height));
}
CUresult cuMemAllocHost(void** address, std::size_t bytes) { return result(cudaMallocHost(address, bytes)); }
CUresult cuMemHostAlloc(void** address, std::size_t bytes, unsigned flags) {
  return result(cudaHostAlloc(address, bytes, flags));
}
CUresult cuMemFree(CUdeviceptr address) { return result(cudaFree(pointer(address))); }
CUresult cuMemFreeHost(void* address) { return result(cudaFreeHost(address)); }
/// The flags of the two functions have the same bits.
CUresult cuMemHostRegister(void* address, std::size_t bytes, unsigned flags) {
  return result(cudaHostRegister(address, bytes, flags));
}
CUresult cuMemHostUnregister(void* address) { return result(cudaHostUnregister(address)); }
CUresult cuMemHostGetDevicePointer(CUdeviceptr* address, void* host, unsigned flags) {
  return result(cudaHostGetDevicePointer(reinterpret_cast<void**>(address), host, flags));
}
CUresult cuMemAllocAsync(CUdeviceptr* address, std::size_t bytes, CUstream stream) {
  return result(cudaMallocAsync(reinterpret_cast<void**>(address), bytes, stream));
}
CUresult cuMemFreeAsync(CUdeviceptr address, CUstream stream) {
  return result(cudaFreeAsync(pointer(address), stream));
}
CUresult cuMemGetInfo(std::size_t* free, std::size_t* total) { return result(cudaMemGetInfo(free, total)); }

CUresult cuMemcpy(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return result(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDefault));
}
CUresult cuMemcpyHtoD(CUdeviceptr to, const void* from, std::size_t bytes) {
  return result(cudaMemcpy(pointer(to), from, bytes, cudaMemcpyHostToDevice));
}
CUresult cuMemcpyDtoH(void* to, CUdeviceptr from, std::size_t bytes) {
  return result(cudaMemcpy(to, pointer(from), bytes, cudaMemcpyDeviceToHost));
}
CUresult cuMemcpyDtoD(CUdeviceptr to, CUdeviceptr from, std::size_t bytes) {
  return result(cudaMemcpy(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice));
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void* from, std::size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(pointer(to), from, bytes, cudaMemcpyHostToDevice, stream));
}
CUresult cuMemcpyDtoHAsync(void* to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(to, pointer(from), bytes, cudaMemcpyDeviceToHost, stream));
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, std::size_t bytes, CUstream stream) {
  return result(cudaMemcpyAsync(pointer(to), pointer(from), bytes, cudaMemcpyDeviceToDevice, stream));
}
CUresult cuMemsetD8(CUdeviceptr to, unsigned char value, std::size_t count) {
  return result(cudaMemset(pointer(to), value, count));
}
/// A fill whose elements are not bytes goes through a copy.
CUresult cuMemsetD32(CUdeviceptr to, unsigned value, std::size_t count) {
  const std::vector<unsigned> values(count, value);
  return result(cudaMemcpy(pointer(to), values.data(), count * sizeof value, cudaMemcpyHostToDevice));
}

CUresult cuStreamCreate(CUstream* stream, unsigned flags) {
  return result(cudaStreamCreateWithFlags(stream, flags));
}
CUresult cuStreamCreateWithPriority(CUstream* stream, unsigned flags, int priority) {
  return result(cudaStreamCreateWithPriority(stream, flags, priority));
}
CUresult cuStreamDestroy(CUstream stream) { return result(cudaStreamDestroy(stream)); }
CUresult cuStreamSynchronize(CUstream stream) { return result(cudaStreamSynchronize(stream)); }
CUresult cuStreamQuery(CUstream stream) { return result(cudaStreamQuery(stream)); }
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
  return result(cudaStreamWaitEvent(stream, event, flags));
}

CUresult cuEventCreate(CUevent* event, unsigned flags) {
  return result(cudaEventCreateWithFlags(event, flags));
}
CUresult cuEventDestroy(CUevent event) { return result(cudaEventDestroy(event)); }
CUresult cuEventRecord(CUevent event, CUstream stream) { return result(cudaEventRecord(event, stream)); }
CUresult cuEventSynchronize(CUevent event) { return result(cudaEventSynchronize(event)); }
CUresult cuEventQuery(CUevent event) { return result(cudaEventQuery(event)); }
CUresult cuEventElapsedTime(float* ms, CUevent from, CUevent to) {
  return result(cudaEventElapsedTime(ms, from, to));
}

}  // extern "C"
