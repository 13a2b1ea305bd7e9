// Blocks: the same result and counters on any number of host
// threads, and progress when blocks wait for each other.
#include <sys/resource.h>
#include <unistd.h>

#include <catch2/catch_test_macros.hpp>
#include <fstream>
#include <optional>
#include <set>
#include <utility>

#include "tests/simulator/engine/exec_support.h"

using sim::test::Device;
using sim::test::kernel_text;

namespace {

const std::string kTickets = kernel_text(".param .u64 counter, .param .u64 out", R"(
  .reg .b32 %t, %c, %v;
  .reg .b64 %a, %o;
  ld.param.u64 %a, [counter];
  ld.param.u64 %o, [out];
  mov.u32 %c, %ctaid.x;
  mov.u32 %t, %ntid.x;
  mad.lo.u32 %c, %c, %t, %tid.x;
  mad.wide.u32 %o, %c, 4, %o;
  atom.global.add.u32 %v, [%a], 1;
  st.global.u32 [%o], %v;
  ret;)");

// Block b waits until block b + 1 (the last: nobody) has raised its flag: the blocks finish in reverse.
const std::string kReverse = kernel_text(".param .u64 flags", R"(
  .reg .pred %p;
  .reg .b32 %c, %n, %v;
  .reg .b64 %a, %b;
  ld.param.u64 %a, [flags];
  mov.u32 %c, %ctaid.x;
  mov.u32 %n, %nctaid.x;
  mad.wide.u32 %a, %c, 4, %a;
  add.u32 %c, %c, 1;
  setp.eq.u32 %p, %c, %n;
  @%p bra $raise;
$spin:
  ld.volatile.global.u32 %v, [%a+4];
  setp.eq.u32 %p, %v, 0;
  @%p bra $spin;
$raise:
  membar.gl;
  st.volatile.global.u32 [%a], %c;
  ret;)");

}  // namespace

TEST_CASE("atomics whose results are used give the same tickets on any number of host threads") {
  std::vector<unsigned> first;
  for (int host_threads : {1, 2, 5}) {
    Device device(kTickets);
    device.shape.grid = {20, 1, 1};
    device.shape.block = {48, 1, 1};
    device.shape.host_threads = host_threads;
    const auto counter = device.upload(std::vector<unsigned>{0}),
               out = device.upload(std::vector<unsigned>(960));
    device.run("k", counter, out);
    const auto tickets = device.download<unsigned>(out, 960);
    if (first.empty()) first = tickets;
    CHECK(tickets == first);
    CHECK(device.download<unsigned>(counter, 1)[0] == 960);
  }
}

TEST_CASE("a schedule seed changes the order of blocks, the same way each time") {
  const auto tickets = [](std::uint64_t seed) {
    Device device(kTickets);
    device.shape.grid = {20, 1, 1};
    device.shape.block = {48, 1, 1};
    device.shape.schedule_seed = seed;
    const auto counter = device.upload(std::vector<unsigned>{0}),
               out = device.upload(std::vector<unsigned>(960));
    device.run("k", counter, out);
    return device.download<unsigned>(out, 960);
  };
  CHECK(tickets(1) == tickets(1));
  CHECK(tickets(1) != tickets(2));
  CHECK(tickets(0) != tickets(1));
}

TEST_CASE("blocks that wait for later blocks come to an end") {
  Device device(kReverse);
  device.shape.grid = {100, 1, 1};
  const auto flags = device.upload(std::vector<unsigned>(101));
  device.run("k", flags);
  const auto raised = device.download<unsigned>(flags, 100);
  for (unsigned i = 0; i < 100; ++i) CHECK(raised[i] == i + 1);
}

