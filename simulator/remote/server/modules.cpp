#include "simulator/remote/server/modules.h"

#include <sys/mman.h>

#include <algorithm>
#include <string>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/launch.h"
#include "simulator/cudart/module/registry.h"
#include "simulator/cudart/stream/guards.h"
#include "simulator/remote/copies.h"
#include "simulator/remote/server/callbacks.h"
#include "simulator/remote/server/graphs.h"
#include "simulator/telemetry.h"

namespace sim::remote {
namespace {

using cudart::Device;
using cudart::Module;
using cudart::registry;

std::string text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

const void* pointer(std::uint64_t number) { return reinterpret_cast<const void*>(number); }

Module* module_of(Server& server, std::uint64_t number) {
  std::lock_guard hold(server.lock());
  auto& known = server.modules();
  const auto found = std::find(known.begin(), known.end(), pointer(number));
  if (found == known.end()) throw BadCall();
  return static_cast<Module*>(*found);
}

std::uint64_t register_module(Server& server, std::uint64_t index) {
  const ModuleFile* const file = server.module_file();
  if (file == nullptr || index >= file->fat_binaries().size()) throw BadCall();
  std::lock_guard hold(cudart::device().lock);
  Module* const module = registry().add_image(file->fat_binaries()[index]);
  std::lock_guard note(server.lock());
  server.modules().push_back(module);
  return reinterpret_cast<std::uint64_t>(module);
}

std::uint64_t register_name(Server& server, Call which, Unpacker from) {
  const auto head = from.take<NameHead>();
  const std::string name = text(from.rest());
  Module* const module = module_of(server, head.module);
  std::lock_guard hold(cudart::device().lock);
  std::lock_guard note(server.lock());
  if (!server.is_new_key(head.key)) throw BadCall();
  if (which == Call::register_kernel) {
    registry().add_kernel(pointer(head.key), module, name.c_str());
    return cudaSuccess;
  }
  if (which == Call::register_managed) {
    auto& all = server.managed();
    all.push_back({head.module, head.key, head.size, std::make_unique<void*>(nullptr)});
    module->managed.push_back({all.back().value.get(), name});
  }
  registry().add_symbol(pointer(head.key), {module, name, head.size});
  return cudaSuccess;
}

std::uint64_t managed_addresses(Server& server, std::uint64_t number, Packer& back) {
  Module* const module = module_of(server, number);
  const cudaError_t loaded = cudart::api([&](Device&) {
    module->load();
    return cudaSuccess;
  });
  std::lock_guard hold(server.lock());
  for (const auto& one : server.managed()) {
    if (one.module != number || *one.value == nullptr) continue;
    back.put(&one.key, sizeof(one.key));
    back.put(one.value.get(), sizeof(*one.value));
    back.put(&one.bytes, sizeof(one.bytes));
  }
  return loaded;
}

/// Maps pages of the host memory's file at the program's own addresses, where nothing of the simulator is.
/// @return where they begin in the file, 0 where there is no room
std::uint64_t share_pages(const Pages& pages) {
  constexpr std::uint64_t kPage = 4096, kHalf = kHostRange / 2;  // the first half is given out by the runtime
  static std::uint64_t used = 0;
  std::lock_guard hold(cudart::device().lock);
  if (pages.first % kPage != 0 || pages.bytes % kPage != 0 || pages.bytes == 0 || pages.bytes > kHalf - used)
    return 0;
  const std::uint64_t offset = kHalf + used;
  void* const wanted = reinterpret_cast<void*>(pages.first);
  void* const mapped = mmap(wanted, pages.bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                            kHostMemoryFd, static_cast<off_t>(offset));
  if (mapped == MAP_FAILED) return 0;
  if (mapped != wanted) {  // a kernel that does not know MAP_FIXED_NOREPLACE
    munmap(mapped, pages.bytes);
    return 0;
  }
  used += pages.bytes;
  share(pages.first, pages.bytes);
  return offset;
}

/// A launch with attributes, as the runtime wants them.
class Attributes {
 public:
  explicit Attributes(const LaunchHead& head) : head_(head) {
    if (head.cooperative != 0) {
      list_[count_].id = cudaLaunchAttributeCooperative;
      list_[count_++].val.cooperative = 1;
    }
    if (head.cluster[0] == 0) return;
    list_[count_].id = cudaLaunchAttributeClusterDimension;
    list_[count_++].val.clusterDim = {head.cluster[0], head.cluster[1], head.cluster[2]};
  }
  /// Valid while this lives.
  cudaLaunchConfig_t config() {
    cudaLaunchConfig_t all{};
    all.gridDim = dim3(head_.grid[0], head_.grid[1], head_.grid[2]);
    all.blockDim = dim3(head_.block[0], head_.block[1], head_.block[2]);
    all.dynamicSmemBytes = head_.shared;
    all.stream = reinterpret_cast<cudaStream_t>(head_.stream);
    all.attrs = list_;
    all.numAttrs = count_;
    return all;
  }

