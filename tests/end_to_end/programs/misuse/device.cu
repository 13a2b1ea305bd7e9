// Devices, limits, attributes of kernels, occupancy.
#include "misuse.h"

__device__ int device_variable;
__global__ void __launch_bounds__(128) bounded_kernel() {}
static void host_function() {}

MISUSE(device) {
  int v = 0;
  char text[64];
  cudaDeviceProp properties;
  tell("set -1", cudaSetDevice(-1));
  tell("set 99", cudaSetDevice(99));
  tell("get null", cudaGetDevice(nullptr));
  tell("count null", cudaGetDeviceCount(nullptr));
  tell("properties null", cudaGetDeviceProperties(nullptr, 0));
  tell("properties of 99", cudaGetDeviceProperties(&properties, 99));
  tell("properties of -1", cudaGetDeviceProperties(&properties, -1));
  tell("attribute null", cudaDeviceGetAttribute(nullptr, cudaDevAttrWarpSize, 0));
  tell("attribute 9999", cudaDeviceGetAttribute(&v, static_cast<cudaDeviceAttr>(9999), 0));
  tell("attribute 0", cudaDeviceGetAttribute(&v, static_cast<cudaDeviceAttr>(0), 0));
  tell("attribute of 99", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 99));
  tell("pci null", cudaDeviceGetPCIBusId(nullptr, 64, 0));
  tell("pci of 99", cudaDeviceGetPCIBusId(text, 64, 99));
  tell("pci short", cudaDeviceGetPCIBusId(text, 3, 0));
  tell("by pci null", cudaDeviceGetByPCIBusId(nullptr, "0000:01:00.0"));
  tell("by pci nonsense", cudaDeviceGetByPCIBusId(&v, "nonsense"));
  tell("by pci absent", cudaDeviceGetByPCIBusId(&v, "7fff:7f:1f.0"));
  tell("runtime version null", cudaRuntimeGetVersion(nullptr));
  tell("driver version null", cudaDriverGetVersion(nullptr));
  tell("priority range null", cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
  tell("choose null", cudaChooseDevice(nullptr, nullptr));
  tell("choose without properties", cudaChooseDevice(&v, nullptr));
  tell("flags 0xffff", cudaSetDeviceFlags(0xffff));
  tell("get flags null", cudaGetDeviceFlags(nullptr));
  tell("init 99", cudaInitDevice(99, 0, 0));
  tell("cache config 99", cudaDeviceSetCacheConfig(static_cast<cudaFuncCache>(99)));
  tell("name of 12345", cudaSuccess);
  show("unknown name is unrecognized", cudaGetErrorName(static_cast<cudaError_t>(12345))[0]);
}

