#include "simulator/runtime/open_objects.h"

#include <array>

#include "simulator/runtime/device.h"
#include "simulator/runtime/graph_handles.h"
#include "simulator/telemetry.h"

namespace sim::runtime {
namespace {

/// How the program makes objects of a kind and gives them back. In the order of Object.
struct ObjectKind {
  const char *made_by, *given_back_by;
};
constexpr std::array<ObjectKind, 5> kObjects{{{"cudaStreamCreate()", "cudaStreamDestroy()"},
                                              {"cudaEventCreate()", "cudaEventDestroy()"},
                                              {"cudaMemPoolCreate()", "cudaMemPoolDestroy()"},
                                              {"cudaCreateTextureObject()", "cudaDestroyTextureObject()"},
                                              {"cudaCreateSurfaceObject()", "cudaDestroySurfaceObject()"}}};

std::array<std::uint64_t, kObjects.size()>& open() {
  static std::array<std::uint64_t, kObjects.size()> counts{};
  return counts;
}

}  // namespace

void opened(Object kind) { ++open()[std::size_t(kind)]; }
void closed(Object kind) { --open()[std::size_t(kind)]; }

}  // namespace sim::runtime

namespace sim {

std::vector<OpenObjects> open_objects() {
  using memory::Kind;
  runtime::Device& d = runtime::device();
  std::lock_guard hold(d.lock);
  std::vector<OpenObjects> all{
      {"cudaMalloc()", "cudaFree()"},
      {"cudaMallocManaged()", "cudaFree()"},
      {"cudaMallocHost()", "cudaFreeHost()"},
      {"cudaHostRegister()", "cudaHostUnregister()"},
      {"cudaGraphCreate() or a capture", "cudaGraphDestroy()", runtime::live_handles<CUgraph_st>().size()},
      {"cudaGraphInstantiate()", "cudaGraphExecDestroy()", runtime::live_handles<CUgraphExec_st>().size()}};
  for (const memory::Allocation* a : d.space.live()) {
    if (a->kind == Kind::symbol) continue;  // variables of modules, which come with their first kernel
    OpenObjects& of = all[a->adopted ? 3 : a->kind == Kind::device ? 0 : a->kind == Kind::managed ? 1 : 2];
    ++of.count;
    of.bytes += a->size;
  }
  for (std::size_t i = 0; i < runtime::kObjects.size(); ++i)
    all.push_back({runtime::kObjects[i].made_by, runtime::kObjects[i].given_back_by, runtime::open()[i]});
  return all;
}

}  // namespace sim
