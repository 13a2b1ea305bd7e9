// Kernels that wait for the host: what calls say meanwhile, and what happens when nobody comes.
#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "simulator/report/wording/words.h"
#include "tests/simulator/cudart/runtime_support.h"

using Catch::Matchers::ContainsSubstring;

namespace {

/// Spins until the word at its first parameter is not zero, then writes its second parameter behind it.
constexpr const char* kWait = R"(
.visible .entry wait(.param .u64 at, .param .u32 value) {
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %d<2>;
  ld.param.u64 %d1, [at];
  ld.param.u32 %r2, [value];
$again:
  ld.volatile.global.u32 %r1, [%d1];
  setp.eq.u32 %p, %r1, 0;
  @%p bra $again;
  st.global.u32 [%d1+4], %r2;
  ret;
})";

/// Writes its second parameter to where its first one points.
constexpr const char* kSet = R"(
.visible .entry set(.param .u64 at, .param .u32 value) {
  .reg .b32 %r;
  .reg .b64 %d;
  ld.param.u64 %d, [at];
  ld.param.u32 %r, [value];
  st.volatile.global.u32 [%d], %r;
  ret;
})";

struct Waiting {
  runtime_test::FreshDevice fresh;
  runtime_test::PtxModule module{kWait};
  const void* kernel = module.kernel("wait");
  volatile unsigned* words = nullptr;
  const sim::LaunchSettings before = sim::launch_settings();
  Waiting() {
    REQUIRE(cudaMallocHost(reinterpret_cast<void**>(const_cast<unsigned**>(&words)), 8) == cudaSuccess);
    words[0] = 0;
    words[1] = 0;
    sim::LaunchSettings how = before;
    how.instruction_limit = 300'000;
    sim::configure(how);
  }
  ~Waiting() {
    words[0] = 1;
    sim::configure(before);
  }
  void launch(unsigned value, cudaStream_t stream = nullptr) {
    REQUIRE(runtime_test::launch(kernel, 1, 32, 0, stream, words, value) == cudaSuccess);
  }
};

}  // namespace

TEST_CASE("a kernel that waits for the host goes on once the host has written") {
  Waiting w;
  w.launch(5);
  CHECK(w.words[1] == 0);
  CHECK(cudaStreamQuery(nullptr) == cudaErrorNotReady);
  CHECK(sim::take_kernel_records().empty());
  w.words[0] = 1;
  CHECK(cudaDeviceSynchronize() == cudaSuccess);
  CHECK(w.words[1] == 5);
  CHECK(cudaStreamQuery(nullptr) == cudaSuccess);
  CHECK(sim::take_kernel_records().size() == 1);
  CHECK(sim::take_findings().empty());
}

TEST_CASE("a host that waits for a kernel which waits for the host is told of a hang") {
  Waiting w;
  w.launch(5);
  w.launch(6);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  CHECK_THAT(runtime_test::only_finding(), ContainsSubstring("does not end"));
  CHECK(w.words[1] == 0);
  CHECK(cudaGetLastError() == cudaErrorLaunchTimeout);
}

TEST_CASE("a copy that waits for a kernel which nobody ends fails with it") {
  Waiting w;
  void* device = nullptr;
  REQUIRE(cudaMalloc(&device, 64) == cudaSuccess);
  w.launch(5);
  char bytes[64];
  CHECK(cudaMemcpy(bytes, device, 64, cudaMemcpyDeviceToHost) == cudaErrorLaunchTimeout);
  sim::take_findings();
}

TEST_CASE("a kernel that spins on memory of the device is told at the wait at the latest") {
  Waiting w;
  void* device = nullptr;
  REQUIRE(cudaMalloc(&device, 64) == cudaSuccess);
  REQUIRE(cudaMemset(device, 0, 64) == cudaSuccess);
  REQUIRE(cudaFreeHost(const_cast<unsigned*>(w.words)) == cudaSuccess);
  REQUIRE(runtime_test::launch(w.kernel, 1, 32, 0, nullptr, device, 5u) == cudaSuccess);
  CHECK(cudaDeviceSynchronize() == cudaErrorLaunchTimeout);
  CHECK_THAT(runtime_test::only_finding(), ContainsSubstring("does not end"));
  sim::revive_device();
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(const_cast<unsigned**>(&w.words)), 8) == cudaSuccess);
}