MISUSE(limits) {
  size_t size = 0;
  const auto get = [&](const char* label, cudaLimit limit) {
    size = 0;
    tell(label, cudaDeviceGetLimit(&size, limit));
  };
  tell("get null", cudaDeviceGetLimit(nullptr, cudaLimitStackSize));
  get("get 99", static_cast<cudaLimit>(99));
  tell("set 99", cudaDeviceSetLimit(static_cast<cudaLimit>(99), 1));
  get("get stack", cudaLimitStackSize);
  show("stack", static_cast<long long>(size));
  get("get printf", cudaLimitPrintfFifoSize);
  show("printf", static_cast<long long>(size));
  get("get heap", cudaLimitMallocHeapSize);
  show("heap", static_cast<long long>(size));
  get("get sync depth", static_cast<cudaLimit>(3));
  show("sync depth", static_cast<long long>(size));
  get("get pending launches", static_cast<cudaLimit>(4));
  show("pending launches", static_cast<long long>(size));
  get("get fetch granularity", cudaLimitMaxL2FetchGranularity);
  show("fetch granularity", static_cast<long long>(size));
  get("get persisting", cudaLimitPersistingL2CacheSize);
  show("persisting", static_cast<long long>(size));
  tell("set stack", cudaDeviceSetLimit(cudaLimitStackSize, 4096));
  get("stack again", cudaLimitStackSize);
  show("stack set", static_cast<long long>(size));
  tell("set stack huge", cudaDeviceSetLimit(cudaLimitStackSize, size_t{1} << 40));
  tell("set heap", cudaDeviceSetLimit(cudaLimitMallocHeapSize, size_t{64} << 20));
  get("heap again", cudaLimitMallocHeapSize);
  show("heap set", static_cast<long long>(size));
  tell("set printf", cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 1 << 16));
  get("printf again", cudaLimitPrintfFifoSize);
  show("printf set", static_cast<long long>(size));
  tell("set granularity 64", cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 64));
  get("granularity again", cudaLimitMaxL2FetchGranularity);
  show("granularity set", static_cast<long long>(size));
  tell("set granularity 999", cudaDeviceSetLimit(cudaLimitMaxL2FetchGranularity, 999));
  int most = 0;
  tell("most persisting", cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, 0));
  show("most persisting", most);
  tell("set persisting", cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20));
  get("persisting again", cudaLimitPersistingL2CacheSize);
  show("persisting set", static_cast<long long>(size));
  tell("set persisting more", cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, size_t{1} << 40));
  tell("reset persisting", cudaCtxResetPersistingL2Cache());
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaStreamAttrValue value{};
  int window = 0;
  tell("most window", cudaDeviceGetAttribute(&window, cudaDevAttrMaxAccessPolicyWindowSize, 0));
  show("most window", window);
  value.accessPolicyWindow.base_ptr = device_memory();
  value.accessPolicyWindow.num_bytes = 1024;
  value.accessPolicyWindow.hitRatio = 1.0f;
  value.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  value.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  tell("window", cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  cudaStreamAttrValue back{};
  tell("window back", cudaStreamGetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &back));
  show("window bytes", static_cast<long long>(back.accessPolicyWindow.num_bytes));
  show("window property", back.accessPolicyWindow.hitProp);
  value.accessPolicyWindow.num_bytes = size_t{1} << 40;
  tell("window too large", cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  value.accessPolicyWindow.num_bytes = 1024;
  value.accessPolicyWindow.hitRatio = 2.0f;
  tell("hit ratio 2", cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  value.accessPolicyWindow.hitRatio = 1.0f;
  value.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
  tell("misses persist", cudaStreamSetAttribute(stream, cudaStreamAttributeAccessPolicyWindow, &value));
  tell("attribute 99", cudaStreamSetAttribute(stream, static_cast<cudaStreamAttrID>(99), &value));
  tell("get attribute 99", cudaStreamGetAttribute(stream, static_cast<cudaStreamAttrID>(99), &back));
  tell("priority", cudaStreamGetAttribute(stream, cudaLaunchAttributePriority, &back));
  show("priority", back.priority);
}

MISUSE(stream_attribute_null) {
  tell("set", cudaStreamSetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, nullptr));
}
MISUSE(stream_attribute_get_null) {
  tell("get", cudaStreamGetAttribute(nullptr, cudaStreamAttributeAccessPolicyWindow, nullptr));
}

MISUSE(peers) {
  int v = 0;
  tell("can self", cudaDeviceCanAccessPeer(&v, 0, 0));
  tell("can null", cudaDeviceCanAccessPeer(nullptr, 0, 0));
  tell("can 99", cudaDeviceCanAccessPeer(&v, 0, 99));
  tell("enable self", cudaDeviceEnablePeerAccess(0, 0));
  tell("enable 99", cudaDeviceEnablePeerAccess(99, 0));
  tell("enable flags", cudaDeviceEnablePeerAccess(0, 1));
  tell("disable self", cudaDeviceDisablePeerAccess(0));
  tell("disable 99", cudaDeviceDisablePeerAccess(99));
  tell("p2p attribute self", cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 0));
  tell("p2p attribute 99", cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 99));
  int* p = device_memory();
  tell("copy to self", cudaMemcpyPeer(p, 0, p + 64, 0, 64));
  tell("copy to 99", cudaMemcpyPeer(p, 99, p + 64, 0, 64));
}

