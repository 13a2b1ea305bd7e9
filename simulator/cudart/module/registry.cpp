#include "simulator/cudart/module/registry.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/fatbin/fatbin.h"
#include "simulator/ptx/link.h"
#include "simulator/ptx/program.h"

namespace sim::cudart {

Registry& registry() {
  static Registry& only = *new Registry;
  return only;
}

exec::LoadedModule& Module::load() {
  Device& d = device();
  auto& mine = loaded[d.ordinal];
  if (mine) return *mine;
  const int architecture = d.gpu.major * 10 + d.gpu.minor;
  try {
    std::vector<ptx::Module> files;
    if (!ptx.empty()) files.push_back(ptx::parse(ptx));
    if (fatbin) files.push_back(ptx::parse(fatbin::best_ptx(fatbin::bytes_at(fatbin), architecture)));
    if (!image.empty()) files.push_back(ptx::parse(fatbin::best_ptx(image, architecture)));
    for (const void* wrapper : wrappers)
      files.push_back(ptx::parse(fatbin::best_ptx(fatbin::from_wrapper(wrapper), architecture)));
    mine = std::make_unique<exec::LoadedModule>(
        files.size() == 1 ? std::move(files[0]) : ptx::link(std::move(files)), d.space);
  } catch (const fatbin::Error& error) {
    refuse(cudaErrorNoKernelImageForDevice, FindingKind::unsupported, error.what());
  } catch (const ptx::ParseError& error) {
    refuse(cudaErrorInvalidPtx, FindingKind::unsupported,
           Message("the module's PTX cannot be read: {}", error.what()));
  }
  for (const ManagedVariable& variable : managed) {
    memory::Allocation* bytes = mine->variable(variable.name);
    if (!bytes) continue;
    *variable.host_pointer = bytes->host;
    d.managed.add(bytes);
  }
  return *mine;
}

Module* Registry::add_module(const void* wrapper) {
  modules_.push_back(std::make_unique<Module>());
  modules_.back()->wrappers = {wrapper};
  return modules_.back().get();
}

Module* Registry::add_linked(const void* wrapper) {
  if (linked_ && linked_->loaded.empty()) {
    linked_->wrappers.push_back(wrapper);
  } else {
    linked_ = add_module(wrapper);
  }
  return linked_;
}

Module* Registry::add_fatbin(const void* bytes) {
  modules_.push_back(std::make_unique<Module>());
  modules_.back()->fatbin = bytes;
  return modules_.back().get();
}

Module* Registry::add_ptx(std::string text) {
  modules_.push_back(std::make_unique<Module>());
  modules_.back()->ptx = std::move(text);
  return modules_.back().get();
}

Module* Registry::add_image(std::span<const std::byte> bytes) {
  modules_.push_back(std::make_unique<Module>());
  modules_.back()->image = bytes;
  return modules_.back().get();
}

Kernel& Registry::kernel_named(Module& module, const std::string& name) {
  for (const auto& [function, kernel] : kernels_)
    if (kernel->module == &module && kernel->name == name) return *kernel;
  // No host function stands for it: its own address does.
  auto kernel = std::make_unique<Kernel>();
  kernel->module = &module;
  kernel->name = name;
  kernel->shown = shown_name(name);
  Kernel& result = *kernel;
  handles_[&result] = &result;
  kernels_[&result] = std::move(kernel);
  return result;
}

void Registry::remove_module(Module* module) {
  forget_checks();
  if (module == linked_) linked_ = nullptr;
  std::erase_if(handles_, [&](const auto& entry) { return entry.second->module == module; });
  std::erase_if(kernels_, [&](const auto& entry) { return entry.second->module == module; });
  std::erase_if(symbols_, [&](const auto& entry) { return entry.second.module == module; });
  std::erase_if(modules_, [&](const auto& entry) { return entry.get() == module; });
}

void Registry::add_kernel(const void* host_function, Module* module, const char* name) {
  auto kernel = std::make_unique<Kernel>();
  kernel->module = module;
  kernel->name = name;
  kernel->shown = shown_name(name);
  handles_[kernel.get()] = kernel.get();
  handles_[host_function] = kernel.get();
  kernels_[host_function] = std::move(kernel);
}

void Registry::add_symbol(const void* host_variable, Symbol symbol) {
  symbols_[host_variable] = std::move(symbol);
}

Kernel& Registry::kernel(const void* function) {
  const auto found = handles_.find(function);
  if (found == handles_.end())
    throw ApiError{function ? cudaErrorInvalidResourceHandle : cudaErrorInvalidDeviceFunction};
  return *found->second;
}

memory::Allocation& Registry::symbol(const void* host_variable) {
  const auto found = symbols_.find(host_variable);
  if (found == symbols_.end()) throw ApiError{cudaErrorInvalidSymbol};
  memory::Allocation* bytes = found->second.module->load().variable(found->second.name);
  if (!bytes) throw ApiError{cudaErrorInvalidSymbol};
  return *bytes;
}

void Registry::unload_all() {
  forget_checks();
  for (const auto& module : modules_) module->loaded.erase(device().ordinal);
  for (const auto& [function, kernel] : kernels_) kernel->loaded_on.erase(device().ordinal);
}

bool is_loaded_by_use(Kernel& kernel) {
  static const char* const when = std::getenv("CUDA_MODULE_LOADING");
  static const bool eager = when != nullptr && std::string_view(when) == "EAGER";
  return kernel.loaded_on.insert(device().ordinal).second && !eager;
}

std::string shown_name(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> demangled(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  if (status != 0 || !demangled) return mangled;
  std::string text = demangled.get();
  // Cut the parameter list, which starts at the last '(' outside template arguments, and
  // a template's return type.
  int depth = 0;
  std::size_t end = text.size();
  std::size_t start = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '<' || text[i] == '(' || text[i] == '[') {
      if (text[i] == '(' && depth == 0 && text.compare(i, 21, "(anonymous namespace)") != 0) {
        end = i;
        break;
      }
      ++depth;
    } else if ((text[i] == '>' || text[i] == ')' || text[i] == ']') && depth > 0) {
      --depth;
    } else if (text[i] == ' ' && depth == 0) {
      start = i + 1;
    }
  }
  return text.substr(start, end - start);
}

}  // namespace sim::cudart

