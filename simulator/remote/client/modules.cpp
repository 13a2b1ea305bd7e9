// Modules and launches on the program's side: what nvcc's generated code calls. Of a module the simulator is
// told names only; its PTX it reads from the file.
#include <cstring>
#include <string_view>
#include <vector>

#include "simulator/remote/client/connection.h"
#include "simulator/remote/client/host_memory.h"
#include "simulator/remote/client/parameters.h"

namespace sim::remote {
namespace {

struct Configuration {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
std::vector<Configuration>& configurations() {
  thread_local std::vector<Configuration> stack;
  return stack;
}

std::uint64_t number(const void* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

void tell_name(Call which, void** module, const void* key, const char* name, std::size_t size = 0) {
  Connection& line = Connection::mine();
  Packer to(line.arguments());
  const NameHead head{number(module), number(key), size};
  to.put(&head, sizeof(head));
  to.put(name, std::strlen(name));
  (void)line.call(which, to.used());
}

cudaError_t launch(const void* function, dim3 grid, dim3 block, void** arguments, std::size_t shared,
                   cudaStream_t stream, bool cooperative, dim3 cluster = dim3(0, 0, 0)) {
  const std::vector<std::byte> bytes = parameter_values(function, arguments);
  const LaunchHead head{number(function),
                        {grid.x, grid.y, grid.z},
                        {block.x, block.y, block.z},
                        shared,
                        number(stream),
                        cooperative,
                        static_cast<std::uint32_t>(bytes.size()),
                        {cluster.x, cluster.y, cluster.z}};
  Connection& line = Connection::mine();
  Packer to(line.arguments());
  to.put(&head, sizeof(head));
  to.put(bytes.data(), bytes.size());
  (void)line.call(Call::launch, to.used());
  return static_cast<cudaError_t>(line.result());
}

struct LaunchAttributes {
  bool cooperative = false;
  dim3 cluster{0, 0, 0};
};
LaunchAttributes attributes_of(const cudaLaunchConfig_t& config) {
  LaunchAttributes all;
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const auto& value = config.attrs[i].val;
    if (config.attrs[i].id == cudaLaunchAttributeCooperative) all.cooperative = value.cooperative != 0;
    if (config.attrs[i].id == cudaLaunchAttributeClusterDimension)
      all.cluster = dim3(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
  }
  return all;
}

cudaError_t ask_clusters(int* answer, const void* function, const cudaLaunchConfig_t* config,
                         bool potential) {
  if (answer == nullptr || config == nullptr) return cudaErrorInvalidValue;
  const auto [cooperative, cluster] = attributes_of(*config);
  const ClusterQuery query{{number(function),
                            {config->gridDim.x, config->gridDim.y, config->gridDim.z},
                            {config->blockDim.x, config->blockDim.y, config->blockDim.z},
                            config->dynamicSmemBytes,
                            number(config->stream),
                            cooperative,
                            0,
                            {cluster.x, cluster.y, cluster.z}},
                           potential};
  Unpacker from = ask(Call::clusters, query);
  const auto result = static_cast<cudaError_t>(Connection::mine().result());
  if (result == cudaSuccess) *answer = from.take<int>();
  return result;
}

}  // namespace
}  // namespace sim::remote

using namespace sim::remote;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  note_module(wrapper);
  static std::uint64_t registered = 0;
  (void)ask(Call::register_module, registered);
  ++registered;
  return reinterpret_cast<void**>(Connection::mine().result());
}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}  // the process ends

void __cudaRegisterFunction(void** module, const char* host_function, char*, const char* name, int, uint3*,
                            uint3*, dim3*, dim3*, int*) {
  tell_name(Call::register_kernel, module, host_function, name);
}
void __cudaRegisterVar(void** module, char* host_variable, char*, const char* name, int, std::size_t size,
                       int, int) {
  tell_name(Call::register_symbol, module, host_variable, name, size);
}
void __cudaRegisterManagedVar(void** module, void** host_pointer, char*, const char* name, int,
                              std::size_t size, int, int) {
  tell_name(Call::register_managed, module, host_pointer, name, size);
}

/// Called before the host first touches a managed variable.
char __cudaInitModule(void** module) {
  struct Address {
    void** pointer;
    void* value;
    std::uint64_t bytes;
  };
  Unpacker from = ask(Call::managed_addresses, module);
  const bool loaded = Connection::mine().result() == cudaSuccess;
  while (!from.rest().empty()) {
    const auto address = from.take<Address>();
    *address.pointer = address.value;
    open_pages(address.value, address.bytes);
  }
  return loaded;
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
  configurations().push_back({grid, block, shared, stream});
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  if (configurations().empty()) return cudaErrorMissingConfiguration;
  const Configuration top = configurations().back();
  configurations().pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

/// A kernel's handle is its host function: the simulator knows it by either.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(function));
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return launch(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream, false);
}
cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, false);
}
cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return launch(function, grid, block, arguments, shared, stream, true);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  if (config == nullptr) return cudaErrorInvalidValue;
  const auto [cooperative, cluster] = attributes_of(*config);
  return launch(function, config->gridDim, config->blockDim, arguments, config->dynamicSmemBytes,
                config->stream, cooperative, cluster);
}
cudaError_t cudaOccupancyMaxActiveClusters(int* clusters, const void* function,
                                           const cudaLaunchConfig_t* config) {
  return ask_clusters(clusters, function, config, false);
}
cudaError_t cudaOccupancyMaxPotentialClusterSize(int* blocks, const void* function,
                                                 const cudaLaunchConfig_t* config) {
  return ask_clusters(blocks, function, config, true);
}

cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  const Callback back{number(stream), reinterpret_cast<std::uint64_t>(function), number(data)};
  (void)ask(Call::host_function, back);
  return static_cast<cudaError_t>(Connection::mine().result());
}
cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data,
                                  unsigned flags) {
  const Callback back{number(stream), reinterpret_cast<std::uint64_t>(function), number(data)};
  (void)ask(Call::stream_callback, back, flags);
  return static_cast<cudaError_t>(Connection::mine().result());
}

}  // extern "C"
