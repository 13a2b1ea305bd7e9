// Stream capture, and graphs built, looked at and copied.
#include <catch2/catch_test_macros.hpp>
#include <vector>

#include "tests/simulator/cudart/runtime_support.h"

using runtime_test::FreshDevice;

extern "C" cudaError_t cudaMemsetAsync_ptsz(void*, int, std::size_t, cudaStream_t);
extern "C" cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t, cudaStreamCaptureMode);
extern "C" cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t, cudaGraph_t*);

namespace {

struct Streams {
  FreshDevice fresh;
  cudaStream_t one, two;
  cudaEvent_t event;
  char* bytes;
  cudaGraph_t graph = nullptr;
  Streams() {
    REQUIRE(cudaStreamCreate(&one) == cudaSuccess);
    REQUIRE(cudaStreamCreate(&two) == cudaSuccess);
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&bytes), 64) == cudaSuccess);
  }
  ~Streams() {
    if (graph) cudaGraphDestroy(graph);
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
    cudaEventDestroy(event);
  }
  char first_byte() const {
    char byte = 0;
    cudaMemcpy(&byte, bytes, 1, cudaMemcpyDeviceToHost);
    return byte;
  }
};

std::size_t edges(cudaGraph_t graph) {
  std::size_t count = 0;
  REQUIRE(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count) == cudaSuccess);
  return count;
}

std::size_t roots(cudaGraph_t graph) {
  std::size_t count = 0;
  REQUIRE(cudaGraphGetRootNodes(graph, nullptr, &count) == cudaSuccess);
  return count;
}

}  // namespace

