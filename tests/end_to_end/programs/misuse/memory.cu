// Allocations, copies, fills, symbols.
#include <cstdint>
#include <cstdlib>

#include "misuse.h"

__device__ int symbol[16];
__constant__ int constants[16];
static int host_variable[16];

MISUSE(allocate) {
  void* p = nullptr;
  size_t pitch = 0;
  tell("null", cudaMalloc(static_cast<void**>(nullptr), 4));
  p = &p;
  tell("nothing", cudaMalloc(&p, 0));
  show("nothing is null", p == nullptr);
  tell("too much", cudaMalloc(&p, size_t{1} << 50));
  tell("as much as can be", cudaMalloc(&p, SIZE_MAX));
  tell("managed nothing", cudaMallocManaged(&p, 0));
  tell("managed flags 0", cudaMallocManaged(&p, 4, 0));
  tell("managed flags 8", cudaMallocManaged(&p, 4, 8));
  tell("managed null", cudaMallocManaged(static_cast<void**>(nullptr), 4));
  tell("host null", cudaMallocHost(static_cast<void**>(nullptr), 4));
  tell("host nothing", cudaMallocHost(&p, 0));
  show("host nothing is null", p == nullptr);
  tell("host flags 99", cudaHostAlloc(&p, 4, 99));
  tell("host too much", cudaMallocHost(&p, size_t{1} << 50));
  tell("pitch null", cudaMallocPitch(static_cast<void**>(nullptr), &pitch, 4, 4));
  tell("pitch without pitch", cudaMallocPitch(&p, nullptr, 4, 4));
  tell("pitch height 0", cudaMallocPitch(&p, &pitch, 4, 0));
  tell("pitch width 0", cudaMallocPitch(&p, &pitch, 0, 4));
  tell("3d null", cudaMalloc3D(nullptr, make_cudaExtent(4, 4, 4)));
  tell("info null", cudaMemGetInfo(nullptr, nullptr));
  tell("async null", cudaMallocAsync(static_cast<void**>(nullptr), 4, 0));
  tell("async nothing", cudaMallocAsync(&p, 0, 0));
  tell("async too much", cudaMallocAsync(&p, size_t{1} << 50, 0));
}

MISUSE(free) {
  int on_stack = 0;
  int* p = device_memory();
  void *host = std::malloc(64), *pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  tell("null", cudaFree(nullptr));
  tell("stack", cudaFree(&on_stack));
  tell("malloc", cudaFree(host));
  tell("inside", cudaFree(p + 1));
  tell("once", cudaFree(p));
  tell("twice", cudaFree(p));
  tell("pinned by cudaFree", cudaFree(pinned));
  p = device_memory();
  tell("device by FreeHost", cudaFreeHost(p));
  tell("malloc by FreeHost", cudaFreeHost(host));
  tell("FreeHost null", cudaFreeHost(nullptr));
  tell("pinned once", cudaFreeHost(pinned));
  tell("pinned twice", cudaFreeHost(pinned));
  tell("garbage", cudaFree(reinterpret_cast<void*>(0x1234)));
  tell("async null", cudaFreeAsync(nullptr, 0));
  tell("async malloc", cudaFreeAsync(host, 0));
  tell("symbol", cudaFree(symbol));
  void* address = nullptr;
  cudaGetSymbolAddress(&address, symbol);
  tell("symbol's address", cudaFree(address));
}

MISUSE(host_memory) {
  void *host = std::malloc(8192), *p = nullptr, *pinned = nullptr;
  unsigned flags = 0;
  cudaMallocHost(&pinned, 64);
  tell("register null", cudaHostRegister(nullptr, 4096, 0));
  tell("register nothing", cudaHostRegister(host, 0, 0));
  tell("register", cudaHostRegister(host, 8192, 0));
  tell("register again", cudaHostRegister(host, 8192, 0));
  tell("unregister", cudaHostUnregister(host));
  tell("unregister again", cudaHostUnregister(host));
  tell("unregister null", cudaHostUnregister(nullptr));
  tell("register pinned", cudaHostRegister(pinned, 64, 0));
  tell("register device", cudaHostRegister(device_memory(), 64, 0));
  tell("register flags", cudaHostRegister(host, 4096, 0x80));
  tell("device pointer null", cudaHostGetDevicePointer(nullptr, pinned, 0));
  tell("device pointer of null", cudaHostGetDevicePointer(&p, nullptr, 0));
  tell("device pointer of malloc", cudaHostGetDevicePointer(&p, host, 0));
  tell("device pointer flags", cudaHostGetDevicePointer(&p, pinned, 1));
  tell("flags null", cudaHostGetFlags(nullptr, pinned));
  tell("flags of malloc", cudaHostGetFlags(&flags, host));
  tell("flags", cudaHostGetFlags(&flags, pinned));
  show("flags", flags);
  cudaPointerAttributes a;
  tell("attributes null", cudaPointerGetAttributes(nullptr, pinned));
  tell("attributes of null", cudaPointerGetAttributes(&a, nullptr));
  show("type of null", a.type);
  tell("attributes of malloc", cudaPointerGetAttributes(&a, host));
  show("type of malloc", a.type);
  show("device of malloc", a.device);
  tell("attributes of garbage", cudaPointerGetAttributes(&a, reinterpret_cast<void*>(0x1234)));
  show("type of garbage", a.type);
  tell("attributes of pinned", cudaPointerGetAttributes(&a, pinned));
  show("type of pinned", a.type);
  tell("attributes of symbol", cudaPointerGetAttributes(&a, symbol));
  show("type of symbol", a.type);
}

