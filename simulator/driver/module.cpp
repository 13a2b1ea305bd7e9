// Driver API: modules from PTX or fat binaries, their kernels and variables, launches.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "simulator/cudart/launch/cluster.h"
#include "simulator/driver/driver.h"

using namespace sim::cudart;
using driver::result;

namespace {

constexpr std::uint32_t kFatbinMagic = 0xBA55ED50, kWrapperMagic = 0x466243b1;

/// What PTX, a fat binary or a wrapper around one begins with tells them apart.
Module* add(const void* image) {
  std::uint32_t magic = 0;
  std::memcpy(&magic, image, sizeof magic);
  if (magic == kWrapperMagic) return registry().add_module(image);
  if (magic == kFatbinMagic) return registry().add_fatbin(image);
  if (std::memcmp(image, "\177ELF", 4) == 0) {
    refuse(
        cudaErrorNoKernelImageForDevice, sim::FindingKind::unsupported,
        "cuModuleLoad of state code (a cubin): the simulator executes PTX; compile with nvcc -ptx instead");
  }
  return registry().add_ptx(static_cast<const char*>(image));
}

/// Loads at once, as the driver does, so that a mistake is told here.
CUresult load(CUmodule* into, const void* image) {
  return result(api([&](Device&) {
    require(into && image);
    Module* module = add(image);
    module->load();
    *into = reinterpret_cast<CUmodule>(module);
    return cudaSuccess;
  }));
}

Module& module_of(CUmodule handle) {
  require(handle != nullptr, cudaErrorInvalidResourceHandle);
  return *reinterpret_cast<Module*>(handle);
}

/// Pointers to a kernel's parameters within a packed buffer (CU_LAUNCH_PARAM_BUFFER_POINTER).
std::vector<void*> unpacked(Kernel& kernel, void** extra) {
  std::byte* buffer = nullptr;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2)
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<std::byte*>(extra[1]);
  require(buffer != nullptr);
  std::vector<void*> arguments;
  std::size_t at = 0;
  const auto facts = sim::exec::facts(kernel.module->load().kernel(kernel.name));
  for (const sim::ptx::Variable& parameter : facts.params) {
    at = (at + parameter.align - 1) / parameter.align * parameter.align;
    arguments.push_back(buffer + at);
    at += parameter.size;
  }
  return arguments;
}

cudaError_t launch_driver(CUfunction function, dim3 grid, dim3 block, unsigned shared, CUstream stream,
                          void** arguments, void** extra, bool cooperative) {
  return api([&](Device&) {
    Kernel& kernel = registry().kernel(function);
    std::vector<void*> from_buffer;
    if (!arguments && extra) from_buffer = unpacked(kernel, extra);
    launch(kernel, {grid, block, shared, stream, cooperative}, arguments ? arguments : from_buffer.data());
    return cudaSuccess;
  });
}

/// The runtime's configuration; its attributes have the same numbers and values.
cudaLaunchConfig_t runtime_config(const CUlaunchConfig& c) {
  cudaLaunchConfig_t same{};
  same.gridDim = dim3(c.gridDimX, c.gridDimY, c.gridDimZ);
  same.blockDim = dim3(c.blockDimX, c.blockDimY, c.blockDimZ);
  same.dynamicSmemBytes = c.sharedMemBytes;
  same.stream = c.hStream;
  same.attrs = reinterpret_cast<cudaLaunchAttribute*>(c.attrs);
  same.numAttrs = c.numAttrs;
  return same;
}

}  // namespace

extern "C" {

CUresult cuModuleLoadData(CUmodule* module, const void* image) { return load(module, image); }

/// Options tune the compiler that is not there; logs stay as the program filled them.
CUresult cuModuleLoadDataEx(CUmodule* module, const void* image, unsigned, CUjit_option*, void**) {
  return load(module, image);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* image) { return load(module, image); }

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return CUDA_ERROR_FILE_NOT_FOUND;
  // A fat binary is read where it lies for as long as the module lives.
  auto* image = new std::string(std::istreambuf_iterator<char>(file), {});
  return load(module, image->c_str());
}

CUresult cuModuleUnload(CUmodule handle) {
  return result(api([&](Device&) {
    registry().remove_module(&module_of(handle));
    return cudaSuccess;
  }));
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  return result(api([&](Device&) {
    require(function && name);
    Module& module = module_of(handle);
    const sim::ptx::Function* found = module.load().module().find(name);
    require(found && found->is_entry, cudaErrorSymbolNotFound);
    Kernel& kernel = registry().kernel_named(module, name);
    is_loaded_by_use(kernel);
    *function = reinterpret_cast<CUfunction>(&kernel);
    return cudaSuccess;
  }));
}

