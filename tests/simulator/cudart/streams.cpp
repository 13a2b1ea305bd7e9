// The modelled clock: streams, events, copies that overlap and copies that do not.
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/cudart/runtime_support.h"

using runtime_test::FreshDevice;

namespace {

constexpr std::size_t kBytes = 64 << 20;

struct Buffers {
  char* device_a = nullptr;
  char* device_b = nullptr;
  char* pinned_a = nullptr;
  char* pinned_b = nullptr;
  std::vector<char> pageable = std::vector<char>(kBytes);
  cudaStream_t one = nullptr, two = nullptr;
  Buffers() {
    for (char** p : {&device_a, &device_b})
      REQUIRE(cudaMalloc(reinterpret_cast<void**>(p), kBytes) == cudaSuccess);
    for (char** p : {&pinned_a, &pinned_b})
      REQUIRE(cudaMallocHost(reinterpret_cast<void**>(p), kBytes) == cudaSuccess);
    REQUIRE(cudaStreamCreate(&one) == cudaSuccess);
    REQUIRE(cudaStreamCreate(&two) == cudaSuccess);
  }
  ~Buffers() {
    cudaStreamDestroy(one);
    cudaStreamDestroy(two);
  }
};

/// Modelled time of some calls and the synchronisation after them, ns.
template <class Calls>
double elapsed(Calls&& calls) {
  cudaDeviceSynchronize();
  const double start = sim::modelled_host_ns();
  calls();
  cudaDeviceSynchronize();
  return sim::modelled_host_ns() - start;
}

}  // namespace

TEST_CASE("page-locked memory copies several times as fast as pageable memory") {
  FreshDevice fresh;
  Buffers b;
  const double pinned = elapsed([&] { cudaMemcpy(b.device_a, b.pinned_a, kBytes, cudaMemcpyHostToDevice); });
  const double pageable =
      elapsed([&] { cudaMemcpy(b.device_a, b.pageable.data(), kBytes, cudaMemcpyHostToDevice); });
  CHECK(pageable > 3 * pinned);
}

TEST_CASE("copies in opposite directions on two streams overlap; in the same direction they queue") {
  FreshDevice fresh;
  Buffers b;
  const double one =
      elapsed([&] { cudaMemcpyAsync(b.device_a, b.pinned_a, kBytes, cudaMemcpyHostToDevice, b.one); });
  const double opposite = elapsed([&] {
    cudaMemcpyAsync(b.device_a, b.pinned_a, kBytes, cudaMemcpyHostToDevice, b.one);
    cudaMemcpyAsync(b.pinned_b, b.device_b, kBytes, cudaMemcpyDeviceToHost, b.two);
  });
  const double same = elapsed([&] {
    cudaMemcpyAsync(b.device_a, b.pinned_a, kBytes, cudaMemcpyHostToDevice, b.one);
    cudaMemcpyAsync(b.device_b, b.pinned_b, kBytes, cudaMemcpyHostToDevice, b.two);
  });
  CHECK(opposite < 1.1 * one);
  CHECK(same > 1.9 * one);
}