MISUSE(managed) {
  int *m = nullptr, *d = device_memory();
  cudaMallocManaged(&m, 1024);
  const cudaMemLocation here{cudaMemLocationTypeDevice, 0}, absent{cudaMemLocationTypeDevice, 99};
  void* host = std::malloc(64);
  tell("prefetch", cudaMemPrefetchAsync(m, 1024, here, 0, 0));
  tell("prefetch to 99", cudaMemPrefetchAsync(m, 1024, absent, 0, 0));
  tell("prefetch device memory", cudaMemPrefetchAsync(d, 1024, here, 0, 0));
  tell("prefetch null", cudaMemPrefetchAsync(nullptr, 1024, here, 0, 0));
  tell("prefetch nothing", cudaMemPrefetchAsync(m, 0, here, 0, 0));
  tell("prefetch beyond", cudaMemPrefetchAsync(m, size_t{1} << 30, here, 0, 0));
  tell("prefetch flags", cudaMemPrefetchAsync(m, 1024, here, 1, 0));
  tell("prefetch location 99",
       cudaMemPrefetchAsync(m, 1024, cudaMemLocation{static_cast<cudaMemLocationType>(99), 0}, 0, 0));
  tell("advise", cudaMemAdvise(m, 1024, cudaMemAdviseSetReadMostly, here));
  tell("advise 99", cudaMemAdvise(m, 1024, static_cast<cudaMemoryAdvise>(99), here));
  tell("advise device memory", cudaMemAdvise(d, 1024, cudaMemAdviseSetReadMostly, here));
  tell("advise null", cudaMemAdvise(nullptr, 1024, cudaMemAdviseSetReadMostly, here));
  tell("advise for 99", cudaMemAdvise(m, 1024, cudaMemAdviseSetPreferredLocation, absent));
  tell("attach device memory", cudaStreamAttachMemAsync(0, d));
  tell("attach malloc", cudaStreamAttachMemAsync(0, host));
  tell("attach null", cudaStreamAttachMemAsync(0, static_cast<int*>(nullptr)));
  tell("attach single to default", cudaStreamAttachMemAsync(0, m, 0, cudaMemAttachSingle));
  tell("attach flags 99", cudaStreamAttachMemAsync(0, m, 0, 99));
  int value = 0;
  tell("range attribute null",
       cudaMemRangeGetAttribute(nullptr, 4, cudaMemRangeAttributeReadMostly, m, 1024));
  tell("range attribute", cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, m, 1024));
  show("read mostly", value);
  tell("range attribute of device memory",
       cudaMemRangeGetAttribute(&value, 4, cudaMemRangeAttributeReadMostly, d, 1024));
  tell("range attribute 99",
       cudaMemRangeGetAttribute(&value, 4, static_cast<cudaMemRangeAttribute>(99), m, 1024));
}