CUresult cuModuleGetGlobal(CUdeviceptr* address, std::size_t* bytes, CUmodule handle, const char* name) {
  return result(api([&](Device&) {
    require(name != nullptr);
    const auto* variable = module_of(handle).load().variable(name);
    require(variable != nullptr, cudaErrorSymbolNotFound);
    if (address) *address = variable->base;
    if (bytes) *bytes = variable->size;
    return cudaSuccess;
  }));
}

CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                        CUstream stream, void** arguments, void** extra) {
  return result(launch_driver(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream,
                              arguments, extra, false));
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                   unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared,
                                   CUstream stream, void** arguments) {
  return result(launch_driver(function, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, stream,
                              arguments, nullptr, true));
}

CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** arguments, void** extra) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  return result(api([&](Device&) {
    Kernel& kernel = registry().kernel(function);
    std::vector<void*> from_buffer;
    if (!arguments && extra) from_buffer = unpacked(kernel, extra);
    launch(kernel, request_of(runtime_config(*config)), arguments ? arguments : from_buffer.data());
    return cudaSuccess;
  }));
}

CUresult cuOccupancyMaxActiveClusters(int* clusters, CUfunction function, const CUlaunchConfig* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = runtime_config(*config);
  return result(cudaOccupancyMaxActiveClusters(clusters, function, &same));
}

CUresult cuOccupancyMaxPotentialClusterSize(int* blocks, CUfunction function, const CUlaunchConfig* config) {
  if (!config) return CUDA_ERROR_INVALID_VALUE;
  const cudaLaunchConfig_t same = runtime_config(*config);
  return result(cudaOccupancyMaxPotentialClusterSize(blocks, function, &same));
}

CUresult cuFuncGetAttribute(int* value, CUfunction_attribute which, CUfunction function) {
  cudaFuncAttributes all;
  const cudaError_t code = cudaFuncGetAttributes(&all, function);
  if (code != cudaSuccess) return result(code);
  switch (which) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = all.maxThreadsPerBlock;
      break;
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      *value = static_cast<int>(all.sharedSizeBytes);
      break;
    case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
      *value = static_cast<int>(all.localSizeBytes);
      break;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      *value = all.numRegs;
      break;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
      *value = all.ptxVersion;
      break;
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      *value = all.binaryVersion;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = all.maxDynamicSharedSizeBytes;
      break;
    case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
      *value = all.clusterDimMustBeSet;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
      *value = all.requiredClusterWidth;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
      *value = all.requiredClusterHeight;
      break;
    case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
      *value = all.requiredClusterDepth;
      break;
    case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
      *value = all.nonPortableClusterSizeAllowed;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute which, int value) {
  return result(cudaFuncSetAttribute(function, static_cast<cudaFuncAttribute>(which), value));
}

CUresult cuFuncSetCacheConfig(CUfunction, CUfunc_cache) { return CUDA_SUCCESS; }

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int* blocks, CUfunction function, int threads,
                                                     std::size_t shared) {
  return result(cudaOccupancyMaxActiveBlocksPerMultiprocessor(blocks, function, threads, shared));
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, CUfunction function, int threads,
                                                              std::size_t shared, unsigned flags) {
  return result(
      cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, shared, flags));
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(std::size_t* bytes, CUfunction function, int blocks,
                                                 int threads) {
  return result(cudaOccupancyAvailableDynamicSMemPerBlock(bytes, function, blocks, threads));
}

/// The largest block of those that keep most threads on a multiprocessor; the runtime's function of this name
/// is a template in the toolkit's headers.
CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int* least_grid, int* block, CUfunction function,
                                                   CUoccupancyB2DSize shared_for, std::size_t shared,
                                                   int limit, unsigned flags) {
  constexpr int kWarp = 32;
  cudaFuncAttributes facts;
  if (!least_grid || !block) return CUDA_ERROR_INVALID_VALUE;
  if (const cudaError_t code = cudaFuncGetAttributes(&facts, function)) return result(code);
  if (limit <= 0 || limit > facts.maxThreadsPerBlock) limit = facts.maxThreadsPerBlock;
  int most = 0, blocks = 0;
  for (int warps = (limit + kWarp - 1) / kWarp; warps > 0; --warps) {
    const int threads = std::min(limit, warps * kWarp);
    if (shared_for) shared = shared_for(threads);
    int fit = 0;
    const cudaError_t code =
        cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(&fit, function, threads, shared, flags);
    if (code != cudaSuccess) return result(code);
    if (fit * threads <= most) continue;
    most = fit * threads;
    *block = threads;
    blocks = fit;
  }
  *least_grid = blocks * device().gpu.sms;
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int* least_grid, int* block, CUfunction function,
                                          CUoccupancyB2DSize shared_for, std::size_t shared, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(least_grid, block, function, shared_for, shared, limit,
                                                   CU_OCCUPANCY_DEFAULT);
}

}  // extern "C"
