// Work that nothing orders: on two streams, and of the host beside the device.
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <catch2/matchers/catch_matchers_string.hpp>
#include <filesystem>
#include <fstream>

#include "simulator/report/wording/words.h"
#include "tests/simulator/cudart/runtime_support.h"

using Catch::Matchers::ContainsSubstring;
using runtime_test::FreshDevice;
using runtime_test::launch;

namespace {

/// Each thread adds one to a word of a buffer.
constexpr const char* kBody = R"(
.visible .entry overlap_add_one(.param .u64 p)
{
  .reg .b32 %t, %r; .reg .b64 %b, %g;
  ld.param.u64 %b, [p];
  mov.u32 %t, %tid.x;
  mad.wide.u32 %g, %t, 4, %b;
  ld.global.u32 %r, [%g];
  add.u32 %r, %r, 1;
  st.global.u32 [%g], %r;
  ret;
}
)";

/// The kernel with its check build, a buffer, two streams and an event.
struct Overlap {
  FreshDevice fresh;
  runtime_test::PtxModule module{kBody};
  const void* kernel = module.kernel("overlap_add_one");
  int* buffer = nullptr;
  cudaStream_t one = nullptr, two = nullptr;
  cudaEvent_t event = nullptr;

  Overlap() {
    static const bool loaded = [] {
      const auto file =
          std::filesystem::temp_directory_path() / ("overlap-" + std::to_string(::getpid()) + ".ptx");
      std::ofstream(file) << ".version 8.0\n.target sm_75\n.address_size 64\n" << kBody;
      sim::load_check_build(file.string());
      return std::filesystem::remove(file);
    }();
    REQUIRE(loaded);
    REQUIRE(cudaMalloc(reinterpret_cast<void**>(&buffer), 256) == cudaSuccess);
    REQUIRE(cudaMemset(buffer, 0, 256) == cudaSuccess);
    REQUIRE(cudaStreamCreate(&one) == cudaSuccess);
    REQUIRE(cudaStreamCreate(&two) == cudaSuccess);
    REQUIRE(cudaEventCreate(&event) == cudaSuccess);
    cudaDeviceSynchronize();
  }
  void run(cudaStream_t stream, int* on) { launch(kernel, 1, 32, 0, stream, on); }
  std::vector<sim::Finding> found() {
    cudaDeviceSynchronize();
    return sim::take_findings();
  }
};

}  // namespace

TEST_CASE("kernels on two streams that change one buffer race, and the buffer is named") {
  Overlap o;
  o.run(o.one, o.buffer);
  o.run(o.two, o.buffer);
  const auto found = o.found();
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].space == sim::MemorySpace::global);
  CHECK(found[0].severity == sim::Severity::error);
  REQUIRE(found[0].other);
  CHECK_THAT(sim::operand_in_words(found[0]), ContainsSubstring("256 bytes from cudaMalloc"));
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("on another stream"));
  CHECK_THAT(to_string(found[0].cure), ContainsSubstring("cudaStreamWaitEvent"));
}

TEST_CASE("an event, a wait of the host, one stream, or other bytes: no race") {
  Overlap o;
  o.run(o.one, o.buffer);
  cudaEventRecord(o.event, o.one);
  cudaStreamWaitEvent(o.two, o.event, 0);
  o.run(o.two, o.buffer);
  CHECK(o.found().empty());
  o.run(o.one, o.buffer);
  cudaStreamSynchronize(o.one);
  o.run(o.two, o.buffer);
  CHECK(o.found().empty());
  o.run(o.one, o.buffer);
  o.run(o.one, o.buffer);
  CHECK(o.found().empty());
  o.run(o.one, o.buffer);
  o.run(o.two, o.buffer + 32);
  CHECK(o.found().empty());
}

TEST_CASE("a stream does not wait for an event that was never recorded") {
  Overlap o;
  o.run(o.one, o.buffer);
  cudaStreamWaitEvent(o.two, o.event, 0);
  o.run(o.two, o.buffer);
  CHECK(o.found().size() == 1);
}

TEST_CASE("a host that reads managed memory before the kernel is done is told, in words without marks") {
  Overlap o;
  int* shared = nullptr;
  REQUIRE(cudaMallocManaged(reinterpret_cast<void**>(&shared), 4096, cudaMemAttachGlobal) == cudaSuccess);
  for (int i = 0; i < 1024; ++i) shared[i] = 0;
  launch(o.kernel, 1, 1024, 0, o.one, shared);  // whole pages, which can be guarded
  const volatile int early = shared[0];
  const auto found = o.found();
  CHECK(early == 1);  // the simulator does the work at once; a GPU may not have
  REQUIRE(found.size() == 1);
  CHECK(found[0].kind == sim::FindingKind::race);
  CHECK(found[0].access == sim::AccessKind::read);
  CHECK_THAT(sim::sentence(found[0]), ContainsSubstring("while kernel overlap_add_one, which writes it,"));
  CHECK(found[0].host_frames.empty());
  launch(o.kernel, 1, 1024, 0, o.one, shared);
  cudaDeviceSynchronize();
  const volatile int late = shared[0];
  CHECK(late == 2);
  CHECK(o.found().empty());
}

TEST_CASE(
    "who goes on on the host is told of copies that no wait of the host comes after, whatever the stream") {
  Overlap o;
  int* pinned = nullptr;
  REQUIRE(cudaMallocHost(reinterpret_cast<void**>(&pinned), 256) == cudaSuccess);
  const auto copy_out = [&](cudaStream_t stream) {
    REQUIRE(cudaMemcpyAsync(pinned, o.buffer, 128, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  };
  o.run(o.one, o.buffer);
  copy_out(o.one);
  copy_out(o.two);
  (void)sim::take_findings();  // the two streams race as well
  REQUIRE(cudaStreamSynchronize(o.two) == cudaSuccess);
  // The default stream waits for a stream of cudaStreamCreate(), the host does not.
  CHECK(!sim::work_not_waited_for());
  const auto early = sim::work_not_waited_for(true);
  REQUIRE(early);
  CHECK(early->kind == sim::FindingKind::race);
  CHECK(early->space == sim::MemorySpace::host);
  CHECK(early->severity == sim::Severity::error);
  CHECK_THAT(sim::sentence(*early),
             ContainsSubstring("returned while cudaMemcpyAsync was under way, which writes"));
  CHECK_THAT(to_string(early->cure), ContainsSubstring("cudaDeviceSynchronize()"));
  REQUIRE(cudaStreamSynchronize(o.one) == cudaSuccess);
  CHECK(!sim::work_not_waited_for(true));
  // Work on device memory alone may go on.
  o.run(o.one, o.buffer);
  CHECK(!sim::work_not_waited_for(true));
  REQUIRE(cudaFreeHost(pinned) == cudaSuccess);
  CHECK(o.found().empty());
}
