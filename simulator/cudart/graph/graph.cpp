// Stream capture, and graphs as a whole: made, instantiated, launched.
#include "simulator/cudart/graph/graph.h"
#include "simulator/cudart/report/open_objects.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "simulator/cudart/device/device.h"
#include "simulator/cudart/graph/graph_handles.h"
#include "simulator/cudart/launch/fault_injection.h"
#include "simulator/cudart/stream/deferred_work.h"

namespace sim::cudart {

Graph::~Graph() {
  for (const auto& node : nodes_) live_handles<CUgraphNode_st>().erase(node.get());
}

CUgraphNode_st* Graph::add(Operation operation, cudaGraphNodeType type) {
  nodes_.emplace_back(new CUgraphNode_st{this, std::move(operation), {}, type});
  live_handles<CUgraphNode_st>().insert(nodes_.back().get());
  return nodes_.back().get();
}

void Graph::capture(CUstream_st& stream, Operation operation, cudaGraphNodeType type) {
  require(!invalid_, cudaErrorStreamCaptureInvalidated);
  CUgraphNode_st* fresh = add(std::move(operation), type);
  fresh->after = std::exchange(stream.captured_last, {fresh});
}

void Graph::join(CUstream_st& stream) {
  stream.capture = this;
  capturing_.push_back(&stream);
}

bool Graph::all_joined() const {
  std::set<const CUgraphNode_st*> reached;
  std::vector<const CUgraphNode_st*> open(capturing_.front()->captured_last.begin(),
                                          capturing_.front()->captured_last.end());
  while (!open.empty()) {
    const CUgraphNode_st* node = open.back();
    open.pop_back();
    if (reached.insert(node).second) open.insert(open.end(), node->after.begin(), node->after.end());
  }
  return reached.size() == nodes_.size();
}

void Graph::end_capture() {
  for (CUstream_st* stream : capturing_) {
    stream->capture = nullptr;
    stream->captured_last.clear();
  }
  capturing_.clear();
}

void Graph::remove(CUgraphNode_st* node) {
  for (const auto& other : nodes_) std::erase(other->after, node);
  live_handles<CUgraphNode_st>().erase(node);
  std::erase_if(nodes_, [&](const auto& other) { return other.get() == node; });
}

std::vector<const CUgraphNode_st*> Graph::ordered() const {
  std::vector<const CUgraphNode_st*> order;
  std::set<const CUgraphNode_st*> placed;
  while (order.size() < nodes_.size()) {
    const std::size_t before = order.size();
    for (const auto& node : nodes_) {
      const auto is_placed = [&](const CUgraphNode_st* other) { return placed.contains(other); };
      if (is_placed(node.get()) || !std::all_of(node->after.begin(), node->after.end(), is_placed)) continue;
      order.push_back(node.get());
      placed.insert(node.get());
    }
    require(order.size() > before);
  }
  return order;
}

CUgraph_st& graph_of(cudaGraph_t handle) {
  require(live_handles<CUgraph_st>().contains(handle));
  return *handle;
}

Graph* capture_of(const CUevent_st& event) {
  auto* const graph = static_cast<CUgraph_st*>(event.capture);  // which may be gone
  return live_handles<CUgraph_st>().contains(graph) && graph->capturing() ? graph : nullptr;
}

namespace {

/// The calling thread's own mode: what it lets other captures forbid.
cudaStreamCaptureMode& thread_mode() {
  thread_local cudaStreamCaptureMode current = cudaStreamCaptureModeGlobal;
  return current;
}

}  // namespace

void forbid_beside_captures() {
  if (thread_mode() == cudaStreamCaptureModeRelaxed) return;
  bool forbidden = false;
  for (CUgraph_st* graph : live_handles<CUgraph_st>()) {
    if (!graph->capturing() || graph->mode == cudaStreamCaptureModeRelaxed) continue;
    const bool own = graph->thread == std::this_thread::get_id();
    if (!own && (graph->mode != cudaStreamCaptureModeGlobal || thread_mode() != cudaStreamCaptureModeGlobal))
      continue;
    graph->invalidate();
    forbidden = true;
  }
  require(!forbidden, cudaErrorStreamCaptureUnsupported);
}

namespace {

constexpr double kGraphLaunchNs = 3000;
constexpr double kInstantiateNsPerNode = 1000;

void fill(CUgraphExec_st& executable, const Graph& graph) {
  executable.operations.clear();
  executable.after.clear();
  std::map<const CUgraphNode_st*, std::vector<std::size_t>> places;  // a disabled node's: what it came after
  for (const CUgraphNode_st* node : graph.ordered()) {
    std::vector<std::size_t> after;
    for (const CUgraphNode_st* before : node->after)
      after.insert(after.end(), places[before].begin(), places[before].end());
    if (!node->enabled) {
      places[node] = std::move(after);
      continue;
    }
    places[node] = {executable.operations.size()};
    executable.operations.emplace_back(node, node->operation);
    executable.after.push_back(std::move(after));
  }
}

/// A launch of a graph, and how far it has come.
struct GraphRun {
  const CUgraphExec_st* graph;
  /// Once the launch has to outlast the call: the program may change its own.
  std::optional<CUgraphExec_st> own{};
  double begin = 0, end = 0;
  std::vector<double> done{};