MISUSE(copy) {
  int *a = device_memory(), *b = device_memory();  // 1024 bytes each
  int* host = static_cast<int*>(std::calloc(4096, 4));
  tell("to null", cudaMemcpy(nullptr, host, 4, cudaMemcpyHostToDevice));
  tell("from null", cudaMemcpy(a, nullptr, 4, cudaMemcpyDeviceToDevice));
  tell("nothing to null", cudaMemcpy(nullptr, nullptr, 0, cudaMemcpyHostToDevice));
  tell("kind 99", cudaMemcpy(a, host, 4, static_cast<cudaMemcpyKind>(99)));
  tell("kind -1", cudaMemcpy(a, host, 4, static_cast<cudaMemcpyKind>(-1)));
  tell("kind 99 of nothing", cudaMemcpy(a, host, 0, static_cast<cudaMemcpyKind>(99)));
  tell("host to device, both host", cudaMemcpy(host, host + 64, 4, cudaMemcpyHostToDevice));
  tell("device to host, both host", cudaMemcpy(host, host + 64, 4, cudaMemcpyDeviceToHost));
  tell("device to device, both host", cudaMemcpy(host, host + 64, 4, cudaMemcpyDeviceToDevice));
  tell("host to device, both device", cudaMemcpy(a, b, 4, cudaMemcpyHostToDevice));
  tell("device to host, both device", cudaMemcpy(a, b, 4, cudaMemcpyDeviceToHost));
  tell("host to device, turned", cudaMemcpy(host, a, 4, cudaMemcpyHostToDevice));
  tell("device to host, turned", cudaMemcpy(a, host, 4, cudaMemcpyDeviceToHost));
  tell("device to device from host", cudaMemcpy(a, host, 4, cudaMemcpyDeviceToDevice));
  tell("default", cudaMemcpy(a, host, 4, cudaMemcpyDefault));
  tell("default both host", cudaMemcpy(host, host + 64, 4, cudaMemcpyDefault));
  tell("as much as can be", cudaMemcpy(a, host, SIZE_MAX, cudaMemcpyHostToDevice));
  tell("1 GiB into 1 KiB", cudaMemcpy(a, b, size_t{1} << 30, cudaMemcpyDeviceToDevice));
  tell("to garbage", cudaMemcpy(reinterpret_cast<void*>(0x1234), host, 4, cudaMemcpyHostToDevice));
  tell("from garbage", cudaMemcpy(host, reinterpret_cast<void*>(0x1234), 4, cudaMemcpyDeviceToHost));
  tell("async kind 99", cudaMemcpyAsync(a, host, 4, static_cast<cudaMemcpyKind>(99), 0));
  tell("async from null", cudaMemcpyAsync(a, nullptr, 4, cudaMemcpyDeviceToDevice, 0));
  tell("async turned", cudaMemcpyAsync(a, host, 4, cudaMemcpyDeviceToHost, 0));
  cudaFree(b);
  tell("to freed", cudaMemcpy(b, host, 4, cudaMemcpyHostToDevice));
  tell("at the end", cudaMemcpy(a, host, 1024, cudaMemcpyHostToDevice));
}

MISUSE(copy_host_to_null) {
  int* a = device_memory();
  tell("null to device", cudaMemcpy(a, nullptr, 4, cudaMemcpyHostToDevice));
}
MISUSE(copy_null_host_to_host) {
  int value = 0;
  tell("null to host", cudaMemcpy(&value, nullptr, 4, cudaMemcpyHostToHost));
}

MISUSE(copy_rows) {
  char *a = device_memory<char>(4096), *b = device_memory<char>(4096);
  char* host = static_cast<char*>(std::calloc(4096, 4));
  const auto h2d = cudaMemcpyHostToDevice;
  tell("width over pitch", cudaMemcpy2D(a, 32, host, 64, 64, 4, h2d));
  tell("width over source's pitch", cudaMemcpy2D(a, 64, host, 32, 64, 4, h2d));
  tell("null", cudaMemcpy2D(nullptr, 64, host, 64, 64, 4, h2d));
  tell("no rows", cudaMemcpy2D(a, 64, host, 64, 64, 0, h2d));
  tell("no width", cudaMemcpy2D(a, 64, host, 64, 0, 4, h2d));
  tell("pitch 0, no width", cudaMemcpy2D(a, 0, host, 0, 0, 4, h2d));
  tell("kind 99", cudaMemcpy2D(a, 64, host, 64, 64, 4, static_cast<cudaMemcpyKind>(99)));
  tell("huge pitch", cudaMemcpy2D(a, size_t{1} << 40, host, 64, 64, 1, h2d));
  tell("too many rows", cudaMemcpy2D(a, 64, b, 64, 64, 1 << 24, cudaMemcpyDeviceToDevice));
  tell("turned", cudaMemcpy2D(host, 64, a, 64, 64, 4, h2d));
  tell("3d null", cudaMemcpy3D(nullptr));
  cudaMemcpy3DParms p{};
  tell("3d empty", cudaMemcpy3D(&p));
  p.extent = make_cudaExtent(16, 4, 4);
  p.srcPtr = make_cudaPitchedPtr(host, 16, 16, 4);
  p.kind = h2d;
  tell("3d without destination", cudaMemcpy3D(&p));
  p.dstPtr = make_cudaPitchedPtr(a, 8, 16, 4);
  tell("3d pitch under width", cudaMemcpy3D(&p));
  p.dstPtr = make_cudaPitchedPtr(a, 16, 16, 4);
  tell("3d", cudaMemcpy3D(&p));
  p.extent.depth = 1 << 20;
  p.srcPtr = make_cudaPitchedPtr(b, 16, 16, 4);
  p.kind = cudaMemcpyDeviceToDevice;
  tell("3d beyond", cudaMemcpy3D(&p));
  tell("2d fill, width over pitch", cudaMemset2D(a, 32, 0, 64, 4));
  tell("2d fill null", cudaMemset2D(nullptr, 64, 0, 64, 4));
  tell("2d fill host", cudaMemset2D(host, 64, 0, 64, 4));
  tell("2d fill beyond", cudaMemset2D(a, 64, 0, 64, 1 << 24));
  tell("3d fill null", cudaMemset3D(make_cudaPitchedPtr(nullptr, 64, 64, 4), 0, make_cudaExtent(64, 4, 1)));
}

