// The functions of the CUDA runtime that a program in another process than the simulator can call.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

// As in cuda_profiler_api.h, which the compiler's wheels lack.
extern "C" {
cudaError_t cudaProfilerStart();
cudaError_t cudaProfilerStop();
}

// What CUDA 12.4, the oldest that is supported, does not declare yet.
#if CUDART_VERSION >= 12080
#define SIM_REMOTE_SINCE_12_8(X) X(cudaStreamGetDevice)
#else
#define SIM_REMOTE_SINCE_12_8(X)
#endif

/// Whose arguments say all: values, handles, addresses of the device, and pointers to one value in or out.
#define SIM_REMOTE_PLAIN(X)                                 \
  X(cudaCreateSurfaceObject)                                \
  X(cudaCtxResetPersistingL2Cache)                          \
  X(cudaDestroySurfaceObject)                               \
  X(cudaCreateTextureObject)                                \
  X(cudaDestroyTextureObject)                               \
  X(cudaDeviceCanAccessPeer)                                \
  X(cudaDeviceDisablePeerAccess)                            \
  X(cudaDeviceEnablePeerAccess)                             \
  X(cudaDeviceGetAttribute)                                 \
  X(cudaDeviceGetCacheConfig)                               \
  X(cudaDeviceGetDefaultMemPool)                            \
  X(cudaDeviceGetLimit)                                     \
  X(cudaDeviceGetMemPool)                                   \
  X(cudaDeviceGetP2PAttribute)                              \
  X(cudaDeviceGetStreamPriorityRange)                       \
  X(cudaDeviceGetTexture1DLinearMaxWidth)                   \
  X(cudaDeviceGraphMemTrim)                                 \
  X(cudaDeviceReset)                                        \
  X(cudaDeviceSetCacheConfig)                               \
  X(cudaDeviceSetLimit)                                     \
  X(cudaDeviceSetMemPool)                                   \
  X(cudaDeviceSynchronize)                                  \
  X(cudaDriverGetVersion)                                   \
  X(cudaEventCreate)                                        \
  X(cudaEventCreateWithFlags)                               \
  X(cudaEventDestroy)                                       \
  X(cudaEventElapsedTime)                                   \
  X(cudaEventQuery)                                         \
  X(cudaEventRecord)                                        \
  X(cudaEventRecordWithFlags)                               \
  X(cudaEventSynchronize)                                   \
  X(cudaFreeArray)                                          \
  X(cudaFreeAsync)                                          \
  X(cudaFreeMipmappedArray)                                 \
  X(cudaFuncGetAttributes)                                  \
  X(cudaFuncGetParamInfo)                                   \
  X(cudaFuncSetAttribute)                                   \
  X(cudaFuncSetCacheConfig)                                 \
  X(cudaGetChannelDesc)                                     \
  X(cudaGetDevice)                                          \
  X(cudaGetDeviceCount)                                     \
  X(cudaGetDeviceFlags)                                     \
  X(cudaGetDeviceProperties)                                \
  X(cudaGetFuncBySymbol)                                    \
  X(cudaGetKernel)                                          \
  X(cudaGetLastError)                                       \
  X(cudaGetMipmappedArrayLevel)                             \
  X(cudaGetSymbolAddress)                                   \
  X(cudaGetSymbolSize)                                      \
  X(cudaGetTextureObjectResourceDesc)                       \
  X(cudaGetTextureObjectTextureDesc)                        \
  X(cudaGraphChildGraphNodeGetGraph)                        \
  X(cudaGraphClone)                                         \
  X(cudaGraphCreate)                                        \
  X(cudaGraphDestroy)                                       \
  X(cudaGraphDestroyNode)                                   \
  X(cudaGraphEventRecordNodeGetEvent)                       \
  X(cudaGraphEventRecordNodeSetEvent)                       \
  X(cudaGraphEventWaitNodeGetEvent)                         \
  X(cudaGraphEventWaitNodeSetEvent)                         \
  X(cudaGraphExecChildGraphNodeSetParams)                   \
  X(cudaGraphExecDestroy)                                   \
  X(cudaGraphExecEventRecordNodeSetEvent)                   \
  X(cudaGraphExecEventWaitNodeSetEvent)                     \
  X(cudaGraphExecGetFlags)                                  \
  X(cudaGraphExecMemcpyNodeSetParams)                       \
  X(cudaGraphExecMemcpyNodeSetParams1D)                     \
  X(cudaGraphExecMemsetNodeSetParams)                       \
  X(cudaGraphExecUpdate)                                    \
  X(cudaGraphInstantiate)                                   \
  X(cudaGraphInstantiateWithFlags)                          \
  X(cudaGraphKernelNodeCopyAttributes)                      \
  X(cudaGraphKernelNodeGetAttribute)                        \
  X(cudaGraphKernelNodeSetAttribute)                        \
  X(cudaGraphLaunch)                                        \
  X(cudaGraphMemcpyNodeGetParams)                           \
  X(cudaGraphMemcpyNodeSetParams)                           \
  X(cudaGraphMemcpyNodeSetParams1D)                         \
  X(cudaGraphMemsetNodeGetParams)                           \
  X(cudaGraphMemsetNodeSetParams)                           \
  X(cudaGraphNodeFindInClone)                               \
  X(cudaGraphNodeGetEnabled)                                \
  X(cudaGraphNodeGetType)                                   \
  X(cudaGraphNodeSetEnabled)                                \
  X(cudaGraphUpload)                                        \
  X(cudaHostGetDevicePointer)                               \
  X(cudaHostGetFlags)                                       \
  X(cudaInitDevice)                                         \
  X(cudaMalloc)                                             \
  X(cudaMalloc3D)                                           \
  X(cudaMalloc3DArray)                                      \
  X(cudaMallocArray)                                        \
  X(cudaMallocAsync)                                        \
  X(cudaMallocFromPoolAsync)                                \
  X(cudaMallocMipmappedArray)                               \
  X(cudaMallocPitch)                                        \
  X(cudaMemAdvise)                                          \
  X(cudaMemGetInfo)                                         \
  X(cudaMemPoolCreate)                                      \
  X(cudaMemPoolDestroy)                                     \
  X(cudaMemPoolTrimTo)                                      \
  X(cudaMemPrefetchAsync)                                   \
  X(cudaMemcpyPeer)                                         \
  X(cudaMemcpyPeerAsync)                                    \
  X(cudaMemcpy2DArrayToArray)                               \
  X(cudaMemset)                                             \
  X(cudaMemset2D)                                           \
  X(cudaMemset2DAsync)                                      \
  X(cudaMemset3D)                                           \
  X(cudaMemset3DAsync)                                      \
  X(cudaMemsetAsync)                                        \
  X(cudaOccupancyAvailableDynamicSMemPerBlock)              \
  X(cudaOccupancyMaxActiveBlocksPerMultiprocessor)          \
  X(cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags) \
  X(cudaPeekAtLastError)                                    \
  X(cudaPointerGetAttributes)                               \
  X(cudaProfilerStart)                                      \
  X(cudaProfilerStop)                                       \
  X(cudaRuntimeGetVersion)                                  \
  X(cudaSetDevice)                                          \
  X(cudaSetDeviceFlags)                                     \
  X(cudaStreamAttachMemAsync)                               \
  X(cudaStreamBeginCapture)                                 \
  X(cudaStreamCopyAttributes)                               \
  X(cudaStreamCreate)                                       \
  X(cudaStreamCreateWithFlags)                              \
  X(cudaStreamCreateWithPriority)                           \
  X(cudaStreamDestroy)                                      \
  X(cudaStreamEndCapture)                                   \
  X(cudaStreamGetAttribute)                                 \
  SIM_REMOTE_SINCE_12_8(X)                                  \
  X(cudaStreamGetFlags)                                     \
  X(cudaStreamGetId)                                        \
  X(cudaStreamGetPriority)                                  \
  X(cudaStreamIsCapturing)                                  \
  X(cudaStreamQuery)                                        \
  X(cudaStreamSetAttribute)                                 \
  X(cudaStreamSynchronize)                                  \
  X(cudaStreamWaitEvent)                                    \
  X(cudaThreadExchangeStreamCaptureMode)