  void keep() { graph = &(own ? *own : own.emplace(*graph)); }
};

/// Executes the operations one after the other; on the modelled clock each begins when those it comes after
/// are done, so branches of the graph overlap as streams do. When a kernel is suspended, all that is left
/// waits for it.
void run_graph(const std::shared_ptr<GraphRun>& run, CUstream_st& on) {
  if (run->done.empty()) run->begin = run->end = on.ready;
  const auto is_done = [run](CUstream_st& stream) {
    run->done.push_back(stream.ready);
    run->end = stream.ready = std::max(run->end, stream.ready);
  };
  while (run->done.size() < run->graph->operations.size()) {
    const std::size_t i = run->done.size();
    on.ready = run->begin;
    for (const std::size_t before : run->graph->after[i]) on.ready = std::max(on.ready, run->done[before]);
    const Operation& operation = run->graph->operations[i].second;
    if (operation && !on.device->failed()) operation(on);
    if (has_suspended()) {
      run->keep();
      run_behind(on, is_done);
      run_behind(on, [run](CUstream_st& stream) { run_graph(run, stream); });
      return;
    }
    is_done(on);
  }
}

}  // namespace
}  // namespace sim::cudart

using namespace sim::cudart;

extern "C" {

cudaError_t cudaStreamBeginCapture(cudaStream_t handle, cudaStreamCaptureMode mode) {
  return api([&](Device& d) {
    CUstream_st& stream = stream_of(handle);
    require(mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed);
    require(&stream != &d.default_stream, cudaErrorStreamCaptureUnsupported);
    require(!stream.capture, cudaErrorIllegalState);
    auto* graph = new CUgraph_st;
    live_handles<CUgraph_st>().insert(graph);
    opened(Object::graph, graph);
    graph->mode = mode;
    graph->thread = std::this_thread::get_id();
    graph->join(stream);
    return cudaSuccess;
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t handle, cudaGraph_t* graph) {
  return api([&](Device&) {
    CUstream_st& stream = stream_of(handle);
    require(graph);
    *graph = nullptr;
    require(stream.capture, cudaErrorIllegalState);
    auto* captured = static_cast<CUgraph_st*>(stream.capture);
    if (!captured->began_on(stream)) {
      captured->invalidate();
      throw ApiError{cudaErrorStreamCaptureUnmatched};
    }
    const cudaError_t code = captured->invalid()      ? cudaErrorStreamCaptureInvalidated
                             : captured->all_joined() ? cudaSuccess
                                                      : cudaErrorStreamCaptureUnjoined;
    captured->end_capture();
    if (code == cudaSuccess) {
      *graph = captured;
    } else {
      live_handles<CUgraph_st>().erase(captured);
      closed(Object::graph, captured);
      delete captured;
    }
    return code;
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t handle, cudaStreamCaptureStatus* status) {
  return api([&](Device&) {
    require(status);
    const Graph* graph = stream_of(handle).capture;
    *status = !graph             ? cudaStreamCaptureStatusNone
              : graph->invalid() ? cudaStreamCaptureStatusInvalidated
                                 : cudaStreamCaptureStatusActive;
    return cudaSuccess;
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return api([&](Device&) {
    require(mode);
    std::swap(*mode, thread_mode());
    return cudaSuccess;
  });
}

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return api_apart([&](Device&) {
    require(graph && flags == 0);
    *graph = new CUgraph_st;
    live_handles<CUgraph_st>().insert(*graph);
    opened(Object::graph, *graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return api_apart([&](Device&) {
    require(live_handles<CUgraph_st>().erase(graph) == 1);
    closed(Object::graph, graph);
    delete graph;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t handle,
                                          unsigned long long flags) {
  return api([&](Device& d) {
    constexpr unsigned long long kKnown =
        cudaGraphInstantiateFlagAutoFreeOnLaunch | cudaGraphInstantiateFlagUpload |
        cudaGraphInstantiateFlagDeviceLaunch | cudaGraphInstantiateFlagUseNodePriority;
    require(executable && (flags & ~kKnown) == 0);
    may_fail("cudaGraphInstantiate");
    const CUgraph_st& graph = graph_of(handle);
    d.clock.host_spends(kInstantiateNsPerNode * double(graph.nodes().size()));
    auto fresh = std::make_unique<CUgraphExec_st>();
    fill(*fresh, graph);
    fresh->flags = flags;
    *executable = fresh.release();
    live_handles<CUgraphExec_st>().insert(*executable);
    opened(Object::executable_graph, *executable);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(executable, graph, flags);
}

/// Takes the parameters of a graph of the same shape.
cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t handle,
                                cudaGraphExecUpdateResultInfo* info) {
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().contains(executable) && info);
    const CUgraph_st& graph = graph_of(handle);
    *info = {};
    const bool same = graph.nodes().size() == executable->operations.size();
    info->result = same ? cudaGraphExecUpdateSuccess : cudaGraphExecUpdateErrorTopologyChanged;
    if (!same) return cudaErrorGraphExecUpdateFailure;
    fill(*executable, graph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t handle) {
  return api([&](Device& d) {
    require(live_handles<CUgraphExec_st>().contains(executable));
    may_fail("cudaGraphLaunch", true);
    d.clock.host_spends(kGraphLaunchNs);
    CUstream_st& stream = stream_of(handle);
    const bool later = must_defer(stream) || stream.capture != nullptr;
    const auto launch = [executable, own = later ? std::make_shared<CUgraphExec_st>(*executable)
                                                 : nullptr](CUstream_st& on) {
      run_graph(std::make_shared<GraphRun>(GraphRun{own ? own.get() : executable}), on);
    };
    submit(stream, launch, cudaGraphNodeTypeGraph);
    return cudaSuccess;
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t) {
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().contains(executable));
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().contains(executable) && flags);
    *flags = executable->flags;
    return cudaSuccess;
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return api([&](Device&) {
    require(live_handles<CUgraphExec_st>().erase(executable) == 1);
    closed(Object::executable_graph, executable);
    delete executable;
    return cudaSuccess;
  });
}

}  // extern "C"
