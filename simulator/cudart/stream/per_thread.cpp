// The names that programs compiled with -default-stream per-thread call: the same functions, to which no
// stream means the calling thread's own instead of the legacy default stream.
#include "simulator/cudart/device/device.h"

using namespace sim::cudart;

extern "C" cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                          std::size_t shared, cudaStream_t stream);

extern "C" {

cudaError_t cudaMemcpy_ptds(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const OwnDefaultStream guard;
  return cudaMemcpy(to, from, bytes, kind);
}
cudaError_t cudaMemcpyToSymbol_ptds(const void* symbol, const void* from, std::size_t bytes,
                                    std::size_t offset, cudaMemcpyKind kind) {
  const OwnDefaultStream guard;
  return cudaMemcpyToSymbol(symbol, from, bytes, offset, kind);
}
cudaError_t cudaMemcpyFromSymbol_ptds(void* to, const void* symbol, std::size_t bytes, std::size_t offset,
                                      cudaMemcpyKind kind) {
  const OwnDefaultStream guard;
  return cudaMemcpyFromSymbol(to, symbol, bytes, offset, kind);
}
cudaError_t cudaMemcpy2D_ptds(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                              std::size_t width, std::size_t height, cudaMemcpyKind kind) {
  const OwnDefaultStream guard;
  return cudaMemcpy2D(to, to_pitch, from, from_pitch, width, height, kind);
}
cudaError_t cudaMemcpy3D_ptds(const cudaMemcpy3DParms* p) {
  const OwnDefaultStream guard;
  return cudaMemcpy3D(p);
}
cudaError_t cudaMemset_ptds(void* to, int value, std::size_t bytes) {
  const OwnDefaultStream guard;
  return cudaMemset(to, value, bytes);
}
cudaError_t cudaMemset2D_ptds(void* to, std::size_t pitch, int value, std::size_t width, std::size_t height) {
  const OwnDefaultStream guard;
  return cudaMemset2D(to, pitch, value, width, height);
}
cudaError_t cudaMemset3D_ptds(cudaPitchedPtr to, int value, cudaExtent extent) {
  const OwnDefaultStream guard;
  return cudaMemset3D(to, value, extent);
}
cudaError_t cudaMemcpyAsync_ptsz(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind,
                                 cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemcpyAsync(to, from, bytes, kind, stream);
}
cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void* symbol, const void* from, std::size_t bytes,
                                         std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, stream);
}
cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void* to, const void* symbol, std::size_t bytes,
                                           std::size_t offset, cudaMemcpyKind kind, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, stream);
}
cudaError_t cudaMemcpy2DAsync_ptsz(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
                                   std::size_t width, std::size_t height, cudaMemcpyKind kind,
                                   cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, stream);
}
cudaError_t cudaMemcpy3DAsync_ptsz(const cudaMemcpy3DParms* p, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemcpy3DAsync(p, stream);
}
cudaError_t cudaMemsetAsync_ptsz(void* to, int value, std::size_t bytes, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemsetAsync(to, value, bytes, stream);
}
cudaError_t cudaMemset2DAsync_ptsz(void* to, std::size_t pitch, int value, std::size_t width,
                                   std::size_t height, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemset2DAsync(to, pitch, value, width, height, stream);
}
cudaError_t cudaMemset3DAsync_ptsz(cudaPitchedPtr to, int value, cudaExtent extent, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemset3DAsync(to, value, extent, stream);
}
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, cudaStreamCaptureMode mode) {
  const OwnDefaultStream guard;
  return cudaStreamBeginCapture(stream, mode);
}
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t* graph) {
  const OwnDefaultStream guard;
  return cudaStreamEndCapture(stream, graph);
}
cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  const OwnDefaultStream guard;
  return cudaStreamIsCapturing(stream, status);
}
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t graph, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaGraphLaunch(graph, stream);
}
cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t graph, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaGraphUpload(graph, stream);
}
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaStreamQuery(stream);
}
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaStreamSynchronize(stream);
}
cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned* flags) {
  const OwnDefaultStream guard;
  return cudaStreamGetFlags(stream, flags);
}
cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int* priority) {
  const OwnDefaultStream guard;
  return cudaStreamGetPriority(stream, priority);
}
cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long* id) {
  const OwnDefaultStream guard;
  return cudaStreamGetId(stream, id);
}
cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaEventRecord(event, stream);
}
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  const OwnDefaultStream guard;
  return cudaEventRecordWithFlags(event, stream, flags);
}
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  const OwnDefaultStream guard;
  return cudaStreamWaitEvent(stream, event, flags);
}
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                       unsigned flags) {
  const OwnDefaultStream guard;
  return cudaStreamAddCallback(stream, callback, data, flags);
}
cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void* pointer, std::size_t bytes,
                                          unsigned flags) {
  const OwnDefaultStream guard;
  return cudaStreamAttachMemAsync(stream, pointer, bytes, flags);
}
cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaStreamAttrID id,
                                        const cudaStreamAttrValue* value) {
  const OwnDefaultStream guard;
  return cudaStreamSetAttribute(stream, id, value);
}
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void* data) {
  const OwnDefaultStream guard;
  return cudaLaunchHostFunc(stream, function, data);
}
cudaError_t cudaLaunchKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                  std::size_t shared, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaLaunchKernel(function, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void* function, dim3 grid, dim3 block, void** arguments,
                                             std::size_t shared, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaLaunchCooperativeKernel(function, grid, block, arguments, shared, stream);
}
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t* config, const void* function,
                                     void** arguments) {
  const OwnDefaultStream guard;
  return cudaLaunchKernelExC(config, function, arguments);
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                                    std::size_t shared, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return __cudaLaunchKernel(kernel, grid, block, arguments, shared, stream);
}
cudaError_t cudaMallocAsync_ptsz(void** pointer, std::size_t bytes, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMallocAsync(pointer, bytes, stream);
}
cudaError_t cudaFreeAsync_ptsz(void* pointer, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaFreeAsync(pointer, stream);
}
cudaError_t cudaMallocFromPoolAsync_ptsz(void** pointer, std::size_t bytes, cudaMemPool_t pool,
                                         cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMallocFromPoolAsync(pointer, bytes, pool, stream);
}
#if CUDART_VERSION >= 13000
cudaError_t cudaMemPrefetchAsync_ptsz(const void* pointer, std::size_t bytes, cudaMemLocation location,
                                      unsigned flags, cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemPrefetchAsync(pointer, bytes, location, flags, stream);
}
#else
cudaError_t cudaMemPrefetchAsync_ptsz(const void* pointer, std::size_t bytes, int target,
                                      cudaStream_t stream) {
  const OwnDefaultStream guard;
  return cudaMemPrefetchAsync(pointer, bytes, target, stream);
}
#endif

}  // extern "C"
