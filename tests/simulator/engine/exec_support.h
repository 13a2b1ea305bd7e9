// What tests of the interpreter share: a device with one module, buffers, and launches with typed arguments.
#pragma once

#include <cstring>
#include <string>
#include <vector>

#include "simulator/engine/launch.h"

namespace sim::test {

/// A module in an address space of its own.
class Device {
 public:
  explicit Device(const std::string& ptx) : module_(ptx::parse(ptx), space_) {}

  /// A buffer of device memory with these contents; its device address.
  template <class T>
  std::uint64_t upload(const std::vector<T>& values) {
    memory::Allocation* a = space_.allocate(values.size() * sizeof(T), memory::Kind::device, "test buffer");
    if (!values.empty()) std::memcpy(a->host, values.data(), values.size() * sizeof(T));
    return a->base;
  }
  template <class T>
  std::vector<T> download(std::uint64_t address, std::size_t count) {
    std::vector<T> values(count);
    if (count != 0) std::memcpy(values.data(), space_.find(address)->host, count * sizeof(T));
    return values;
  }

  exec::Launch shape{};  ///< grid, block, seeds ... of the next run

  /// Runs a kernel with arguments laid out one after another, each aligned to its size.
  template <class... A>
  exec::LaunchResult run(std::string_view kernel, A... arguments) {
    std::vector<std::byte> params;
    (append(params, arguments), ...);
    exec::Launch launch = shape;
    launch.params = params;
    return exec::launch(module_.kernel(kernel), launch, space_);
  }

  memory::AddressSpace& space() { return space_; }
  exec::LoadedModule& module() { return module_; }

 private:
  template <class T>
  static void append(std::vector<std::byte>& bytes, T value) {
    bytes.resize((bytes.size() + sizeof(T) - 1) / sizeof(T) * sizeof(T) + sizeof(T));
    std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
  }

  memory::AddressSpace space_;
  exec::LoadedModule module_;
};

/// "line 1 of PTX" boilerplate around a kernel's body.
/// @param params  ".param .u64 p0, .param .u64 p1"
inline std::string kernel_text(const std::string& params, const std::string& body,
                               const std::string& name = "k") {
  return ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry " + name + "(" + params + ")\n{\n" +
         body + "\n}\n";
}

}  // namespace sim::test
