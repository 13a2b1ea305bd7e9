#include "grader/judge/cases/shrink.h"

#include <algorithm>
#include <utility>

#include <catch2/catch_test_macros.hpp>

#include "grader/judge/judge.h"
#include "grader/judge/timing/peaks.h"
#include "grader/judge/timing/statistics.h"

using namespace ladder;

namespace {

Case sized(std::int64_t rows, std::int64_t cols) {
  return {{{"rows", rows}, {"cols", cols}}, "", Case::Use::check};
}
bool any(const Case&) { return true; }
bool near(double a, double b) { return a > b * 0.999 && a < b * 1.001; }

}  // namespace

TEST_CASE("a failing case is shrunk to the smallest that fails") {
  const auto fails = [](const Case& c) { return c["rows"] >= 33 && c["cols"] >= 3; };
  CHECK(shrink(sized(1023, 1025), any, fails, 200).label() == "rows=33, cols=3");
  CHECK(shrink(
            sized(1023, 1025), any, [](const Case&) { return true; }, 200)
            .label() == "rows=1, cols=1");
}

TEST_CASE("shrinking stops when its budget is spent, at a case that fails") {
  int tried = 0;
  const Case smallest = shrink(
      sized(1000, 1000), any,
      [&](const Case& c) {
        ++tried;
        return c["rows"] > 10;
      },
      5);
  CHECK(tried == 5);
  CHECK(smallest["rows"] > 10);
}

TEST_CASE("shrinking keeps to what the contract allows") {
  const auto valid = [](const Case& c) { return c["rows"] % 4 == 0 && c["rows"] > 0; };
  CHECK(shrink(
            sized(64, 1), valid, [](const Case&) { return true; }, 100)["rows"] %
            4 ==
        0);
}

TEST_CASE("a case that fails only as it stands is left as it stands") {
  CHECK(shrink(
            sized(5, 7), any, [](const Case&) { return false; }, 50)
            .label() == "rows=5, cols=7");
}

TEST_CASE("median and quartiles are those of the sorted samples") {
  const Summary summary = summarize({4, 1, 3, 2, 5});
  CHECK(summary.median == 3);
  CHECK(summary.q1 == 2);
  CHECK(summary.q3 == 4);
  CHECK(near(summary.relative_error, 0.2357));  // sqrt(2.5 / 5) / 3
  CHECK(summarize({}).samples == 0);
  CHECK(summarize({1}).relative_error > 1e300);
}

TEST_CASE("timing stops for precision, for time, or for a rung too slow for many samples") {
  const StoppingRule rule;
  Summary summary;
  summary.samples = 9;
  CHECK_FALSE(rule.done(summary, 3));
  summary.samples = 10;
  summary.relative_error = 0.001;
  CHECK_FALSE(rule.done(summary, 0.1));
  CHECK(rule.done(summary, 0.5));
  summary.relative_error = 0.1;
  CHECK_FALSE(rule.done(summary, 1.9));
  CHECK(rule.done(summary, 2.0));
  summary.samples = 3;
  CHECK_FALSE(rule.done(summary, 4.9));
  CHECK(rule.done(summary, 5));
  summary.samples = 2;
  CHECK_FALSE(rule.done(summary, 100));
}

namespace {

struct Sampled {
  Summary summary;
  double seconds = 0;  ///< of all launches, the last one included
  int launches = 0;
};

/// Times a rung whose launches take @p launch_ms and a few per cent more or less, without waiting for them.
Sampled sampled(double launch_ms) {
  Sampled all;
  Sampling sampling;
  const auto batch = [&](int least) {
    std::vector<double> samples;
    double seconds = 0;
    while (static_cast<int>(samples.size()) < least || seconds < 0.06) {
      samples.push_back(launch_ms * (1 + 0.02 * (all.launches++ % 3)));
      seconds += 1e-3 * samples.back() + 1e-4;
    }
    all.seconds += seconds;
    return std::pair(samples, seconds);
  };
  const auto [first, took] = batch(1);
  sampling.warm_up(first, took);
  while (!sampling.done()) {
    const auto [samples, seconds] = batch(sampling.least());
    sampling.add(samples, seconds);
  }
  sampling.verified({launch_ms * (1 + 0.02 * (all.launches++ % 3))});
  all.seconds += 1e-3 * launch_ms;
  all.summary = sampling.summary();
  return all;
}

}  // namespace