TEST_CASE("an asynchronous copy returns at once from page-locked memory and blocks on pageable memory") {
  FreshDevice fresh;
  Buffers b;
  double before = sim::modelled_host_ns();
  cudaMemcpyAsync(b.device_a, b.pinned_a, kBytes, cudaMemcpyHostToDevice, b.one);
  CHECK(sim::modelled_host_ns() - before < 10'000);
  CHECK(cudaStreamQuery(b.one) == cudaErrorNotReady);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK(cudaStreamSynchronize(b.one) == cudaSuccess);
  CHECK(cudaStreamQuery(b.one) == cudaSuccess);
  before = sim::modelled_host_ns();
  cudaMemcpyAsync(b.device_a, b.pageable.data(), kBytes, cudaMemcpyHostToDevice, b.one);
  CHECK(sim::modelled_host_ns() - before > 1'000'000);
}

TEST_CASE("work on the default stream waits for blocking streams but not for non-blocking ones") {
  FreshDevice fresh;
  Buffers b;
  cudaStream_t free_stream;
  REQUIRE(cudaStreamCreateWithFlags(&free_stream, cudaStreamNonBlocking) == cudaSuccess);
  const auto both = [&](cudaStream_t stream) {
    return elapsed([&] {
      cudaMemcpyAsync(b.device_a, b.pinned_a, kBytes, cudaMemcpyHostToDevice, stream);
      cudaMemcpyAsync(b.pinned_b, b.device_b, kBytes, cudaMemcpyDeviceToHost, nullptr);
    });
  };
  CHECK(both(b.one) > 1.8 * both(free_stream));
  cudaStreamDestroy(free_stream);
}

TEST_CASE("events measure the stream's own time and order streams") {
  FreshDevice fresh;
  Buffers b;
  cudaEvent_t start, stop;
  REQUIRE(cudaEventCreate(&start) == cudaSuccess);
  REQUIRE(cudaEventCreate(&stop) == cudaSuccess);
  float ms = -1;
  CHECK(cudaEventElapsedTime(&ms, start, stop) == cudaErrorInvalidResourceHandle);
  cudaEventRecord(start, b.one);
  cudaMemcpyAsync(b.device_a, b.pinned_a, kBytes, cudaMemcpyHostToDevice, b.one);
  cudaEventRecord(stop, b.one);
  CHECK(cudaEventElapsedTime(&ms, start, stop) == cudaErrorNotReady);
  CHECK(cudaEventQuery(stop) == cudaErrorNotReady);
  // The other stream waits: its copy back cannot overlap.
  cudaStreamWaitEvent(b.two, stop, 0);
  cudaMemcpyAsync(b.pinned_b, b.device_b, kBytes, cudaMemcpyDeviceToHost, b.two);
  CHECK(cudaEventSynchronize(stop) == cudaSuccess);
  CHECK(cudaStreamQuery(b.two) == cudaErrorNotReady);
  CHECK(cudaEventElapsedTime(&ms, start, stop) == cudaSuccess);
  const double expected = kBytes / 55.0 * 1e-6;
  CHECK(ms > 0.9 * expected);
  CHECK(ms < 1.2 * expected);
  CHECK(cudaEventDestroy(start) == cudaSuccess);
  CHECK(cudaEventDestroy(start) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("host functions run in their stream's order") {
  FreshDevice fresh;
  std::vector<int> order;
  cudaStream_t stream;
  REQUIRE(cudaStreamCreate(&stream) == cudaSuccess);
  const auto note = [](void* data) { static_cast<std::vector<int>*>(data)->push_back(1); };
  CHECK(cudaLaunchHostFunc(stream, note, &order) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaSuccess);
  CHECK(order == std::vector<int>{1});
  CHECK(cudaStreamDestroy(stream) == cudaSuccess);
  CHECK(cudaStreamSynchronize(stream) == cudaErrorInvalidResourceHandle);
}

TEST_CASE("captured work runs when its graph is launched, each time") {
  FreshDevice fresh;
  Buffers b;
  b.pinned_a[0] = 1;
  b.pinned_b[0] = 0;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaEvent_t fork;
  REQUIRE(cudaEventCreate(&fork) == cudaSuccess);
  REQUIRE(cudaStreamBeginCapture(b.one, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaMemcpyAsync(b.device_a, b.pinned_a, 1, cudaMemcpyHostToDevice, b.one);
  cudaEventRecord(fork, b.one);
  cudaStreamWaitEvent(b.two, fork, 0);
  cudaMemcpyAsync(b.pinned_b, b.device_a, 1, cudaMemcpyDeviceToHost, b.two);
  cudaEventRecord(fork, b.two);  // back to where the capture began
  cudaStreamWaitEvent(b.one, fork, 0);
  REQUIRE(cudaStreamEndCapture(b.one, &graph) == cudaSuccess);
  CHECK(b.pinned_b[0] == 0);
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  for (char value : {5, 6}) {
    b.pinned_a[0] = value;
    CHECK(cudaGraphLaunch(executable, b.one) == cudaSuccess);
    CHECK(cudaStreamSynchronize(b.one) == cudaSuccess);
    CHECK(b.pinned_b[0] == value);
  }
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaErrorInvalidValue);
}

TEST_CASE("a graph built node by node runs in the order of its dependencies") {
  FreshDevice fresh;
  Buffers b;
  b.pinned_a[0] = 9;
  cudaGraph_t graph;
  cudaGraphNode_t back, there;
  REQUIRE(cudaGraphCreate(&graph, 0) == cudaSuccess);
  REQUIRE(cudaGraphAddMemcpyNode1D(&back, graph, nullptr, 0, b.pinned_b, b.device_a, 1,
                                   cudaMemcpyDeviceToHost) == cudaSuccess);
  REQUIRE(cudaGraphAddMemcpyNode1D(&there, graph, nullptr, 0, b.device_a, b.pinned_a, 1,
                                   cudaMemcpyHostToDevice) == cudaSuccess);
#if CUDART_VERSION >= 13000
  REQUIRE(cudaGraphAddDependencies(graph, &there, &back, nullptr, 1) == cudaSuccess);
#else
  REQUIRE(cudaGraphAddDependencies(graph, &there, &back, 1) == cudaSuccess);
#endif
  std::size_t count = 0;
  CHECK(cudaGraphGetNodes(graph, nullptr, &count) == cudaSuccess);
  CHECK(count == 2);
  cudaGraphExec_t executable;
  REQUIRE(cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  CHECK(cudaGraphLaunch(executable, b.one) == cudaSuccess);
  CHECK(b.pinned_b[0] == 9);
  CHECK(cudaGraphExecDestroy(executable) == cudaSuccess);
  CHECK(cudaGraphDestroy(graph) == cudaSuccess);
}

TEST_CASE("prefetched managed memory moves once, at the rate of a prefetch") {
  FreshDevice fresh;
  void* managed = nullptr;
  REQUIRE(cudaMallocManaged(&managed, kBytes, cudaMemAttachGlobal) == cudaSuccess);
  const auto prefetch = [&](bool to_device) {
    return elapsed([&] {
#if CUDART_VERSION >= 13000
      cudaMemLocation where{to_device ? cudaMemLocationTypeDevice : cudaMemLocationTypeHost, 0};
      CHECK(cudaMemPrefetchAsync(managed, kBytes, where, 0, nullptr) == cudaSuccess);
#else
      CHECK(cudaMemPrefetchAsync(managed, kBytes, to_device ? 0 : cudaCpuDeviceId, nullptr) == cudaSuccess);
#endif
    });
  };
  const double first = prefetch(true);
  CHECK(first > kBytes / 56.0);
  CHECK(first < kBytes / 38.0);
  CHECK(prefetch(true) < first / 10);
  CHECK(prefetch(false) > first / 2);
}