MISUSE(fill) {
  int* a = device_memory();
  int value = 0;
  tell("null", cudaMemset(nullptr, 0, 4));
  tell("nothing of null", cudaMemset(nullptr, 0, 0));
  tell("stack", cudaMemset(&value, 0, 4));
  tell("1 GiB of 1 KiB", cudaMemset(a, 0, size_t{1} << 40));
  tell("garbage", cudaMemset(reinterpret_cast<void*>(0x1234), 0, 4));
  tell("async null", cudaMemsetAsync(nullptr, 0, 4, 0));
  cudaFree(a);
  tell("freed", cudaMemset(a, 0, 4));
  tell("symbol's shadow", cudaMemset(symbol, 0, 4));
  void* pinned = nullptr;
  cudaMallocHost(&pinned, 64);
  tell("pinned", cudaMemset(pinned, 0, 64));
}

MISUSE(symbol_address_null) { tell("address", cudaGetSymbolAddress(nullptr, symbol)); }
MISUSE(symbol_size_null) { tell("size", cudaGetSymbolSize(nullptr, symbol)); }

MISUSE(symbols) {
  int host[32] = {};
  void* p = nullptr;
  size_t size = 0;
  int* d = device_memory();
  tell("address of host variable", cudaGetSymbolAddress(&p, host_variable));
  tell("address of nothing", cudaGetSymbolAddress(&p, static_cast<const void*>(nullptr)));
  tell("address of device memory", cudaGetSymbolAddress(&p, static_cast<const void*>(d)));
  tell("address of kernel", cudaGetSymbolAddress(&p, reinterpret_cast<const void*>(plain_kernel)));
  tell("size of host variable", cudaGetSymbolSize(&size, host_variable));
  tell("to host variable", cudaMemcpyToSymbol(host_variable, host, 4));
  tell("to nothing", cudaMemcpyToSymbol(static_cast<const void*>(nullptr), host, 4));
  tell("too much", cudaMemcpyToSymbol(symbol, host, 65));
  tell("far too much", cudaMemcpyToSymbol(constants, host, 128));
  tell("offset beyond", cudaMemcpyToSymbol(symbol, host, 4, 64));
  tell("offset just fits", cudaMemcpyToSymbol(symbol, host, 4, 60));
  tell("nothing at the end", cudaMemcpyToSymbol(symbol, host, 0, 64));
  tell("offset over", cudaMemcpyToSymbol(symbol, host, 0, 65));
  tell("wrong kind", cudaMemcpyToSymbol(symbol, host, 4, 0, cudaMemcpyDeviceToHost));
  tell("kind 99", cudaMemcpyToSymbol(symbol, host, 4, 0, static_cast<cudaMemcpyKind>(99)));
  tell("kind host to host", cudaMemcpyToSymbol(symbol, host, 4, 0, cudaMemcpyHostToHost));
  tell("from device", cudaMemcpyToSymbol(symbol, d, 4, 0, cudaMemcpyDeviceToDevice));
  tell("default", cudaMemcpyToSymbol(symbol, host, 4, 0, cudaMemcpyDefault));
  tell("from: too much", cudaMemcpyFromSymbol(host, symbol, 65));
  tell("from: wrong kind", cudaMemcpyFromSymbol(host, symbol, 4, 0, cudaMemcpyHostToDevice));
  tell("from: host variable", cudaMemcpyFromSymbol(host, host_variable, 4));
  tell("from: to null", cudaMemcpyFromSymbol(nullptr, symbol, 4, 0, cudaMemcpyDeviceToDevice));
}
