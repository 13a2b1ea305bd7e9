#include "simulator/cudart/report/open_objects.h"

#include <algorithm>
#include <array>
#include <unordered_map>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/report/host_backtrace.h"
#include "simulator/cudart/report/leaks.h"
#include "simulator/telemetry.h"

namespace sim::cudart {
namespace {

/// How the program makes objects of a kind and gives them back. Of memory first, then in the order of Object.
struct ObjectKind {
  const char *made_by, *given_back_by;
};
constexpr std::size_t kOfMemory = 4;
constexpr std::array<ObjectKind, kOfMemory + 7> kObjects{
    {{"cudaMalloc()", "cudaFree()"},
     {"cudaMallocManaged()", "cudaFree()"},
     {"cudaMallocHost()", "cudaFreeHost()"},
     {"cudaHostRegister()", "cudaHostUnregister()"},
     {"cudaGraphCreate() or a capture", "cudaGraphDestroy()"},
     {"cudaGraphInstantiate()", "cudaGraphExecDestroy()"},
     {"cudaStreamCreate()", "cudaStreamDestroy()"},
     {"cudaEventCreate()", "cudaEventDestroy()"},
     {"cudaMemPoolCreate()", "cudaMemPoolDestroy()"},
     {"cudaCreateTextureObject()", "cudaDestroyTextureObject()"},
     {"cudaCreateSurfaceObject()", "cudaDestroySurfaceObject()"}}};

struct Made {
  std::uint64_t order;
  HostBacktrace place;
};
using Open = std::unordered_map<std::uint64_t, Made>;  ///< by handle

Open& open(std::size_t kind) {
  static auto& all = *new std::array<Open, kObjects.size() - kOfMemory>;
  return all[kind - kOfMemory];
}

std::size_t kind_of(const memory::Allocation& a) {
  using memory::Kind;
  return a.registered ? 3 : a.kind == Kind::device ? 0 : a.kind == Kind::managed ? 1 : 2;
}

/// Calls @p see(allocation) for memory that the program asked for; variables of modules come by themselves.
template <class See>
void each_allocation(const Device& d, See see) {
  for (const memory::Allocation* a : d.space.live())
    if (a->kind != memory::Kind::symbol) see(*a);
}

/// Where the newest object of a kind was made; null where that is not known.
const HostBacktrace* newest(const Device& d, std::size_t kind) {
  if (kind < kOfMemory) {
    const memory::Allocation* last = nullptr;
    each_allocation(d, [&](const memory::Allocation& a) {  // addresses only grow
      if (kind_of(a) == kind && (last == nullptr || a.base > last->base)) last = &a;
    });
    return last != nullptr && !last->registered ? allocation_backtrace(*last) : nullptr;
  }
  const auto last = std::max_element(open(kind).begin(), open(kind).end(), [](const auto& a, const auto& b) {
    return a.second.order < b.second.order;
  });
  return last != open(kind).end() ? &last->second.place : nullptr;
}

}  // namespace

void opened(Object kind, std::uint64_t handle) {
  static std::uint64_t order = 0;
  open(kOfMemory + std::size_t(kind))[handle] = {++order, host_backtrace()};
}
void closed(Object kind, std::uint64_t handle) { open(kOfMemory + std::size_t(kind)).erase(handle); }

}  // namespace sim::cudart

namespace sim {

std::vector<OpenObjects> open_objects() {
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  std::vector<OpenObjects> all;
  for (const cudart::ObjectKind& kind : cudart::kObjects) all.push_back({kind.made_by, kind.given_back_by});
  cudart::each_allocation(d, [&](const memory::Allocation& a) {
    OpenObjects& of = all[cudart::kind_of(a)];
    ++of.count;
    of.bytes += a.size;
  });
  for (std::size_t i = cudart::kOfMemory; i < all.size(); ++i) all[i].count = cudart::open(i).size();
  return all;
}

void say_where_newest_was_made(Finding& finding, std::size_t kind) {
  cudart::Device& d = cudart::device();
  std::lock_guard hold(d.lock);
  const cudart::HostBacktrace* const place = cudart::newest(d, kind);
  if (place == nullptr) return;
  if (auto line = cudart::line_of(*place)) finding.file = std::move(line->file), finding.line = line->line;
}

}  // namespace sim