// What nvcc's generated code calls from static constructors, and at exit.
using namespace sim::cudart;

extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  std::lock_guard hold(device().lock);
  return reinterpret_cast<void**>(registry().add_module(wrapper));
}

void __cudaRegisterFatBinaryEnd(void**) {}

/// From the stub that `ladder sim` writes in the place of a device link: one call per relocatable object.
void __cudaLadderLinkedBinary(void (*register_names)(void**), const void* wrapper) {
  std::lock_guard hold(device().lock);
  register_names(reinterpret_cast<void**>(registry().add_linked(wrapper)));
}

void __cudaUnregisterFatBinary(void** handle) {
  std::lock_guard hold(device().lock);
  registry().remove_module(reinterpret_cast<Module*>(handle));
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
  std::lock_guard hold(device().lock);
  registry().add_kernel(host_function, reinterpret_cast<Module*>(handle), device_name);
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int,
                       std::size_t size, int, int) {
  std::lock_guard hold(device().lock);
  registry().add_symbol(host_variable, {reinterpret_cast<Module*>(handle), device_name, size});
}

void __cudaRegisterManagedVar(void** handle, void** host_pointer, char*, const char* device_name, int,
                              std::size_t size, int, int) {
  std::lock_guard hold(device().lock);
  auto* module = reinterpret_cast<Module*>(handle);
  module->managed.push_back({host_pointer, device_name});
  registry().add_symbol(host_pointer, {module, device_name, size});
}

/// Called before the host first touches a managed variable.
char __cudaInitModule(void** handle) {
  return api([&](Device&) {
           reinterpret_cast<Module*>(handle)->load();
           return cudaSuccess;
         }) == cudaSuccess;
}

}  // extern "C"
