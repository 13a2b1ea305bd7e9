// Libraries: modules that a program loads by itself, and their kernels.
#include <cuda_runtime_api.h>

#include "simulator/cudart/launch/launch.h"
#include "simulator/cudart/module/registry.h"
#include "simulator/driver/driver.h"

#if CUDART_VERSION >= 13000

using namespace sim::cudart;

namespace {

/// The code is the driver's: a library is one of its modules.
cudaError_t runtime_code(CUresult code) {
  return api_apart([&](Device&) { return static_cast<cudaError_t>(code); });
}
CUmodule module_of(cudaLibrary_t library) { return reinterpret_cast<CUmodule>(library); }

}  // namespace

extern "C" {

cudaError_t cudaLibraryLoadData(cudaLibrary_t* library, const void* code, cudaJitOption*, void**, unsigned,
                                cudaLibraryOption*, void**, unsigned) {
  return runtime_code(cuModuleLoadData(reinterpret_cast<CUmodule*>(library), code));
}

cudaError_t cudaLibraryLoadFromFile(cudaLibrary_t* library, const char* path, cudaJitOption*, void**,
                                    unsigned, cudaLibraryOption*, void**, unsigned) {
  return runtime_code(cuModuleLoad(reinterpret_cast<CUmodule*>(library), path));
}

cudaError_t cudaLibraryUnload(cudaLibrary_t library) {
  return runtime_code(cuModuleUnload(module_of(library)));
}

cudaError_t cudaLibraryGetKernel(cudaKernel_t* kernel, cudaLibrary_t library, const char* name) {
  return runtime_code(cuModuleGetFunction(reinterpret_cast<CUfunction*>(kernel), module_of(library), name));
}

cudaError_t cudaLibraryGetGlobal(void** pointer, std::size_t* bytes, cudaLibrary_t library,
                                 const char* name) {
  return runtime_code(
      cuModuleGetGlobal(reinterpret_cast<CUdeviceptr*>(pointer), bytes, module_of(library), name));
}

cudaError_t cudaKernelSetAttributeForDevice(cudaKernel_t kernel, cudaFuncAttribute attribute, int value,
                                            int id) {
  const cudaError_t code = api_apart([&](Device&) {
    device(id);  // it exists; what holds for one holds for all
    return cudaSuccess;
  });
  return code != cudaSuccess ? code : cudaFuncSetAttribute(kernel, attribute, value);
}

}  // extern "C"

#endif
