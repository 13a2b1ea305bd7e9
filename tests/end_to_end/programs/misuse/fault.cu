// Kernels that fail, and what every later call answers.
#include <cassert>
#include <cstdlib>

#include "misuse.h"

__device__ int variable;

__global__ void traps() { asm volatile("trap;"); }
__global__ void asserts() { assert(blockIdx.x == 7); }
__global__ void writes(int* p) { *p = 1; }
__global__ void reads(const int* p, int* out) { *out = *p; }
__global__ void reaches_far(int* out, int i) {
  __shared__ int tile[32];
  tile[threadIdx.x] = 1;
  __syncthreads();
  *out = tile[i];
}
__global__ void local_far(int* out, int i) {
  int own[16];
  for (int k = 0; k < 16; ++k) own[k] = k * *out;
  own[i] = 3;
  *out = own[(i + 1) & 15];
}
__global__ void atomic_on(int* p) { atomicAdd(p, 1); }
__global__ void breaks() { asm volatile("brkpt;"); }

static cudaStream_t stream;
static cudaEvent_t event;
static int* good;
static void* pinned;

static void prepare() {
  cudaStreamCreate(&stream);
  cudaEventCreate(&event);
  good = device_memory();
  cudaMallocHost(&pinned, 64);
}

/// The launch, and the call that first tells of the fault.
static void told_by_synchronise() {
  tell("launch", cudaPeekAtLastError());
  tell("synchronise", cudaDeviceSynchronize());
  tell("synchronise again", cudaDeviceSynchronize());
}

MISUSE(fault_trap) {
  prepare();
  traps<<<1, 1>>>();
  told_by_synchronise();
}
MISUSE(fault_assert) {
  prepare();
  asserts<<<1, 1>>>();
  told_by_synchronise();
}
MISUSE(fault_null_write) {
  prepare();
  writes<<<1, 1>>>(nullptr);
  told_by_synchronise();
}
MISUSE(fault_far_write) {
  prepare();
  writes<<<1, 1>>>(good + (1ll << 34));
  told_by_synchronise();
}
MISUSE(fault_misaligned) {
  prepare();
  writes<<<1, 1>>>(reinterpret_cast<int*>(reinterpret_cast<char*>(good) + 2));
  told_by_synchronise();
}
MISUSE(fault_freed_read) {
  prepare();
  int* p = device_memory(1 << 24);
  cudaFree(p);
  reads<<<1, 1>>>(p, good);
  told_by_synchronise();
}
MISUSE(fault_shared_far) {
  prepare();
  reaches_far<<<1, 32>>>(good, 1 << 20);
  told_by_synchronise();
}
MISUSE(fault_shared_negative) {
  prepare();
  reaches_far<<<1, 32>>>(good, -(1 << 20));
  told_by_synchronise();
}
MISUSE(fault_local_far) {
  prepare();
  local_far<<<1, 1>>>(good, 1 << 26);
  told_by_synchronise();
}
MISUSE(fault_atomic_null) {
  prepare();
  atomic_on<<<1, 1>>>(nullptr);
  told_by_synchronise();
}
MISUSE(fault_breakpoint) {
  prepare();
  breaks<<<1, 1>>>();
  told_by_synchronise();
}

static cudaSurfaceObject_t small_surface() {
  cudaArray_t array = nullptr;
  const auto channels = cudaCreateChannelDesc<int>();
  cudaMallocArray(&array, &channels, 8, 8, cudaArraySurfaceLoadStore);
  cudaResourceDesc r{};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = array;
  cudaSurfaceObject_t s = 0;
  cudaCreateSurfaceObject(&s, &r);
  return s;
}
__global__ void reads_surface(cudaSurfaceObject_t s, int x, int* out) { *out = surf2Dread<int>(s, x, 0); }
__global__ void writes_surface(cudaSurfaceObject_t s, int y) { surf2Dwrite(1, s, 0, y); }

MISUSE(fault_surface_read) {
  prepare();
  reads_surface<<<1, 1>>>(small_surface(), 400, good);
  told_by_synchronise();
}
MISUSE(fault_surface_write) {
  prepare();
  writes_surface<<<1, 1>>>(small_surface(), -1);
  told_by_synchronise();
}
MISUSE(fault_surface_misaligned) {
  prepare();
  reads_surface<<<1, 1>>>(small_surface(), 2, good);
  told_by_synchronise();
}

// Who tells of it first.
MISUSE(fault_told_by_copy) {
  prepare();
  traps<<<1, 1>>>();
  int v = 0;
  tell("copy", cudaMemcpy(&v, good, 4, cudaMemcpyDeviceToHost));
}
MISUSE(fault_told_by_stream) {
  prepare();
  traps<<<1, 1, 0, stream>>>();
  tell("stream", cudaStreamSynchronize(stream));
  tell("device", cudaDeviceSynchronize());
}
MISUSE(fault_told_by_event) {
  prepare();
  traps<<<1, 1>>>();
  tell("record", cudaEventRecord(event, 0));
  tell("event", cudaEventSynchronize(event));
}
MISUSE(fault_told_by_free) {
  prepare();
  traps<<<1, 1>>>();
  tell("free", cudaFree(good));
}