TEST_CASE("a captured graph has the nodes and edges that streams and events say") {
  Streams s;
  REQUIRE(cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaMemsetAsync(s.bytes, 1, 8, s.one);
  cudaEventRecord(s.event, s.one);
  cudaStreamWaitEvent(s.two, s.event, 0);
  cudaMemsetAsync(s.bytes + 8, 2, 8, s.one);
  cudaMemsetAsync(s.bytes + 16, 3, 8, s.two);
  cudaEventRecord(s.event, s.two);
  cudaStreamWaitEvent(s.one, s.event, 0);
  cudaMemsetAsync(s.bytes + 24, 4, 8, s.one);
  REQUIRE(cudaStreamEndCapture(s.one, &s.graph) == cudaSuccess);
  std::size_t count = 0;
  REQUIRE(cudaGraphGetNodes(s.graph, nullptr, &count) == cudaSuccess);
  CHECK(count == 4);
  CHECK(edges(s.graph) == 4);
  CHECK(roots(s.graph) == 1);
  std::vector<cudaGraphNode_t> nodes(count);
  REQUIRE(cudaGraphGetNodes(s.graph, nodes.data(), &count) == cudaSuccess);
  cudaGraphNodeType type;
  REQUIRE(cudaGraphNodeGetType(nodes[0], &type) == cudaSuccess);
  CHECK(type == cudaGraphNodeTypeMemset);
}

TEST_CASE("a capture that some stream did not come back from is refused") {
  Streams s;
  REQUIRE(cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaMemsetAsync(s.bytes, 1, 8, s.one);
  cudaEventRecord(s.event, s.one);
  cudaStreamWaitEvent(s.two, s.event, 0);
  cudaMemsetAsync(s.bytes, 2, 8, s.two);
  CHECK(cudaStreamEndCapture(s.one, &s.graph) == cudaErrorStreamCaptureUnjoined);
  CHECK(s.graph == nullptr);
}

TEST_CASE("a capture ends on the stream that it began on, or is lost") {
  Streams s;
  REQUIRE(cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaEventRecord(s.event, s.one);
  cudaStreamWaitEvent(s.two, s.event, 0);
  CHECK(cudaStreamEndCapture(s.two, &s.graph) == cudaErrorStreamCaptureUnmatched);
  CHECK(cudaStreamEndCapture(s.one, &s.graph) == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("a call that waits, or the legacy stream, ends a capture with an error") {
  Streams s;
  const auto begin = [&] {
    REQUIRE(cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal) == cudaSuccess);
  };
  begin();
  CHECK(cudaStreamSynchronize(s.one) == cudaErrorStreamCaptureUnsupported);
  CHECK(cudaMemsetAsync(s.bytes, 1, 8, s.one) == cudaErrorStreamCaptureInvalidated);
  CHECK(cudaStreamEndCapture(s.one, &s.graph) == cudaErrorStreamCaptureInvalidated);
  begin();
  CHECK(cudaMemset(s.bytes, 1, 8) == cudaErrorStreamCaptureImplicit);
  CHECK(cudaStreamEndCapture(s.one, &s.graph) == cudaErrorStreamCaptureInvalidated);
}

TEST_CASE("a graph within a graph runs with it, and a copy has the same shape") {
  Streams s;
  cudaGraph_t child, clone;
  cudaGraphNode_t first, second, inner;
  REQUIRE(cudaGraphCreate(&s.graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphCreate(&child, 0) == cudaSuccess);
  cudaMemsetParams fill{};
  fill.dst = s.bytes;
  fill.elementSize = 1;
  fill.width = 8;
  fill.height = 1;
  fill.value = 5;
  REQUIRE(cudaGraphAddMemsetNode(&inner, child, nullptr, 0, &fill) == cudaSuccess);
  REQUIRE(cudaGraphAddEmptyNode(&first, s.graph, nullptr, 0) == cudaSuccess);
  REQUIRE(cudaGraphAddChildGraphNode(&second, s.graph, &first, 1, child) == cudaSuccess);
  cudaGraphNodeType type;
  REQUIRE(cudaGraphNodeGetType(second, &type) == cudaSuccess);
  CHECK(type == cudaGraphNodeTypeGraph);
  REQUIRE(cudaGraphClone(&clone, s.graph) == cudaSuccess);
  CHECK(edges(clone) == 1);
  cudaGraphExec_t executable;
  REQUIRE(cudaGraphInstantiate(&executable, clone, 0) == cudaSuccess);
  REQUIRE(cudaGraphLaunch(executable, s.one) == cudaSuccess);
  CHECK(cudaStreamSynchronize(s.one) == cudaSuccess);
  CHECK(s.first_byte() == 5);
  CHECK(cudaGraphDestroyNode(first) == cudaSuccess);
  CHECK(edges(s.graph) == 0);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(child);
  cudaGraphDestroy(clone);
}

TEST_CASE("where the default stream is each thread's own, it can be captured") {
  Streams s;
  CHECK(cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaErrorStreamCaptureUnsupported);
  REQUIRE(cudaStreamBeginCapture_ptsz(nullptr, cudaStreamCaptureModeGlobal) == cudaSuccess);
  CHECK(cudaMemsetAsync_ptsz(s.bytes, 1, 8, nullptr) == cudaSuccess);
  REQUIRE(cudaStreamEndCapture_ptsz(nullptr, &s.graph) == cudaSuccess);
  CHECK(roots(s.graph) == 1);
}

TEST_CASE("branches of a graph overlap on the modelled clock as streams do") {
  Streams s;
  constexpr std::size_t kBytes = 16 << 20;
  char *in = nullptr, *out = nullptr, *there = nullptr;
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&in), kBytes) == cudaSuccess);
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&out), kBytes) == cudaSuccess);
  REQUIRE(cudaMalloc(reinterpret_cast<void**>(&there), 2 * kBytes) == cudaSuccess);
  // Copies in opposite directions, side by side (both) or the second after the first.
  const auto modelled_ns = [&](bool fork) {
    REQUIRE(cudaStreamBeginCapture(s.one, cudaStreamCaptureModeGlobal) == cudaSuccess);
    if (fork) cudaEventRecord(s.event, s.one);
    cudaMemcpyAsync(there, in, kBytes, cudaMemcpyHostToDevice, s.one);
    if (!fork) cudaEventRecord(s.event, s.one);
    cudaStreamWaitEvent(s.two, s.event, 0);
    cudaMemcpyAsync(out, there + kBytes, kBytes, cudaMemcpyDeviceToHost, s.two);
    cudaEventRecord(s.event, s.two);
    cudaStreamWaitEvent(s.one, s.event, 0);
    REQUIRE(cudaStreamEndCapture(s.one, &s.graph) == cudaSuccess);
    cudaGraphExec_t executable = nullptr;
    REQUIRE(cudaGraphInstantiate(&executable, s.graph, 0) == cudaSuccess);
    cudaGraphDestroy(s.graph);
    s.graph = nullptr;
    const double before = sim::modelled_host_ns();
    REQUIRE(cudaGraphLaunch(executable, s.one) == cudaSuccess);
    REQUIRE(cudaStreamSynchronize(s.one) == cudaSuccess);
    cudaGraphExecDestroy(executable);
    return sim::modelled_host_ns() - before;
  };
  const double in_turn = modelled_ns(false), side_by_side = modelled_ns(true);
  CHECK(side_by_side < 0.6 * in_turn);
  CHECK(side_by_side > 0.4 * in_turn);
  cudaFreeHost(in);
  cudaFreeHost(out);
  cudaFree(there);
}

