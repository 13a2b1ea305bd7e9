// A kernel from PTX text through the driver API: parameters one by one, and packed.
#include <cuda.h>

#include <cstdio>

static const char* kPtx = R"(
.version 8.0
.target sm_75
.address_size 64
.global .align 4 .u32 bonus = 5;
.visible .entry add(.param .u64 p, .param .u32 n) {
  .reg .b32 %r<4>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [p];
  ld.param.u32 %r1, [n];
  ld.global.u32 %r2, [bonus];
  add.u32 %r3, %r1, %r2;
  st.global.u32 [%rd1], %r3;
  ret;
}
)";

#define CHECK(call)                                                          \
  do {                                                                       \
    const CUresult code = call;                                              \
    const char* name = nullptr;                                              \
    if (code != CUDA_SUCCESS && cuGetErrorName(code, &name) == CUDA_SUCCESS) \
      std::printf("%s: %s\n", #call, name);                                  \
  } while (0)

int main() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction add, missing;
  CUdeviceptr buffer, bonus;
  std::size_t bonus_bytes = 0;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&add, module, "add"));
  CHECK(cuModuleGetFunction(&missing, module, "subtract"));
  CHECK(cuMemAlloc(&buffer, 4));
  int n = 10, result = 0;
  void* arguments[] = {&buffer, &n};
  CHECK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemcpyDtoH(&result, buffer, 4));
  std::printf("%d\n", result);

  CHECK(cuModuleGetGlobal(&bonus, &bonus_bytes, module, "bonus"));
  CHECK(cuMemsetD32(bonus, 100, 1));
  struct {
    CUdeviceptr p;
    int n;
  } packed = {buffer, 20};
  std::size_t bytes = sizeof packed;
  void* extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &packed, CU_LAUNCH_PARAM_BUFFER_SIZE, &bytes,
                   CU_LAUNCH_PARAM_END};
  CHECK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, extra));
  CHECK(cuMemcpyDtoH(&result, buffer, 4));
  std::printf("%d\n", result);
  // Host memory that the kernel writes to where it is.
  int local = 0, blocks = 0, threads = 0;
  CUdeviceptr there;
  void* to_host[] = {&there, &n};
  CHECK(cuMemHostRegister(&local, sizeof local, CU_MEMHOSTREGISTER_DEVICEMAP));
  CHECK(cuMemHostGetDevicePointer(&there, &local, 0));
  CHECK(cuLaunchKernel(add, 1, 1, 1, 1, 1, 1, 0, nullptr, to_host, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemHostUnregister(&local));
  CHECK(cuOccupancyMaxPotentialBlockSize(&blocks, &threads, add, nullptr, 0, 0));
  std::printf("%d, %d threads\n", local, threads);

  CHECK(cuMemFree(buffer));
  CHECK(cuModuleUnload(module));
  return 0;
}
