#include "simulator/cudart/launch/launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>

#include "language/catalogue.h"
#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/check.h"
#include "simulator/cudart/launch/cluster.h"
#include "simulator/cudart/launch/execute.h"
#include "simulator/cudart/launch/fault_injection.h"
#include "simulator/cudart/launch/settings.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/report/report_file.h"
#include "simulator/cudart/stream/deferred_work.h"
#include "simulator/model/occupancy.h"

namespace sim::cudart {
namespace {

constexpr double kHostLaunchNs = 2000;  // the CPU's part of a launch

struct PendingLaunch {
  dim3 grid, block;
  std::size_t shared;
  cudaStream_t stream;
};
std::vector<PendingLaunch>& call_configurations() {
  thread_local std::vector<PendingLaunch> stack;
  return stack;
}

Message text(const dim3& extent) { return Message("({}, {}, {})", extent.x, extent.y, extent.z); }

Index3 index(const dim3& extent) { return {extent.x, extent.y, extent.z}; }

/// The limits that hold for every kernel.
void check_shape(const Kernel& kernel, const LaunchRequest& r) {
  const auto refuse_shape = [&](const Message& why) {
    // The code of CUDA 13; before, it was cudaErrorInvalidConfiguration.
    refuse_launch(
        cudaErrorInvalidValue, kernel,
        Message("{} cannot be launched with grid {} and block {}", kernel.shown, text(r.grid), text(r.block)),
        why);
  };
  const std::uint64_t threads = std::uint64_t{r.block.x} * r.block.y * r.block.z;
  if (r.grid.x == 0 || r.grid.y == 0 || r.grid.z == 0) {
    refuse_shape(
        tr("every extent of a grid must be at least 1. Where there is work, the number of blocks was rounded "
           "down to "
           "0; where there is none, launch nothing"));
  }
  if (threads == 0) refuse_shape(tr("every extent of a block must be at least 1"));
  if (r.block.x > 1024 || r.block.y > 1024 || r.block.z > 64 || r.block.x * std::uint64_t{r.block.y} > 1024 ||
      threads > 1024) {
    refuse_shape(
        Message("that is {} threads per block, and a block has at most 1024 (x and y at most 1024, z at "
                "most 64). Use more blocks instead",
                threads));
  }
  if (r.grid.x > 0x7fffffffu || r.grid.y > 65535 || r.grid.z > 65535) {
    refuse_shape(tr("a grid has at most 2147483647 blocks in x and 65535 in y and z"));
  }
}

/// The limits that depend on the kernel: shared memory, launch bounds, cooperative size.
void check_resources(const Kernel& kernel, const exec::KernelFacts& facts, const LaunchRequest& r) {
  const std::uint32_t limit = dynamic_shared_limit(kernel, facts);
  if (r.dynamic_shared_bytes > limit) {
    refuse(
        cudaErrorInvalidValue, FindingKind::launch,
        Message(
            "{} asks for {} bytes of dynamic shared memory; beside its {} static bytes it may have {}. More "
            "needs cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)",
            kernel.shown, r.dynamic_shared_bytes, facts.static_shared_bytes, limit),
        kernel.shown);
  }
  const std::uint32_t threads = r.block.x * r.block.y * r.block.z;
  if (facts.max_threads && threads > facts.max_threads) {
    refuse(cudaErrorInvalidValue, FindingKind::launch,
           Message("{} is launched with {} threads per block, but its __launch_bounds__ promise at most {}",
                   kernel.shown, threads, facts.max_threads),
           kernel.shown);
  }
  if (!r.cooperative) return;
  const model::Gpu& gpu = device().gpu;
  const auto shared = static_cast<std::uint32_t>(facts.static_shared_bytes + r.dynamic_shared_bytes);
  const auto fit = model::occupancy(gpu, facts.registers, shared, threads);
  const std::uint64_t blocks = std::uint64_t{r.grid.x} * r.grid.y * r.grid.z;
  if (blocks > std::uint64_t(fit.blocks_per_sm) * gpu.sms) {
    refuse_launch(cudaErrorCooperativeLaunchTooLarge, kernel,
                  Message("a cooperative launch of {} with {} blocks", kernel.shown, blocks),
                  Message("all must be on the GPU at once, and it holds {}", fit.blocks_per_sm * gpu.sms));
  }
}

/// Copies the arguments to where the PTX expects its parameters.
std::vector<std::byte> marshal(std::span<const ptx::Variable> params, void** arguments) {
  std::vector<std::byte> bytes;
  for (std::size_t i = 0; i < params.size(); ++i) {
    const std::size_t at = (bytes.size() + params[i].align - 1) / params[i].align * params[i].align;
    bytes.resize(at + params[i].size);
    std::memcpy(bytes.data() + at, arguments[i], params[i].size);
  }
  return bytes;
}

/// The kernel, made ready to run. What cannot be run here loses the device, as a kernel that faults does: a
/// program that does not look at the launch's error learns of it from the next call that waits.
const exec::LoadedModule::Program& program_of(const Kernel& kernel) {
  try {
    return kernel.module->load().kernel(kernel.name);
  } catch (const exec::Fault& fault) {
    if (fault.finding.kind == FindingKind::unsupported) device().pending = cudaErrorNotSupported;
    throw;
  }
}

}  // namespace

void refuse_launch(cudaError_t code, const Kernel& kernel, const Message& what, const Message& why) {
  report(FindingKind::launch, Message("{}: {}", what, why), kernel.shown);
  device().findings.back().claim = what;
  throw ApiError{code};
}

std::uint32_t dynamic_shared_limit(const Kernel& kernel, const exec::KernelFacts& facts) {
  if (kernel.max_dynamic_shared >= 0) return static_cast<std::uint32_t>(kernel.max_dynamic_shared);
  const std::uint32_t all = device().gpu.shared_per_block;
  return all - std::min(all, facts.static_shared_bytes);
}

void launch(Kernel& kernel, const LaunchRequest& request, void** arguments) {
  Device& d = device();
  CUstream_st& stream = stream_of(request.stream);
  if (stream.capture == nullptr) may_fail(kernel.shown.c_str(), true);
  if (stream.device != &d) {
    refuse(cudaErrorInvalidResourceHandle, FindingKind::launch,
           Message("{} is launched on device {} into a stream of device {}", kernel.shown, d.ordinal,
                   stream.device->ordinal),
           kernel.shown);
  }
  d.clock.host_spends(kHostLaunchNs);
  check_shape(kernel, request);
  auto run = std::make_shared<CheckedLaunch>();
  run->kernel = &kernel;
  run->program = &program_of(kernel);
  run->facts = exec::facts(*run->program);
  run->shown = kernel.shown;
  const Index3 cluster = cluster_of(kernel, run->facts, request);
  check_resources(kernel, run->facts, request);
  check_room(kernel, run->facts, request, cluster);
  require(arguments || run->facts.params.empty());
  run->params = marshal(run->facts.params, arguments);
  run->what.grid = index(request.grid);
  run->what.block = index(request.block);
  run->what.explicit_cluster = cluster[0] != 0;
  if (run->what.explicit_cluster) run->what.cluster = cluster;
  if (run->facts.blocks_are_clusters)
    for (std::size_t i = 0; i < 3; ++i) run->what.grid[i] *= run->what.cluster[i];
  run->what.dynamic_shared_bytes = static_cast<std::uint32_t>(request.dynamic_shared_bytes);
  run->what.cooperative = request.cooperative;
  const LaunchSettings& how = settings();
  run->what.host_threads = how.host_threads;
  run->what.schedule_seed = how.schedule_seed;
  run->what.instruction_limit = how.instruction_limit;
  run->what.trace = how.trace;
  run->what.drops_lost_stores = !checks_wanted();
  run->what.sampled_blocks = how.sampled_blocks;
  if (is_loaded_by_use(kernel) && any_pending() && stream.capture == nullptr)
    run->lazy_load = {kernel.shown,
                      writes_report() ? frames_of(host_backtrace()) : std::vector<std::string>{},
                      blocked_on_caller(d)};
  submit(stream, [run](CUstream_st& on) { execute(run, on); });
}

}  // namespace sim::cudart