TEST_CASE("a graph is built of nodes of any kind by one call, and its nodes are changed by one") {
  Streams s;
  int called = 0;
  REQUIRE(cudaGraphCreate(&s.graph, 0) == cudaSuccess);
  cudaGraphNodeParams fill{};
  fill.type = cudaGraphNodeTypeMemset;
  fill.memset.dst = s.bytes;
  fill.memset.value = 5;
  fill.memset.elementSize = 1;
  fill.memset.width = 64;
  fill.memset.height = 1;
  cudaGraphNode_t first, second, third;
  REQUIRE(cudaGraphAddNode(&first, s.graph, nullptr, nullptr, 0, &fill) == cudaSuccess);
  cudaGraphNodeParams call{};
  call.type = cudaGraphNodeTypeHost;
  call.host.fn = [](void* count) { ++*static_cast<int*>(count); };
  call.host.userData = &called;
  REQUIRE(cudaGraphAddNode(&second, s.graph, &first, nullptr, 1, &call) == cudaSuccess);
  char host[64] = {};
  cudaGraphNodeParams copy{};
  copy.type = cudaGraphNodeTypeMemcpy;
  copy.memcpy.copyParams.srcPtr = {s.bytes, 64, 64, 1};
  copy.memcpy.copyParams.dstPtr = {host, 64, 64, 1};
  copy.memcpy.copyParams.extent = {64, 1, 1};
  copy.memcpy.copyParams.kind = cudaMemcpyDeviceToHost;
  REQUIRE(cudaGraphAddNode(&third, s.graph, &first, nullptr, 1, &copy) == cudaSuccess);

  std::size_t count = 0;
  CHECK(cudaGraphNodeGetDependentNodes(first, nullptr, nullptr, &count) == cudaSuccess);
  CHECK(count == 2);
  cudaMemsetParams asked{};
  CHECK(cudaGraphMemsetNodeGetParams(first, &asked) == cudaSuccess);
  CHECK((asked.dst == s.bytes && asked.value == 5 && asked.width == 64));
  CHECK(cudaGraphHostNodeGetParams(first, nullptr) == cudaErrorInvalidValue);

  cudaGraph_t clone = nullptr;
  cudaGraphNode_t twin = nullptr;
  CHECK(cudaGraphClone(&clone, s.graph) == cudaSuccess);
  CHECK(cudaGraphNodeFindInClone(&twin, third, clone) == cudaSuccess);
  cudaGraphNodeType type{};
  CHECK(cudaGraphNodeGetType(twin, &type) == cudaSuccess);
  CHECK(type == cudaGraphNodeTypeMemcpy);
  CHECK(cudaGraphDestroy(clone) == cudaSuccess);

  cudaGraphExec_t ready = nullptr;
  cudaGraphInstantiateParams how{};
  REQUIRE(cudaGraphInstantiateWithParams(&ready, s.graph, &how) == cudaSuccess);
  CHECK(how.result_out == cudaGraphInstantiateSuccess);
  CHECK(cudaGraphLaunch(ready, s.one) == cudaSuccess);
  CHECK(cudaStreamSynchronize(s.one) == cudaSuccess);
  CHECK((called == 1 && host[0] == 5 && host[63] == 5));

  fill.memset.value = 9;
  CHECK(cudaGraphExecNodeSetParams(ready, first, &fill) == cudaSuccess);
  CHECK(cudaGraphLaunch(ready, s.one) == cudaSuccess);
  CHECK(cudaStreamSynchronize(s.one) == cudaSuccess);
  CHECK((called == 2 && host[0] == 9));
  CHECK(cudaGraphExecDestroy(ready) == cudaSuccess);

  CHECK(cudaGraphNodeSetParams(first, &call) == cudaErrorInvalidValue);  // of another kind
  CHECK(cudaGraphNodeSetParams(first, &fill) == cudaSuccess);
  CHECK(cudaGraphMemsetNodeGetParams(first, &asked) == cudaSuccess);
  CHECK(asked.value == 9);
  CHECK(cudaGraphRemoveDependencies(s.graph, &first, &third, nullptr, 1) == cudaSuccess);
  CHECK(edges(s.graph) == 1);
  CHECK(cudaGraphRemoveDependencies(s.graph, &first, &third, nullptr, 1) == cudaErrorInvalidValue);
  cudaGetLastError();
}

