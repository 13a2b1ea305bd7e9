// The axioms on executions that are put together by hand. What they have to say follows from the PTX ISA,
// chapter "Memory Consistency Model": the sections on morally strong operations, patterns, causality order
// and axioms; its litmus tests are among them.
#include <catch2/catch_test_macros.hpp>

#include "tests/simulator/litmus/shapes.h"

using namespace litmus_test;

namespace {

constexpr int x = 0, y = 1;  // locations, and the events that wrote their first values
constexpr Axioms kNone = 0;

/// Message passing in which the flag is seen and the message is not.
Axioms stale_message(const std::vector<std::uint64_t>& blocks, Strength message, Strength writes_flag,
                     Strength reads_flag) {
  Builder b(blocks);
  const int data = b.write(0, x, 1, message);
  const int flag = b.write(0, y, 1, writes_flag);
  b.read(1, y, flag, reads_flag);
  b.read(1, x, x, message);
  b.coherence({data});
  b.coherence({flag});
  return b.broken();
}

/// The same with fences.
Axioms stale_message_behind_fences(const std::vector<std::uint64_t>& blocks, Strength fence) {
  Builder b(blocks);
  const int data = b.write(0, x, 1);
  b.fence(0, fence);
  const int flag = b.write(0, y, 1, relaxed);
  b.read(1, y, flag, relaxed);
  b.fence(1, fence);
  b.read(1, x, x);
  b.coherence({data});
  b.coherence({flag});
  return b.broken();
}

/// Store buffering in which neither thread sees the other's store.
Axioms both_stale(Strength fence, bool ordered, const std::vector<std::uint64_t>& blocks = {0, 1}) {
  Builder b(blocks);
  const int wx = b.write(0, x, 1);
  const int f0 = b.fence(0, fence);
  b.read(0, y, y);
  const int wy = b.write(1, y, 1);
  const int f1 = b.fence(1, fence);
  b.read(1, x, x);
  b.coherence({wx});
  b.coherence({wy});
  if (ordered) b.fence_order(f0, f1);
  return b.broken();
}

}  // namespace

TEST_CASE("a message is seen with its flag where release meets acquire, in scope of each other") {
  CHECK(stale_message({0, 1}, weak, release, acquire) == bit(Axiom::causality));
  CHECK(stale_message({0, 0}, weak, release.of_block(), acquire.of_block()) == bit(Axiom::causality));
}

TEST_CASE("a message may be missed with weak or relaxed flags, or with half a synchronization") {
  CHECK(stale_message({0, 1}, weak, weak, weak) == kNone);
  CHECK(stale_message({0, 1}, relaxed, relaxed, relaxed) == kNone);
  CHECK(stale_message({0, 1}, weak, release, relaxed) == kNone);
  CHECK(stale_message({0, 1}, weak, relaxed, acquire) == kNone);
}

TEST_CASE("a scope that leaves the other thread out synchronizes nothing, on either side") {
  CHECK(stale_message({0, 1}, weak, release.of_block(), acquire) == kNone);
  CHECK(stale_message({0, 1}, weak, release, acquire.of_block()) == kNone);
}

TEST_CASE("fences make patterns of strong accesses around them") {
  CHECK(stale_message_behind_fences({0, 1}, acq_rel) == bit(Axiom::causality));
  CHECK(stale_message_behind_fences({0, 0}, acq_rel.of_block()) == bit(Axiom::causality));
  CHECK(stale_message_behind_fences({0, 1}, acq_rel.of_block()) == kNone);
}

TEST_CASE("only fence.sc forbids store buffering, whichever fence comes first") {
  CHECK(both_stale(acq_rel, false) == kNone);
  CHECK(both_stale(sc, true) == bit(Axiom::causality));
  CHECK(both_stale(sc.of_block(), false) == kNone);  // not morally strong: no order between them
}

TEST_CASE("the order of fences keeps to causality") {
  Builder b({0, 1}, 1);
  const int before = b.fence(0, sc);
  const int flag = b.write(0, x, 1, release);
  b.read(1, x, flag, acquire);
  const int behind = b.fence(1, sc);
  b.coherence({flag});
  SECTION("as it is") {
    b.fence_order(before, behind);
    CHECK(b.broken() == kNone);
  }
  SECTION("against it") {
    b.fence_order(behind, before);
    CHECK((b.broken() & bit(Axiom::fence_sc)) != 0);
  }
}

TEST_CASE("values do not come out of thin air") {
  Builder b({0, 1});
  // Each thread copies what it reads; both reads return the other's copy.
  const int r0 = b.read(0, x, x), w0 = b.write(0, y, 42), r1 = b.read(1, y, w0), w1 = b.write(1, x, 42);
  Execution e = b.execution();
  const auto with = [&](bool first, bool second) {
    Execution copy = e;
    copy.reads_from[std::size_t(r0)] = w1;
    copy.events[std::size_t(r0)].value = 42;
    if (first) copy.events[std::size_t(w0)].depends = only(r0);
    if (second) copy.events[std::size_t(w1)].depends = only(r1);
    copy.coherence.add(x, w1);
    copy.coherence.add(y, w0);
    return broken_axioms(copy);
  };
  CHECK(with(true, true) == bit(Axiom::no_thin_air));
  CHECK(with(true, false) == kNone);
  CHECK(with(false, false) == kNone);
}