/// That may read or write pageable memory of the program.
#define SIM_REMOTE_COPIES(X)    \
  X(cudaMemcpy)                 \
  X(cudaMemcpyAsync)            \
  X(cudaMemcpy2D)               \
  X(cudaMemcpy2DAsync)          \
  X(cudaMemcpy2DFromArray)      \
  X(cudaMemcpy2DFromArrayAsync) \
  X(cudaMemcpy2DToArray)        \
  X(cudaMemcpy2DToArrayAsync)   \
  X(cudaMemcpy3D)               \
  X(cudaMemcpy3DAsync)          \
  X(cudaMemcpyFromSymbol)       \
  X(cudaMemcpyFromSymbolAsync)  \
  X(cudaMemcpyToSymbol)         \
  X(cudaMemcpyToSymbolAsync)

/// That give or take memory which the program may access.
#define SIM_REMOTE_HOST_MEMORY(X) \
  X(cudaHostRegister)             \
  X(cudaHostUnregister)           \
  X(cudaFree)                     \
  X(cudaFreeHost)                 \
  X(cudaHostAlloc)                \
  X(cudaMallocHost)               \
  X(cudaMallocManaged)

#define SIM_REMOTE_CALLS(X) SIM_REMOTE_PLAIN(X) SIM_REMOTE_COPIES(X) SIM_REMOTE_HOST_MEMORY(X)

