// Launches that cannot be.
#include <cstdint>

#include "misuse.h"

__device__ int device_variable;
__global__ void __launch_bounds__(128) bounded() {}
__global__ void big_tile() {
  __shared__ volatile int tile[10240];  // 40 KiB
  tile[threadIdx.x] = 1;
}
static void host_function() {}

static void launch(const char* label, dim3 grid, dim3 block, size_t shared = 0) {
  plain_kernel<<<grid, block, shared>>>(nullptr);
  tell(label, cudaPeekAtLastError());
}

MISUSE(launch_shape) {
  launch("grid 0", 0, 32);
  launch("block 0", 1, 0);
  launch("grid y 0", dim3(1, 0), 32);
  launch("block z 0", 1, dim3(32, 1, 0));
  launch("block 1025", 1, 1025);
  launch("block 5000", 1, 5000);
  launch("block z 65", 1, dim3(1, 1, 65));
  launch("block 32 x 33", 1, dim3(32, 33));
  launch("block of 4 G", 1, dim3(65536, 65536));
  launch("grid y 65536", dim3(1, 65536), 32);
  launch("grid z 65536", dim3(1, 1, 65536), 32);
  launch("grid 2 G", dim3(0x80000000u), 32);
  launch("48 KiB shared", 1, 32, 48 << 10);
  launch("49 KiB shared", 1, 32, 49 << 10);
  launch("1 MiB shared", 1, 32, 1 << 20);
  launch("as much shared as can be", 1, 32, SIZE_MAX);
  big_tile<<<1, 32, 16384>>>();
  tell("40 + 16 KiB shared", cudaPeekAtLastError());
  bounded<<<1, 128>>>();
  tell("bounded 128", cudaPeekAtLastError());
  bounded<<<1, 129>>>();
  tell("bounded 129", cudaPeekAtLastError());
  tell("after all", cudaDeviceSynchronize());
}

MISUSE(launch_no_kernel) {
  void* none[] = {nullptr};
  int on_stack = 0;
  const auto try_to = [&](const char* label, const void* what) {
    tell(label, cudaLaunchKernel(what, 1, 32, none, 0, nullptr));
  };
  try_to("host function", reinterpret_cast<const void*>(host_function));
  try_to("stack", &on_stack);
  try_to("variable", &device_variable);
  tell("cooperative host function",
       cudaLaunchCooperativeKernel(reinterpret_cast<const void*>(host_function), 1, 32, none, 0, nullptr));
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = 1;
  tell("by configuration", cudaLaunchKernelExC(&config, reinterpret_cast<const void*>(host_function), none));
  tell("after all", cudaDeviceSynchronize());
}
MISUSE(launch_device_memory) {
  void* none[] = {nullptr};
  tell("device memory", cudaLaunchKernel(static_cast<const void*>(device_memory()), 1, 32, none, 0, nullptr));
}
MISUSE(launch_garbage) {
  void* none[] = {nullptr};
  tell("garbage", cudaLaunchKernel(reinterpret_cast<const void*>(0x1234), 1, 32, none, 0, nullptr));
}
MISUSE(launch_null) {
  void* none[] = {nullptr};
  tell("null", cudaLaunchKernel(static_cast<const void*>(nullptr), 1, 32, none, 0, nullptr));
}
MISUSE(launch_null_cooperative) {
  void* none[] = {nullptr};
  tell("null", cudaLaunchCooperativeKernel(static_cast<const void*>(nullptr), 1, 32, none, 0, nullptr));
}
MISUSE(launch_without_arguments) {
  tell("null arguments", cudaLaunchKernel(reinterpret_cast<const void*>(plain_kernel), 1, 32, nullptr, 0, 0));
  tell("null arguments of none",
       cudaLaunchKernel(reinterpret_cast<const void*>(bounded), 1, 32, nullptr, 0, 0));
}
MISUSE(launch_configuration_null) {
  tell("null", cudaLaunchKernelExC(nullptr, reinterpret_cast<const void*>(bounded), nullptr));
}
MISUSE(launch_configuration) {
  void* argument = nullptr;
  void* arguments[] = {&argument};
  const auto kernel = reinterpret_cast<const void*>(plain_kernel);
  cudaLaunchConfig_t config{};
  config.gridDim = config.blockDim = 1;
  cudaLaunchAttribute attribute{};
  config.attrs = &attribute;
  config.numAttrs = 1;
  attribute.id = static_cast<cudaLaunchAttributeID>(99);
  tell("attribute 99", cudaLaunchKernelExC(&config, kernel, arguments));
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim = {3, 1, 1};
  tell("cluster does not divide", cudaLaunchKernelExC(&config, kernel, arguments));
  config.gridDim = 64;
  attribute.val.clusterDim = {64, 1, 1};
  tell("cluster of 64", cudaLaunchKernelExC(&config, kernel, arguments));
  attribute.id = cudaLaunchAttributePriority;
  attribute.val.priority = 0;
  tell("priority", cudaLaunchKernelExC(&config, kernel, arguments));
  attribute.id = cudaLaunchAttributeCooperative;
  attribute.val.cooperative = 1;
  config.gridDim = 1 << 20;
  config.blockDim = 1024;
  tell("cooperative too large", cudaLaunchKernelExC(&config, kernel, arguments));
  tell("cooperative too large too",
       cudaLaunchCooperativeKernel(kernel, 1 << 20, 1024, arguments, 0, nullptr));
  tell("cooperative grid 0", cudaLaunchCooperativeKernel(kernel, 0, 32, arguments, 0, nullptr));
  tell("after all", cudaDeviceSynchronize());
}
MISUSE(last_error) {
  tell("success does not clear", cudaSetDevice(99));
  cudaSetDevice(99);
  cudaFree(nullptr);
  tell("kept by success", cudaPeekAtLastError());
  cudaSetDevice(99);
  cudaMalloc(static_cast<void**>(nullptr), 4);
  tell("the later of two", cudaPeekAtLastError());
  tell("forgotten", cudaGetLastError());
  cudaStream_t s;
  cudaStreamCreate(&s);
  tell("not ready is no error", cudaSuccess);
  plain_kernel<<<1, 2048>>>(nullptr);
  tell("synchronise after a bad launch", cudaDeviceSynchronize());
  plain_kernel<<<1, 2048>>>(nullptr);
  plain_kernel<<<1, 32>>>(nullptr);
  tell("a good launch after a bad one", cudaPeekAtLastError());
}