 private:
  const LaunchHead head_;
  cudaLaunchAttribute list_[2]{};
  unsigned count_ = 0;
};

std::uint64_t launch(Unpacker from) {
  const auto head = from.take<LaunchHead>();
  const void* const function = pointer(head.function);
  Arguments arguments(function, from.rest());
  void** const list = arguments.list();
  const dim3 grid(head.grid[0], head.grid[1], head.grid[2]),
      block(head.block[0], head.block[1], head.block[2]);
  auto* const stream = reinterpret_cast<cudaStream_t>(head.stream);
  if (head.cluster[0] != 0) {
    Attributes attributes(head);
    const cudaLaunchConfig_t config = attributes.config();
    return cudaLaunchKernelExC(&config, function, list);
  }
  return head.cooperative ? cudaLaunchCooperativeKernel(function, grid, block, list, head.shared, stream)
                          : cudaLaunchKernel(function, grid, block, list, head.shared, stream);
}

std::uint64_t clusters(Unpacker from, Packer& back) {
  const auto query = from.take<ClusterQuery>();
  Attributes attributes(query.launch);
  const cudaLaunchConfig_t config = attributes.config();
  const void* const function = pointer(query.launch.function);
  int answer = 0;
  const cudaError_t code = query.potential != 0
                               ? cudaOccupancyMaxPotentialClusterSize(&answer, function, &config)
                               : cudaOccupancyMaxActiveClusters(&answer, function, &config);
  back.put(&answer, sizeof(answer));
  return code;
}

}  // namespace

std::vector<Parameter> parameters_of(const void* function) {
  std::vector<Parameter> all;
  std::lock_guard hold(cudart::device().lock);
  const std::size_t findings = cudart::device().findings.size();
  try {
    auto& kernel = registry().kernel(function);
    std::uint64_t at = 0;
    for (const auto& parameter : exec::facts(kernel.module->load().kernel(kernel.name)).params) {
      at = (at + parameter.align - 1) / parameter.align * parameter.align;
      all.push_back({at, parameter.size});
      at += parameter.size;
    }
  } catch (...) {
    cudart::device().findings.resize(findings);
  }
  return all;
}

Arguments::Arguments(const void* function, std::span<const std::byte> bytes)
    : bytes_(bytes.begin(), bytes.end()) {
  const std::vector<Parameter> parameters = parameters_of(function);
  for (const Parameter& p : parameters) {
    if (p.offset > bytes_.size() || p.bytes > bytes_.size() - p.offset) break;
    pointers_.push_back(bytes_.data() + p.offset);
  }
  if (pointers_.size() != parameters.size()) pointers_.clear();
}

std::uint64_t readable(std::uint64_t address) {
  const memory::Allocation* const found = cudart::device().space.find(address);
  if (found == nullptr || found->freed || !found->contains(address, 0)) return 0;
  return found->size - (address - found->base);
}

/// Takes a name for what the program has allocated, and for nothing else: it goes into the text of findings.
std::uint64_t name_array(NamedArray told) {
  constexpr std::uint32_t kLargestElement = 16;
  told.name[sizeof told.name - 1] = 0;
  const std::string name = told.name;
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), letter)) return cudaErrorInvalidValue;
  if (told.element_bytes == 0 || told.element_bytes > kLargestElement || told.elements < 0)
    return cudaErrorInvalidValue;
  {
    cudart::Device& d = cudart::device();
    std::lock_guard hold(d.lock);
    const memory::Allocation* const found = d.space.find_base(told.start);
    if (found == nullptr || !found->origin.starts_with("cudaMalloc #") || told.before > found->size ||
        std::uint64_t(told.elements) > (found->size - told.before) / told.element_bytes)
      return cudaErrorInvalidValue;
  }
  name_allocation(reinterpret_cast<const void*>(told.start), "array '" + name + "'",
                  {name, told.element_bytes, {told.elements}, told.before});
  return cudaSuccess;
}

std::size_t guards() {
  std::lock_guard hold(cudart::device().lock);
  return cudart::guarded_pages().size();
}

std::uint64_t perform_special(Server& server, Call which, Unpacker from, Packer& back) {
  switch (which) {
    case Call::launch:
      return launch(from);
    case Call::register_module:
      return register_module(server, from.take<std::uint64_t>());
    case Call::register_kernel:
    case Call::register_symbol:
    case Call::register_managed:
      return register_name(server, which, from);
    case Call::managed_addresses:
      return managed_addresses(server, from.take<std::uint64_t>(), back);
    case Call::parameters:
      for (const Parameter& p : parameters_of(pointer(from.take<std::uint64_t>()))) back.put(&p, sizeof(p));
      return cudaSuccess;
    case Call::host_function:
    case Call::stream_callback:
      return enqueue_callback(which, from);
    case Call::guards: {
      std::lock_guard hold(cudart::device().lock);
      for (const auto& pages : cudart::guarded_pages()) back.put(&pages, sizeof(pages));
      return cudaSuccess;
    }
    case Call::touched: {
      const auto touch = from.take<GuardHit>();
      std::lock_guard hold(cudart::device().lock);
      cudart::note_touch(touch.address, touch.writes != 0);
      return cudaSuccess;
    }
    case Call::share_pages:
      return share_pages(from.take<Pages>());
    case Call::clusters:
      return clusters(from, back);
    case Call::name_array:
      return name_array(from.take<NamedArray>());
    case Call::readable:
      return readable(from.take<std::uint64_t>());
    default:
      return perform_on_graph(which, from, back);
  }
}

}  // namespace sim::remote