TEST_CASE("morally strong reads of one place do not go backwards, weak ones may") {
  for (const Strength s : {relaxed, weak}) {
    Builder b({0, 1}, 1);
    const int w = b.write(0, x, 1, s);
    b.read(1, x, w, s);
    b.read(1, x, x, s);
    b.coherence({w});
    CHECK(b.broken() == (s.strong ? bit(Axiom::sc_per_location) | bit(Axiom::causality) : kNone));
  }
}

TEST_CASE("a thread's own writes keep their order, and are what it reads") {
  Builder b({0}, 1);
  const int first = b.write(0, x, 1), second = b.write(0, x, 2);
  SECTION("the second is the last") {
    b.read(0, x, second);
    b.coherence({first, second});
    CHECK(b.broken() == kNone);
  }
  SECTION("the first is the last") {
    b.coherence({second, first});
    CHECK((b.broken() & bit(Axiom::coherence)) != 0);
  }
  SECTION("the first is read behind the second") {
    b.read(0, x, first);
    b.coherence({first, second});
    CHECK((b.broken() & bit(Axiom::causality)) != 0);
  }
}

TEST_CASE("racing weak writes need no order") {
  Builder b({0, 1}, 1);
  const int one = b.write(0, x, 1), other = b.write(1, x, 2);
  b.coherence({one});
  b.coherence({other});
  CHECK(b.broken() == kNone);
  const Structure s(b.execution().events, b.execution().places);
  const Orders orders(s, b.execution());
  CHECK(data_races(s, orders).holds(one, other));
  CHECK_FALSE(data_races(s, orders).holds(x, one));
}

TEST_CASE("atomics that are morally strong do not lose updates, others may") {
  for (const bool scoped : {true, false}) {
    Builder b({0, 1}, 1);
    const int r0 = b.update(0, x, x, 1), r1 = b.update(1, x, x, 1, scoped ? relaxed : relaxed.of_block());
    if (scoped) {
      b.coherence({r0 + 1, r1 + 1});
    } else {
      b.coherence({r0 + 1});
      b.coherence({r1 + 1});
    }
    CHECK(b.broken() == (scoped ? bit(Axiom::atomicity) : kNone));
  }
}

TEST_CASE("a release is seen through atomics of other threads") {
  for (const bool atomic : {true, false}) {
    Builder b({0, 1, 2});
    const int data = b.write(0, x, 1), flag = b.write(0, y, 1, release);
    int last = 0;
    if (atomic)
      last = b.update(1, y, flag, 2) + 1;
    else
      last = b.write(1, y, 2, relaxed);
    b.read(2, y, last, acquire);
    b.read(2, x, x);
    b.coherence({data});
    b.coherence({flag, last});
    CHECK(b.broken() == (atomic ? bit(Axiom::causality) : kNone));
  }
}

TEST_CASE("a reduction's read begins no acquire pattern") {
  for (const bool reduction : {true, false}) {
    Builder b({0, 1});
    const int data = b.write(0, x, 1), flag = b.write(0, y, 1, release);
    const int r = b.update(1, y, flag, 2);
    b.event(r).reduction = reduction;
    b.fence(1, acq_rel);
    b.read(1, x, x);
    b.coherence({data});
    b.coherence({flag, r + 1});
    CHECK(b.broken() == (reduction ? kNone : bit(Axiom::causality)));
  }
}

TEST_CASE("a barrier orders what is before it and what is behind it") {
  Builder b({0, 0}, 1);
  const int w = b.write(0, x, 1);
  b.barrier(0, Event::Kind::arrive, 7);
  b.barrier(0, Event::Kind::wait, 7);
  b.barrier(1, Event::Kind::arrive, 7);
  const int waits = b.barrier(1, Event::Kind::wait, 7);
  b.read(1, x, x);
  b.coherence({w});
  CHECK(b.broken() == bit(Axiom::causality));
  b.event(waits).barrier = 8;
  CHECK(b.broken() == kNone);
}

TEST_CASE(
    "what the asynchronous proxy reads is known to it behind a fence between the proxies, in its block") {
  const auto stale_copy = [](int fences_in, const std::vector<std::uint64_t>& blocks) {
    Builder b(blocks, 2);
    const int w = b.write(0, x, 1);
    if (fences_in == 0) b.proxy_fence(0);
    const int flag = b.write(0, y, 1, release);
    b.read(1, y, flag, acquire);
    if (fences_in == 1) b.proxy_fence(1);
    const int copy = b.read(1, x, x);
    b.event(copy).proxy = Proxy::async;
    b.coherence({w});
    b.coherence({flag});
    return b.broken();
  };
  CHECK(stale_copy(-1, {0, 1}) == kNone);
  CHECK(stale_copy(0, {0, 1}) == kNone);  // in the writer's block
  CHECK(stale_copy(1, {0, 1}) == bit(Axiom::causality));
  CHECK(stale_copy(0, {0, 0}) == bit(Axiom::causality));
}

TEST_CASE("an asynchronous operation is over when it has been waited for") {
  for (const bool waited : {true, false}) {
    Builder b({0}, 1);
    const int w = b.write(0, x, 1);
    b.event(w).proxy = Proxy::async;
    b.proxy_fence(0);
    b.read(0, x, x);
    b.coherence({w});
    if (!waited) b.event(w).done = 100;
    CHECK(b.broken() == (waited ? bit(Axiom::causality) : kNone));
  }
}