TEST_CASE("a graph's own memory has one address in every launch and is gone with the graph") {
  Streams s;
  REQUIRE(cudaGraphCreate(&s.graph, 0) == cudaSuccess);
  cudaMemAllocNodeParams memory{};
  memory.poolProps.allocType = cudaMemAllocationTypePinned;
  memory.poolProps.location.type = cudaMemLocationTypeDevice;
  memory.bytesize = 4096;
  cudaGraphNode_t made, filled, copied, freed;
  REQUIRE(cudaGraphAddMemAllocNode(&made, s.graph, nullptr, 0, &memory) == cudaSuccess);
  REQUIRE(memory.dptr != nullptr);
  cudaMemsetParams fill{memory.dptr, 0, 3, 1, 4096, 1};
  REQUIRE(cudaGraphAddMemsetNode(&filled, s.graph, &made, 1, &fill) == cudaSuccess);
  REQUIRE(cudaGraphAddMemcpyNode1D(&copied, s.graph, &filled, 1, s.bytes, memory.dptr, 64,
                                   cudaMemcpyDeviceToDevice) == cudaSuccess);
  REQUIRE(cudaGraphAddMemFreeNode(&freed, s.graph, &copied, 1, memory.dptr) == cudaSuccess);
  CHECK(cudaGraphAddMemFreeNode(&freed, s.graph, &copied, 1, &memory) == cudaErrorInvalidValue);
  cudaGraphExec_t ready = nullptr;
  REQUIRE(cudaGraphInstantiate(&ready, s.graph, 0) == cudaSuccess);
  CHECK(cudaGraphDestroy(s.graph) == cudaSuccess);
  s.graph = nullptr;
  for (int launch = 0; launch < 2; ++launch) {
    cudaMemset(s.bytes, 0, 64);
    CHECK(cudaGraphLaunch(ready, s.one) == cudaSuccess);
    CHECK(cudaStreamSynchronize(s.one) == cudaSuccess);
    CHECK(s.first_byte() == 3);
  }
  CHECK(cudaMemset(memory.dptr, 0, 1) == cudaSuccess);
  CHECK(cudaGraphExecDestroy(ready) == cudaSuccess);
  CHECK(cudaMemset(memory.dptr, 0, 1) != cudaSuccess);
  cudaGetLastError();
}

TEST_CASE("a kernel node's parameters are its own, and a node that was destroyed is none") {
  Streams s;
  runtime_test::PtxModule module(R"(
.visible .entry put(.param .u64 to, .param .u8 odd, .param .u32 value) {
  .reg .b64 %rd<2>;
  .reg .b32 %r<2>;
  ld.param.u64 %rd1, [to];
  ld.param.u32 %r1, [value];
  st.global.u32 [%rd1], %r1;
  ret;
})");
  REQUIRE(cudaGraphCreate(&s.graph, 0) == cudaSuccess);
  cudaGraphNode_t node = nullptr, other = nullptr;
  cudaKernelNodeParams params{};
  {
    char* to = s.bytes;
    char odd = 1;
    int value = 7;
    void* values[] = {&to, &odd, &value};
    params.func = const_cast<void*>(module.kernel("put"));
    params.gridDim = params.blockDim = dim3(1);
    params.kernelParams = values;
    REQUIRE(cudaGraphAddKernelNode(&node, s.graph, nullptr, 0, &params) == cudaSuccess);
    to = nullptr, value = 0;
  }
  cudaKernelNodeParams known{};
  REQUIRE(cudaGraphKernelNodeGetParams(node, &known) == cudaSuccess);
  CHECK(*static_cast<char**>(known.kernelParams[0]) == s.bytes);
  CHECK(*static_cast<char*>(known.kernelParams[1]) == 1);
  CHECK(*static_cast<int*>(known.kernelParams[2]) == 7);
  known.gridDim = dim3(2);  // with the values that it has
  REQUIRE(cudaGraphKernelNodeSetParams(node, &known) == cudaSuccess);
  REQUIRE(cudaGraphKernelNodeGetParams(node, &known) == cudaSuccess);
  CHECK(known.gridDim.x == 2);
  CHECK(*static_cast<int*>(known.kernelParams[2]) == 7);

  CHECK(cudaGraphDestroyNode(node) == cudaSuccess);
  CHECK(cudaGraphDestroyNode(node) == cudaErrorInvalidValue);
  CHECK(cudaGraphKernelNodeGetParams(node, &known) == cudaErrorInvalidValue);
  CHECK(cudaGraphAddEmptyNode(&other, s.graph, &node, 1) == cudaErrorInvalidValue);
  cudaGetLastError();
}