using namespace sim::cudart;

extern "C" {

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, CUstream_st* stream) {
  call_configurations().push_back({grid, block, shared, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  auto& stack = call_configurations();
  if (stack.empty()) return last_error() = cudaErrorMissingConfiguration;
  const PendingLaunch top = stack.back();
  stack.pop_back();
  *grid = top.grid;
  *block = top.block;
  *shared = top.shared;
  *static_cast<cudaStream_t*>(stream) = top.stream;
  return cudaSuccess;
}

cudaError_t cudaLaunchKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                             std::size_t shared, cudaStream_t stream) {
  return api([&](Device&) {
    launch(registry().kernel(function), {grid, block, shared, stream, false}, arguments);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchCooperativeKernel(const void* function, dim3 grid, dim3 block, void** arguments,
                                        std::size_t shared, cudaStream_t stream) {
  return api([&](Device&) {
    launch(registry().kernel(function), {grid, block, shared, stream, true}, arguments);
    return cudaSuccess;
  });
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* function, void** arguments) {
  return api([&](Device&) {
    require(config);
    launch(registry().kernel(function), request_of(*config), arguments);
    return cudaSuccess;
  });
}

// CUDA 13's objects turn the stub into a handle once and launch by that.
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* function) {
  return api_apart([&](Device&) {
    *kernel = reinterpret_cast<cudaKernel_t>(&registry().kernel(function));
    return cudaSuccess;
  });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               std::size_t shared, cudaStream_t stream) {
  return cudaLaunchKernel(reinterpret_cast<const void*>(kernel), grid, block, arguments, shared, stream);
}

}  // extern "C"