TEST_CASE("work of other streams is done while a kernel waits; that of its own stream is not") {
  Waiting w;
  cudaStream_t own = nullptr, other = nullptr;
  REQUIRE(cudaStreamCreate(&own) == cudaSuccess);
  REQUIRE(cudaStreamCreate(&other) == cudaSuccess);
  unsigned* pinned = nullptr;
  void* device = nullptr;
  REQUIRE(cudaMalloc(&device, 4) == cudaSuccess);
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), 8) == cudaSuccess);
  REQUIRE(cudaMemset(device, 0x11, 4) == cudaSuccess);
  pinned[0] = pinned[1] = 0;
  w.launch(5, own);
  CHECK(cudaMemcpyAsync(pinned, device, 4, cudaMemcpyDeviceToHost, own) == cudaSuccess);
  CHECK(cudaMemcpyAsync(pinned + 1, device, 4, cudaMemcpyDeviceToHost, other) == cudaSuccess);
  CHECK(cudaStreamSynchronize(other) == cudaSuccess);
  CHECK(pinned[0] == 0);
  CHECK(pinned[1] == 0x11111111);
  CHECK(cudaStreamQuery(own) == cudaErrorNotReady);
  w.words[0] = 1;
  CHECK(cudaStreamSynchronize(own) == cudaSuccess);
  CHECK(pinned[0] == 0x11111111);
  REQUIRE(cudaStreamDestroy(own) == cudaSuccess);
  REQUIRE(cudaStreamDestroy(other) == cudaSuccess);
}

TEST_CASE("that only the first launch of another kernel frees one that waits is told: a GPU may hang there") {
  enum class Use { first, asked_about, launched, too_late };
  for (const Use use : {Use::first, Use::asked_about, Use::launched, Use::too_late}) {
    Waiting w;
    runtime_test::PtxModule module(kSet);
    const void* const set = module.kernel("set");
    cudaStream_t own = nullptr, other = nullptr;
    REQUIRE(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking) == cudaSuccess);
    REQUIRE(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) == cudaSuccess);
    cudaFuncAttributes facts;
    if (use == Use::asked_about) REQUIRE(cudaFuncGetAttributes(&facts, set) == cudaSuccess);
    if (use == Use::launched)
      REQUIRE(runtime_test::launch(set, 1, 1, 0, other, w.words + 1, 7u) == cudaSuccess);
    w.launch(5, own);
    std::this_thread::sleep_for(std::chrono::milliseconds(20));  // threads of the cases before have ended
    if (use == Use::too_late) w.words[0] = 1;                    // the host has freed it already
    REQUIRE(runtime_test::launch(set, 1, 1, 0, other, w.words, 1u) == cudaSuccess);
    CHECK(cudaDeviceSynchronize() == cudaSuccess);
    CHECK(w.words[1] == 5);
    const auto found = sim::take_findings();
    INFO(int(use));
    REQUIRE(found.size() == (use == Use::first ? 1 : 0));
    if (use == Use::first) {
      CHECK(found[0].kind == sim::FindingKind::hang);
      CHECK(found[0].severity == sim::Severity::error);
      CHECK_THAT(sim::sentence(found[0]),
                 ContainsSubstring("set is used for the first time while wait is running"));
      CHECK_THAT(to_string(found[0].cure), ContainsSubstring("cudaFuncGetAttributes()"));
    }
    REQUIRE(cudaStreamDestroy(own) == cudaSuccess);
    REQUIRE(cudaStreamDestroy(other) == cudaSuccess);
  }
}
