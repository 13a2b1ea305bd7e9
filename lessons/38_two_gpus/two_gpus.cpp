// Reference, cases and timing of the lesson; the rungs are the .cu files beside this one.
#include "two_gpus.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "judge/devices.h"

namespace {

using ladder::Buffer;
using ladder::Case;

class TwoGpus : public ladder::Lesson {
 public:
  /// Rings and orders of sums show with more ranks than two; the simulator has them.
  int devices(ladder::DeviceKind device) const override {
    return device == ladder::DeviceKind::gpu ? 2 : kMostRanks;
  }

  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    const auto add = [&](std::int64_t ranks, std::int64_t n, std::int64_t rounds, Case::Use use) {
      cases.push_back({{{"ranks", ranks}, {"n", n}, {"rounds", rounds}}, "", use});
    };
    // Around the number of chunks, so that some are short or empty, and around a block's threads.
    for (const std::int64_t n : {0, 1, 2, 7, 8, 9, 31, 257, 1023, 4099}) add(2, n, 1, Case::Use::check);
    for (const std::int64_t n : {5, 2053}) add(2, n, 3, Case::Use::check);
    if (device == ladder::DeviceKind::gpu) {
      add(2, 999'983, 3, Case::Use::check);
    } else {
      for (const std::int64_t n : {1, 33, 1031}) add(3, n, 1, Case::Use::check);
      for (const std::int64_t n : {2, 777}) add(4, n, 2, Case::Use::check);
    }
    add(2, device == ladder::DeviceKind::gpu ? 1 << 26 : 1 << 23, 1,
        Case::Use::time);  // the link makes the time
    add(2, device == ladder::DeviceKind::gpu ? 1 << 18 : 1 << 16, 1, Case::Use::time);  // calls and waits do
    return cases;
  }

  bool valid(const Case& which) const override {
    return which["ranks"] >= 2 && which["ranks"] <= kMostRanks && which["n"] >= 0 && which["rounds"] >= 1;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const Case& which = problem.which();
    const std::vector<std::int64_t> shape = {which["rounds"], which["ranks"], which["n"]};
    random.uniform(problem.input<float>("in", shape, Buffer::Location::host), -1.0f, 1.0f);
    problem.output<float>("out", shape, Buffer::Location::host);
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<float>("in");
    // Three additions of numbers below 4 at most, each off by half of the last of 24 bits: 3.6e-7.
    const auto out = problem.expect("out", {.absolute = 5e-7});
    const std::int64_t ranks = problem.which()["ranks"], n = problem.which()["n"];
    for (std::int64_t round = 0; round < problem.which()["rounds"]; ++round)
      ladder::parallel_for(n, [&](std::int64_t begin, std::int64_t end) {
        const std::int64_t first = round * ranks * n;
        for (std::int64_t i = begin; i < end; ++i) {
          double sum = 0;
          for (std::int64_t r = 0; r < ranks; ++r) sum += in[first + r * n + i];
          for (std::int64_t r = 0; r < ranks; ++r) out[first + r * n + i] = sum;
        }
      });
  }

  /// None that the grader knows a peak for: it measures the link to the host, and not the one between GPUs.
  ladder::Work work(const Case&) const override { return {}; }

  ladder::TimingScope timing_scope() const override { return ladder::TimingScope::end_to_end; }

  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    g_ = {};
    g_.ranks = static_cast<int>(which["ranks"]);
    g_.n = which["n"];
    cudaError_t error = arrays_.allocate(g_.ranks, g_.n, which["rounds"], arguments.get<float>("in"),
                                         arguments.get<float>("out"));
    for (int r = 0; r < g_.ranks; ++r) {
      g_.in[r] = arrays_.in[r];
      g_.out[r] = arrays_.out[r];
      g_.stream[r] = arrays_.stream[r];
    }
    if (error == cudaSuccess) error = group_prepare(g_);
    return on_first_device(error);
  }

  /// Round after round, and nobody waits in between: what comes next is put behind it in each stream.
  cudaError_t launch(const Case& which, const ladder::Arguments&) override {
    cudaError_t error = cudaSuccess;
    for (std::int64_t round = 0; round < which["rounds"] && error == cudaSuccess; ++round) {
      if (round > 0) error = arrays_.next_in(round);
      if (error == cudaSuccess) error = cudaSetDevice(0);
      if (error == cudaSuccess) error = all_reduce(g_);
      if (error == cudaSuccess && which["rounds"] > 1) error = arrays_.keep_out(round);
    }
    if (error == cudaSuccess) error = arrays_.wait();
    return on_first_device(error);
  }

  cudaError_t finish(const Case& which, const ladder::Arguments& arguments) override {
    float* const out = arguments.get<float>("out");
    cudaError_t error = arrays_.take(arguments.get<float>("in"), out);
    if (error == cudaSuccess) error = group_release(g_);
    if (error == cudaSuccess) error = arrays_.free();
    if (on_first_device(error) != cudaSuccess) return error;
    same_bits(which, out);
    if (anything_left())
      throw ladder::Objection(
          "group_release() left a pointer, stream or event in g that is not null: the contract wants them "
          "null "
          "afterwards, so that nobody uses or frees what is gone");
    return error;
  }

 private:
  /// Copies of one model that differ in a bit drift apart.
  static void same_bits(const Case& which, const float* out) {
    const std::int64_t ranks = which["ranks"], n = which["n"];
    for (std::int64_t round = 0; round < which["rounds"]; ++round)
      for (std::int64_t r = 1; r < ranks; ++r)
        for (std::int64_t i = 0; i < n; ++i) {
          const float &first = out[round * ranks * n + i], &here = out[(round * ranks + r) * n + i];
          const bool close = here - first < 1e-6f && first - here < 1e-6f;  // else the values tell it better
          if (close && std::memcmp(&first, &here, sizeof(float)) != 0)
            throw ladder::Objection(
                "out[0][" + std::to_string(i) + "] and out[" + std::to_string(r) + "][" + std::to_string(i) +
                "] differ in their last bits: the ranks have added in different orders, and "
                "the contract wants the same bits on all of them");
        }
  }

  bool anything_left() const {
    const auto set = [](auto* handle) { return handle != nullptr; };
    return std::ranges::any_of(g_.scratch, set) || std::ranges::any_of(g_.mark, set) ||
           std::ranges::any_of(g_.copies, set) || std::ranges::any_of(g_.flags, set) ||
           std::ranges::any_of(g_.arrived,
                               [&](const auto& of_rank) { return std::ranges::any_of(of_rank, set); });
  }

  Group g_;
  DeviceArrays arrays_;
};

}  // namespace

LADDER_LESSON(TwoGpus)