MISUSE(kernel_attributes) {
  cudaFuncAttributes a;
  void* const kernel = reinterpret_cast<void*>(plain_kernel);
  void* const host = reinterpret_cast<void*>(host_function);
  const auto dynamic = cudaFuncAttributeMaxDynamicSharedMemorySize;
  tell("get null", cudaFuncGetAttributes(nullptr, kernel));
  tell("get of null", cudaFuncGetAttributes(&a, nullptr));
  tell("get of host function", cudaFuncGetAttributes(&a, host));
  tell("get of variable", cudaFuncGetAttributes(&a, &device_variable));
  tell("shared -1", cudaFuncSetAttribute(kernel, dynamic, -1));
  tell("shared 1 MiB", cudaFuncSetAttribute(kernel, dynamic, 1 << 20));
  tell("shared 227 KiB", cudaFuncSetAttribute(kernel, dynamic, 227 * 1024));
  tell("shared of host function", cudaFuncSetAttribute(host, dynamic, 1024));
  tell("shared of null", cudaFuncSetAttribute(static_cast<void*>(nullptr), dynamic, 1024));
  tell("carve-out 101", cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, 101));
  tell("carve-out -2", cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, -2));
  tell("carve-out -1", cudaFuncSetAttribute(kernel, cudaFuncAttributePreferredSharedMemoryCarveout, -1));
  tell("attribute 99", cudaFuncSetAttribute(kernel, static_cast<cudaFuncAttribute>(99), 1));
  tell("attribute 0", cudaFuncSetAttribute(kernel, static_cast<cudaFuncAttribute>(0), 1));
  tell("cache of host function", cudaFuncSetCacheConfig(host, cudaFuncCachePreferL1));
  tell("cache 99", cudaFuncSetCacheConfig(kernel, static_cast<cudaFuncCache>(99)));
  const char* name = nullptr;
  cudaFunction_t function{};
  tell("name null", cudaFuncGetName(nullptr, kernel));
  tell("name of host function", cudaFuncGetName(&name, host));
  tell("function null", cudaGetFuncBySymbol(nullptr, kernel));
  tell("function of host function", cudaGetFuncBySymbol(&function, host));
}

MISUSE(occupancy) {
  int n = 0, block = 0;
  size_t bytes = 0;
  void* const host = reinterpret_cast<void*>(host_function);
  tell("null", cudaOccupancyMaxActiveBlocksPerMultiprocessor(nullptr, plain_kernel, 128, 0));
  tell("block 0", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain_kernel, 0, 0));
  show("block 0", n);
  tell("block -1", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain_kernel, -1, 0));
  tell("block 2048", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain_kernel, 2048, 0));
  show("block 2048", n);
  tell("bounded 256", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, bounded_kernel, 256, 0));
  show("bounded 256", n);
  tell("1 MiB shared", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain_kernel, 128, 1 << 20));
  show("1 MiB shared", n);
  tell("100 KiB shared", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, plain_kernel, 128, 100 << 10));
  show("100 KiB shared", n);
  tell("flags 99", cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&n, plain_kernel, 128, 0, 99));
  tell("host function", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, host, 128, 0));
  tell("of null", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&n, static_cast<void*>(nullptr), 128, 0));
  tell("best block", cudaOccupancyMaxPotentialBlockSize(&n, &block, plain_kernel, 0, 0));
  tell("best block of bounded", cudaOccupancyMaxPotentialBlockSize(&n, &block, bounded_kernel, 0, 0));
  show("best block of bounded", block);
  tell("dynamic 0 blocks", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain_kernel, 0, 128));
  tell("dynamic 64 blocks", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain_kernel, 64, 128));
  show("dynamic 64 blocks", static_cast<long long>(bytes));
  tell("dynamic 2 blocks", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain_kernel, 2, 128));
  show("dynamic 2 blocks", static_cast<long long>(bytes));
  tell("dynamic block 0", cudaOccupancyAvailableDynamicSMemPerBlock(&bytes, plain_kernel, 1, 0));
}