namespace sim::remote {

/// Numbers of the calls. What stands behind the functions has a form of its own.
enum class Call : std::uint32_t {
#define SIM_NUMBER(name) name##_,
  SIM_REMOTE_CALLS(SIM_NUMBER)
#undef SIM_NUMBER
      functions,       ///< how many there are
  launch = functions,  ///< a kernel: LaunchHead, then the bytes of its parameters
  register_module,     ///< index of the fat binary in the module's file -> its number
  register_kernel,     ///< NameHead, name
  register_symbol,     ///< NameHead, name
  register_managed,    ///< NameHead, name
  managed_addresses,   ///< -> {the host's pointer, what it has to hold}...
  parameters,          ///< of a kernel -> {offset, bytes}...
  host_function,       ///< stream, function, data
  stream_callback,     ///< stream, function, data
  guards,              ///< -> pages that the program is to guard until its next call
  touched,             ///< GuardHit: what a guard has caught
  share_pages,         ///< Pages, of memory that it registers -> where they are in the host memory's file
  readable,            ///< address -> bytes from there to the end of the allocation
  add_node,            ///< NodeHead, handles of nodes, what the node is made of -> its handle
  change_node,         ///< ChangeHead, what the node is to be made of
  kernel_node,         ///< node -> LaunchHead, then the bytes of its parameters
  host_node,           ///< node -> Callback
  list_nodes,          ///< NodesHead -> how many, handles of nodes
  list_edges,          ///< NodesHead -> how many, handles of both ends of one after the other
  change_edges,        ///< EdgesHead, handles where the edges come from, handles where they go
  refuse_node,         ///< why
  clusters,            ///< ClusterQuery -> a number
  name_array,          ///< NamedArray: what memory that the program has allocated is called
};

/// What precedes a kernel's parameters.
struct LaunchHead {
  std::uint64_t function;
  std::uint32_t grid[3], block[3];
  std::uint64_t shared, stream;
  std::uint32_t cooperative, bytes;
  std::uint32_t cluster[3]{};  ///< 0: none is asked for
};

/// What an occupancy query of clusters asks about.
struct ClusterQuery {
  LaunchHead launch;
  std::uint32_t potential;  ///< the largest cluster is asked for, else how many fit
};

/// What precedes the name of something in a module.
struct NameHead {
  std::uint64_t module, key, size;
};

/// The host's access to memory that work on the device may still be using.
struct GuardHit {
  std::uint64_t address, writes;
};

/// An array in memory that the program has allocated, for findings to name its elements.
struct NamedArray {
  std::uint64_t start;  ///< of the allocation
  char name[32];        ///< an identifier, ended by 0
  std::uint32_t element_bytes, unused = 0;
  std::int64_t elements;
  std::uint64_t before;  ///< bytes ahead of the first element
};

/// Whole pages at the program's own addresses.
struct Pages {
  std::uint64_t first, bytes;
};

/// A function of the program for the simulator to call.
struct Callback {
  std::uint64_t stream, function, data;
};

}  // namespace sim::remote