// After the fault was told of.
MISUSE(after_fault) {
  prepare();
  writes<<<1, 1>>>(nullptr);
  tell("synchronise", cudaDeviceSynchronize());
  int v = 0;
  void* p = nullptr;
  size_t a = 0, b = 0;
  cudaDeviceProp properties;
  cudaFuncAttributes attributes;
  cudaPointerAttributes pointer;
  cudaStream_t s;
  cudaEvent_t e;
  float ms = 0;
  tell("get last error", cudaGetLastError());
  tell("malloc", cudaMalloc(&p, 4));
  tell("malloc nothing", cudaMalloc(&p, 0));
  tell("malloc null", cudaMalloc(static_cast<void**>(nullptr), 4));
  tell("malloc host", cudaMallocHost(&p, 4));
  tell("malloc managed", cudaMallocManaged(&p, 4));
  tell("malloc async", cudaMallocAsync(&p, 4, stream));
  tell("copy", cudaMemcpy(&v, good, 4, cudaMemcpyDeviceToHost));
  tell("copy nothing", cudaMemcpy(&v, good, 0, cudaMemcpyDeviceToHost));
  tell("copy async", cudaMemcpyAsync(&v, good, 4, cudaMemcpyDeviceToHost, stream));
  tell("fill", cudaMemset(good, 0, 4));
  plain_kernel<<<1, 1>>>(good);
  tell("launch", cudaPeekAtLastError());
  plain_kernel<<<1, 2048>>>(good);
  tell("bad launch", cudaPeekAtLastError());
  tell("stream create", cudaStreamCreate(&s));
  tell("stream query", cudaStreamQuery(stream));
  tell("stream synchronise", cudaStreamSynchronize(stream));
  tell("event create", cudaEventCreate(&e));
  tell("event record", cudaEventRecord(event, stream));
  tell("event query", cudaEventQuery(event));
  tell("event elapsed", cudaEventElapsedTime(&ms, event, event));
  tell("mem info", cudaMemGetInfo(&a, &b));
  tell("get device", cudaGetDevice(&v));
  tell("set device", cudaSetDevice(0));
  tell("set device 99", cudaSetDevice(99));
  tell("count", cudaGetDeviceCount(&v));
  tell("properties", cudaGetDeviceProperties(&properties, 0));
  tell("attribute", cudaDeviceGetAttribute(&v, cudaDevAttrWarpSize, 0));
  tell("limit", cudaDeviceGetLimit(&a, cudaLimitStackSize));
  tell("kernel attributes", cudaFuncGetAttributes(&attributes, plain_kernel));
  tell("occupancy", cudaOccupancyMaxActiveBlocksPerMultiprocessor(&v, plain_kernel, 128, 0));
  tell("pointer attributes", cudaPointerGetAttributes(&pointer, good));
  tell("symbol address", cudaGetSymbolAddress(&p, variable));
  tell("device pointer", cudaHostGetDevicePointer(&p, pinned, 0));
  tell("priority range", cudaDeviceGetStreamPriorityRange(&v, &v));
  tell("runtime version", cudaRuntimeGetVersion(&v));
  tell("driver version", cudaDriverGetVersion(&v));
  tell("host register", cudaHostRegister(std::malloc(4096), 4096, 0));
  cudaGraph_t g;
  tell("graph create", cudaGraphCreate(&g, 0));
  tell("begin capture", cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  tell("free", cudaFree(good));
  tell("free null", cudaFree(nullptr));
  tell("free host", cudaFreeHost(pinned));
  tell("stream destroy", cudaStreamDestroy(stream));
  tell("event destroy", cudaEventDestroy(event));
  tell("peek", cudaPeekAtLastError());
  tell("reset", cudaDeviceReset());
  tell("last error after reset", cudaGetLastError());
  tell("malloc after reset", cudaMalloc(&p, 4));
  tell("fill after reset", cudaMemset(p, 0, 4));
  plain_kernel<<<1, 1>>>(static_cast<int*>(p));
  tell("launch after reset", cudaPeekAtLastError());
  tell("synchronise after reset", cudaDeviceSynchronize());
}
MISUSE(after_assert) {
  prepare();
  asserts<<<1, 1>>>();
  void* p = nullptr;
  tell("malloc before it is told", cudaDeviceSynchronize());
  tell("malloc", cudaMalloc(&p, 4));
  tell("reset", cudaDeviceReset());
  tell("malloc after reset", cudaMalloc(&p, 4));
}
MISUSE(after_trap_without_reset) {
  prepare();
  traps<<<1, 1>>>();
  tell("peek before it is told", cudaPeekAtLastError());
  cudaDeviceSynchronize();
  tell("kept until it is taken", cudaPeekAtLastError());
  tell("forgotten then", cudaGetLastError());
}
MISUSE(after_reset) {
  prepare();
  tell("reset", cudaDeviceReset());
  tell("reset twice", cudaDeviceReset());
  tell("fill of what was", cudaMemset(good, 0, 4));
  tell("free of what was", cudaFree(good));
}
