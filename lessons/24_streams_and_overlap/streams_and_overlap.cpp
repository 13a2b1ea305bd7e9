// Reference, cases and timing of the lesson; the rungs are the .cu files beside this one.
#include "streams_and_overlap.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "grader/lesson/lesson.h"
#include "grader/lesson/parallel.h"
#include "spring.h"

namespace {

using ladder::Buffer;
using ladder::Case;

constexpr const char* kThrice = "run three times";  // a variant: what a run keeps or leaves shows

class StreamsAndOverlap : public ladder::Lesson {
 public:
  std::vector<Case> cases(ladder::DeviceKind device) const override {
    std::vector<Case> cases;
    // Around the number of chunks, so that some are short or empty, and around a block's threads.
    for (const std::int64_t n : {0, 1, 2, 3, 15, 16, 17, 31, 33, 255, 256, 257, 1023, 4099, 65'537})
      cases.push_back({{{"n", n}}, "", Case::Use::check});
    for (const std::int64_t n : {0, 257, 4099}) cases.push_back({{{"n", n}}, kThrice, Case::Use::check});
    if (device == ladder::DeviceKind::gpu) cases.push_back({{{"n", 999'983}}, "", Case::Use::check});
    // Large: copies make the time. Small: the calls do.
    const std::int64_t large = device == ladder::DeviceKind::gpu ? 1 << 24 : 1 << 21;
    cases.push_back({{{"n", large}}, "", Case::Use::time});
    cases.push_back({{{"n", 1 << 15}}, "", Case::Use::time});
    return cases;
  }

  void declare(ladder::Problem& problem, ladder::Random& random) const override {
    const std::int64_t n = problem.which()["n"];
    random.uniform(problem.input<float>("in", {n}, Buffer::Location::host), -1.0f, 1.0f);
    problem.output<float>("out", {n}, Buffer::Location::host);
  }

  void reference(ladder::Problem& problem) const override {
    const auto in = problem.read<float>("in");
    // Two roundings a step, of up to 2^-25 in the place and 2^-24 in the speed, which the spring carries on
    // for four units of time and does not let grow: 256 steps make 2e-5 at most, and some 1e-6 as they fall.
    // Half precision, at 5e-4 a rounding, shows.
    const auto out = problem.expect("out", {.absolute = 2e-5, .relative = 0});
    ladder::parallel_for(static_cast<std::int64_t>(out.size()), [&](std::int64_t begin, std::int64_t end) {
      constexpr std::int64_t kSideBySide = 16;  // for the compiler to put into vectors
      for (std::int64_t first = begin; first < end; first += kSideBySide) {
        double x[kSideBySide] = {}, v[kSideBySide] = {};
        const std::int64_t count = std::min(kSideBySide, end - first);
        for (std::int64_t i = 0; i < count; ++i) x[i] = in[first + i];
        for (int step = 0; step < kSteps; ++step)
          for (std::int64_t i = 0; i < kSideBySide; ++i) {
            v[i] -= kTimeStep * (x[i] + x[i] * x[i] * x[i]);
            x[i] += kTimeStep * v[i];
          }
        std::copy_n(x, count, out.data() + first);
      }
    });
  }

  ladder::Work work(const Case& which) const override {
    const double n = static_cast<double>(which["n"]);
    return {.bytes_read = n * sizeof(float), .bytes_written = n * sizeof(float), .flops = 7.0 * kSteps * n};
  }

  ladder::TimingScope timing_scope() const override { return ladder::TimingScope::end_to_end; }

  cudaError_t prepare(const Case& which, const ladder::Arguments& arguments) override {
    const std::int64_t n = which["n"];
    const cudaError_t error = springs_allocate(springs_, n);
    if (error != cudaSuccess) return error;
    if (n > 0 && !(springs_.in && springs_.out))
      throw ladder::Objection("springs_allocate() left s.in or s.out null: the springs have no place yet");
    std::copy_n(arguments.get<float>("in"), n, springs_.in);
    std::copy_n(arguments.get<float>("out"), n, springs_.out);  // the poison
    return cudaSuccess;
  }

  cudaError_t launch(const Case& which, const ladder::Arguments& arguments) override {
    busy_ = -1;
    for (int more = which.variant == kThrice ? 2 : 0; more > 0; --more) {
      if (const cudaError_t error = springs_run(springs_); error != cudaSuccess) return error;
      std::copy_n(arguments.get<float>("out"), which["n"], springs_.out);  // poison: none has been followed
    }
    return springs_run(springs_);
  }

  void returned(const Case& which) override {
    if (which.use != Case::Use::check) return;
    for (int i = 0; i < kStreams; ++i)
      if (springs_.streams[i] != nullptr && cudaStreamQuery(springs_.streams[i]) == cudaErrorNotReady)
        busy_ = i;
  }

  cudaError_t finish(const Case& which, const ladder::Arguments& arguments) override {
    if (busy_ >= 0)
      throw ladder::Objection("springs_run() returned while s.streams[" + std::to_string(busy_) +
                              "] still had work to do: the host would read s.out too early");
    const std::int64_t n = which["n"];
    std::copy_n(springs_.out, n, arguments.get<float>("out"));
    std::copy_n(springs_.in, n, arguments.get<float>("in"));  // so that the harness sees a changed input
    const cudaError_t error = springs_free(springs_);
    if (error == cudaSuccess && anything_left())
      throw ladder::Objection(
          "springs_free() left a pointer, stream, event or graph in s that is not null: the contract wants "
          "them null "
          "afterwards, so that nobody uses or frees what is gone");
    return error;
  }

 private:
  bool anything_left() const {
    const Springs& s = springs_;
    const auto set = [](auto* handle) { return handle != nullptr; };
    return set(s.in) || set(s.out) || set(s.d_in) || set(s.d_out) || set(s.graph) ||
           std::ranges::any_of(s.streams, set) || std::ranges::any_of(s.arrived, set) ||
           std::ranges::any_of(s.computed, set) || std::ranges::any_of(s.left, set) ||
           std::ranges::any_of(s.join, set);
  }

  Springs springs_;
  int busy_ = -1;  ///< a stream that had work to do when springs_run() returned
};

}  // namespace

LADDER_LESSON(StreamsAndOverlap)
