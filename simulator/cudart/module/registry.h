// What host objects registered: modules, their kernels and their variables.
#pragma once

#include <cuda_runtime_api.h>

#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "simulator/engine/launch.h"

namespace sim::cudart {

/// One fat binary, or several that were compiled as relocatable device code and are linked here. It is read,
/// parsed and placed in memory when something in it is first used.
struct Module {
  std::vector<const void*> wrappers;
  const void* fatbin = nullptr;      ///< or one without a wrapper, from the driver API
  std::string ptx;                   ///< or text, likewise
  std::span<const std::byte> image;  ///< or one out of a file that this process has not loaded; not owned
  std::map<int, std::unique_ptr<exec::LoadedModule>> loaded;  ///< by the number of the device
  struct ManagedVariable {
    void** host_pointer;  ///< the host reaches the variable through it
    std::string name;
  };
  std::vector<ManagedVariable> managed;

  /// On the calling thread's device. @throws ApiError, after reporting why the module cannot be used
  exec::LoadedModule& load();
};

/// A kernel as the host knows it; cudaKernel_t points to one.
struct Kernel {
  Module* module = nullptr;
  std::string name;             ///< mangled
  std::string shown;            ///< demangled, without parameters
  int max_dynamic_shared = -1;  ///< set by cudaFuncSetAttribute; -1: what fits without asking
  int carveout = -1;
  bool non_portable_cluster = false;  ///< of more blocks than every GPU has room for
  Index3 required_cluster{};          ///< set by cudaFuncSetAttribute; 0: none
  std::set<int> loaded_on;            ///< numbers of devices
};

/// Notes the use of a kernel on the calling thread's device. The first one has a GPU load it, unless
/// CUDA_MODULE_LOADING=EAGER has had all loaded before. @return whether this is that one
bool is_loaded_by_use(Kernel& kernel);

/// A `__device__`, `__constant__` or `__managed__` variable.
struct Symbol {
  Module* module = nullptr;
  std::string name;
  std::size_t size = 0;
};

class Registry {
 public:
  Module* add_module(const void* wrapper);
  /// Adds a fat binary to the linked module that is still open: the one of the program, which all its files
  /// join before main(), or of a library that is opened later.
  Module* add_linked(const void* wrapper);
  /// From the driver API: a fat binary without a wrapper, which must outlive the module; PTX as text.
  Module* add_fatbin(const void* bytes);
  Module* add_ptx(std::string text);
  /// A fat binary out of a module's file, which must outlive the module.
  Module* add_image(std::span<const std::byte> bytes);
  void remove_module(Module* module);
  void add_kernel(const void* host_function, Module* module, const char* name);
  void add_symbol(const void* host_variable, Symbol symbol);

  /// A kernel of a module by its mangled name, made known if it is not yet.
  Kernel& kernel_named(Module& module, const std::string& name);

  /// By the host's stub function or by the handle that __cudaGetKernel gave.
  /// @throws ApiError cudaErrorInvalidResourceHandle, of null cudaErrorInvalidDeviceFunction
  Kernel& kernel(const void* function);
  /// Bytes of a variable on the device. @throws ApiError cudaErrorInvalidSymbol
  memory::Allocation& symbol(const void* host_variable);

  /// Forgets what is on the current device, for cudaDeviceReset; modules load again when next used.
  void unload_all();

 private:
  std::vector<std::unique_ptr<Module>> modules_;
  Module* linked_ = nullptr;  ///< among modules_
  std::unordered_map<const void*, std::unique_ptr<Kernel>> kernels_;
  std::unordered_map<const void*, Kernel*> handles_;
  std::unordered_map<const void*, Symbol> symbols_;
};

Registry& registry();

/// "transpose<32>" from a mangled name.
std::string shown_name(const std::string& mangled);

}  // namespace sim::cudart
