// Rung 5: a time by events, and a comparison on the CPU.
#pragma once

#include <cmath>
#include <limits>
#include <string>

#include "first_program.h"
#include "judge/exercise.h"

[[gnu::weak]] cudaError_t time_kernel(float*, const float*, int, int, float&);
[[gnu::weak]] int count_wrong(const float*, const float*, int, float);

class Timed : public Exercise {
  static constexpr int kRuns = 10;
  static constexpr float kTolerance = 0.5f;
  static constexpr float kUntouched = -1;  // no time: what `ms` is before the call

  std::vector<Extents> checked() const override {
    std::vector<Extents> all;
    for (const int n : {1, 31, 33, 256, 1025, 99'991}) all.push_back({{"n", n}});
    return all;
  }
  Extents timed(ladder::DeviceKind device) const override {
    return {{"n", device == ladder::DeviceKind::gpu ? 1 << 24 : 1 << 20}};
  }
  bool valid(const ladder::Case& which) const override { return which["n"] >= 1; }
  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<float>("in", {n}), -1000.0f, 1000.0f);
    const auto got = problem.input<float>("got", {n}, ladder::Buffer::Location::host);
    const auto want = problem.input<float>("want", {n}, ladder::Buffer::Location::host);
    random.uniform(want, -1000.0f, 1000.0f);
    for (std::size_t i = 0; i < got.size(); ++i) {
      got[i] = want[i];
      // The first is no NaN: that one is left out shows by a count of others.
      switch (i == 0 ? 1 + random.next() % 7 : random.next() % 8) {
        case 0:
          got[i] = std::numeric_limits<float>::quiet_NaN();
          break;
        case 1:
          got[i] = std::numeric_limits<float>::infinity();
          break;
        case 2:
          got[i] += 2;
          break;
        case 3:
          got[i] -= 2;
          break;
        case 4:
          got[i] += 0.25f;
          break;  // within the tolerance
        default:
          break;
      }
    }
    problem.scalar("tolerance", kTolerance);
    problem.output<float>("out", {n});
    problem.output<int>("wrong", {1}, ladder::Buffer::Location::host);
  }
  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<float>("in"), got = problem.read<float>("got"),
               want = problem.read<float>("want");
    const auto out = problem.expect("out", {.absolute = 0x1p-13, .relative = 0x1p-23});
    const auto wrong = problem.expect("wrong", {});
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = 2.0 * in[i] + 1;
      if (!(std::fabs(got[i] - want[i]) <= kTolerance)) wrong[0] += 1;
    }
  }
  ladder::Work work(const ladder::Case& which) const override {
    const double bytes = (kRuns + 1) * static_cast<double>(which["n"]) * sizeof(float);
    return {.bytes_read = bytes, .bytes_written = bytes, .flops = bytes / 2};
  }
  /// Has events of its own around the call: what the rung has measured cannot be more, nor much less.
  cudaError_t launch(const ladder::Case& which, const ladder::Arguments& arguments) const override {
    static cudaEvent_t start = nullptr, stop = nullptr;
    if (start == nullptr) must(cudaEventCreate(&start)), must(cudaEventCreate(&stop));
    const int n = static_cast<int>(which["n"]);
    float ms = kUntouched, around = 0;
    const float *got = arguments.get<float>("got"), *want = arguments.get<float>("want");
    const int wrong = defined(count_wrong, "count_wrong")(got, want, n, kTolerance);
    must_count_nans(wrong, got, want, n);
    arguments.get<int>("wrong")[0] = wrong;
    must(cudaEventRecord(start));
    const cudaError_t error = defined(time_kernel, "time_kernel")(arguments.get<float>("out"),
                                                                  arguments.get<float>("in"), n, kRuns, ms);
    if (error != cudaSuccess) return error;
    must(cudaEventRecord(stop));
    must(cudaEventSynchronize(stop));
    must(cudaEventElapsedTime(&around, start, stop));
    const std::string figure = std::isnan(ms) ? "NaN" : std::to_string(ms * 1e3f) + " us";
    const std::string told = "time_kernel() says " + figure + " for a run; all of it, a first run and " +
                             std::to_string(kRuns) + " more, took " + std::to_string(around * 1e3f) + " us";
    must_be_a_time(ms, told);
    if (ms * kRuns > around * 1.05f) throw ladder::Objection(told + ". That is more than there was");
    if (n > 1'000'000 && ms * kRuns < around * 0.3f)
      throw ladder::Objection(
          told + ". The two events have less than the runs between them, or the time is not their mean");
    return cudaSuccess;
  }

  /// @throws ladder::Objection where a count has all but the NaNs
  static void must_count_nans(int wrong, const float* got, const float* want, int n) {
    int off = 0, nans = 0;
    for (int i = 0; i < n; ++i) {
      nans += std::isnan(got[i]);
      off += std::fabs(got[i] - want[i]) > kTolerance;
    }
    if (nans > 0 && off > 0 && wrong == off)
      throw ladder::Objection("count_wrong() says " + std::to_string(wrong) + ", which leaves out the " +
                              std::to_string(nans) + " of `got` that are NaN. A NaN is neither nearer nor " +
                              "farther than the tolerance: every comparison with it is false");
  }

  /// @param told  what it is and what was measured around it
  /// @throws ladder::Objection that says where such a time comes from
  static void must_be_a_time(float ms, const std::string& told) {
    if (ms > 0) return;
    std::string why = "A run takes some time: which calls stand between the two events?";
    if (std::isnan(ms))
      why =
          "That comes from 0/0, or from a variable that had no value: take the time between the events "
          "(cudaEventElapsedTime) first, then divide it by `runs`";
    else if (ms == kUntouched || ms * kRuns == kUntouched)
      why = "That is what `ms` was before the call: cudaEventElapsedTime() has not put a time there";
    else if (ms < 0)
      why = "The event that was recorded first comes first in cudaEventElapsedTime(&ms, first, second)";
    throw ladder::Objection(told + ". " + why);
  }
};