TEST_CASE("counters do not depend on the number of host threads") {
  std::vector<std::uint64_t> seen;
  for (int host_threads : {1, 2, 4}) {
    Device device(kernel_text(".param .u64 p", R"(
  .reg .b32 %c, %v;
  .reg .b64 %a;
  ld.param.u64 %a, [p];
  mov.u32 %c, %ctaid.x;
  mad.lo.u32 %c, %c, 64, %tid.x;
  mad.wide.u32 %a, %c, 12, %a;
  ld.global.u32 %v, [%a];
  red.global.add.u32 [%a], %v;
  ret;)"));
    device.shape.grid = {50, 1, 1};
    device.shape.block = {64, 1, 1};
    device.shape.host_threads = host_threads;
    const auto c = device.run("k", device.upload(std::vector<unsigned>(3 * 3200, 1))).counters;
    seen.push_back(c.global_load_sectors * 1000000 + c.global_atomic_sectors);
    CHECK(c.inst_executed == 100 * 7);
  }
  CHECK(seen[0] == seen[1]);
  CHECK(seen[0] == seen[2]);
}

TEST_CASE("a long ordered kernel of many blocks keeps few of them in memory") {
  // Every block takes a ticket, then works for several slices:
  // it must not open the next block's memory meanwhile.
  Device device(kernel_text(".param .u64 counter, .param .u64 out", R"(
  .reg .pred %p;
  .reg .b32 %v, %i, %c;
  .reg .b64 %a, %o;
  ld.param.u64 %a, [counter];
  ld.param.u64 %o, [out];
  mov.u32 %c, %ctaid.x;
  mad.wide.u32 %o, %c, 4, %o;
  atom.global.add.u32 %v, [%a], 1;
  mov.u32 %i, 0;
$loop:
  st.global.u32 [%o], %v;
  add.u32 %i, %i, 1;
  setp.lt.u32 %p, %i, 5000;
  @%p bra $loop;
  ret;)"));
  device.shape.grid = {200, 1, 1};
  device.shape.dynamic_shared_bytes = 1 << 20;
  const auto counter = device.upload(std::vector<unsigned>{0}),
             out = device.upload(std::vector<unsigned>(200));
  device.run("k", counter, out);
  const auto tickets = device.download<unsigned>(out, 200);
  for (unsigned i = 0; i < 200; ++i) CHECK(tickets[i] == i);
}

TEST_CASE("a block that polls with plain loads lets the block that it waits for begin") {
  // nvcc -G leaves `while (*flag == 0);` as it stands: no volatile tells that blocks wait for each other.
  std::string plain = kReverse;
  for (std::size_t at; (at = plain.find(".volatile")) != plain.npos;) plain.erase(at, 9);
  for (int host_threads : {1, 2}) {
    Device device(plain);
    device.shape.grid = {40, 1, 1};
    device.shape.host_threads = host_threads;
    const auto flags = device.upload(std::vector<unsigned>(41));
    device.run("k", flags);
    const auto raised = device.download<unsigned>(flags, 40);
    for (unsigned i = 0; i < 40; ++i) CHECK(raised[i] == i + 1);
  }
}

TEST_CASE(
    "blocks that wait for their predecessors finish in any order that a seed gives, however many they are") {
  const std::string chain = kernel_text(".param .u64 flags", R"(
  .reg .pred %p;
  .reg .b32 %c, %v;
  .reg .b64 %a;
  ld.param.u64 %a, [flags];
  mov.u32 %c, %ctaid.x;
  mad.wide.u32 %a, %c, 4, %a;
$spin:
  ld.acquire.gpu.global.u32 %v, [%a];
  setp.eq.u32 %p, %v, 0;
  @%p nanosleep.u32 20;
  @%p bra $spin;
  add.u32 %v, %v, 1;
  st.release.gpu.global.u32 [%a+4], %v;
  ret;)");
  for (std::uint64_t seed : {0, 1, 2}) {
    Device device(chain);
    device.shape.grid = {200, 1, 1};
    device.shape.dynamic_shared_bytes = 200 << 10;  // a GPU holds 132
    device.shape.schedule_seed = seed;
    std::vector<unsigned> first(201);
    first[0] = 1;
    const auto flags = device.upload(first);
    device.run("k", flags);
    CHECK(device.download<unsigned>(flags, 201)[200] == 201);
  }
}

namespace {

/// The last word of a program whose blocks all write their
/// number (plain) and add it (atomic) to one place each.
std::pair<unsigned, unsigned> last_and_sum(std::uint64_t seed, int host_threads) {
  Device device(kernel_text(".param .u64 p", R"(
  .reg .b32 %c;
  .reg .b64 %a;
  ld.param.u64 %a, [p];
  mov.u32 %c, %ctaid.x;
  st.global.u32 [%a], %c;
  red.global.add.u32 [%a+4], %c;
  ret;)"));
  device.shape.grid = {100, 1, 1};
  device.shape.schedule_seed = seed;
  device.shape.host_threads = host_threads;
  const auto out = device.upload(std::vector<unsigned>(2));
  device.run("k", out);
  const auto values = device.download<unsigned>(out, 2);
  return {values[0], values[1]};
}

}  // namespace

TEST_CASE("seeds show a race between blocks: the same outcome for one seed, others for other seeds") {
  std::set<unsigned> outcomes;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto [last, sum] = last_and_sum(seed, 1);
    outcomes.insert(last);
    CHECK(sum == 4950);  // what is right does not depend on the order
    for (int host_threads : {2, 4}) CHECK(last_and_sum(seed, host_threads).first == last);
  }
  CHECK(outcomes.size() > 3);
}

TEST_CASE("seeds show a race between the warps of a block") {
  std::set<unsigned> outcomes;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    Device device(kernel_text(".param .u64 p", R"(
  .reg .b32 %t;
  .reg .b64 %a;
  ld.param.u64 %a, [p];
  mov.u32 %t, %tid.x;
  st.global.u32 [%a], %t;
  ret;)"));
    device.shape.block = {256, 1, 1};
    device.shape.schedule_seed = seed;
    const auto out = device.upload(std::vector<unsigned>(1));
    device.run("k", out);
    outcomes.insert(device.download<unsigned>(out, 1)[0]);
  }
  CHECK(outcomes.size() > 2);
}

TEST_CASE("with a seed a block looks at what another has not stored yet") {
  // Block k stores 1 at out[k] after a while; the next one adds what it finds there to 10.
  const auto found = [](std::uint64_t seed) {
    Device device(kernel_text(".param .u64 p", R"(
  .reg .b32 %c, %n, %v;
  .reg .pred %go;
  .reg .b64 %a;
  ld.param.u64 %a, [p];
  mov.u32 %c, %ctaid.x;
  mad.wide.u32 %a, %c, 8, %a;
  mov.u32 %n, 200;
wait:
  sub.u32 %n, %n, 1;
  setp.ne.u32 %go, %n, 0;
  @%go bra wait;
  st.relaxed.gpu.global.u32 [%a+8], 1;
  ld.relaxed.gpu.global.u32 %v, [%a];
  add.u32 %v, %v, 10;
  st.global.u32 [%a+12], %v;
  ret;)"));
    device.shape.grid = {8, 1, 1};
    device.shape.schedule_seed = seed;
    const auto words = device.upload(std::vector<unsigned>(18));
    device.run("k", words);
    const auto all = device.download<unsigned>(words, 18);
    int late = 0;
    for (std::size_t block = 1; block < 8; ++block) late += all[2 * block + 3] == 10;
    return late;
  };
  CHECK(found(0) == 0);
  int late = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) late += found(seed);
  CHECK(late > 0);
}

TEST_CASE("a grid of absurd size costs nothing before it runs") {
  Device device(kernel_text("", "trap;"));
  device.shape.grid = {0x7fffffff, 65535, 65535};
  device.shape.schedule_seed = 1;
  CHECK_THROWS_AS(device.run("k"), sim::exec::Fault);
}

TEST_CASE("a grid that the host has no memory for ends in a finding") {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  SKIP("a sanitizer has more address space than is left to others here");
#endif
  Device device(kernel_text("", "ret;"));
  device.shape.dynamic_shared_bytes = 0xFFFFF000;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  long pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit little = before;
  little.rlim_cur = rlim_t(pages) * rlim_t(::sysconf(_SC_PAGESIZE)) + (rlim_t{1} << 30);
  REQUIRE(::setrlimit(RLIMIT_AS, &little) == 0);
  std::optional<sim::FindingKind> found;
  try {
    device.run("k");
  } catch (const sim::exec::Fault& f) {
    found = f.finding.kind;
  }
  ::setrlimit(RLIMIT_AS, &before);
  CHECK(found == sim::FindingKind::launch);
}
