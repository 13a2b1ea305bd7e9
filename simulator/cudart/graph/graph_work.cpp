// A node's work is captured from the ordinary call on a stream of its own.
#include "simulator/cudart/graph/graph_work.h"

#include <algorithm>
#include <cstring>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/launch/launch.h"
#include "simulator/cudart/memory/copy.h"
#include "simulator/cudart/stream/deferred_work.h"

namespace sim::cudart {

CUgraphNode_st captured(const Work& work) {
  Graph graph;
  cudaStream_t stream = nullptr;
  require(cudaStreamCreate(&stream) == cudaSuccess);
  stream->capture = &graph;
  try {
    work(stream);
  } catch (...) {
    stream->capture = nullptr;
    cudaStreamDestroy(stream);
    throw;
  }
  stream->capture = nullptr;
  cudaStreamDestroy(stream);
  if (graph.nodes().empty()) return {};
  return {nullptr, graph.nodes()[0]->operation, {}, graph.nodes()[0]->type};
}

Work launch_of(const cudaKernelNodeParams& p) {
  return [p](cudaStream_t stream) {
    require(p.kernelParams || !p.extra, cudaErrorNotSupported);
    launch(registry().kernel(p.func), {p.gridDim, p.blockDim, p.sharedMemBytes, stream, false},
           p.kernelParams);
  };
}

NodeParams kept(NodeParams params) {
  auto* const kernel = std::get_if<KernelNodeParams>(&params);
  if (kernel == nullptr || kernel->kernelParams == nullptr) return params;
  auto own = std::make_shared<KernelNodeParams::Own>();
  const Kernel& function = registry().kernel(kernel->func);
  const auto parameters = exec::facts(function.module->load().kernel(function.name)).params;
  std::vector<std::size_t> places;
  std::size_t end = 0;
  for (const auto& parameter : parameters) {
    places.push_back((end + parameter.align - 1) / parameter.align * parameter.align);
    end = places.back() + parameter.size;
  }
  own->bytes.resize(end);
  for (std::size_t i = 0; i < places.size(); ++i) {
    own->pointers.push_back(own->bytes.data() + places[i]);
    std::memcpy(own->pointers.back(), kernel->kernelParams[i], parameters[i].size);
  }
  kernel->kernelParams = own->pointers.data();
  kernel->own = std::move(own);
  return params;
}

Work copy_of(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  return [=](cudaStream_t stream) { copy(to, from, bytes, "a graph's copy", kind, stream, false); };
}

Work fill_of(const cudaMemsetParams& params) {
  return [p = params](cudaStream_t stream) {
    const auto byte = static_cast<unsigned char>(p.value);
    const unsigned pattern = p.elementSize == 4   ? byte * 0x01010101u
                             : p.elementSize == 2 ? byte * 0x0101u
                                                  : byte;
    require(p.value == pattern, cudaErrorNotSupported);  // only values whose bytes are equal
    const std::size_t width = p.width * p.elementSize;
    const std::size_t pitch = p.height > 1 ? p.pitch : width;
    fill_pitched({p.dst, pitch, p.height}, byte, {width, p.height, 1}, "a graph's fill", stream);
  };
}

Work copy_of(const cudaMemcpy3DParms& params) {
  return [params](cudaStream_t stream) { require(cudaMemcpy3DAsync(&params, stream) == cudaSuccess); };
}

Work call_of(const cudaHostNodeParams& p) {
  return [p](cudaStream_t stream) { require(cudaLaunchHostFunc(stream, p.fn, p.userData) == cudaSuccess); };
}

Work graph_work_of(const CUgraph_st& graph) {
  std::vector<Operation> operations;
  for (const CUgraphNode_st* node : graph.ordered())
    if (node->operation) operations.push_back(node->operation);
  return [operations = std::move(operations)](cudaStream_t stream) {
    const auto run = [operations](CUstream_st& on) {
      for (const Operation& operation : operations) run_behind(on, operation);
    };
    submit(*stream, run, cudaGraphNodeTypeGraph);
  };
}

Work record_of(cudaEvent_t handle) {
  return [event = &event_of(handle)](cudaStream_t stream) {
    const auto record = [event](CUstream_st& on) {
      if (!is_live(event)) return;
      event->time = on.device->clock.earliest(on);
      event->recorded = true;
    };
    submit(*stream, record, cudaGraphNodeTypeEventRecord);
  };
}

Work wait_of(cudaEvent_t handle) {
  return [event = &event_of(handle)](cudaStream_t stream) {
    const auto wait = [event](CUstream_st& on) {
      if (is_live(event) && event->recorded) on.ready = std::max(on.ready, event->time);
    };
    submit(*stream, wait, cudaGraphNodeTypeWaitEvent);
  };
}

CUgraphNode_st& node_of(cudaGraphNode_t node) {
  require(live_handles<CUgraphNode_st>().contains(node));
  return *node;
}

}  // namespace sim::cudart