TEST_CASE("a rung a thousand times slower than the best is launched three times, and each counts") {
  const Sampled slow = sampled(14'000);
  CHECK(slow.launches == 3);
  CHECK(slow.summary.samples == 3);
  CHECK(near(slow.summary.median, 14'280));  // 14 s, 14.28 s and 14.56 s
  CHECK(near(slow.summary.q1, 14'140));
  CHECK(near(slow.summary.q3, 14'420));
  CHECK(slow.summary.relative_error > StoppingRule{}.wanted_error);  // so it is called unstable
}

TEST_CASE("what a launch takes beside its time is that of the batches, and not of the warm-up") {
  Sampling sampling;
  sampling.warm_up({6'000}, 9);
  CHECK_FALSE(sampling.done());  // one more, and the one that verifies
  sampling.add({6'000}, 6.2);
  CHECK(sampling.done());
  CHECK(near(sampling.beside_ms(), 200));
  sampling.verified({6'000});
  CHECK(sampling.summary().samples == 3);
}

TEST_CASE(
    "timing a rung takes five seconds at most, and one launch more, unless three launches take longer") {
  for (const double launch_ms : {0.01, 1.0, 40.0, 300.0, 499.0, 501.0, 900.0, 1'600.0, 3'000.0}) {
    const Sampled all = sampled(launch_ms);
    CAPTURE(launch_ms, all.seconds, all.launches, all.summary.samples);
    CHECK(all.summary.samples >= 3);
    const bool slow = launch_ms > 500;
    const double launch = 1.05e-3 * launch_ms;
    CHECK(all.seconds < (slow ? std::max(5 + 2 * launch, 3 * launch) : 5 + 4 * launch));
    // What is fast is warmed up and verified by launches that do not count.
    CHECK((all.summary.samples == all.launches) == slow);
  }
}

TEST_CASE("what launches took beside what was said of them is a launch's share of the rest") {
  CHECK(near(beside_ms(0.01, {1, 2, 3}), 4.0 / 3));
  CHECK(beside_ms(0.003, {2, 2}) < -0.49);
}

TEST_CASE("the peak of a mix lies between those measured") {
  Peaks peaks;
  peaks.read = 4000;
  peaks.two_to_one = 3900;
  peaks.copy = 3800;
  peaks.write = 3000;
  CHECK(near(peaks.of_mix(1, 0), 4000));
  CHECK(near(peaks.of_mix(1, 1), 3800));
  CHECK(near(peaks.of_mix(2, 1), 3900));
  CHECK(near(peaks.of_mix(0, 1), 3000));
  CHECK(peaks.of_mix(3, 1) > 3900);
  CHECK(peaks.of_mix(3, 1) < 4000);
  CHECK(peaks.of_mix(0, 0) == 0);
  CHECK(Peaks{}.of_mix(1, 1) == 0);
}

TEST_CASE("a time below the floor is impossible, one at the peak is not") {
  Peaks peaks;
  peaks.read = peaks.two_to_one = peaks.copy = peaks.write = 4000;
  peaks.to_device = peaks.from_device = 50;
  DeviceInfo device;
  device.l2_bytes = 60 << 20;
  const Work work{.bytes_read = 4e9, .bytes_written = 4e9, .flops = 0};  // 2 ms at 4 TB/s
  CHECK(impossible(1.7, work, TimingScope::device, peaks, device));
  CHECK_FALSE(impossible(1.95, work, TimingScope::device, peaks, device));
  // What is written last may still lie in the L2 cache.
  const Work small{.bytes_read = 0, .bytes_written = 50e6, .flops = 0};
  CHECK_FALSE(impossible(0.001, small, TimingScope::device, peaks, device));
  // The link carries both directions at once: 80 ms each way.
  CHECK(impossible(60, work, TimingScope::end_to_end, peaks, device));
  CHECK_FALSE(impossible(81, work, TimingScope::end_to_end, peaks, device));
  CHECK_FALSE(impossible(1e-9, work, TimingScope::device, Peaks{},
                         DeviceInfo{}));  // nothing is known, nobody accused
}

TEST_CASE("the least time is that of the bytes or of the operations, whichever is longer") {
  Peaks peaks;
  peaks.read = peaks.two_to_one = peaks.copy = peaks.write = 4000;
  peaks.to_device = peaks.from_device = 50;
  peaks.fp32 = 60'000;
  peaks.fp64 = 30'000;
  Work work{.bytes_read = 4e9, .bytes_written = 4e9, .flops = 60e9};  // 2 ms at 4 TB/s, 1 ms at 60 TFLOP/s
  CHECK(near(peaks.floor_ms(work, TimingScope::device), 2));
  CHECK(peaks.roof(work, TimingScope::device) == "memory");
  CHECK(peaks.roof(work, TimingScope::end_to_end) == "link");
  work.flops = 600e9;
  CHECK(near(peaks.floor_ms(work, TimingScope::device), 10));
  CHECK(peaks.roof(work, TimingScope::device) == "fp32");
  work.unit = Unit::fp64;
  CHECK(near(peaks.floor_ms(work, TimingScope::device), 20));
  CHECK(peaks.roof(work, TimingScope::device) == "fp64");
  work.unit = Unit::tensor;  // whose peak nobody knows here
  CHECK(near(peaks.floor_ms(work, TimingScope::device), 2));
  CHECK(Peaks{}.roof(work, TimingScope::device).empty());
  work.unit = Unit::warpgroup;
  peaks.warpgroup = 100'000;
  CHECK(near(peaks.floor_ms(work, TimingScope::device), 6));
  CHECK(peaks.roof(work, TimingScope::device) == "warpgroup");
  // Fewer operations than the contract counts may do; fewer bytes may not.
  work.unit = Unit::fp32;
  CHECK_FALSE(impossible(2.5, work, TimingScope::device, peaks, DeviceInfo{}));
}

TEST_CASE("a rung is named on the command line with its module and what it needs") {
  const RungSpec plain = RungSpec::parse("3_padded=/tmp/x=y.so");
  CHECK(plain.name == "3_padded");
  CHECK(plain.module == "/tmp/x=y.so");
  CHECK(plain.needs_major == 0);
  const RungSpec needs = RungSpec::parse("5_tensor=/tmp/a.so@8.0");
  CHECK(needs.module == "/tmp/a.so");
  CHECK(needs.needs_major == 8);
  CHECK_THROWS_AS(RungSpec::parse("=x.so"), std::invalid_argument);
  CHECK_THROWS_AS(RungSpec::parse("x"), std::invalid_argument);
  CHECK_THROWS_AS(RungSpec::parse("x=y.so@new"), std::invalid_argument);
}
